//! How long an alignment takes, and what is processed in the meantime.
//!
//! A handler has one clock: it measures the newest checkpoint.
//!
//! Source: Flink `CheckpointBarrierHandler`.

use super::BarrierEffect;
use crate::model::{Barrier, CheckpointId, Micros, Time};

/// The clock of one handler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct AlignmentClock {
    /// What it measures, or measured last.
    checkpoint: Option<CheckpointId>,
    start_delay: Micros,
    /// Since when it runs.
    running_since: Option<Time>,
    bytes: u64,
    /// What it measured: duration and bytes.
    result: Option<(Micros, u64)>,
    /// A checkpoint that was triggered before its alignment was over.
    awaited: Option<CheckpointId>,
}

impl AlignmentClock {
    /// The first barrier of a checkpoint is here.
    pub(super) fn start(&mut self, now: Time, barrier: &Barrier, effects: &mut Vec<BarrierEffect>) {
        self.start_delay = since(barrier.triggered_at, now);
        self.reset(effects);
        self.running_since = Some(now);
        self.checkpoint = Some(barrier.checkpoint);
    }

    /// The last barrier is here. Says whether the clock was running.
    pub(super) fn end(&mut self, now: Time, effects: &mut Vec<BarrierEffect>) -> Option<()> {
        let duration = since(self.running_since?, now);
        self.end_with(duration, effects);
        Some(())
    }

    /// Nothing is measured any more.
    pub(super) fn reset(&mut self, effects: &mut Vec<BarrierEffect>) {
        self.end_with(Micros::ZERO, effects);
        self.result = None;
    }

    /// Something has been processed.
    pub(super) fn processed(&mut self, bytes: u64) {
        if self.running_since.is_some() {
            self.bytes += bytes;
        }
    }

    /// A checkpoint is triggered: tells what is known of its alignment, now or
    /// when it is over.
    pub(super) fn trigger(&mut self, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        let checkpoint = barrier.checkpoint;
        if self.checkpoint != Some(checkpoint) {
            return Self::trigger_unmeasured(barrier, effects);
        }
        effects.push(BarrierEffect::Trigger { barrier, start_delay: self.start_delay });
        match self.result {
            Some((duration, bytes)) => {
                effects.push(BarrierEffect::Aligned { checkpoint, duration, bytes });
            }
            None => self.awaited = Some(checkpoint),
        }
    }

    /// The same of a checkpoint whose alignment was not measured.
    pub(super) fn trigger_unmeasured(barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        let (checkpoint, duration) = (barrier.checkpoint, Micros::ZERO);
        effects.push(BarrierEffect::Trigger { barrier, start_delay: Micros::ZERO });
        effects.push(BarrierEffect::Aligned { checkpoint, duration, bytes: 0 });
    }

    /// Whether it runs.
    #[must_use]
    pub(super) fn is_running(&self) -> bool {
        self.running_since.is_some()
    }

    /// The time so far, or what it measured last.
    #[must_use]
    pub(super) fn duration(&self, now: Time) -> Micros {
        match (self.running_since, self.result) {
            (Some(start), _) => since(start, now),
            (None, Some((duration, _))) => duration,
            (None, None) => Micros::ZERO,
        }
    }

    /// From the creation of the checkpoint to its first barrier.
    #[must_use]
    pub(super) fn start_delay(&self) -> Micros {
        self.start_delay
    }

    fn end_with(&mut self, duration: Micros, effects: &mut Vec<BarrierEffect>) {
        let (duration, bytes) = *self.result.get_or_insert((duration, self.bytes));
        if let Some(checkpoint) = self.awaited.take() {
            effects.push(BarrierEffect::Aligned { checkpoint, duration, bytes });
        }
        self.running_since = None;
        self.bytes = 0;
    }
}

fn since(start: Time, now: Time) -> Micros {
    Micros(now.0.saturating_sub(start.0))
}
