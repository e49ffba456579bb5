//! Flink's machines, pure: each takes an input and says what is to be done.
//!
//! Time is an argument. None of them knows a channel's contents, a die, a
//! file or another machine; who carries out their effects is `cluster`.

mod barrier_handler;
mod checkpoint_coordinator;
mod completed_checkpoint_store;
mod restart_strategy;
mod subtask_checkpoint;
mod two_phase_commit;

pub use barrier_handler::{BarrierEffect, BarrierHandler, BarrierInput};
pub use checkpoint_coordinator::{
    CheckpointCoordinator, CoordinatorEffect, CoordinatorInput, LastCheckpoint, Request,
};
pub use completed_checkpoint_store::CompletedCheckpointStore;
pub use restart_strategy::RestartStrategyMachine;
pub use subtask_checkpoint::{SubtaskCheckpointCoordinator, SubtaskEffect};
pub use two_phase_commit::{TwoPhaseCommitEffect, TwoPhaseCommitInput, TwoPhaseCommitSink};
