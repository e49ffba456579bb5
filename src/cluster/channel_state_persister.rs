//! Whether what comes out of a channel belongs to a snapshot.
//!
//! Source: Flink `ChannelStatePersister`.

use crate::model::{CheckpointFailureReason, CheckpointId};

/// Where a channel is with the newest checkpoint that it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureStatus {
    /// Nothing is captured.
    #[default]
    Completed,
    /// What comes is captured, until the barrier.
    BarrierPending,
    /// The barrier has come.
    BarrierReceived,
}

/// The memory of one channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChannelStatePersister {
    status: CaptureStatus,
    /// The newest checkpoint whose barrier has come, or whose capture has
    /// been started or stopped.
    last: Option<CheckpointId>,
}

impl ChannelStatePersister {
    /// A checkpoint wants what is in flight.
    ///
    /// # Errors
    /// When the barrier of a newer one has come.
    pub fn start(&mut self, checkpoint: CheckpointId) -> Result<(), CheckpointFailureReason> {
        let last = self.last.filter(|_| self.status == CaptureStatus::BarrierReceived);
        if last > Some(checkpoint) {
            return Err(CheckpointFailureReason::CheckpointSubsumed);
        }
        if self.last < Some(checkpoint) {
            self.status = CaptureStatus::BarrierPending;
            self.last = Some(checkpoint);
        }
        Ok(())
    }

    /// A checkpoint wants nothing more.
    pub fn stop(&mut self, checkpoint: CheckpointId) {
        if self.last <= Some(checkpoint) {
            self.status = CaptureStatus::Completed;
            self.last = Some(checkpoint);
        }
    }

    /// A barrier has come; one that is too old changes nothing.
    pub fn see_barrier(&mut self, checkpoint: CheckpointId) {
        let is_stale = match self.status {
            CaptureStatus::Completed => Some(checkpoint) <= self.last,
            CaptureStatus::BarrierPending | CaptureStatus::BarrierReceived => {
                Some(checkpoint) < self.last
            }
        };
        if !is_stale {
            self.status = CaptureStatus::BarrierReceived;
            self.last = Some(checkpoint);
        }
    }

    /// Takes a barrier that has come for one that has not.
    pub fn go_on(&mut self, barrier: CheckpointId) {
        if self.status == CaptureStatus::BarrierReceived && self.last == Some(barrier) {
            self.status = CaptureStatus::BarrierPending;
        }
    }

    /// The checkpoint that what comes now belongs to.
    #[must_use]
    pub fn captures_for(&self) -> Option<CheckpointId> {
        self.last.filter(|_| self.status == CaptureStatus::BarrierPending)
    }

    /// Where the channel is.
    #[must_use]
    pub fn status(&self) -> CaptureStatus {
        self.status
    }

    /// The newest checkpoint that it knows.
    #[must_use]
    pub fn last(&self) -> Option<CheckpointId> {
        self.last
    }
}
