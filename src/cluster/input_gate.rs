//! In which order a task takes elements from its channels.
//!
//! Source: Flink `SingleInputGate`.

use std::collections::VecDeque;

/// The channels that have something, each at most once, the next one first.
///
/// Taking is round-robin: a channel that has more goes to the end. That is
/// the order of arrival only if each element is taken before the next arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputGate {
    ready: VecDeque<u32>,
}

impl InputGate {
    /// A channel that was empty has something now.
    pub fn enqueue(&mut self, channel: u32) {
        debug_assert!(!self.ready.contains(&channel), "a channel waits at most once");
        self.ready.push_back(channel);
    }

    /// The channel to take one element from; the caller enqueues it again if
    /// it has more.
    pub fn dequeue(&mut self) -> Option<u32> {
        self.ready.pop_front()
    }

    /// The channel that [`InputGate::dequeue`] would give.
    #[must_use]
    pub fn next(&self) -> Option<u32> {
        self.ready.front().copied()
    }

    /// Whether no channel has anything.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }
}
