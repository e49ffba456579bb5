//! When the next periodic checkpoint is due.
//!
//! Source: Flink `CheckpointCoordinator.ScheduledTrigger`.

use std::collections::BTreeSet;

use super::settings::{BacklogInterval, CoordinatorSettings};
use crate::model::{Micros, OperatorIndex, Time};

pub use crate::model::Backlog;

/// The clockwork of periodic checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PeriodicScheduler {
    interval: Option<Micros>,
    backlog_interval: BacklogInterval,
    /// Sources that work off old data.
    backlog: BTreeSet<OperatorIndex>,
    started: bool,
    /// The planned time of the next tick, while one is armed.
    next: Option<Time>,
}

impl PeriodicScheduler {
    /// A scheduler that stands still.
    pub(super) fn new(settings: &CoordinatorSettings) -> Self {
        Self {
            interval: settings.interval,
            backlog_interval: settings.backlog,
            backlog: BTreeSet::new(),
            started: false,
            next: None,
        }
    }

    /// Whether periodic requests are allowed to begin.
    pub(super) fn is_started(&self) -> bool {
        self.started
    }

    /// Whether there is an interval at all.
    pub(super) fn is_configured(&self) -> bool {
        self.interval.is_some()
    }

    /// Lets periodic requests begin from now on.
    pub(super) fn start(&mut self) {
        self.started = true;
    }

    /// Stands still; says whether a tick was armed.
    pub(super) fn stop(&mut self) -> bool {
        self.started = false;
        self.next.take().is_some()
    }

    /// Arms a tick, and with it all that follow; says whether another one was
    /// armed.
    pub(super) fn arm(&mut self, next: Time) -> bool {
        self.next.replace(next).is_some()
    }

    /// A tick: when the next one comes, if one does. The rate is fixed: it
    /// counts from the planned time and not from now.
    // Flink 1.20: ScheduledTrigger.run.
    pub(super) fn tick(&mut self, now: Time) -> Option<Time> {
        let planned = self.next.unwrap_or(now);
        self.next = self.current_interval().map(|interval| planned.after(interval));
        self.next.map(|next| next.max(now))
    }

    /// A source reports: to when the next tick is to be brought forward, if it
    /// is.
    // Flink 1.20: CheckpointCoordinator.setIsProcessingBacklog.
    pub(super) fn report(
        &mut self,
        now: Time,
        operator: OperatorIndex,
        backlog: Backlog,
    ) -> Option<Time> {
        match backlog {
            Backlog::Processing => self.backlog.insert(operator),
            Backlog::CaughtUp => self.backlog.remove(&operator),
        };
        let soon = now.after(self.current_interval()?);
        self.next.is_none_or(|next| soon < next).then_some(soon)
    }

    fn current_interval(&self) -> Option<Micros> {
        match self.backlog_interval {
            _ if self.backlog.is_empty() => self.interval,
            BacklogInterval::Same => self.interval,
            BacklogInterval::Off => None,
            BacklogInterval::Every(interval) => Some(interval),
        }
    }
}
