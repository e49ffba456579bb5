//! `checkdam session`: several jobs on one cluster with so many slots.

use std::process::ExitCode;

use serde_json::{Value as Json, json};
use unicode_width::UnicodeWidthStr as _;

use super::args::{Format, SessionOf};
use super::columns::columns;
use super::output::Output;
use super::problem::{CANNOT_TELL, Problem};
use super::words::pick;
use super::{input, starts};
use crate::chain::{self, JobRun, SLOT_REQUEST_TIMEOUT, Stay, Submission};
use crate::load;
use crate::model::{Language, Time};
use crate::render::duration;
use crate::sim::Ending;

/// Runs the jobs, and says who had to wait, and what a savepoint was worth.
pub(super) fn session(
    arguments: &SessionOf,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let words = arguments.jobs.iter().map(|word| submission(word, arguments, output));
    let jobs = words.collect::<Result<Vec<_>, _>>()?;
    for job in &jobs {
        let needed = chain::n_slots(&job.scenario);
        if needed > arguments.slots {
            let (name, slots) = (&job.scenario.name, arguments.slots);
            let what = format!("`{name}` needs {needed} slots, and the cluster has {slots}");
            return Err(Problem::input("too-few-slots", what, format!("--slots {needed}")));
        }
    }
    let stays = chain::session(arguments.slots, &jobs, arguments.seed);
    let report = Report { language, n_slots: arguments.slots, jobs: &jobs, stays: &stays };
    output.print(&match arguments.format {
        Format::Text => report.text(),
        Format::Json => format!("{:#}\n", report.json()),
    })?;
    let all_ended = stays.iter().all(|stay| stay.ended.is_some());
    Ok(if all_ended { ExitCode::SUCCESS } else { ExitCode::from(CANNOT_TELL) })
}

/// `urgent@40 ms`: a job and the time at which it is submitted.
fn submission(word: &str, arguments: &SessionOf, output: Output) -> Result<Submission, Problem> {
    let (job, at) = match word.rsplit_once('@') {
        None => (word, Time(0)),
        Some((job, text)) => {
            let at = load::duration(text).ok_or_else(|| {
                let what = format!("`{text}` in `{word}` is not a time");
                Problem::input("not-a-duration", what, format!("as {job}@\"40 ms\""))
            })?;
            (job, Time(at.0))
        }
    };
    let scenario = input::scenario(job, output)?;
    let scenario = starts::chained(scenario, job, arguments.seed, output)?;
    Ok(Submission { scenario, at })
}

struct Report<'a> {
    language: Language,
    n_slots: u32,
    jobs: &'a [Submission],
    stays: &'a [Stay],
}

impl Report<'_> {
    fn pick(&self, en: &'static str, zh: &'static str) -> &'static str {
        pick(self.language, en, zh)
    }

    fn text(&self) -> String {
        let mut text = match self.language {
            Language::En => format!(
                "{} on a cluster with {}, first come, first served\n\n",
                counted(self.jobs.len(), "job"),
                counted(self.n_slots as usize, "slot")
            ),
            Language::Zh => {
                format!("{} 个作业，集群有 {} 个槽，先来先服务\n\n", self.jobs.len(), self.n_slots)
            }
        };
        text += &columns(&self.table(), 1);
        text.push('\n');
        text += &self.bars();
        let savings: Vec<String> = self
            .each()
            .filter_map(|(job, stay)| {
                let afresh = stay.afresh.as_ref()?;
                Some(self.saving(&job.scenario.name, &stay.run, afresh))
            })
            .collect();
        if !savings.is_empty() {
            text += &format!("\n{}", savings.concat());
        }
        text
    }

    fn each(&self) -> impl Iterator<Item = (&Submission, &Stay)> {
        self.jobs.iter().zip(self.stays)
    }

    fn table(&self) -> Vec<Vec<String>> {
        let heads = [
            ("job", "作业"),
            ("slots", "槽"),
            ("submitted", "提交"),
            ("waited", "等待"),
            ("begins", "开始"),
            ("ends", "结束"),
            ("reads", "读取"),
            ("ends with", "结局"),
        ];
        let mut lines = vec![heads.map(|(en, zh)| self.pick(en, zh).to_owned()).to_vec()];
        for (job, stay) in self.each() {
            let none = || "–".to_owned();
            let time = |time: Option<Time>| time.map_or_else(none, |time| duration(time.0));
            let waited = stay.began.zip(stay.submitted).map(|(began, at)| began.0 - at.0);
            lines.push(vec![
                job.scenario.name.clone(),
                stay.n_slots.to_string(),
                time(stay.submitted),
                waited.filter(|waited| *waited > 0).map_or_else(none, duration),
                time(stay.began),
                time(stay.ended),
                if stay.began.is_some() { stay.run.n_read.to_string() } else { none() },
                self.ending(stay),
            ]);
        }
        lines
    }

    fn ending(&self, stay: &Stay) -> String {
        if stay.submitted.is_none() {
            return self.pick("no savepoint to start from", "没有可用的保存点").to_owned();
        }
        if stay.began.is_none() {
            let after = duration(SLOT_REQUEST_TIMEOUT.0);
            return match self.language {
                Language::En => format!("no slots within {after}"),
                Language::Zh => format!("{after} 内没有得到槽"),
            };
        }
        match (&stay.run.ending, stay.run.stopped_with) {
            (Ending::Finished, Some(id)) => match self.language {
                Language::En => format!("savepoint {id}"),
                Language::Zh => format!("保存点 {id}"),
            },
            (Ending::Finished, None) => "FINISHED".to_owned(),
            (Ending::Failed, _) => "FAILED".to_owned(),
            (Ending::Canceled, _) => "CANCELED".to_owned(),
            _ => self.pick("does not end", "没有结束").to_owned(),
        }
    }

    /// One line a job: when it waits and when it runs.
    fn bars(&self) -> String {
        const COLUMNS: u64 = 60;
        let ends = self.stays.iter().filter_map(|stay| stay.ended.or(stay.began));
        let end = ends.map(|time| time.0).max().unwrap_or(0).max(1);
        let column =
            |time: u64| (u128::from(time) * u128::from(COLUMNS) / u128::from(end)) as usize;
        let widest = self.jobs.iter().map(|job| job.scenario.name.width()).max().unwrap_or(0);
        let mut text = String::new();
        for (job, stay) in self.each() {
            let name = &job.scenario.name;
            let began = stay.began.map_or(COLUMNS as usize, |began| column(began.0));
            let ended = stay.ended.map_or(COLUMNS as usize, |ended| column(ended.0));
            let submitted = stay.submitted.map_or(began, |at| column(at.0).min(began));
            text += &format!(
                "{name}{}  {}{}{}\n",
                " ".repeat(widest - name.width()),
                " ".repeat(submitted),
                "░".repeat(began - submitted),
                "█".repeat(if stay.began.is_some() { (ended - began).max(1) } else { 0 }),
            );
        }
        let key = self.pick("░ waits for slots   █ runs", "░ 等待槽   █ 运行");
        text + &format!("{}  {key}\n", " ".repeat(widest))
    }

    /// What a job saves by starting from its savepoint.
    fn saving(&self, name: &str, run: &JobRun, afresh: &JobRun) -> String {
        let took = |run: &JobRun| run.took.map_or_else(|| "–".to_owned(), |took| duration(took.0));
        let (own, again) = (took(run), took(afresh));
        match self.language {
            Language::En => format!(
                "{name} goes on from its savepoint: {} in {own}; reading everything again would \
                 be {} in {again}\n",
                counted(run.n_read as usize, "record"),
                counted(afresh.n_read as usize, "record"),
            ),
            Language::Zh => format!(
                "{name} 从保存点接着跑：{} 条记录，用时 {own}；从头重读要 {} 条，用时 {again}\n",
                run.n_read, afresh.n_read
            ),
        }
    }

    fn json(&self) -> Json {
        let run = |run: &JobRun| {
            json!({
                "took-us": run.took.map(|took| took.0),
                "read": run.n_read,
                "stopped-with": run.stopped_with.map(|id| id.0),
            })
        };
        let jobs = self.each().map(|(job, stay)| {
            json!({
                "job": job.scenario.name,
                "slots": stay.n_slots,
                "submitted-us": stay.submitted.map(|time| time.0),
                "began-us": stay.began.map(|time| time.0),
                "ended-us": stay.ended.map(|time| time.0),
                "run": run(&stay.run),
                "reading-everything-again": stay.afresh.as_ref().map(run),
            })
        });
        let jobs: Vec<Json> = jobs.collect();
        json!({ "slots": self.n_slots, "jobs": jobs })
    }
}

fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
