//! Messages between the JobManager and the tasks that are lost or late.

use jsonc_parser::ast::{Object, Value};

use super::diagnostic::Diagnostic;
use super::limits::COUNTER_MAX;
use super::places::{Places, Word};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Fields, key};
use super::vocabulary::{DELAY, LOSE};
use super::words::{list, quote};
use crate::model::{CheckpointId, CheckpointMessage, MessageFault, Micros, Mishap, SubtaskIndex};

/// Reads faults of messages.
pub(super) struct MessageFaultReader<'r, 'j> {
    pub(super) places: &'r Places<'j>,
    pub(super) problems: &'r mut Problems,
}

impl MessageFaultReader<'_, '_> {
    /// A fault whose kind is `lose` or `delay`.
    pub(super) fn read(
        &mut self,
        object: &Object<'_>,
        (kind, value): (&str, &Value<'_>),
    ) -> Option<MessageFault> {
        let (what, keys) = match kind {
            "lose" => ("a lost message", LOSE),
            _ => ("a late message", DELAY),
        };
        let fields = self.problems.fields(object, what.into(), keys);
        let message = self.message(value, kind);
        let checkpoint = self.problems.required(&fields, what, "checkpoint");
        let checkpoint = checkpoint
            .and_then(|number| self.problems.whole(number, "`checkpoint`", 1..=COUNTER_MAX));
        let mishap = match kind {
            "lose" => Some(Mishap::Lost),
            _ => self.problems.required(&fields, what, "by").and_then(|by| {
                let late = self.problems.duration(by, "`by`")?;
                if late == Micros::ZERO {
                    let problem =
                        Diagnostic::error("no-time", "a delay of no time changes nothing");
                    self.problems.add(problem.at(range_of(by), "longer than 0"));
                }
                Some(Mishap::Late(late))
            }),
        };
        let task = message.and_then(|message| self.task(&fields, message));
        Some(MessageFault {
            message: message?,
            task: task?,
            checkpoint: CheckpointId(checkpoint?),
            mishap: mishap?,
        })
    }

    fn message(&mut self, value: &Value<'_>, kind: &str) -> Option<CheckpointMessage> {
        let names = CheckpointMessage::ALL.map(CheckpointMessage::name);
        let word = self.problems.string(value, &quote(kind), "the kind of a message")?;
        let found = CheckpointMessage::ALL.into_iter().find(|own| own.name() == word.text);
        if found.is_none() {
            let near = self.problems.nearest(word.text, names);
            let message = format!("{} is no message about a checkpoint", quote(word.text));
            let problem = Diagnostic::error("unknown-message", message);
            let help = format!("a message is {}", list(&names.map(quote), "or"));
            self.problems.add(problem.at(word.range, "unknown").did_you_mean(near).help(help));
        }
        found
    }

    /// Who sends the message, or gets it.
    fn task(
        &mut self,
        fields: &Fields<'_, '_>,
        message: CheckpointMessage,
    ) -> Option<SubtaskIndex> {
        let (wanted, other, why) = match message {
            CheckpointMessage::Acknowledgement => ("of", "to", "a task sends it to the JobManager"),
            CheckpointMessage::Trigger | CheckpointMessage::Notification => {
                ("to", "of", "the JobManager sends it to a task")
            }
        };
        if let Some(wrong) = fields.get(other) {
            let message = format!("{} {} has no `{other}`", article(message), message.name());
            let problem = Diagnostic::error("wrong-direction", message);
            let label = format!("{why}: `{wanted}`");
            self.problems.add(problem.at(key(wrong).range, label));
            return None;
        }
        let name = self.problems.required(fields, "such a message", wanted)?;
        let name = self.problems.string(name, &quote(wanted), "a task as \"sum[even]\"")?;
        let task = self.places.task(&Word::whole(&name), "no such message: ", self.problems);
        task.map(|task| self.places.subtask(task))
    }
}

fn article(message: CheckpointMessage) -> &'static str {
    match message {
        CheckpointMessage::Acknowledgement => "an",
        CheckpointMessage::Trigger | CheckpointMessage::Notification => "a",
    }
}
