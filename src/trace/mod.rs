//! What happened: facts, steps, the trace file, and the view that is a fold
//! over facts.
//!
//! Knows no rule of the algorithm: it says what happened, not what should
//! have.

mod fact;
mod failure;
mod fold;
mod json;
mod metrics;
mod moments;
mod rule;
mod step;
mod stored_files;
mod tail;
mod view;
mod watch;

pub use fact::{Fact, Rejection, RpcMessage, TriggerCause};
pub use failure::FailureCause;
pub use json::{
    Comparison, Difference, Ending, Header, LINE_BYTES_MAX, Names, Part, StepLine, Steps,
    TraceError, TraceReader, TraceWriter, first_difference, read_header, read_trace, trace_schema,
    without_null,
};
pub use metrics::{Bucket, Buckets, Gauge, Metrics, Outage};
pub use moments::{Milestones, MomentSpan, moment_spans};
pub use rule::Rule;
pub use step::{Driver, ENGINE_VERSION, FORMAT_VERSION, Step, Trace};
pub use stored_files::{StoredFile, StoredFiles};
pub use tail::Tail;
pub use view::{
    Aligning, ChannelState, ChannelView, CheckpointView, JobStatus, SinkView, TaskStatus, TaskView,
    Transaction, View,
};
pub use watch::Watch;
