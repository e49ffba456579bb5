//! At-least-once: barriers are counted, and nothing is ever held back.
//!
//! Many checkpoints may be under way. What came behind a barrier before the
//! last barrier of its checkpoint is in the snapshot all the same, and counts
//! twice after a restart.
//!
//! Source: Flink `CheckpointBarrierTracker`.

use std::collections::VecDeque;

use super::{AlignmentClock, BarrierEffect, BarrierInput};
use crate::model::{Barrier, CheckpointFailureReason, CheckpointId, Config, Time};

/// Checkpoints that wait for barriers, at most; a further one pushes the
/// oldest out.
///
/// Source: Flink `CheckpointBarrierTracker.MAX_CHECKPOINTS_TO_TRACK`.
const PENDING_MAX: usize = 50;

/// A checkpoint that has some of its barriers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BarrierCount {
    checkpoint: CheckpointId,
    /// The first barrier; none where a cancellation marker came first.
    barrier: Option<Barrier>,
    /// By channel.
    received: Vec<bool>,
    n_needed: u32,
    is_aborted: bool,
}

impl BarrierCount {
    fn count(&mut self, channel: u32) {
        self.received[channel as usize] = true;
    }

    fn n_received(&self) -> u32 {
        self.received.iter().map(|received| u32::from(*received)).sum()
    }

    fn is_complete(&self) -> bool {
        self.n_received() == self.n_needed
    }
}

/// The barriers of all checkpoints under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointBarrierTracker {
    end_counts: bool,
    n_channels: usize,
    n_open: u32,
    /// By id, oldest first.
    pending: VecDeque<BarrierCount>,
    /// The highest id that has been pending.
    highest: Option<CheckpointId>,
    /// What the last call completed, with the barriers that it had.
    completed: Option<(CheckpointId, u32)>,
    clock: AlignmentClock,
}

impl CheckpointBarrierTracker {
    pub(super) fn new(n_channels: usize, config: &Config) -> Self {
        Self {
            end_counts: config.checkpoints_after_tasks_finish,
            n_channels,
            n_open: n_channels as u32,
            pending: VecDeque::new(),
            highest: None,
            completed: None,
            clock: AlignmentClock::default(),
        }
    }

    pub(super) fn on(&mut self, now: Time, input: BarrierInput, effects: &mut Vec<BarrierEffect>) {
        self.completed = None;
        match input {
            BarrierInput::Barrier { channel, barrier }
            | BarrierInput::TriggerForChannel { channel, barrier } => {
                self.barrier(now, channel, barrier, effects);
            }
            BarrierInput::Cancellation { channel, checkpoint } => {
                self.cancellation(channel, checkpoint, effects);
            }
            BarrierInput::EndOfPartition { channel } => self.end(now, channel, effects),
            BarrierInput::Processed { bytes } => self.clock.processed(bytes),
            BarrierInput::Announcement { .. } => {}
            BarrierInput::Timer { .. }
            | BarrierInput::CaptureStarted
            | BarrierInput::CaptureRefused(_) => unreachable!("a tracker asks for nothing"),
        }
    }

    fn barrier(
        &mut self,
        now: Time,
        channel: u32,
        barrier: Barrier,
        effects: &mut Vec<BarrierEffect>,
    ) {
        let is_new = self.is_new(barrier.checkpoint);
        if is_new && self.n_open == 1 {
            // The only channel: there is nothing to wait for. The id is not
            // remembered.
            self.clock.start(now, &barrier, effects);
            self.clock.end(now, effects);
            self.completed = Some((barrier.checkpoint, 1));
            self.clock.trigger(barrier, effects);
        } else if let Some(place) = self.place_of(barrier.checkpoint) {
            self.pending[place].count(channel);
            if self.pending[place].is_complete() {
                self.complete(now, place, effects);
            }
        } else if is_new {
            self.clock.start(now, &barrier, effects);
            self.highest = Some(barrier.checkpoint);
            let entry = self.entry(barrier.checkpoint, channel, Some(barrier));
            self.pending.push_back(entry);
            if self.pending.len() > PENDING_MAX {
                self.pending.pop_front();
            }
        }
    }

    fn cancellation(
        &mut self,
        channel: u32,
        checkpoint: CheckpointId,
        effects: &mut Vec<BarrierEffect>,
    ) {
        if self.is_new(checkpoint) && self.n_open == 1 {
            self.clock.reset(effects);
            effects.push(cancelled(checkpoint));
            return;
        }
        while self.pending.front().is_some_and(|oldest| oldest.checkpoint < checkpoint) {
            self.abort_oldest(effects);
            self.pending.pop_front();
        }
        if self.pending.front().is_some_and(|oldest| oldest.checkpoint == checkpoint) {
            // It stays, to swallow the barriers that are still to come.
            self.abort_oldest(effects);
            self.pending[0].count(channel);
            if self.pending[0].is_complete() {
                self.pending.pop_front();
            }
        } else if self.is_new(checkpoint) {
            effects.push(cancelled(checkpoint));
            self.highest = Some(checkpoint);
            let mut entry = self.entry(checkpoint, channel, None);
            entry.is_aborted = true;
            self.pending.push_front(entry);
        }
    }

    fn end(&mut self, now: Time, channel: u32, effects: &mut Vec<BarrierEffect>) {
        self.n_open -= 1;
        if !self.end_counts {
            for entry in std::mem::take(&mut self.pending) {
                if !entry.is_aborted {
                    let reason = CheckpointFailureReason::CheckpointDeclinedInputEndOfStream;
                    let checkpoint = entry.checkpoint;
                    effects.push(BarrierEffect::Abort { checkpoint, reason });
                }
            }
            self.clock.reset(effects);
            return;
        }
        for place in (0..self.pending.len()).rev() {
            self.pending[place].count(channel);
            if self.pending[place].is_complete() {
                self.complete(now, place, effects);
                return;
            }
        }
    }

    /// A checkpoint has all of its barriers: it is triggered, unless it was
    /// cancelled, and older ones are forgotten without a word.
    fn complete(&mut self, now: Time, place: usize, effects: &mut Vec<BarrierEffect>) {
        let entry = self.pending.drain(..=place).next_back().expect("it is there");
        let Some(barrier) = entry.barrier.filter(|_| !entry.is_aborted) else { return };
        self.completed = Some((entry.checkpoint, entry.n_needed));
        // Differs: where a later checkpoint was triggered by its only open
        // channel in the meantime, Flink ends a clock that does not run, and
        // the task fails. Here the alignment counts as having taken no time.
        if self.highest == Some(entry.checkpoint) && self.clock.end(now, effects).is_none() {
            effects.push(BarrierEffect::AlignmentNotMeasured(entry.checkpoint));
            return AlignmentClock::trigger_unmeasured(barrier, effects);
        }
        self.clock.trigger(barrier, effects);
    }

    /// Marks the oldest pending checkpoint as cancelled, and says so once.
    fn abort_oldest(&mut self, effects: &mut Vec<BarrierEffect>) {
        let oldest = &mut self.pending[0];
        let (checkpoint, was_aborted) = (oldest.checkpoint, oldest.is_aborted);
        oldest.is_aborted = true;
        if !was_aborted {
            effects.push(cancelled(checkpoint));
        }
    }

    fn entry(
        &self,
        checkpoint: CheckpointId,
        channel: u32,
        barrier: Option<Barrier>,
    ) -> BarrierCount {
        let mut received = vec![false; self.n_channels];
        received[channel as usize] = true;
        BarrierCount { checkpoint, barrier, received, n_needed: self.n_open, is_aborted: false }
    }

    fn is_new(&self, checkpoint: CheckpointId) -> bool {
        Some(checkpoint) > self.highest
    }

    fn place_of(&self, checkpoint: CheckpointId) -> Option<usize> {
        self.pending.iter().position(|entry| entry.checkpoint == checkpoint)
    }

    pub(super) fn latest(&self) -> Option<CheckpointId> {
        self.pending.back().map(|entry| entry.checkpoint)
    }

    pub(super) fn newest_alive(&self) -> Option<CheckpointId> {
        let mut alive = self.pending.iter().rev().filter(|entry| !entry.is_aborted);
        alive.next().map(|entry| entry.checkpoint)
    }

    pub(super) fn pending(&self) -> impl Iterator<Item = CheckpointId> {
        self.pending.iter().map(|entry| entry.checkpoint)
    }

    /// One that was cancelled is over, though its barriers are still counted.
    pub(super) fn progress(&self, checkpoint: CheckpointId) -> (u32, u32) {
        match (self.place_of(checkpoint), self.completed) {
            (Some(place), _) if self.pending[place].is_aborted => (0, 0),
            (Some(place), _) => (self.pending[place].n_received(), self.pending[place].n_needed),
            (None, Some((completed, n))) if completed == checkpoint => (n, n),
            (None, _) => (0, 0),
        }
    }

    pub(super) fn has_received(&self, checkpoint: CheckpointId, channel: u32) -> bool {
        let place = self.place_of(checkpoint);
        place.is_some_and(|place| self.pending[place].received[channel as usize])
    }

    pub(super) fn n_open(&self) -> u32 {
        self.n_open
    }

    pub(super) fn clock(&self) -> &AlignmentClock {
        &self.clock
    }
}

fn cancelled(checkpoint: CheckpointId) -> BarrierEffect {
    let reason = CheckpointFailureReason::CheckpointDeclinedOnCancellationBarrier;
    BarrierEffect::Abort { checkpoint, reason }
}
