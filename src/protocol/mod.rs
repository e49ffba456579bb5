//! Flink's machines, pure: each takes an input and says what is to be done.
//!
//! Time is an argument. None of them knows a channel's contents, a die, a
//! file or another machine; who carries out their effects is `cluster`.

mod barriers;
mod checkpoint_coordinator;
mod completed_checkpoint_store;
mod restart_strategy;
mod subtask_checkpoint;
mod two_phase_commit;

pub use barriers::{BarrierEffect, BarrierHandling, BarrierInput, CheckpointBarrierHandler};
pub use checkpoint_coordinator::{
    CheckpointCoordinator, CoordinatorEffect, CoordinatorInput, LastCheckpoint, Request,
};
pub use completed_checkpoint_store::CompletedCheckpointStore;
pub use restart_strategy::RestartStrategyMachine;
pub use subtask_checkpoint::{SubtaskCheckpointCoordinator, SubtaskEffect, SubtaskInput};
pub use two_phase_commit::{TwoPhaseCommitEffect, TwoPhaseCommitInput, TwoPhaseCommitSink};
