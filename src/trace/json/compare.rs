//! Compares a recorded trace with the one that a replay writes, and says where
//! they first differ.

use std::fmt;
use std::io::{self, BufRead, Read as _, Write};

use serde_json::Value;

use super::LINE_BYTES_MAX;

/// The first place in which two traces differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line, from 1.
    pub line: u64,
    /// Which line that is.
    pub part: Part,
    /// The field, as `facts[1].processed.value`; empty where a line is missing
    /// or cannot be read.
    pub field: String,
    /// What the recorded trace says there.
    pub recorded: String,
    /// What the replay says there.
    pub replayed: String,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first line.
    Header,
    /// A step, by its number.
    Step(u64),
    /// The last line.
    End,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, part, field, recorded, replayed } = self;
        match part {
            Part::Header => write!(f, "the header")?,
            Part::Step(number) => write!(f, "step {number}")?,
            Part::End => write!(f, "the end")?,
        }
        write!(f, " (line {line}) differs")?;
        if !field.is_empty() {
            write!(f, " in {field}")?;
        }
        write!(f, ": recorded {recorded}, replayed {replayed}")
    }
}

/// Takes a replayed trace, as it is written, and holds it against the recorded
/// one.
///
/// # Examples
/// ```
/// use std::io::Write;
/// let mut comparison = checkdam::trace::Comparison::new(&b"{\"step\":1}\n{\"step\":2}\n"[..]);
/// comparison.write_all(b"{\"step\":1}\n{\"step\":3}\n")?;
/// let difference = comparison.finish()?.expect("2 is not 3");
/// assert_eq!((difference.line, difference.field.as_str()), (2, "step"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Comparison<R> {
    recorded: R,
    /// Whole lines compared so far.
    n_lines: u64,
    /// The line of the recording that was read last.
    line: Vec<u8>,
    /// The beginning of a replayed line whose rest has not come yet.
    rest: Vec<u8>,
    difference: Option<Difference>,
}

impl<R: BufRead> Comparison<R> {
    /// A comparison with a recorded trace, from its first line on.
    pub fn new(recorded: R) -> Self {
        Self { recorded, n_lines: 0, line: Vec::new(), rest: Vec::new(), difference: None }
    }

    /// The first difference so far. What comes after it is not compared.
    #[must_use]
    pub fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    /// The first difference, now that the replay is at its end.
    ///
    /// # Errors
    /// When the recorded trace cannot be read.
    pub fn finish(mut self) -> io::Result<Option<Difference>> {
        let rest = std::mem::take(&mut self.rest);
        if self.difference.is_none() {
            // An empty rest is the end of the replay: the recording must end too.
            self.compare(&rest)?;
        }
        Ok(self.difference)
    }

    /// Compares the next line, which has its newline unless it is the last.
    fn compare(&mut self, replayed: &[u8]) -> io::Result<()> {
        self.line.clear();
        let limit = (LINE_BYTES_MAX + 1) as u64;
        (&mut self.recorded).take(limit).read_until(b'\n', &mut self.line)?;
        self.n_lines += 1;
        if self.line != replayed {
            self.difference = Some(difference(self.n_lines, &self.line, replayed));
        }
        Ok(())
    }
}

impl<R: BufRead> Write for Comparison<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.difference.is_some() {
                break;
            }
            if !piece.ends_with(b"\n") {
                self.rest.extend_from_slice(piece);
            } else if self.rest.is_empty() {
                self.compare(piece)?;
            } else {
                let mut line = std::mem::take(&mut self.rest);
                line.extend_from_slice(piece);
                self.compare(&line)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first difference between two whole traces.
///
/// # Errors
/// When one of them cannot be read.
pub fn first_difference(
    recorded: impl BufRead,
    mut replayed: impl BufRead,
) -> io::Result<Option<Difference>> {
    let mut comparison = Comparison::new(recorded);
    io::copy(&mut replayed, &mut comparison)?;
    comparison.finish()
}

/// Says how two lines that are not the same differ; an empty one is not there.
fn difference(line: u64, recorded: &[u8], replayed: &[u8]) -> Difference {
    let [left, right] = [recorded, replayed].map(|line| serde_json::from_slice::<Value>(line).ok());
    let part = match right.as_ref().or(left.as_ref()) {
        _ if line == 1 => Part::Header,
        Some(Value::Object(fields)) if fields.contains_key("end") => Part::End,
        _ => Part::Step(line - 1),
    };
    let whole = |line: &[u8], other: &[u8]| match line {
        [] => "nothing".to_owned(),
        _ => excerpt(line, common_bytes(line, other)),
    };
    let (field, recorded, replayed) = match (&left, &right) {
        (Some(left), Some(right)) if left != right => {
            let (field, left, right) = in_json(left, right);
            let text = |value: Option<&Value>| {
                value.map_or("nothing".to_owned(), |v| excerpt(v.to_string().as_bytes(), 0))
            };
            (field, text(left), text(right))
        }
        _ => (String::new(), whole(recorded, replayed), whole(replayed, recorded)),
    };
    Difference { line, part, field, recorded, replayed }
}

/// The first field in which two values differ, and the two values of it.
fn in_json<'a>(
    left: &'a Value,
    right: &'a Value,
) -> (String, Option<&'a Value>, Option<&'a Value>) {
    let (mut left, mut right) = (Some(left), Some(right));
    let mut field = String::new();
    loop {
        let inner = match (left, right) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                let differs = |name: &&String| a.get(*name) != b.get(*name);
                a.keys().chain(b.keys()).find(differs).map(|name| {
                    let joint = if field.is_empty() { "" } else { "." };
                    (format!("{joint}{name}"), a.get(name), b.get(name))
                })
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) => (0..a.len().max(b.len()))
                .find(|place| a.get(*place) != b.get(*place))
                .map(|place| (format!("[{place}]"), a.get(place), b.get(place))),
            _ => None,
        };
        let Some((step, a, b)) = inner else { return (field, left, right) };
        field.push_str(&step);
        (left, right) = (a, b);
    }
}

fn common_bytes(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// A piece of a line around a byte, for people.
fn excerpt(line: &[u8], place: usize) -> String {
    const BEFORE: usize = 20;
    const CHARS_MAX: usize = 100;
    let start = place.saturating_sub(BEFORE);
    let text = String::from_utf8_lossy(&line[start..]);
    let mut piece: String = text.chars().take(CHARS_MAX).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        piece.push('…');
    }
    let piece = piece.escape_debug().to_string().replace("\\\"", "\"");
    if start > 0 { format!("…{piece}") } else { piece }
}
