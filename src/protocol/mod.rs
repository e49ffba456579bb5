//! Flink's machines, pure: each takes an input and says what is to be done.
//!
//! Time is an argument. None of them knows a channel's contents, a die, a
//! file or another machine; who carries out their effects is `cluster`.

mod barriers;
mod checkpoint_coordinator;
mod checkpoint_plan;
mod committer;
mod completed_checkpoint_store;
mod external_transactions;
mod failover_region;
mod incremental_snapshot;
mod key_group_range;
mod operator_state_repartitioner;
mod restart_strategy;
mod restore_mapping;
mod retention;
mod scheduling_topology;
mod shared_state_registry;
mod subtask_checkpoint;
mod subtask_state_mapper;
mod two_phase_commit;

pub use barriers::{BarrierEffect, BarrierHandling, BarrierInput, CheckpointBarrierHandler};
pub use checkpoint_coordinator::{
    AcknowledgeResult, AfterFailure, Backlog, BacklogInterval, CheckpointCoordinator,
    CheckpointFailure, CheckpointFailureManager, CheckpointRequest, CoordinatorEffect,
    CoordinatorInput, CoordinatorSettings, Drain, Health, Held, JobFailure, LastCheckpoint,
    OnCheckpointingErrors, PendingCheckpoint, Request, RequestId, RequestOutcome, Sender, Service,
    Sharing, SnapshotKind, TolerableFailures,
};
pub use checkpoint_plan::{
    AfterTasksFinish, CheckpointPlan, Execution, ExecutionState, PartialFinishing,
};
pub use committer::{CommitSignal, Committer, CommitterEffect, CommitterInput};
pub use completed_checkpoint_store::{
    CheckpointOrigin, CompletedCheckpoint, CompletedCheckpointStore, HighAvailability, Removed,
};
pub use external_transactions::{
    CommitOutcome, ExternalTransactions, OnTransactionTimeout, TransactionTimeouts,
};
pub use failover_region::FailoverRegions;
pub use incremental_snapshot::{
    IncrementalSnapshots, RestoredTables, TABLES_MAX, Table, TableInSnapshot,
};
pub use key_group_range::KeyGroupRange;
pub use operator_state_repartitioner::{NamedState, OperatorStateMode, repartition};
pub use restart_strategy::{RestartDecision, RestartStrategyMachine};
pub use restore_mapping::{
    FinishedState, HasState, JobOperator, NonRestoredState, RestoreMapping, RestoreRefusal,
    SnapshotOperator, map_states,
};
pub use retention::{
    ClaimMode, Cleanup, ExternalizedCheckpointRetention, Ownership, TerminalStatus,
};
pub use scheduling_topology::{
    Consumed, DistributionPattern, Exchange, OperatorStateKind, SchedulingTopology,
};
pub use shared_state_registry::SharedStateRegistry;
pub use subtask_checkpoint::{SubtaskCheckpointCoordinator, SubtaskEffect, SubtaskInput};
pub use subtask_state_mapper::{CannotRescale, Parallelisms, SubtaskStateMapper};
pub use two_phase_commit::{TwoPhaseCommitEffect, TwoPhaseCommitInput, TwoPhaseCommitSink};
