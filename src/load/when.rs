//! When something is done: at a time, or upon a fact.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::grammar::{Saying, read};
use super::limits::{COUNTER_MAX, NTH_MAX};
use super::places::{Places, TaskPlace, Word};
use super::problems::Problems;
use super::tree::{Fields, Quoted, key, whole_number};
use super::vocabulary::KindKey;
use super::words::{clip, list, quote};
use crate::model::{Attempt, CheckpointId, FactPattern, Micros, Time, When};

/// Who is meant where a sentence names no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Here {
    /// This one.
    Task(TaskPlace),
    /// Nobody.
    Nobody,
    /// It was wrong, and that has been told.
    Unclear,
}

/// The shortest mean time between two failures: with none, nothing else would
/// ever happen.
const SHORTEST_MEAN: Micros = Micros::from_ms(1);

/// Reads sentences about a job.
pub(super) struct WhenReader<'r, 'j> {
    pub(super) places: &'r Places<'j>,
    pub(super) problems: &'r mut Problems,
    /// Whose snapshot "snapshot 2 taken" means.
    pub(super) here: Here,
}

impl WhenReader<'_, '_> {
    /// The keys `at`, or `when`, `nth` and `after`, of some object.
    pub(super) fn when(&mut self, fields: &Fields<'_, '_>, what: &str) -> Option<When> {
        let (at, when) = (fields.get("at"), fields.get("when"));
        for name in ["nth", "after"] {
            if let (Some(property), None) = (fields.get(name), when) {
                let message = format!("`{name}` counts from a fact, and {what} waits for none");
                let problem = Diagnostic::error("without-when", message);
                let at = key(property).range;
                self.problems.add(problem.at(at, "only together with `when`"));
            }
        }
        match (at, when) {
            (Some(at), None) => {
                let time = self.problems.duration(&at.value, "`at`")?;
                Some(When::At(Time(time.0)))
            }
            (None, Some(when)) => {
                let nth = match fields.value("nth") {
                    Some(nth) => self.problems.whole(nth, "`nth`", 1..=NTH_MAX),
                    None => Some(1),
                };
                let after = match fields.value("after") {
                    Some(after) => self.problems.duration(after, "`after`"),
                    None => Some(Micros::ZERO),
                };
                let pattern = self.fact(&when.value, "`when`");
                Some(When::Upon { pattern: pattern?, nth: nth? as u32, after: after? })
            }
            (Some(at), Some(when)) => {
                let message = format!("{what} has a time and a fact to wait for");
                self.problems.add(
                    Diagnostic::error("at-and-when", message)
                        .at(key(when).range, "or this")
                        .at(key(at).range, "either this")
                        .help("to wait for a fact and then some time: \"when\" and \"after\""),
                );
                None
            }
            (None, None) => {
                let message = format!("{what} does not say when");
                self.problems.add(
                    Diagnostic::error("missing-key", message)
                        .at(fields.open(), "`at` or `when` is missing here")
                        .help("\"at\": \"3 s\", or \"when\": \"checkpoint 1 is complete\""),
                );
                None
            }
        }
    }

    /// The key `mean-time-between`, which stands alone.
    pub(super) fn random(&mut self, fields: &Fields<'_, '_>) -> Option<When> {
        let mean = fields.get("mean-time-between")?;
        for name in ["at", "when", "nth", "after"] {
            if let Some(other) = fields.get(name) {
                let message = "what comes at random has no time and waits for no fact";
                let problem = Diagnostic::error("random-and-when", message);
                let problem = problem.at(key(other).range, "or this");
                self.problems.add(problem.at(key(mean).range, "either this"));
                return None;
            }
        }
        let duration = self.problems.duration(&mean.value, "`mean-time-between`")?;
        if duration < SHORTEST_MEAN {
            let message = "so many failures leave no time to work";
            let problem = Diagnostic::error("out-of-range", message);
            let at = super::text::range_of(&mean.value);
            self.problems.add(problem.at(at, format!("at least {SHORTEST_MEAN} belongs here")));
            return None;
        }
        Some(When::Random { mean: duration })
    }

    /// A fact, as a sentence.
    pub(super) fn fact(&mut self, value: &Value<'_>, what: &str) -> Option<FactPattern> {
        let expected = "a sentence as \"checkpoint 1 is complete\"";
        let quoted = self.problems.string(value, what, expected)?;
        let reading = match read(quoted.text) {
            Ok(reading) => reading,
            Err(misread) => {
                let expected = list(&misread.expected, "or");
                let label = if misread.at.is_empty() {
                    format!("here {expected} is missing")
                } else {
                    format!("expected {expected}")
                };
                // A place past the last word still needs something to point at.
                let at = if misread.at.is_empty() {
                    quoted.range.end - 1..quoted.range.end
                } else {
                    quoted.part(misread.at)
                };
                let message = format!("{} names no fact", quote(quoted.text));
                self.problems.add(
                    Diagnostic::error("unknown-fact", message)
                        .at(at, label)
                        .help(format!("facts are: {}", misread.sentences.join(" · "))),
                );
                return None;
            }
        };
        let words: Vec<Word<'_>> =
            reading.holes.iter().map(|hole| Word::part(&quoted, hole.clone())).collect();
        self.pattern(reading.saying, &words, &quoted)
    }

    fn pattern(
        &mut self,
        saying: Saying,
        words: &[Word<'_>],
        quoted: &Quoted<'_>,
    ) -> Option<FactPattern> {
        Some(match (saying, words) {
            (Saying::Triggered, [n]) => FactPattern::CheckpointTriggered(self.checkpoint(n)?),
            (Saying::Completed, [n]) => FactPattern::CheckpointCompleted(self.checkpoint(n)?),
            (Saying::Expired, [n]) => FactPattern::CheckpointExpired(self.checkpoint(n)?),
            (Saying::Declined, [n]) => FactPattern::CheckpointDeclined(self.checkpoint(n)?),
            (Saying::Aborted, [n]) => FactPattern::CheckpointAborted(self.checkpoint(n)?),
            (Saying::Taken, [task, n]) => {
                let (task, n) = (self.task(task), self.checkpoint(n));
                FactPattern::SnapshotTaken { task: self.places.subtask(task?), checkpoint: n? }
            }
            (Saying::TakenHere, [n]) => {
                let checkpoint = self.checkpoint(n);
                let task = match self.here {
                    Here::Task(task) => task,
                    Here::Unclear => return None,
                    Here::Nobody => {
                        self.problems.add(
                            Diagnostic::error("which-subtask", "whose snapshot?")
                                .at(quoted.range.clone(), "no task is named here")
                                .help("name it: TASK has taken snapshot N"),
                        );
                        return None;
                    }
                };
                FactPattern::SnapshotTaken {
                    task: self.places.subtask(task),
                    checkpoint: checkpoint?,
                }
            }
            (Saying::Received, [task, n]) => self.received(task, n, None)?,
            (Saying::ReceivedFrom, [task, n, from]) => self.received(task, n, Some(from))?,
            (Saying::AcknowledgedBy, [n, task]) => {
                let (task, n) = (self.task(task), self.checkpoint(n));
                FactPattern::Acknowledged { task: self.places.subtask(task?), checkpoint: n? }
            }
            (Saying::Notified, [task, n]) => {
                let (task, n) = (self.task(task), self.checkpoint(n));
                FactPattern::Notified { task: self.places.subtask(task?), checkpoint: n? }
            }
            (Saying::AllNotified, [n]) => FactPattern::AllNotified(self.checkpoint(n)?),
            (Saying::TaskRead, [task, split, n]) => self.read(Some(task), split, n)?,
            (Saying::SplitRead, [split, n]) => self.read(None, split, n)?,
            (Saying::Processed | Saying::Written, [task, split, n]) => {
                self.processed(saying, task, (split, n))?
            }
            (Saying::AttemptStarts, [n]) => {
                let number = self.number(n, "attempts", COUNTER_MAX)?;
                FactPattern::AttemptStarted(Attempt(number as u32))
            }
            (Saying::JobFails, _) => FactPattern::JobFailed,
            (Saying::JobManagerCrashes, _) => FactPattern::JobManagerCrashed,
            (Saying::JobRestarted, _) => FactPattern::JobRestarted,
            (Saying::JobFinishes, _) => FactPattern::JobFinished,
            (Saying::JobIsCancelled, _) => FactPattern::JobCanceled,
            _ => unreachable!("every sentence has its own number of holes"),
        })
    }

    fn task(&mut self, word: &Word<'_>) -> Option<TaskPlace> {
        self.places.task(word, "", self.problems)
    }

    fn kind_of(&self, task: TaskPlace) -> Option<KindKey> {
        self.places.operators[task.operator].kind_key
    }

    fn checkpoint(&mut self, word: &Word<'_>) -> Option<CheckpointId> {
        self.number(word, "checkpoints", COUNTER_MAX).map(CheckpointId)
    }

    /// A number from 1 on.
    fn number(&mut self, word: &Word<'_>, of: &str, max: u64) -> Option<u64> {
        let number = whole_number(word.text).filter(|n| (1..=i128::from(max)).contains(n));
        if number.is_none() {
            let message = format!("{of} are counted from 1 to {max}");
            let problem = Diagnostic::error("out-of-range", message);
            self.problems.add(problem.at(word.range(), "not one of them"));
        }
        number.map(|number| number as u64)
    }

    fn received(
        &mut self,
        task: &Word<'_>,
        n: &Word<'_>,
        from: Option<&Word<'_>>,
    ) -> Option<FactPattern> {
        let to = self.task(task);
        let checkpoint = self.checkpoint(n);
        let sender = from.map(|from| self.task(from));
        let to = to?;
        if self.kind_of(to) == Some(KindKey::Source) {
            let message =
                format!("`{}` is a source and receives no barriers", self.places.full_name(to));
            self.problems.add(
                Diagnostic::error("never-happens", message)
                    .at(task.range(), "a source makes the barriers")
                    .help("what a source does: TASK has taken snapshot N"),
            );
            return None;
        }
        let from = match (sender, from) {
            (Some(sender), Some(word)) => {
                let sender = sender?;
                if self.places.channels(sender, to).next().is_none() {
                    let message = format!(
                        "`{}` gets nothing from `{}`",
                        self.places.full_name(to),
                        self.places.full_name(sender)
                    );
                    let problem = Diagnostic::error("never-happens", message);
                    self.problems.add(problem.at(word.range(), "no channel leads from here"));
                    return None;
                }
                Some(self.places.subtask(sender))
            }
            _ => None,
        };
        let task = self.places.subtask(to);
        Some(FactPattern::BarrierReceived { task, checkpoint: checkpoint?, from })
    }

    fn read(
        &mut self,
        task: Option<&Word<'_>>,
        split: &Word<'_>,
        n: &Word<'_>,
    ) -> Option<FactPattern> {
        let reader = task.map(|task| self.task(task));
        let (place, offset) = self.record(split, n)?;
        if let (Some(reader), Some(word)) = (reader, task) {
            let reader = reader?;
            let operators = self.places.operators;
            let owner = TaskPlace { operator: place.operator, position: place.reader(operators)? };
            if owner != reader {
                let message = format!(
                    "`{}` does not read the split `{}`",
                    self.places.full_name(reader),
                    clip(split.text)
                );
                let owner = self.places.full_name(owner);
                self.problems.add(
                    Diagnostic::error("never-happens", message)
                        .at(word.range(), format!("`{owner}` does")),
                );
                return None;
            }
        }
        Some(FactPattern::Read { split: self.places.split_index(&place), offset })
    }

    fn processed(
        &mut self,
        saying: Saying,
        task: &Word<'_>,
        (split, n): (&Word<'_>, &Word<'_>),
    ) -> Option<FactPattern> {
        let who = self.task(task);
        let record = self.record(split, n);
        let (who, (place, offset)) = (who?, record?);
        let name = self.places.full_name(who);
        let never = |message: String, label: &str| {
            Diagnostic::error("never-happens", message).at(task.range(), label)
        };
        let kind = self.kind_of(who);
        if kind == Some(KindKey::Source) {
            let message = format!("`{name}` is a source: it reads records");
            self.problems.add(never(message, "a source").help("say: TASK has read SPLIT N"));
            return None;
        }
        if saying == Saying::Written && kind.is_some_and(|kind| kind != KindKey::Sink) {
            let message = format!("`{name}` is no sink and writes nothing");
            let problem = never(message, "not a sink").help("say: TASK has processed SPLIT N");
            self.problems.add(problem);
            return None;
        }
        if !self.places.reaches(place.operator, who.operator) {
            let message = format!("nothing of the split `{}` comes to `{name}`", clip(split.text));
            self.problems.add(never(message, "no way leads here"));
            return None;
        }
        let split = self.places.split_index(&place);
        Some(FactPattern::Processed { task: self.places.subtask(who), split, offset })
    }

    /// A record by split and offset.
    fn record(
        &mut self,
        split: &Word<'_>,
        n: &Word<'_>,
    ) -> Option<(super::settle::SplitPlace, u32)> {
        let place = *self.places.split(split, self.problems)?;
        let n_records = place.n_records?;
        let offset = whole_number(n.text).filter(|n| (1..=n_records.into()).contains(n));
        if offset.is_none() {
            let message =
                format!("the split `{}` has the records 1 to {n_records}", clip(split.text));
            let problem = Diagnostic::error("out-of-range", message);
            self.problems.add(problem.at(n.range(), "not one of them"));
        }
        Some((place, offset? as u32))
    }
}
