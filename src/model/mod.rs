//! Words: what a job, a record, a setting, a fault is.
//!
//! Knows no file format, no machine and no run. Everything here is a value
//! that can be compared, hashed and printed; a [`Scenario`] is valid by
//! construction.

mod config;
mod document;
mod element;
mod failure_reason;
mod fault;
mod graph;
mod ids;
mod job;
mod key;
mod mutation;
mod savepoint;
mod savepoint_format;
mod scenario;
mod size;
mod start;
mod state;
mod text;
mod time;
mod value;

pub use config::{
    Backlog, CheckpointingMode, ClaimMode, Config, ExternalizedCheckpointRetention, Factor,
    FailoverStrategy, HighAvailability, NonRestoredState, RestartStrategy,
};
pub use document::Document;
pub use element::{
    AlignmentType, Barrier, ChannelEnd, CheckpointOptions, InFlight, Message, SnapshotMetrics,
    SnapshotState, SnapshotType, StateValue, StreamElement,
};
pub use failure_reason::CheckpointFailureReason;
pub use fault::{CheckpointMessage, FactPattern, Fault, FaultKind, MessageFault, Mishap, When};
pub use graph::{Channel, ChannelKind, ExecutionGraph, Output, Route, SplitPlace, Subtask};
pub use ids::{
    Attempt, ChannelIndex, CheckpointId, EdgeIndex, OperatorIndex, SplitIndex, SubtaskIndex,
    TaskManagerIndex, TransactionId,
};
pub use job::{
    Edge, JobGraph, JoinSide, MapFunction, MaxParallelismOrigin, Operator, OperatorKind,
    Partitioner, Predicate, Redistribution, SinkKind, Split, SplitValues, SubtaskSpec, mix,
};
pub use key::{
    Key, KeySelector, default_max_parallelism, key_group, key_group_owner, murmur_hash,
    string_hash_code,
};
pub use mutation::{Mutation, Place};
pub use savepoint::{
    ChannelPlace, ChannelSnapshot, KeyGroupSnapshot, KeyType, KeyedEntry, OperatorSnapshot,
    PreparedTransaction, SavedKey, SavedRecord, SavedSides, SavedState, SavedValue, Savepoint,
    SplitOffset, SubtaskLife, SubtaskSnapshot, SubtaskState, TransactionFate,
};
pub use savepoint_format::{SavepointFormat, SavepointFormatType};
pub use scenario::{
    FromScenario, InitialDelay, Moment, RpcDelays, SavepointRequest, Scenario, TaskManager,
};
pub use size::Size;
pub use start::{Start, StartChannel, StartTransaction};
pub use state::{
    CheckpointStorage, Device, DirectoryLayout, FileName, Growth, LocalRecovery, Location, Reach,
    ReadFailure, StateBackend, StateKind, StatePiece, StateSettings, StorageSpec, Transfer,
    WriteFailure,
};
pub use text::{Language, Text};
pub use time::{Delay, Micros, Time};
pub use value::{Path, Record, RecordId, Value};
