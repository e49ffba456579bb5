//! The sentences in which a scenario names a kind of fact: one table, used to
//! read them, to explain them, and to describe them in the schema.

use std::ops::Range;

/// What a sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    Triggered,
    Completed,
    Expired,
    Declined,
    Aborted,
    Taken,
    /// Only where it is clear whose snapshot.
    TakenHere,
    Received,
    ReceivedFrom,
    AcknowledgedBy,
    Notified,
    AllNotified,
    TaskRead,
    SplitRead,
    Processed,
    Written,
    AttemptStarts,
    JobFails,
    JobManagerCrashes,
    JobRestarted,
    JobFinishes,
    JobIsCancelled,
}

/// A word of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// This word, or another form of it.
    Word(&'static str, &'static str),
    /// Has, have, is or are, or nothing.
    Filler(&'static str),
    /// A whole number.
    Number,
    /// A subtask.
    Task,
    /// A split.
    Split,
}

use Part::{Filler, Number, Split, Task};

const fn word(word: &'static str) -> Part {
    Part::Word(word, word)
}

/// Savepoints are numbered with the checkpoints.
const CHECKPOINT: Part = Part::Word("checkpoint", "savepoint");

/// Every sentence.
pub(super) const SENTENCES: [(Saying, &[Part]); 22] = [
    (Saying::Triggered, &[CHECKPOINT, Number, Filler("is"), word("triggered")]),
    (Saying::Completed, &[CHECKPOINT, Number, Filler("is"), Part::Word("complete", "completed")]),
    (Saying::Expired, &[CHECKPOINT, Number, Filler("has"), word("expired")]),
    (Saying::Declined, &[CHECKPOINT, Number, Filler("is"), word("declined")]),
    (Saying::Aborted, &[CHECKPOINT, Number, Filler("is"), word("aborted")]),
    (Saying::Taken, &[Task, Filler("has"), word("taken"), word("snapshot"), Number]),
    (Saying::TakenHere, &[word("snapshot"), Number, Filler("is"), word("taken")]),
    (Saying::Received, &[Task, Filler("has"), word("received"), word("barrier"), Number]),
    (
        Saying::ReceivedFrom,
        &[Task, Filler("has"), word("received"), word("barrier"), Number, word("from"), Task],
    ),
    (
        Saying::AcknowledgedBy,
        &[CHECKPOINT, Number, Filler("is"), word("acknowledged"), word("by"), Task],
    ),
    (Saying::Notified, &[Task, Filler("is"), word("notified"), word("of"), CHECKPOINT, Number]),
    (
        Saying::AllNotified,
        &[
            word("all"),
            word("tasks"),
            Filler("are"),
            word("notified"),
            word("of"),
            CHECKPOINT,
            Number,
        ],
    ),
    (Saying::TaskRead, &[Task, Filler("has"), word("read"), Split, Number]),
    (Saying::SplitRead, &[Split, Number, Filler("is"), word("read")]),
    (Saying::Processed, &[Task, Filler("has"), word("processed"), Split, Number]),
    (Saying::Written, &[Task, Filler("has"), word("written"), Split, Number]),
    (Saying::AttemptStarts, &[word("attempt"), Number, Part::Word("starts", "started")]),
    (Saying::JobFails, &[word("job"), Part::Word("fails", "failed")]),
    (Saying::JobManagerCrashes, &[word("JobManager"), Part::Word("crashes", "crashed")]),
    (Saying::JobRestarted, &[word("job"), Filler("is"), Part::Word("restarted", "restarts")]),
    (Saying::JobFinishes, &[word("job"), Part::Word("finishes", "finished")]),
    (Saying::JobIsCancelled, &[word("job"), Filler("is"), Part::Word("cancelled", "canceled")]),
];

impl Part {
    /// How it is written in an explanation.
    fn text(self) -> &'static str {
        match self {
            Self::Word(word, _) | Self::Filler(word) => word,
            Self::Number => "N",
            Self::Task => "TASK",
            Self::Split => "SPLIT",
        }
    }

    /// What is missing where it should stand.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Word(word, _) | Self::Filler(word) => format!("`{word}`"),
            Self::Number => "a number".to_owned(),
            Self::Task => "a task".to_owned(),
            Self::Split => "a split".to_owned(),
        }
    }

    fn fits(self, token: &str) -> bool {
        match self {
            Self::Word(one, other) => token == one || token == other,
            Self::Filler(_) => matches!(token, "has" | "have" | "is" | "are"),
            Self::Number => token.bytes().all(|byte| byte.is_ascii_digit()),
            Self::Task | Self::Split => true,
        }
    }
}

/// The sentences as a list, for people: "TASK has read SPLIT N".
pub(super) fn explained() -> Vec<String> {
    SENTENCES.iter().map(|(_, parts)| text_of(parts)).collect()
}

fn text_of(parts: &[Part]) -> String {
    let words: Vec<&str> = parts.iter().map(|part| part.text()).collect();
    words.join(" ")
}

/// A sentence that fits, with the places of what stands for its task, split
/// and numbers, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) saying: Saying,
    pub(super) holes: Vec<Range<usize>>,
}

/// How far a text makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misreading {
    /// What does not fit; empty and at the end if something is missing.
    pub(super) at: Range<usize>,
    /// What could stand there.
    pub(super) expected: Vec<String>,
    /// The sentences that were going well until then.
    pub(super) sentences: Vec<String>,
}

/// Reads a sentence.
pub(super) fn read(text: &str) -> Result<Reading, Misreading> {
    let tokens = tokens(text);
    let mut furthest = Fit::default();
    let (mut expected, mut sentences) = (Vec::new(), Vec::new());
    for (saying, parts) in SENTENCES {
        match fit(text, &tokens, parts) {
            Ok(holes) => return Ok(Reading { saying, holes }),
            Err((reached, wanted)) => {
                if reached > furthest {
                    furthest = reached;
                    expected.clear();
                    sentences.clear();
                }
                if reached == furthest {
                    sentences.push(text_of(parts));
                    if !expected.contains(&wanted) {
                        expected.push(wanted);
                    }
                }
            }
        }
    }
    let end = text.trim_end().len();
    let at = tokens.get(furthest.n_tokens).cloned().unwrap_or(end..end);
    Err(Misreading { at, expected, sentences })
}

/// How well a sentence fits as far as it does: where two go equally far, the
/// one that shares more words with the text is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    n_tokens: usize,
    n_words: usize,
}

/// The words of a text. A sentence has at most eight; what comes after the
/// first few more cannot matter.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut start = None;
    for (at, sign) in text.char_indices().chain([(text.len(), ' ')]) {
        match (sign.is_whitespace(), start) {
            (true, Some(begun)) => {
                tokens.push(begun..at);
                start = None;
                if tokens.len() > 12 {
                    break;
                }
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    tokens
}

/// Lays a sentence over words: its holes, or how many words fitted and what
/// was expected next.
fn fit(
    text: &str,
    tokens: &[Range<usize>],
    parts: &[Part],
) -> Result<Vec<Range<usize>>, (Fit, String)> {
    let mut holes = Vec::new();
    let (mut next, mut n_words) = (0, 0);
    for part in parts {
        let token = tokens.get(next);
        let fits = token.is_some_and(|token| part.fits(&text[token.clone()]));
        match (part, token) {
            (Filler(_), _) => next += usize::from(fits),
            (_, Some(token)) if fits => {
                if matches!(part, Part::Word(..)) {
                    n_words += 1;
                } else {
                    holes.push(token.clone());
                }
                next += 1;
            }
            _ => return Err((Fit { n_tokens: next, n_words }, part.expected())),
        }
    }
    if next == tokens.len() {
        return Ok(holes);
    }
    Err((Fit { n_tokens: next, n_words }, "the end".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_reads_as_itself() {
        for ((saying, _), text) in SENTENCES.iter().zip(explained()) {
            let text = text.replace('N', "2");
            assert_eq!(read(&text).map(|reading| reading.saying), Ok(*saying), "{text}");
            // Without the small words it means the same.
            let short = text.replace(" is ", " ").replace(" has ", " ").replace(" are ", " ");
            assert_eq!(read(&short).map(|reading| reading.saying), Ok(*saying), "{short}");
        }
    }

    #[test]
    fn what_does_not_fit_is_pointed_at() {
        let misread = read("sum[even] has eaten blue 4").expect_err("nobody eats");
        assert_eq!(misread.at, 14..19);
        assert!(misread.expected.contains(&"`processed`".to_owned()), "{misread:?}");
        let misread = read("checkpoint two is triggered").expect_err("two is no number");
        assert_eq!((misread.at, misread.expected), (11..14, vec!["a number".to_owned()]));
        let misread = read("checkpoint 2 is").expect_err("it ends too early");
        assert_eq!(misread.at, 15..15);
        let misread = read("job fails badly").expect_err("it goes on");
        assert_eq!((misread.at, misread.expected), (10..15, vec!["the end".to_owned()]));
        assert!(read("").is_err());
    }
}
