//! Which of the waiting requests begins, if any.
//!
//! Source: Flink `CheckpointRequestDecider`.

use std::collections::VecDeque;

use super::request::CheckpointRequest;
use super::settings::CoordinatorSettings;
use crate::model::{Micros, Time};

/// The requests that wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CheckpointRequestDecider {
    max_concurrent: u32,
    min_pause: Micros,
    queued_max: usize,
    /// By [`CheckpointRequest::rank`].
    queued: VecDeque<CheckpointRequest>,
}

/// What the decision depends on, besides the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// Checkpoints and savepoints under way.
    pub(super) n_pending: usize,
    /// Old checkpoints that are being deleted.
    pub(super) n_cleaning: u32,
    /// When the last one was complete.
    pub(super) last_completion: Option<Time>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Nothing begins now.
    Wait,
    /// This request begins.
    Begin(CheckpointRequest),
    /// This request is dropped; the interval is over again at that time.
    Drop(CheckpointRequest, Time),
}

impl CheckpointRequestDecider {
    /// A decider with an empty queue.
    pub(super) fn new(settings: &CoordinatorSettings) -> Self {
        Self {
            max_concurrent: settings.max_concurrent,
            min_pause: settings.min_pause,
            queued_max: settings.queued_max,
            queued: VecDeque::new(),
        }
    }

    /// Requests that wait.
    pub(super) fn n_queued(&self) -> usize {
        self.queued.len()
    }

    /// Puts a request in its place; gives the one that there is no room for.
    // Flink 1.20: CheckpointRequestDecider.chooseRequestToExecute.
    pub(super) fn submit(&mut self, request: CheckpointRequest) -> Option<CheckpointRequest> {
        let is_full = self.queued.len() >= self.queued_max;
        if is_full && self.queued.back().is_some_and(|last| !last.is_periodic()) {
            return Some(request);
        }
        let place = self.queued.partition_point(|waiting| waiting.rank() <= request.rank());
        self.queued.insert(place, request);
        if is_full { self.queued.pop_back() } else { None }
    }

    /// Decides about at most one request, outside a trigger phase.
    ///
    /// The pause counts from the last completion of anything, and for
    /// periodic requests only; exactly at its end is allowed.
    // Flink 1.20: CheckpointRequestDecider.chooseRequestToExecute.
    pub(super) fn decide(&mut self, now: Time, at: Circumstances) -> Decision {
        let Some(first) = self.queued.front().copied() else { return Decision::Wait };
        if at.n_cleaning > self.max_concurrent {
            return Decision::Wait;
        }
        if at.n_pending >= self.max_concurrent as usize && !first.forced {
            return Decision::Wait;
        }
        self.queued.pop_front();
        let pause_ends = at.last_completion.map(|completion| completion.after(self.min_pause));
        match pause_ends {
            Some(end) if end > now && first.is_periodic() && !first.forced => {
                Decision::Drop(first, end)
            }
            _ => Decision::Begin(first),
        }
    }

    /// Takes every request out, the first first.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = CheckpointRequest> + use<'_> {
        self.queued.drain(..)
    }
}
