//! A coordinator with a clock: what a case does to it, and what it asks for.
//!
//! Timers go off in the order in which they are due, then in the order in
//! which they were armed; the storage answers at once.

use std::collections::BTreeMap;

use checkdam::model::{Attempt, CheckpointId, Micros, SubtaskIndex, Time};
use checkdam::protocol::{
    CheckpointCoordinator, CoordinatorEffect, CoordinatorInput, CoordinatorSettings, Execution,
    ExecutionState, Health, SchedulingTopology,
};

/// A coordinator under test.
pub(crate) struct CoordinatorBench {
    pub(crate) coordinator: CheckpointCoordinator,
    pub(crate) now: Time,
    /// What the storage says when it is asked for a place; none: nothing yet.
    pub(crate) location: Option<Health>,
    timers: BTreeMap<(Time, u64), Timer>,
    n_armed: u64,
    effects: Vec<(Time, CoordinatorEffect)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Timer {
    Interval,
    Expiry(CheckpointId),
}

/// Milliseconds, the unit of the cases.
pub(crate) fn time(ms: u64) -> Time {
    Time::ZERO.after(Micros::from_ms(ms))
}

/// A time in milliseconds.
pub(crate) fn ms(time: Time) -> u64 {
    time.0 / 1000
}

impl CoordinatorBench {
    /// A coordinator at time 0 of which no task runs yet.
    pub(crate) fn new(settings: CoordinatorSettings, topology: SchedulingTopology) -> Self {
        Self {
            coordinator: CheckpointCoordinator::with(settings, topology),
            now: Time::ZERO,
            location: Some(Health::Works),
            timers: BTreeMap::new(),
            n_armed: 0,
            effects: Vec::new(),
        }
    }

    /// Lets an input come now.
    pub(crate) fn put(&mut self, input: CoordinatorInput) {
        let mut effects = Vec::new();
        self.coordinator.on(self.now, input, &mut effects);
        for effect in effects {
            match effect {
                CoordinatorEffect::ArmInterval(at) => self.arm(at, Timer::Interval),
                CoordinatorEffect::DisarmInterval => self.disarm(Timer::Interval),
                CoordinatorEffect::ArmExpiry(id, at) => self.arm(at, Timer::Expiry(id)),
                CoordinatorEffect::DisarmExpiry(id) => self.disarm(Timer::Expiry(id)),
                CoordinatorEffect::InitializeLocation { checkpoint, .. } => {
                    if let Some(outcome) = self.location {
                        self.put(CoordinatorInput::LocationInitialized { checkpoint, outcome });
                    }
                }
                effect => self.effects.push((self.now, effect)),
            }
        }
    }

    /// Sets how a task is, in its first attempt.
    pub(crate) fn set_task(&mut self, task: SubtaskIndex, state: ExecutionState) {
        let execution = Execution { attempt: Attempt(1), state };
        self.put(CoordinatorInput::TaskChanged { task, execution });
    }

    /// Lets time pass up to and including an instant.
    pub(crate) fn advance(&mut self, to: Time) {
        while let Some((at, timer)) = self.due(to) {
            self.now = self.now.max(at);
            match timer {
                Timer::Interval => self.put(CoordinatorInput::IntervalElapsed),
                Timer::Expiry(id) => self.put(CoordinatorInput::Expired(id)),
            }
        }
        self.now = self.now.max(to);
    }

    fn due(&mut self, to: Time) -> Option<(Time, Timer)> {
        let first = self.timers.first_entry().filter(|first| first.key().0 <= to)?;
        let ((at, _), timer) = first.remove_entry();
        Some((at, timer))
    }

    fn arm(&mut self, at: Time, timer: Timer) {
        self.n_armed += 1;
        self.timers.insert((at, self.n_armed), timer);
    }

    fn disarm(&mut self, timer: Timer) {
        self.timers.retain(|_, armed| *armed != timer);
    }

    /// Everything asked for since the last time, but for timers and places in
    /// the storage.
    pub(crate) fn take(&mut self) -> Vec<(Time, CoordinatorEffect)> {
        std::mem::take(&mut self.effects)
    }

    /// Ids of the pending checkpoints, oldest first.
    pub(crate) fn pending(&self) -> Vec<u64> {
        self.coordinator.pending().map(|pending| pending.id().0).collect()
    }

    /// Ids of the completed checkpoints that are kept, oldest first.
    pub(crate) fn retained(&self) -> Vec<u64> {
        self.coordinator.store().retained().iter().map(|kept| kept.id.0).collect()
    }
}
