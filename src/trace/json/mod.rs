//! The trace file: JSON Lines, one record a line, with names instead of
//! numbers.
//!
//! - The first line says what made the trace: versions, driver, scenario.
//! - Each further line is one step: `{"step":12,"at":3000,"facts":[...]}`, the
//!   time in microseconds. A fact is an object with one field, its name. What
//!   a line has said it does not say again: the record, value and key of what
//!   is emitted, the task at the end of the channel.
//! - The last line counts the steps and has a digest of every byte before it,
//!   so that any change and any missing line is noticed.
//!
//! The format is public: [`trace_schema`] describes a line, and [`StepLine`] is
//! the type it is derived from. The writer writes the same bytes without
//! serde, since a run of a million records writes millions of lines, and the
//! reader reads those bytes without it; serde reads every other spelling.
//!
//! Knows no files and does not load scenarios: it reads and writes bytes, and
//! hands the scenario's document on as text.

mod compare;
mod error;
mod fact;
mod frame;
mod glance;
mod key;
mod line;
mod names;
mod pen;
mod read;
mod said;
mod schema;
mod word;
mod write;

pub use compare::{Comparison, Difference, Part, first_difference};
pub use error::TraceError;
pub use frame::{Header, StepLine, read_header};
pub use names::Names;
pub use read::{Ending, Steps, TraceReader, read_trace};
pub use schema::{trace_schema, without_null};
pub use write::TraceWriter;

/// The longest line that is read or written: 64 MiB. Only a step that restores
/// millions of keys could come near it.
pub const LINE_BYTES_MAX: usize = 64 << 20;
