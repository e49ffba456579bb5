//! Exactly-once: the barriers of one checkpoint at a time.
//!
//! Aligned, a barrier blocks its channel until all have come. Unaligned, the
//! first barrier triggers the snapshot, and what is in flight before the
//! others is captured. Alternating begins aligned and turns unaligned when a
//! barrier is too old.
//!
//! Blocking is bookkeeping here: the sender has stopped by itself when it
//! handed out the barrier, and "resume" tells it to go on.
//!
//! Source: Flink `SingleCheckpointBarrierHandler` and the classes that
//! implement `BarrierHandlerState`.

use super::{AlignmentClock, BarrierEffect, BarrierHandling, BarrierInput};
use crate::model::{Barrier, CheckpointFailureReason, CheckpointId, Config, Mutation, Time};

/// Where the handler is with the current checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// Aligned, and no barrier has been taken.
    WaitingAligned,
    /// Aligned, and some barriers have been taken.
    CollectingAligned,
    /// Unaligned, and no barrier has been taken.
    WaitingUnaligned,
    /// Unaligned: the snapshot is triggered, channels without barrier capture.
    CollectingUnaligned,
}

/// What happens to the state; the checkpoint is current, and the channel is
/// counted already.
#[derive(Clone, Copy, Debug)]
enum Event {
    Barrier {
        channel: u32,
        barrier: Barrier,
    },
    /// A barrier behind which nothing is held back.
    Trigger {
        barrier: Barrier,
    },
    Announcement {
        channel: u32,
        sequence: u64,
    },
    End {
        channel: u32,
    },
    TimedOut(Barrier),
    CaptureStarted(Barrier),
    Aborted(CheckpointId),
}

/// The barriers of one checkpoint at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SingleCheckpointBarrierHandler {
    handling: BarrierHandling,
    end_counts: bool,
    state: State,
    n_open: u32,
    /// The highest id seen.
    current: Option<CheckpointId>,
    /// The highest id completed or aborted.
    closed: Option<CheckpointId>,
    /// The first barrier or announcement of the current checkpoint.
    barrier: Option<Barrier>,
    /// By channel: whether it counts for the current checkpoint.
    received: Vec<bool>,
    n_received: u32,
    n_needed: u32,
    /// By channel.
    blocked: Vec<bool>,
    /// By channel: where the barrier stands that was announced.
    announced: Vec<Option<u64>>,
    /// The unaligned barrier whose capture has been asked for.
    starting: Option<Barrier>,
    /// Whether somebody waits for all that is in flight.
    inputs_awaited: bool,
    timer_is_armed: bool,
    clock: AlignmentClock,
}

impl SingleCheckpointBarrierHandler {
    pub(super) fn new(n_channels: usize, handling: BarrierHandling, config: &Config) -> Self {
        let mut handler = Self {
            handling,
            end_counts: config.checkpoints_after_tasks_finish,
            state: State::WaitingAligned,
            n_open: n_channels as u32,
            current: None,
            closed: None,
            barrier: None,
            received: vec![false; n_channels],
            n_received: 0,
            n_needed: n_channels as u32,
            blocked: vec![false; n_channels],
            announced: vec![None; n_channels],
            starting: None,
            inputs_awaited: false,
            timer_is_armed: false,
            clock: AlignmentClock::default(),
        };
        handler.state = handler.initial();
        handler
    }

    pub(super) fn on(&mut self, now: Time, input: BarrierInput, effects: &mut Vec<BarrierEffect>) {
        match input {
            BarrierInput::Barrier { channel, barrier } => {
                let barrier = self.counted_as(barrier);
                if self.is_obsolete(barrier.checkpoint) {
                    if !barrier.options.is_unaligned() {
                        // Its sender has stopped all the same.
                        effects.push(BarrierEffect::Resume { channel });
                    }
                    return;
                }
                self.begin_if_new(now, barrier, effects);
                self.count(now, channel, barrier, effects);
                self.transit(now, Event::Barrier { channel, barrier }, effects);
                self.close_if_complete(effects);
            }
            BarrierInput::TriggerForChannel { channel, barrier } => {
                if self.is_obsolete(barrier.checkpoint) {
                    return;
                }
                self.begin_if_new(now, barrier, effects);
                self.count(now, channel, barrier, effects);
                self.transit(now, Event::Trigger { barrier }, effects);
                self.close_if_complete(effects);
            }
            BarrierInput::Announcement { channel, barrier, sequence } => {
                self.begin_if_new(now, barrier, effects);
                if !self.is_obsolete(barrier.checkpoint) {
                    self.transit(now, Event::Announcement { channel, sequence }, effects);
                }
            }
            BarrierInput::Cancellation { checkpoint, .. } => {
                let counts = self.current < Some(checkpoint)
                    || (self.pending() == Some(checkpoint) && self.n_received > 0);
                if counts {
                    let reason = CheckpointFailureReason::CheckpointDeclinedOnCancellationBarrier;
                    self.abort(now, checkpoint, reason, effects);
                }
            }
            BarrierInput::EndOfPartition { channel } => self.end(now, channel, effects),
            BarrierInput::Timer { checkpoint } => {
                if self.pending() == Some(checkpoint)
                    && let Some(barrier) = self.barrier
                {
                    self.timer_is_armed = false;
                    self.transit(now, Event::TimedOut(barrier), effects);
                }
            }
            BarrierInput::CaptureStarted => {
                let barrier = self.starting.take().expect("it asked for the capture");
                self.transit(now, Event::CaptureStarted(barrier), effects);
                self.close_if_complete(effects);
            }
            BarrierInput::CaptureRefused(reason) => {
                let barrier = self.starting.take().expect("it asked for the capture");
                self.abort(now, barrier.checkpoint, reason, effects);
            }
            BarrierInput::Processed { bytes } => self.clock.processed(bytes),
        }
    }

    /// The table: what an event does in a state.
    fn transit(&mut self, now: Time, event: Event, effects: &mut Vec<BarrierEffect>) {
        use Event::{Aborted, Announcement, Barrier, CaptureStarted, End, TimedOut, Trigger};
        use State::{CollectingAligned, CollectingUnaligned, WaitingAligned, WaitingUnaligned};

        match (self.state, event) {
            (WaitingAligned | CollectingAligned, Barrier { barrier, .. } | Trigger { barrier })
                if barrier.options.is_unaligned() =>
            {
                let may_be_unaligned = self.handling == BarrierHandling::Alternating;
                assert!(may_be_unaligned, "an unaligned barrier where every barrier is aligned");
                self.time_out(barrier, effects);
                if self.state == WaitingUnaligned {
                    self.start_capture(barrier, effects);
                }
            }
            (WaitingAligned | CollectingAligned, Barrier { channel, barrier }) => {
                if self.does_not_align() {
                    self.broken(now, barrier, effects);
                    effects.push(BarrierEffect::Resume { channel });
                } else {
                    self.announced[channel as usize] = None;
                    self.block(channel, barrier.checkpoint, effects);
                    self.aligned(now, barrier, effects);
                }
            }
            (WaitingAligned | CollectingAligned, Trigger { barrier }) => {
                self.aligned(now, barrier, effects);
            }
            (WaitingUnaligned, Barrier { channel, barrier }) => {
                self.block_if_aligned(channel, barrier, effects);
                self.start_capture(barrier.as_unaligned(), effects);
            }
            (WaitingUnaligned, Trigger { barrier }) => {
                self.start_capture(barrier.as_unaligned(), effects);
            }
            (CollectingUnaligned, Barrier { channel, barrier }) => {
                self.block_if_aligned(channel, barrier, effects);
                self.finish_unaligned(barrier.checkpoint, effects);
            }
            (CollectingUnaligned, Trigger { barrier }) => {
                self.finish_unaligned(barrier.checkpoint, effects);
            }

            (WaitingAligned | CollectingAligned, Announcement { channel, sequence }) => {
                if self.handling == BarrierHandling::Alternating {
                    self.announced[channel as usize] = Some(sequence);
                }
            }
            (WaitingUnaligned | CollectingUnaligned, Announcement { channel, sequence }) => {
                effects.push(BarrierEffect::Prioritize { channel, sequence })
            }

            (WaitingAligned | WaitingUnaligned, End { channel }) => self.forget(channel),
            (CollectingAligned, End { channel }) => {
                self.forget(channel);
                let barrier = self.barrier.expect("it collects the barriers of a checkpoint");
                self.aligned(now, barrier, effects);
            }
            (CollectingUnaligned, End { channel }) => {
                self.forget(channel);
                let barrier = self.barrier.expect("it collects the barriers of a checkpoint");
                self.finish_unaligned(barrier.checkpoint, effects);
            }

            (WaitingAligned | CollectingAligned, TimedOut(barrier)) => {
                self.time_out(barrier, effects);
            }
            (WaitingUnaligned | CollectingUnaligned, TimedOut(_)) => {}

            (_, CaptureStarted(barrier)) => {
                self.state = CollectingUnaligned;
                self.clock.trigger(barrier, effects);
                self.finish_unaligned(barrier.checkpoint, effects);
            }

            (WaitingAligned | CollectingAligned | WaitingUnaligned, Aborted(_))
                if self.handling == BarrierHandling::Broken(Mutation::AbortLeavesBlocked) =>
            {
                self.state = self.initial();
            }
            (WaitingAligned | CollectingAligned | WaitingUnaligned, Aborted(_)) => {
                self.reset(effects);
            }
            (CollectingUnaligned, Aborted(checkpoint)) => {
                effects.push(BarrierEffect::StopCapture(checkpoint));
                self.reset(effects);
            }
        }
    }

    /// An aligned barrier has been counted, or an end in its place: all are
    /// here, or one is too old, or more are to come.
    fn aligned(&mut self, now: Time, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        let is_complete = self.n_received == self.n_needed;
        match self.handling {
            _ if self.does_not_align() => self.broken(now, barrier, effects),
            _ if is_complete => {
                if self.handling == BarrierHandling::Alternating {
                    effects.push(BarrierEffect::InitInputs(barrier));
                }
                if self.handling == BarrierHandling::Broken(Mutation::ReleaseBeforeSnapshot) {
                    self.reset(effects);
                }
                self.clock.trigger(barrier, effects);
                self.reset(effects);
            }
            BarrierHandling::Alternating if self.is_late(now, &barrier) => {
                self.time_out(barrier, effects);
                if self.state == State::WaitingUnaligned {
                    self.start_capture(barrier.as_unaligned(), effects);
                }
            }
            _ => self.state = State::CollectingAligned,
        }
    }

    /// Whether a rule is broken so that nothing is blocked.
    fn does_not_align(&self) -> bool {
        if self.handling == BarrierHandling::Broken(Mutation::NoAlignmentOfOneInput) {
            return self.received.len() == 1;
        }
        let alone = [Mutation::ProcessAfterFirstBarrier, Mutation::SnapshotAtFirstBarrier];
        alone.into_iter().any(|mutation| self.handling == BarrierHandling::Broken(mutation))
    }

    /// A barrier as the checkpoint that it counts for: its own, unless that
    /// rule is broken.
    fn counted_as(&self, barrier: Barrier) -> Barrier {
        match self.pending() {
            Some(pending)
                if self.handling == BarrierHandling::Broken(Mutation::CountAnyBarrier) =>
            {
                Barrier { checkpoint: pending, ..barrier }
            }
            _ => barrier,
        }
    }

    /// The same with a rule broken: nothing is blocked.
    fn broken(&mut self, now: Time, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        let is_complete = self.n_received == self.n_needed;
        let at_first = BarrierHandling::Broken(Mutation::SnapshotAtFirstBarrier);
        let triggers = match self.handling == at_first {
            true => self.n_received == 1,
            false => is_complete,
        };
        if triggers {
            let (checkpoint, start_delay) = (barrier.checkpoint, self.clock.start_delay());
            let duration = self.clock.duration(now);
            effects.push(BarrierEffect::Trigger { barrier, start_delay });
            effects.push(BarrierEffect::Aligned { checkpoint, duration, bytes: 0 });
        }
        self.state = if is_complete { self.initial() } else { State::CollectingAligned };
    }

    /// The checkpoint turns unaligned. Channels that are blocked stay blocked.
    // Flink leaves the timer; when it fires, it finds nothing to do.
    fn time_out(&mut self, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        self.disarm(effects);
        if !barrier.options.is_unaligned() {
            effects.push(BarrierEffect::TimedOut { checkpoint: barrier.checkpoint });
        }
        for (channel, announced) in self.announced.iter_mut().enumerate() {
            if let Some(sequence) = announced.take() {
                let channel = channel as u32;
                effects.push(BarrierEffect::Prioritize { channel, sequence });
            }
        }
        if self.state == State::CollectingAligned {
            self.start_capture(barrier.as_unaligned(), effects);
        } else {
            self.state = State::WaitingUnaligned;
        }
    }

    fn start_capture(&mut self, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        self.starting = Some(barrier);
        self.inputs_awaited = true;
        effects.push(BarrierEffect::InitInputs(barrier));
        effects.push(BarrierEffect::StartCapture(barrier));
    }

    fn finish_unaligned(&mut self, checkpoint: CheckpointId, effects: &mut Vec<BarrierEffect>) {
        if self.n_received == self.n_needed {
            effects.push(BarrierEffect::StopCapture(checkpoint));
            self.reset(effects);
        }
    }

    /// Back to where no checkpoint is under way.
    // Differs: Flink resumes in the order of a hash set; here the lowest
    // channel goes first.
    fn reset(&mut self, effects: &mut Vec<BarrierEffect>) {
        for (channel, blocked) in self.blocked.iter_mut().enumerate() {
            if std::mem::take(blocked) {
                effects.push(BarrierEffect::Resume { channel: channel as u32 });
            }
        }
        self.announced.fill(None);
        self.state = self.initial();
    }

    fn initial(&self) -> State {
        match self.handling {
            BarrierHandling::Unaligned => State::WaitingUnaligned,
            _ => State::WaitingAligned,
        }
    }

    fn block(&mut self, channel: u32, checkpoint: CheckpointId, effects: &mut Vec<BarrierEffect>) {
        self.blocked[channel as usize] = true;
        effects.push(BarrierEffect::Block { channel, checkpoint });
    }

    /// An aligned barrier of a checkpoint that has turned unaligned was sent
    /// before that: its sender has stopped.
    fn block_if_aligned(
        &mut self,
        channel: u32,
        barrier: Barrier,
        effects: &mut Vec<BarrierEffect>,
    ) {
        if !barrier.options.is_unaligned() {
            self.block(channel, barrier.checkpoint, effects);
        }
    }

    /// Nothing will come from a channel any more.
    fn forget(&mut self, channel: u32) {
        self.blocked[channel as usize] = false;
        self.announced[channel as usize] = None;
    }

    /// The end of a channel counts as its barrier, or, with that switched off,
    /// makes the checkpoint impossible. Later ones do not wait for it at all.
    // Flink 1.20: SingleCheckpointBarrierHandler.processEndOfPartition.
    fn end(&mut self, now: Time, channel: u32, effects: &mut Vec<BarrierEffect>) {
        self.n_open -= 1;
        let (Some(checkpoint), Some(barrier)) = (self.pending(), self.barrier) else { return };
        if self.end_counts {
            self.count(now, channel, barrier, effects);
            self.transit(now, Event::End { channel }, effects);
            self.close_if_complete(effects);
        } else {
            let reason = CheckpointFailureReason::CheckpointDeclinedInputEndOfStream;
            self.abort(now, checkpoint, reason, effects);
        }
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.processBarrier, the first test.
    fn is_obsolete(&self, checkpoint: CheckpointId) -> bool {
        self.current > Some(checkpoint)
            || (self.current == Some(checkpoint) && self.pending().is_none())
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.checkNewCheckpoint.
    fn begin_if_new(&mut self, now: Time, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        if self.current >= Some(barrier.checkpoint) {
            return;
        }
        if let Some(pending) = self.pending() {
            let reason = CheckpointFailureReason::CheckpointDeclinedSubsumed;
            self.abort(now, pending, reason, effects);
        }
        self.current = Some(barrier.checkpoint);
        self.barrier = Some(barrier);
        self.received.fill(false);
        self.n_received = 0;
        self.n_needed = self.n_open;
        self.inputs_awaited = false;
        if self.handling == BarrierHandling::Alternating
            && let Some(times_out_at) = barrier.times_out_at()
        {
            self.timer_is_armed = true;
            let (checkpoint, at) = (barrier.checkpoint, times_out_at.max(now));
            effects.push(BarrierEffect::ArmTimer { checkpoint, at });
        }
    }

    fn count(
        &mut self,
        now: Time,
        channel: u32,
        barrier: Barrier,
        effects: &mut Vec<BarrierEffect>,
    ) {
        let received = &mut self.received[channel as usize];
        self.n_received += u32::from(!*received);
        *received = true;
        if self.n_received == 1 {
            self.clock.start(now, &barrier, effects);
        }
        if self.n_received == self.n_needed {
            self.clock.end(now, effects);
        }
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.isTimedOut.
    fn is_late(&self, now: Time, barrier: &Barrier) -> bool {
        barrier.times_out_at().is_some_and(|at| at < now)
            && Some(barrier.checkpoint) <= self.current
    }

    fn close_if_complete(&mut self, effects: &mut Vec<BarrierEffect>) {
        if self.starting.is_some() || self.n_received != self.n_needed {
            return;
        }
        self.closed = self.current;
        self.disarm(effects);
        if std::mem::take(&mut self.inputs_awaited)
            && let Some(checkpoint) = self.current
        {
            effects.push(BarrierEffect::InputsComplete(checkpoint));
        }
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.abortInternal. A pending
    // checkpoint that is older than the aborted one vanishes without a word.
    fn abort(
        &mut self,
        now: Time,
        checkpoint: CheckpointId,
        reason: CheckpointFailureReason,
        effects: &mut Vec<BarrierEffect>,
    ) {
        let awaited = self.current.filter(|_| std::mem::take(&mut self.inputs_awaited));
        self.current = self.current.max(Some(checkpoint));
        self.closed = self.closed.max(Some(checkpoint));
        self.barrier = None;
        self.received.fill(false);
        self.n_received = 0;
        self.n_needed = 0;
        self.disarm(effects);
        self.transit(now, Event::Aborted(checkpoint), effects);
        self.clock.reset(effects);
        effects.push(BarrierEffect::Abort { checkpoint, reason });
        effects.extend(awaited.map(BarrierEffect::InputsAborted));
    }

    fn disarm(&mut self, effects: &mut Vec<BarrierEffect>) {
        if std::mem::take(&mut self.timer_is_armed) {
            effects.push(BarrierEffect::DisarmTimer);
        }
    }

    pub(super) fn latest(&self) -> Option<CheckpointId> {
        self.current
    }

    pub(super) fn pending(&self) -> Option<CheckpointId> {
        self.current.filter(|_| self.current != self.closed)
    }

    pub(super) fn progress(&self, checkpoint: CheckpointId) -> (u32, u32) {
        if self.current == Some(checkpoint) { (self.n_received, self.n_needed) } else { (0, 0) }
    }

    pub(super) fn has_received(&self, channel: u32) -> bool {
        self.received[channel as usize]
    }

    pub(super) fn n_open(&self) -> u32 {
        self.n_open
    }

    pub(super) fn blocked(&self) -> Vec<u32> {
        let channels = (0..).zip(&self.blocked);
        channels.filter(|(_, blocked)| **blocked).map(|(channel, _)| channel).collect()
    }

    pub(super) fn clock(&self) -> &AlignmentClock {
        &self.clock
    }
}
