//! In which order a task takes elements from its channels.
//!
//! Source: Flink `SingleInputGate`, `PrioritizedDeque`.

use std::collections::VecDeque;

/// The channels that have something, each at most once, the next one first.
///
/// Taking is round-robin: a channel that has more goes to the end. That is
/// the order of arrival only if each element is taken before the next arrives.
/// Channels whose next element has priority stand in front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputGate {
    ready: VecDeque<u32>,
    n_priority: usize,
    /// Whether it has been said that something has priority.
    has_announced_priority: bool,
}

impl InputGate {
    /// A channel that was empty has something now.
    pub fn enqueue(&mut self, channel: u32) {
        debug_assert!(!self.ready.contains(&channel), "a channel waits at most once");
        self.ready.push_back(channel);
    }

    /// The next element of a channel has priority; says whether that is news
    /// for the task.
    pub fn enqueue_with_priority(&mut self, channel: u32) -> bool {
        let place = self.ready.iter().position(|ready| *ready == channel);
        match place {
            Some(place) if place < self.n_priority => return false,
            Some(place) => {
                self.ready.remove(place);
            }
            None => {}
        }
        self.ready.insert(self.n_priority, channel);
        self.n_priority += 1;
        // Flink 1.20: SingleInputGate.queueChannel tells only of the first one.
        let is_news = self.n_priority == 1;
        self.has_announced_priority |= is_news;
        is_news
    }

    /// The channel to take one element from; the caller gives it back with
    /// [`InputGate::requeue`] if it has more.
    pub fn dequeue(&mut self) -> Option<u32> {
        let channel = self.ready.pop_front()?;
        self.n_priority = self.n_priority.saturating_sub(1);
        Some(channel)
    }

    /// A channel that an element was taken from has more.
    pub fn requeue(&mut self, channel: u32, next_has_priority: impl FnOnce() -> bool) {
        if next_has_priority() {
            self.ready.insert(self.n_priority, channel);
            self.n_priority += 1;
        } else {
            self.ready.push_back(channel);
        }
    }

    /// Whether a channel is among them.
    #[must_use]
    pub fn contains(&self, channel: u32) -> bool {
        self.ready.contains(&channel)
    }

    /// An element with priority has been taken, and its channel given back if
    /// it has more.
    pub fn note_priority_taken(&mut self) {
        // Flink 1.20: SingleInputGate.waitAndGetNextData.
        self.has_announced_priority &= self.n_priority > 0;
    }

    /// The channel that [`InputGate::dequeue`] would give.
    #[must_use]
    pub fn next(&self) -> Option<u32> {
        self.ready.front().copied()
    }

    /// Whether the next element has priority.
    #[must_use]
    pub fn next_has_priority(&self) -> bool {
        self.n_priority > 0
    }

    /// Whether something with priority was enqueued and has not been taken.
    #[must_use]
    pub fn has_announced_priority(&self) -> bool {
        self.has_announced_priority
    }

    /// Whether no channel has anything.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }
}
