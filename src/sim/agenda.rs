//! The event queue: every lane is a FIFO of times, and only the heads compete.
//!
//! Keys are `time << 16 | lane`, so that one comparison orders by time and
//! breaks ties by lane. The heads stand at the leaves of a tree in which every
//! node holds the smaller of its two children; the root is the next event.

use std::collections::VecDeque;

use crate::model::Time;

/// When the events of each lane happen.
#[derive(Clone, Debug)]
pub struct Agenda {
    lanes: Vec<VecDeque<Time>>,
    /// Node 1 is the root, nodes n..2n the leaves.
    tree: Vec<u64>,
    n_leaves: usize,
    /// The lane that was popped last. Its leaf is stale: it is seated anew
    /// only when the next event is wanted, since most lanes that lose their
    /// head get another in the meantime.
    stale: Option<u32>,
}

const NOTHING: u64 = u64::MAX;

/// The most lanes that a key has room for.
pub const LANES_MAX: u32 = 1 << 16;

impl Agenda {
    /// An empty agenda.
    ///
    /// # Panics
    /// When there are more than [`LANES_MAX`] lanes.
    #[must_use]
    pub fn new(n_lanes: u32) -> Self {
        assert!(n_lanes <= LANES_MAX, "{n_lanes} lanes do not fit a key");
        let n_leaves = (n_lanes as usize).next_power_of_two();
        Self {
            lanes: vec![VecDeque::new(); n_lanes as usize],
            tree: vec![NOTHING; 2 * n_leaves],
            n_leaves,
            stale: None,
        }
    }

    /// Adds an event to the end of a lane: never before the one in front of
    /// it.
    #[inline]
    pub fn push(&mut self, lane: u32, at: Time) {
        let times = &mut self.lanes[lane as usize];
        let Some(last) = times.back() else {
            times.push_back(at);
            if self.stale != Some(lane) {
                self.seat(lane, key(at, lane));
            }
            return;
        };
        let at = at.max(*last);
        times.push_back(at);
    }

    /// Takes the next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, u32)> {
        self.settle();
        let winner = self.tree[1];
        if winner == NOTHING {
            return None;
        }
        let lane = (winner & u64::from(LANES_MAX - 1)) as u32;
        self.lanes[lane as usize].pop_front();
        self.stale = Some(lane);
        Some((Time(winner >> 16), lane))
    }

    /// Takes everything out of a lane.
    pub fn clear(&mut self, lane: u32) {
        self.lanes[lane as usize].clear();
        self.seat(lane, NOTHING);
    }

    #[inline]
    fn settle(&mut self) {
        if let Some(lane) = self.stale.take() {
            let next = self.lanes[lane as usize].front().map_or(NOTHING, |at| key(*at, lane));
            self.seat(lane, next);
        }
    }

    /// Whether no lane but this one has an event.
    #[must_use]
    pub fn holds_only(&self, lane: u32) -> bool {
        self.lanes.iter().enumerate().all(|(at, times)| at == lane as usize || times.is_empty())
    }

    /// Puts a key at a leaf and plays its matches up to the root.
    #[inline]
    fn seat(&mut self, lane: u32, key: u64) {
        let tree = self.tree.as_mut_slice();
        let mut node = (self.n_leaves + lane as usize) & (tree.len() - 1);
        let mut winner = key;
        tree[node] = winner;
        while node > 1 {
            winner = smaller(winner, tree[node ^ 1]);
            node >>= 1;
            tree[node] = winner;
        }
    }
}

/// The minimum, without a branch: who wins is as good as random, and a wrong
/// guess costs more than the whole match.
#[inline]
fn smaller(a: u64, b: u64) -> u64 {
    b ^ ((a ^ b) & u64::from(a < b).wrapping_neg())
}

#[inline]
fn key(at: Time, lane: u32) -> u64 {
    at.0 << 16 | u64::from(lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_lane_and_keep_their_order_in_a_lane() {
        let mut agenda = Agenda::new(5);
        for (lane, at) in [(3, 10), (1, 10), (3, 5), (0, 20), (4, 0)] {
            agenda.push(lane, Time(at));
        }
        let order: Vec<_> = std::iter::from_fn(|| agenda.pop()).collect();
        let expected = [(0, 4), (10, 1), (10, 3), (10, 3), (20, 0)];
        assert_eq!(order, expected.map(|(at, lane)| (Time(at), lane)));
    }

    #[test]
    fn a_cleared_lane_has_no_event() {
        let mut agenda = Agenda::new(2);
        agenda.push(0, Time(1));
        agenda.push(1, Time(2));
        agenda.push(0, Time(3));
        agenda.clear(0);
        assert!(agenda.holds_only(1));
        assert_eq!(agenda.pop(), Some((Time(2), 1)));
        assert_eq!(agenda.pop(), None);
    }
}
