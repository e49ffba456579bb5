//! What things are called, in one language.
//!
//! One rule for records: the split that caused it, and the value it carries.
//! "blue 4" is the record 4 of blue where the values count like the offsets,
//! "blue d" a letter, "yellow 8" a sum of 8 that a yellow record caused.

use crate::model::{
    Barrier, ChannelIndex, CheckpointId, JoinSide, Key, KeySelector, Language, OperatorIndex,
    Record, Scenario, SnapshotState, SplitIndex, StateValue, StreamElement, SubtaskIndex,
};
use crate::trace::{TaskStatus, View};

/// A name-giver: a scenario and a language, and which checkpoints are
/// savepoints.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Where the labels stand.
    pub scenario: &'a Scenario,
    /// Which of them is meant.
    pub language: Language,
    /// What is called a savepoint.
    pub savepoints: &'a [CheckpointId],
}

impl<'a> Names<'a> {
    /// Names for a run without savepoints.
    #[must_use]
    pub fn new(scenario: &'a Scenario, language: Language) -> Self {
        Self { scenario, language, savepoints: &[] }
    }

    /// The same, where these are savepoints.
    #[must_use]
    pub fn with_savepoints(self, savepoints: &'a [CheckpointId]) -> Self {
        Self { savepoints, ..self }
    }

    /// The text of the language.
    pub(crate) fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        match self.language {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// A subtask by its full name: "blue source", "sum(even)".
    #[must_use]
    pub fn task(&self, task: SubtaskIndex) -> &'a str {
        self.scenario.graph.spec(task).label.of(self.language)
    }

    /// A subtask by its short name: "blue", "even".
    #[must_use]
    pub fn short(&self, task: SubtaskIndex) -> &'a str {
        self.scenario.graph.spec(task).short.of(self.language)
    }

    /// An operator.
    #[must_use]
    pub fn operator(&self, operator: OperatorIndex) -> &'a str {
        self.scenario.graph.job.operators[operator.index()].label.of(self.language)
    }

    /// A split: "blue".
    #[must_use]
    pub fn split(&self, split: SplitIndex) -> &'a str {
        self.scenario.graph.split(split).label.of(self.language)
    }

    /// A record: the split that caused it, and its value.
    #[must_use]
    pub fn record(&self, record: &Record) -> String {
        format!("{}\u{a0}{}", self.split(record.id.split), record.value)
    }

    /// Anything that a channel carries.
    #[must_use]
    pub fn element(&self, element: &StreamElement) -> String {
        match element {
            StreamElement::Record(record) => self.record(record),
            StreamElement::Barrier(Barrier { checkpoint, options, .. }) => {
                self.kind_of_barrier(options.alignment, *checkpoint)
            }
            StreamElement::CancelMarker(checkpoint) => {
                let which = self.checkpoint(*checkpoint);
                match self.language {
                    Language::En => format!("the cancellation of {which}"),
                    Language::Zh => format!("{which}的取消标记"),
                }
            }
            StreamElement::EndOfData => self.pick("the end of data", "数据结束标记").to_owned(),
            StreamElement::EndOfPartition => {
                self.pick("the end of the channel", "通道结束标记").to_owned()
            }
            StreamElement::EndOfChannelState => {
                self.pick("the end of the channel state", "通道状态结束标记").to_owned()
            }
        }
    }

    /// "barrier 2".
    #[must_use]
    pub fn barrier(&self, checkpoint: CheckpointId) -> String {
        format!("{}\u{a0}{checkpoint}", self.pick("barrier", "屏障"))
    }

    /// "checkpoint 2", or "savepoint 2".
    #[must_use]
    pub fn checkpoint(&self, checkpoint: CheckpointId) -> String {
        let what = match self.savepoints.contains(&checkpoint) {
            true => self.pick("savepoint", "保存点"),
            false => self.pick("checkpoint", "检查点"),
        };
        format!("{what}\u{a0}{checkpoint}")
    }

    /// "attempt 2".
    #[must_use]
    pub fn attempt(&self, attempt: crate::model::Attempt) -> String {
        match self.language {
            Language::En => format!("attempt\u{a0}{attempt}"),
            Language::Zh => format!("第\u{a0}{attempt}\u{a0}次尝试"),
        }
    }

    /// Whose something is: "yellow’s", "黄源的".
    #[must_use]
    pub fn of_task(&self, task: SubtaskIndex) -> String {
        match self.language {
            Language::En => {
                let short = self.short(task);
                let mark = if short.ends_with('s') { "’" } else { "’s" };
                format!("{short}{mark}")
            }
            Language::Zh => format!("{}的", self.task(task)),
        }
    }

    /// A channel's barrier by its sender: "yellow’s barrier 2".
    #[must_use]
    pub fn barrier_of(&self, channel: ChannelIndex, checkpoint: CheckpointId) -> String {
        let sender = self.of_task(self.scenario.graph.channels[channel.index()].from);
        match self.language {
            Language::En => format!("{sender} {}", self.barrier(checkpoint)),
            Language::Zh => format!("{sender}{}", self.barrier(checkpoint)),
        }
    }

    /// "blue → sum(even)".
    #[must_use]
    pub fn channel(&self, channel: ChannelIndex) -> String {
        let channel = &self.scenario.graph.channels[channel.index()];
        format!("{} → {}", self.short(channel.from), self.task(channel.to))
    }

    /// "a, b and c"; from the seventh on only how many more there are.
    #[must_use]
    pub fn list(&self, items: &[String]) -> String {
        const SHOWN_MAX: usize = 6;
        let more;
        let (shown, last): (&[String], &str) = match items {
            [] => return String::new(),
            [only] => return only.clone(),
            _ if items.len() > SHOWN_MAX + 1 => {
                let rest = items.len() - SHOWN_MAX;
                more = match self.language {
                    Language::En => format!("{rest} more"),
                    Language::Zh => format!("另外 {rest}个"),
                };
                (&items[..SHOWN_MAX], &more)
            }
            [first @ .., last] => (first, last),
        };
        match self.language {
            Language::En => format!("{} and {last}", shown.join(", ")),
            Language::Zh => format!("{}、{last}", shown.join("、")),
        }
    }

    /// Several tasks by their full names.
    #[must_use]
    pub fn tasks(&self, tasks: &[SubtaskIndex]) -> String {
        let names: Vec<String> = tasks.iter().map(|task| self.task(*task).to_owned()).collect();
        self.list(&names)
    }

    /// Several tasks by their short names.
    #[must_use]
    pub fn shorts(&self, tasks: &[SubtaskIndex]) -> String {
        let names: Vec<String> = tasks.iter().map(|task| self.short(*task).to_owned()).collect();
        self.list(&names)
    }

    /// Several records.
    #[must_use]
    pub fn records(&self, records: &[Record]) -> String {
        let names: Vec<String> = records.iter().map(|record| self.record(record)).collect();
        self.list(&names)
    }

    /// A key of an operator's state or records, as it is written for people.
    #[must_use]
    pub fn key(&self, operator: OperatorIndex, key: Key) -> String {
        match key {
            Key::Bool(odd) => {
                if odd { self.pick("odd", "奇") } else { self.pick("even", "偶") }.to_owned()
            }
            _ => match self.selector(operator) {
                Some(selector) => selector.text(key),
                None => format!("{key:?}"),
            },
        }
    }

    /// By which key an operator keeps its state, or else its records are named.
    fn selector(&self, operator: OperatorIndex) -> Option<&KeySelector> {
        let graph = &self.scenario.graph;
        let own = graph.job.operators[operator.index()].kind.key_selector();
        own.or_else(|| graph.keys_of(operator))
    }

    /// Something under a key: "even 8", but "7: 8" where the key looks like a
    /// value itself.
    #[must_use]
    pub fn entry(&self, operator: OperatorIndex, key: Key, what: &str) -> String {
        let colon = match key {
            Key::Bool(_) | Key::Name(_) => "",
            Key::Int(_) | Key::Long(_) | Key::Letter(_) => ":",
        };
        format!("{}{colon}\u{a0}{what}", self.key(operator, key))
    }

    /// One state value: `8`, or `3|–` of a join's two sides.
    #[must_use]
    pub fn state_value(&self, value: &StateValue) -> String {
        match value {
            StateValue::Value(value) => value.to_string(),
            StateValue::Sides { left, right } => {
                let side = |side: &Option<_>| {
                    side.map_or("–".to_owned(), |value: crate::model::Value| value.to_string())
                };
                format!("{}|{}", side(left), side(right))
            }
        }
    }

    /// Whether more than one key of an operator can lie on one of its
    /// subtasks, so that a state must name its keys.
    #[must_use]
    pub fn names_keys(&self, task: SubtaskIndex) -> bool {
        let graph = &self.scenario.graph;
        let subtask = &graph.subtasks[task.index()];
        let operator = graph.operator(task);
        let Some(n_keys) = operator.kind.key_selector().and_then(KeySelector::n_keys) else {
            return true;
        };
        let senders = subtask.inputs.iter().map(|input| &graph.channels[input.index()]);
        let tables = senders.map(|channel| {
            let outputs = &graph.subtasks[channel.from.index()].outputs;
            let output = outputs.iter().find(|output| output.edge == channel.edge);
            &output.expect("a channel belongs to an output of its sender").receivers
        });
        let mut crowded = tables.map(|owners| {
            let n = |position: u32| owners.iter().filter(|owner| **owner == position).count();
            owners.is_empty() || (0..operator.parallelism).any(|position| n(position) > 1)
        });
        n_keys > 1 && crowded.any(|crowded| crowded)
    }

    /// Keyed state: `8`, or `even 8, odd 9` where there are several keys.
    #[must_use]
    pub fn keyed(&self, task: SubtaskIndex, entries: &[(Key, StateValue)]) -> String {
        const SHOWN_MAX: usize = 6;
        let operator = self.scenario.graph.subtasks[task.index()].operator;
        match entries {
            [] => "–".to_owned(),
            [(_, value)] if !self.names_keys(task) => self.state_value(value),
            _ => {
                let mut texts: Vec<String> = entries
                    .iter()
                    .take(SHOWN_MAX)
                    .map(|(key, value)| self.entry(operator, *key, &self.state_value(value)))
                    .collect();
                if entries.len() > SHOWN_MAX {
                    texts.push("…".to_owned());
                }
                texts.join(self.pick(", ", "、"))
            }
        }
    }

    /// What a task has stored, with its name: "blue offset 3", "even 8".
    /// Nothing for a task that stored nothing worth telling.
    #[must_use]
    pub fn stored(&self, task: SubtaskIndex, state: &SnapshotState) -> Option<String> {
        let short = self.short(task);
        match state {
            // A source subtask without a split.
            SnapshotState::Offsets(offsets) if offsets.is_empty() => None,
            SnapshotState::Offsets(offsets) => {
                let texts: Vec<String> = match offsets.as_slice() {
                    [(_, offset)] => vec![offset.to_string()],
                    several => several
                        .iter()
                        .map(|(split, offset)| format!("{}\u{a0}{offset}", self.split(*split)))
                        .collect(),
                };
                let word = self.pick(" offset", "偏移量");
                Some(format!("{short}{word}\u{a0}{}", texts.join(self.pick(", ", "、"))))
            }
            SnapshotState::Broadcast(entries) if entries.is_empty() => None,
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries)
                if self.names_keys(task) && !entries.is_empty() =>
            {
                let keyed = self.keyed(task, entries);
                Some(match self.language {
                    Language::En => format!("{short} ({keyed})"),
                    Language::Zh => format!("{short}（{keyed}）"),
                })
            }
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                Some(format!("{short}\u{a0}{}", self.keyed(task, entries)))
            }
            SnapshotState::Stateless => None,
            SnapshotState::Transactions(list) if list.is_empty() => None,
            SnapshotState::Transactions(list) => Some(match (self.language, list.len()) {
                (Language::En, 1) => format!("{short} 1\u{a0}prepared transaction"),
                (Language::En, n) => format!("{short} {n}\u{a0}prepared transactions"),
                (Language::Zh, n) => format!("{short} {n}个预提交事务"),
            }),
        }
    }

    /// A state change under a key: "4 → 8".
    #[must_use]
    pub fn change(&self, before: Option<&StateValue>, after: &StateValue) -> String {
        let before = before.map_or("–".to_owned(), |value| self.state_value(value));
        format!("{before}\u{a0}→\u{a0}{}", self.state_value(after))
    }

    /// The inputs of a task whose barrier of a checkpoint has not been taken
    /// yet: it is still in flight, or its sender has not sent it. The end of a
    /// finished sender's channel counts as its barrier.
    #[must_use]
    pub fn missing_barriers(
        &self,
        view: &View,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) -> Vec<ChannelIndex> {
        let inputs = &self.scenario.graph.subtasks[task.index()].inputs;
        inputs
            .iter()
            .copied()
            .filter(|input| {
                let places = &view.channels[input.index()];
                let sender = self.scenario.graph.channels[input.index()].from;
                let sender = &view.tasks[sender.index()];
                let sent = sender.snapshot.is_some_and(|snapshot| snapshot >= checkpoint)
                    || sender.status == TaskStatus::Finished && places.in_flight().next().is_none();
                let in_flight = places.in_flight().any(|message| {
                    matches!(message.element, StreamElement::Barrier(barrier)
                        if barrier.checkpoint == checkpoint)
                });
                places.blocked.is_none() && (in_flight || !sent)
            })
            .collect()
    }

    /// Which input of a join a channel feeds, in a letter; none elsewhere.
    #[must_use]
    pub fn side(&self, channel: ChannelIndex) -> Option<&'static str> {
        let channel = &self.scenario.graph.channels[channel.index()];
        let joins = matches!(
            self.scenario.graph.operator(channel.to).kind,
            crate::model::OperatorKind::Join(_)
        );
        joins.then_some(match channel.input {
            JoinSide::Left => self.pick("L", "左"),
            JoinSide::Right => self.pick("R", "右"),
        })
    }

    /// Puts the spaces in that a Chinese text has between characters and
    /// Latin letters or digits, so that sentences need not know how a name
    /// ends. A number stays with the word before it.
    #[must_use]
    pub fn tidy(&self, text: &str) -> String {
        if self.language == Language::En {
            return text.to_owned();
        }
        let mut tidy = String::with_capacity(text.len() + 16);
        let mut before = ' ';
        for sign in text.chars() {
            match (is_ideograph(before), is_ideograph(sign)) {
                (true, false) if sign.is_ascii_digit() => tidy.push('\u{a0}'),
                (true, false) if sign.is_ascii_alphabetic() => tidy.push(' '),
                (false, true) if before.is_ascii_alphanumeric() || before == '–' => {
                    tidy.push(' ')
                }
                _ => {}
            }
            tidy.push(sign);
            before = sign;
        }
        tidy
    }
}

fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
