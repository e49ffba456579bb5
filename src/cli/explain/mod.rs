//! What is wrong with a run, in sentences for people: which record, where, in
//! which steps.

mod checkpoints;
mod cut;
mod flow;
mod job;
mod properties;

pub(super) use properties::{rule, sentence};

use crate::model::{
    ChannelIndex, CheckpointId, Language, Record, RecordId, Scenario, SubtaskIndex, Value,
};
use crate::narrate::Names;
use crate::verify::{Breach, Count, Finding, Limit, Miscount, Sighting, StaleKey};

/// Puts findings into words.
#[derive(Clone, Copy)]
pub(super) struct Explainer<'a> {
    pub(super) names: Names<'a>,
    /// For values that were drawn from it.
    pub(super) seed: Option<u64>,
}

impl<'a> Explainer<'a> {
    pub(super) fn new(scenario: &'a Scenario, language: Language, seed: Option<u64>) -> Self {
        Self { names: Names::new(scenario, language), seed }
    }

    /// An input record by its split and value; one that the split does not hold
    /// by its offset.
    pub(super) fn record(&self, id: &RecordId) -> String {
        let values = &self.names.scenario.graph.split(id.split).values;
        let read_before = id.offset.checked_sub(1);
        let seed = self.seed.unwrap_or_default();
        match read_before.and_then(|n_read| values.next(n_read, id.split.0, seed)) {
            Some(value) => self.names.record(&Record { id: *id, value, key: None }),
            None => {
                let value = Value::Number(id.offset.into());
                format!("{}?", self.names.record(&Record { id: *id, value, key: None }))
            }
        }
    }

    /// A breach: what happened, and since when it could not be right.
    pub(super) fn breach(&self, breach: &Breach) -> String {
        let what = self.wrong(breach);
        let text = match (self.names.language, breach.since) {
            (Language::En, _) => format!("step {}: {what}", breach.step),
            (Language::Zh, _) => format!("第 {} 步：{what}", breach.step),
        };
        self.names.tidy(&text).replace('\u{a0}', " ")
    }

    /// A finding about a cut, with its first wrong step.
    pub(super) fn finding(&self, finding: &Finding) -> String {
        let (step, what) = (finding.first_wrong_step(), self.about_a_cut(finding));
        let text = match self.names.language {
            Language::En => format!("step {step}: {what}"),
            Language::Zh => format!("第 {step} 步：{what}"),
        };
        self.names.tidy(&text).replace('\u{a0}', " ")
    }

    /// A record that does not count once.
    pub(super) fn miscount(&self, miscount: &Miscount) -> String {
        let record = self.record(&miscount.record.id);
        let place = self.names.operator(miscount.operator.id);
        let steps = self.steps(&miscount.sightings);
        let (n, expected) = (miscount.n, miscount.expected);
        let (en, zh) = match miscount.what {
            Count::Read => ("is read", "读"),
            Count::Counted => ("counts", "计入"),
            Count::Published => ("is published", "发布"),
        };
        let text = match (self.names.language, n) {
            (Language::En, 0) => {
                let never = en.replace("is ", "is never ").replace("counts", "never counts");
                format!("{record} {never} at {place}; it passed in {steps}")
            }
            (Language::En, _) => {
                let (n, expected) = (times(n), times(expected));
                format!("{record} {en} {n} at {place} instead of {expected}: in {steps}")
            }
            (Language::Zh, 0) => format!("{record} 从未由{place}{zh}；它在{steps}经过"),
            (Language::Zh, _) => {
                format!("{place}{zh}{record} 共 {n} 次，应为 {expected} 次：{steps}")
            }
        };
        self.names.tidy(&text).replace('\u{a0}', " ")
    }

    /// A key that holds what a failure has undone.
    pub(super) fn stale(&self, stale: &StaleKey) -> String {
        let (record, step) = (self.record(&stale.record.id), stale.step);
        let place = self.names.operator(stale.operator.id);
        let key = stale.key.as_deref().unwrap_or("–");
        let text = match self.names.language {
            Language::En => format!(
                "{place} holds {record} under {key}, written in step {step} and undone by a failure"
            ),
            Language::Zh => {
                format!("{place}在 {key} 下留着{record}，它写于第 {step} 步，已被故障撤销")
            }
        };
        self.names.tidy(&text).replace('\u{a0}', " ")
    }

    /// What Flink does not promise, and that has happened.
    pub(super) fn limit(&self, limit: &Limit) -> String {
        let Limit::StoppedLate { savepoint, completed, checkpoint, step } = limit;
        let (savepoint, from) = (savepoint, self.begun_from(*checkpoint));
        let text = match self.names.language {
            Language::En => format!(
                "step {step}: savepoint {savepoint}, with which the job was to stop, had been \
                 complete since step {completed} when the job failed; it restarts from {from}, \
                 since a savepoint is no checkpoint, and what was committed with the savepoint is \
                 published again. So does Flink, and says to start from the savepoint instead"
            ),
            Language::Zh => format!(
                "第 {step} 步：作业失败时，用来停止它的保存点 {savepoint} 自第 {completed} \
                 步起已经完成；保存点不是检查点，作业从{from}重启，随保存点提交过的结果会再发布一次。\
                 Flink 也是如此，并提示改从该保存点启动"
            ),
        };
        self.names.tidy(&text).replace('\u{a0}', " ")
    }

    fn steps(&self, sightings: &[Sighting]) -> String {
        const SHOWN_MAX: usize = 6;
        let shown = sightings.iter().take(SHOWN_MAX);
        let steps: Vec<String> = shown.map(|seen| seen.step.to_string()).collect();
        let more = if sightings.len() > SHOWN_MAX { " …" } else { "" };
        match (self.names.language, steps.len()) {
            (Language::En, 1) => format!("step {}{more}", steps[0]),
            (Language::En, _) => format!("steps {}{more}", steps.join(", ")),
            (Language::Zh, _) => format!("第 {}{more} 步", steps.join("、")),
        }
    }

    fn wrong(&self, breach: &Breach) -> String {
        let since = breach.since.unwrap_or(breach.step);
        self.about_the_flow(&breach.wrong, since)
            .or_else(|| self.about_checkpoints(&breach.wrong, since))
            .or_else(|| self.about_the_job(&breach.wrong, since))
            .unwrap_or_else(|| unreachable!("every mistake has its words: {breach:?}"))
    }

    fn pick(&self, en: String, zh: String) -> String {
        match self.names.language {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    fn task(&self, task: SubtaskIndex) -> &'a str {
        self.names.task(task)
    }

    fn channel(&self, channel: ChannelIndex) -> String {
        self.names.channel(channel)
    }

    fn checkpoint(&self, checkpoint: CheckpointId) -> String {
        self.names.checkpoint(checkpoint)
    }

    /// What a job begins from.
    fn begun_from(&self, checkpoint: Option<CheckpointId>) -> String {
        match checkpoint {
            Some(id) => self.checkpoint(id),
            None => self.pick("the beginning".to_owned(), "头".to_owned()),
        }
    }
}

fn times(n: u32) -> String {
    match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{n} times"),
    }
}
