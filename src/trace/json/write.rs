//! Writes a trace while it happens.
//!
//! One core writes a line of a few facts in well under a microsecond: names
//! are quoted once, numbers go straight into the buffer, and the digest runs
//! over whole buffers.

use std::io;

use xxhash_rust::xxh3::Xxh3;

use super::LINE_BYTES_MAX;
use super::fact::FactLine;
use super::frame::{end_text, header_text};
use super::line::{Line, Scope};
use super::names::Names;
use super::pen::Pen;
use crate::model::{Scenario, Time};
use crate::trace::{Driver, Fact};

/// A trace that is being written.
///
/// Bytes are handed on in blocks that begin at multiples of their size, which
/// a file's cache takes fastest. When the process is killed, the newest
/// [`TraceWriter::BUFFER_BYTES`] and the line that filled them are lost at most;
/// the last line of the file may then be torn, and nothing else is damaged.
#[derive(Debug)]
pub struct TraceWriter<W: io::Write> {
    out: W,
    names: Names,
    /// What is not written yet; it ends with a whole line.
    buffer: Pen,
    /// How far the file reaches into its newest block.
    filled: usize,
    digest: Digest,
    n_steps: u64,
    /// A write has failed; more of them would leave a gap in the middle.
    failed: bool,
}

/// XXH3 over what has been written; beside it, nothing to see.
pub(super) struct Digest(pub(super) Xxh3);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0.digest128())
    }
}

impl<W: io::Write> TraceWriter<W> {
    /// How many bytes are collected before they are written.
    pub const BUFFER_BYTES: usize = 64 << 10;

    /// Begins a trace: the header is written at once.
    ///
    /// # Errors
    /// When `out` cannot be written.
    ///
    /// # Panics
    /// When the scenario's document is not one line of JSON.
    pub fn new(out: W, scenario: &Scenario, driver: &Driver) -> io::Result<Self> {
        let mut writer = Self {
            out,
            names: Names::of(scenario),
            buffer: Pen::with_room(2 * Self::BUFFER_BYTES),
            filled: 0,
            digest: Digest(Xxh3::new()),
            n_steps: 0,
            failed: false,
        };
        writer.buffer.put(header_text(scenario, driver).as_bytes());
        writer.end_line()?;
        writer.flush()?;
        Ok(writer)
    }

    /// Writes a step.
    ///
    /// # Errors
    /// When `out` cannot be written, now or at an earlier step, or when the
    /// line is longer than [`LINE_BYTES_MAX`].
    #[inline]
    pub fn step(&mut self, number: u64, at: Time, facts: &[Fact]) -> io::Result<()> {
        let out = &mut self.buffer;
        let start = out.len();
        out.put(b"{\"step\":");
        out.put_number(number);
        out.put(b",\"at\":");
        out.put_number(at.0);
        out.put(b",\"facts\":[");
        let mut scope = Scope::new(&self.names, "");
        for (place, fact) in facts.iter().enumerate() {
            if place > 0 {
                out.put_byte(b',');
            }
            scope.next_fact();
            FactLine::write(fact, &mut scope, out);
        }
        out.put(b"]}");
        if out.len() - start > LINE_BYTES_MAX {
            out.truncate(start);
            self.failed = true;
            return Err(io::Error::other(format!(
                "step {number} is longer than the {LINE_BYTES_MAX} bytes of a trace's line"
            )));
        }
        self.n_steps += 1;
        self.end_line()
    }

    #[inline]
    fn end_line(&mut self) -> io::Result<()> {
        self.buffer.put_byte(b'\n');
        let reaches = self.filled + self.buffer.len();
        if reaches < Self::BUFFER_BYTES {
            return Ok(());
        }
        self.write_first(self.buffer.len() - reaches % Self::BUFFER_BYTES)
    }

    /// Hands on every line so far, for someone who reads along.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_first(self.buffer.len())?;
        self.out.flush()
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_first(self.buffer.len())?;
        let end = end_text(self.n_steps, self.digest.0.digest128());
        self.buffer.put(end.as_bytes());
        self.flush()
    }

    /// Hands on the first bytes of what is not written yet.
    fn write_first(&mut self, n: usize) -> io::Result<()> {
        if self.failed {
            self.buffer.truncate(0);
            return Err(io::Error::other("an earlier part of the trace could not be written"));
        }
        let bytes = &self.buffer.written()[..n];
        self.digest.0.update(bytes);
        let written = self.out.write_all(bytes);
        self.failed = written.is_err();
        self.filled = (self.filled + n) % Self::BUFFER_BYTES;
        self.buffer.forget_first(n);
        written
    }
}

/// A run that ends too early leaves what it has written so far.
impl<W: io::Write> Drop for TraceWriter<W> {
    fn drop(&mut self) {
        // Nobody is left to tell; the missing end says that something is.
        let _ = self.flush();
    }
}
