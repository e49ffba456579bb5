//! Reads a trace, line by line, in memory that does not grow with it.

use std::io::{self, BufRead, Read as _};

use xxhash_rust::xxh3::Xxh3;

use super::LINE_BYTES_MAX;
use super::error::{CHANGED, TraceError};
use super::frame::{END_BEGINS, EndLine, Header, StepLine, end_text, read_header};
use super::glance;
use super::names::Names;
use super::write::Digest;
use crate::model::Time;
use crate::trace::{Fact, Step, Trace};

/// How a trace ends, when nothing is wrong with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The end is there, and its count and digest are right: every byte is the
    /// one that was written.
    Complete,
    /// The end is not there: the file was cut, or its writer was stopped.
    Cut {
        /// The line that is missing or torn.
        line: u64,
        /// How many bytes of it there are.
        torn_bytes: usize,
    },
}

impl Ending {
    /// What to tell people who look at a cut trace.
    #[must_use]
    pub fn note(self) -> Option<String> {
        let Self::Cut { line, torn_bytes } = self else { return None };
        let before = line.saturating_sub(2);
        Some(match torn_bytes {
            0 => format!("the trace is cut after step {before}: its end is missing"),
            _ => format!("the trace is cut after step {before}: line {line} is torn"),
        })
    }
}

/// A trace whose header has been read.
#[derive(Debug)]
pub struct TraceReader<R> {
    lines: Lines<R>,
    header: Header,
}

impl<R: BufRead> TraceReader<R> {
    /// Reads the header. Its document is for the loader, and the scenario that
    /// this gives for [`Names::of`].
    ///
    /// # Errors
    /// As [`read_header`]; also when `input` cannot be read.
    pub fn open(input: R) -> Result<Self, TraceError> {
        let mut lines = Lines { input, number: 0, buffer: Vec::new(), digest: Digest(Xxh3::new()) };
        let end = lines.next()?;
        if end == LineEnd::Missing && lines.buffer.is_empty() {
            return Err(TraceError::changed(1, 1, "the file is empty"));
        }
        let header = read_header(lines.text()?)?;
        if end == LineEnd::Missing {
            let column = lines.buffer.len() + 1;
            return Err(TraceError::changed(1, column, "the trace is cut in its header"));
        }
        lines.accept();
        Ok(Self { lines, header })
    }

    /// What the first line says.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The steps, with names looked up in the names of the header's scenario.
    #[must_use]
    pub fn steps(self, names: &Names) -> Steps<'_, R> {
        Steps {
            lines: self.lines,
            names,
            n_steps: 0,
            at: Time::ZERO,
            state: State::Reading,
            spare: Vec::new(),
        }
    }
}

/// Reads all steps into memory.
///
/// # Errors
/// As [`Steps`]. A cut trace is no error: it is marked as not complete.
pub fn read_trace<R: BufRead>(
    reader: TraceReader<R>,
    names: &Names,
) -> Result<(Trace, Ending), TraceError> {
    let driver = reader.header.driver.clone();
    let mut lines = reader.steps(names);
    let steps = lines.by_ref().collect::<Result<Vec<Step>, TraceError>>()?;
    let ending = lines.ending().expect("the steps have been read to their end");
    Ok((Trace { driver, steps, complete: ending == Ending::Complete }, ending))
}

/// The steps of a trace, one after the other.
///
/// Step numbers count from 1 without a gap, and time does not go back. An error
/// is the last item: what cannot be read, unknown names, a wrong count or
/// digest, anything behind the end. A torn last line is no error, see
/// [`Steps::ending`].
#[derive(Debug)]
pub struct Steps<'a, R> {
    lines: Lines<R>,
    names: &'a Names,
    n_steps: u64,
    at: Time,
    state: State,
    /// A list for the facts of the next step.
    spare: Vec<Fact>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Reading,
    Ended(Ending),
    Failed,
}

impl<R: BufRead> Steps<'_, R> {
    /// How the trace ends, once its last step has been taken.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        match self.state {
            State::Ended(ending) => Some(ending),
            State::Reading | State::Failed => None,
        }
    }

    /// Takes a step back that nobody needs any more: its memory serves for the
    /// next one.
    pub fn recycle(&mut self, step: Step) {
        self.spare = step.facts;
    }

    fn read(&mut self) -> Result<Option<Step>, TraceError> {
        let end = self.lines.next()?;
        let begins_end = self.lines.buffer.starts_with(END_BEGINS);
        let ending = match end {
            LineEnd::Missing => self.torn(begins_end)?,
            LineEnd::Newline if begins_end => self.end()?,
            LineEnd::Newline => {
                let step = self.step()?;
                self.lines.accept();
                return Ok(Some(step));
            }
        };
        self.state = State::Ended(ending);
        Ok(None)
    }

    fn step(&mut self) -> Result<Step, TraceError> {
        let number = self.lines.number;
        let text = self.lines.text()?;
        let wrong = |key: &str, what: String| {
            let column = text.find(key).map_or(1, |place| place + key.len() + 1);
            TraceError::changed(number, column, what)
        };
        if text.is_empty() {
            return Err(wrong("", "an empty line".to_owned()));
        }
        let mut facts = std::mem::take(&mut self.spare);
        facts.clear();
        let step = match glance::step(text, self.names, &mut facts) {
            Some(step) => step,
            None => {
                let line: StepLine<'_> = serde_json::from_str(text)
                    .map_err(|error| TraceError::of_json(number, &error))?;
                line.step(self.names, text).map_err(|misfit| misfit.on_line(number))?
            }
        };
        if step.number != self.n_steps + 1 {
            let what = format!("step {} where step {} belongs", step.number, self.n_steps + 1);
            return Err(wrong("\"step\":", what));
        }
        if step.at < self.at || step.at > Time::MAX {
            let what = match step.at < self.at {
                true => format!("time goes back from {} to {} µs", self.at.0, step.at.0),
                false => format!("{} µs is behind the end of time", step.at.0),
            };
            return Err(wrong("\"at\":", what));
        }
        self.n_steps += 1;
        self.at = step.at;
        Ok(step)
    }

    /// What a whole last line says must be right.
    fn end(&mut self) -> Result<Ending, TraceError> {
        let number = self.lines.number;
        let text = self.lines.text()?;
        let expected = self.end_text();
        let totals = serde_json::from_str::<EndLine>(text)
            .map_err(|error| TraceError::of_json(number, &error))?
            .end;
        let right = serde_json::from_str::<EndLine>(&expected).expect("the end is its own").end;
        let what = if totals.records != right.records {
            format!("the end counts {} steps, and there are {}", totals.records, right.records)
        } else if totals.digest != right.digest {
            "the digest of all lines before does not match: some byte has changed".to_owned()
        } else {
            "the end is not spelled as it is written".to_owned()
        };
        if text != expected.trim_end() {
            return Err(TraceError::changed(number, first_difference(text, &expected), what));
        }
        self.lines.accept();
        if self.lines.next()? == LineEnd::Missing && self.lines.buffer.is_empty() {
            return Ok(Ending::Complete);
        }
        Err(TraceError::changed(self.lines.number, 1, "there is something behind the end"))
    }

    /// A last line without its newline is torn, unless it is an end that was
    /// changed.
    fn torn(&self, begins_end: bool) -> Result<Ending, TraceError> {
        let (line, torn) = (self.lines.number, &self.lines.buffer);
        let expected = self.end_text();
        if begins_end && !expected.as_bytes().starts_with(torn) {
            let torn = String::from_utf8_lossy(torn);
            let column = first_difference(&torn, &expected);
            return Err(TraceError::changed(line, column, "the end is not the one of this trace"));
        }
        Ok(Ending::Cut { line, torn_bytes: torn.len() })
    }

    /// The last line that belongs to the lines so far.
    fn end_text(&self) -> String {
        end_text(self.n_steps, self.lines.digest.0.digest128())
    }
}

impl<R: BufRead> Iterator for Steps<'_, R> {
    type Item = Result<Step, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.state {
            State::Reading => {
                let step = self.read();
                if step.is_err() {
                    self.state = State::Failed;
                }
                step.transpose()
            }
            State::Ended(_) | State::Failed => None,
        }
    }
}

/// The first byte, from 1, in which two texts differ.
fn first_difference(left: &str, right: &str) -> usize {
    left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count() + 1
}

/// Lines with their numbers, and the digest of those that have been accepted.
#[derive(Debug)]
struct Lines<R> {
    input: R,
    /// Of the line in the buffer, from 1.
    number: u64,
    /// The line, without its newline.
    buffer: Vec<u8>,
    digest: Digest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    Newline,
    Missing,
}

impl<R: BufRead> Lines<R> {
    /// Takes the next line into the buffer. At the end of the input the buffer
    /// is empty, and the newline is missing.
    fn next(&mut self) -> Result<LineEnd, TraceError> {
        self.buffer.clear();
        self.number += 1;
        let mut input = (&mut self.input).take(LINE_BYTES_MAX as u64 + 1);
        let read = input.read_until(b'\n', &mut self.buffer);
        read.map_err(|error| self.unreadable(&error))?;
        if self.buffer.pop_if(|last| *last == b'\n').is_some() {
            return Ok(LineEnd::Newline);
        }
        if self.buffer.len() > LINE_BYTES_MAX {
            let what = format!("the line is longer than {LINE_BYTES_MAX} bytes");
            return Err(TraceError::changed(self.number, LINE_BYTES_MAX + 1, what));
        }
        Ok(LineEnd::Missing)
    }

    fn unreadable(&self, error: &io::Error) -> TraceError {
        TraceError {
            line: self.number,
            column: self.buffer.len() + 1,
            what: format!("cannot be read: {error}"),
            remedy: "see to the file".to_owned(),
        }
    }

    fn text(&self) -> Result<&str, TraceError> {
        std::str::from_utf8(&self.buffer).map_err(|error| TraceError {
            line: self.number,
            column: error.valid_up_to() + 1,
            what: "not valid UTF-8".to_owned(),
            remedy: CHANGED.to_owned(),
        })
    }

    /// Counts the line in the buffer in.
    fn accept(&mut self) {
        self.digest.0.update(&self.buffer);
        self.digest.0.update(b"\n");
    }
}
