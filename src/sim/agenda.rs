//! The event queue: every lane is a FIFO of times, and only the heads compete.
//!
//! Keys are `time << 16 | lane`, so that one comparison orders by time and
//! breaks ties by lane. Whether a lane has more than its head is as good as
//! random, and a wrong guess costs more than all the rest: there is no branch
//! on it.

use crate::model::Time;

/// When the events of each lane happen.
#[derive(Clone, Debug)]
pub struct Agenda {
    lanes: Vec<Lane>,
    heads: Tournament,
}

/// The keys of one lane behind its head.
#[derive(Clone, Debug)]
struct Lane {
    /// A ring; its length is a power of two. Behind the last of them stands
    /// [`NOTHING`].
    ring: Vec<u64>,
    /// Where the first of them stands, modulo the length.
    first: usize,
    /// Where the next one will.
    end: usize,
    /// The key that was added last.
    last: u64,
}

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
        Self {
            lanes: vec![Lane::new(); n_lanes as usize],
            heads: Tournament::new(n_lanes as usize),
        }
    }

    /// Adds an event to the end of a lane: never before the one that was added
    /// before it.
    #[inline]
    pub fn push(&mut self, number: u32, at: Time) {
        let lane = &mut self.lanes[number as usize];
        let key = (at.0 << 16 | u64::from(number)).max(lane.last);
        let head = self.heads.enter(number, key);
        lane.push(key, usize::from(head != NOTHING));
    }

    /// Takes the next event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, u32)> {
        let first = self.heads.first();
        if first == NOTHING {
            return None;
        }
        let number = (first & u64::from(LANES_MAX - 1)) as u32;
        let next = self.lanes[number as usize].pop();
        self.heads.replace(number, next);
        Some((Time(first >> 16), number))
    }

    /// Lets nothing of a lane happen before a time, neither what stands there
    /// nor what is added later.
    pub fn hold(&mut self, number: u32, until: Time) {
        let key = until.0 << 16 | u64::from(number);
        self.lanes[number as usize].hold(key);
        self.heads.first();
        let head = self.heads.key(number);
        if head != NOTHING {
            self.heads.replace(number, head.max(key));
        }
    }

    /// Takes everything out of a lane.
    pub fn clear(&mut self, number: u32) {
        self.lanes[number as usize] = Lane::new();
        self.heads.first();
        self.heads.replace(number, NOTHING);
    }

    /// Whether no lane but this one has an event.
    #[must_use]
    pub fn holds_only(&self, number: u32) -> bool {
        let mut others = (0..self.lanes.len() as u32).filter(|lane| *lane != number);
        others.all(|lane| self.heads.key(lane) == NOTHING)
    }
}

impl Lane {
    fn new() -> Self {
        Self { ring: vec![NOTHING; 4], first: 0, end: 0, last: 0 }
    }

    /// Adds a key: to the end if `n` is 1, and to nowhere if it is 0, since it
    /// is the head.
    #[inline]
    fn push(&mut self, key: u64, n: usize) {
        self.last = key;
        let last = self.ring.len() - 1;
        self.ring[self.end & last] = key;
        self.end += n;
        self.ring[self.end & last] = NOTHING;
        if self.end - self.first == last {
            self.grow();
        }
    }

    /// Takes the first key; [`NOTHING`] if there is none.
    #[inline]
    fn pop(&mut self) -> u64 {
        let first = self.ring[self.first & (self.ring.len() - 1)];
        self.first += usize::from(first != NOTHING);
        first
    }

    /// Raises every key to at least this one.
    fn hold(&mut self, key: u64) {
        let last = self.ring.len() - 1;
        for place in self.first..self.end {
            let own = &mut self.ring[place & last];
            *own = key.max(*own);
        }
        self.last = key.max(self.last);
    }

    #[cold]
    fn grow(&mut self) {
        let n = self.ring.len();
        self.ring.rotate_left(self.first & (n - 1));
        self.ring.resize(2 * n, NOTHING);
        (self.first, self.end) = (0, n - 1);
    }
}

/// The smallest of many keys: a tree in which every place above the leaves
/// holds the smallest key of the group of four below it.
#[derive(Clone, Debug)]
struct Tournament {
    /// In groups of four, the root first. Place p belongs to the winner of
    /// group p + 1; the last groups, which have no place, are the leaves.
    places: Vec<u64>,
    /// The leaf of key 0. The others stand in front of it: the highest
    /// numbers, which are the busiest lanes, may be one level nearer to the
    /// root.
    last_leaf: usize,
    /// The leaf that was replaced last, while its matches are not played: they
    /// are only when the winner is wanted, since most leaves that lose their
    /// key get another in the meantime. Else 0.
    replaced: usize,
}

const NOTHING: u64 = u64::MAX;

impl Tournament {
    fn new(n_keys: usize) -> Self {
        let n_leaf_groups = n_keys.div_ceil(4).max(1);
        let n_inner_groups = (n_leaf_groups - 1).div_ceil(3);
        Self {
            places: vec![NOTHING; 4 * (n_inner_groups + n_leaf_groups)],
            last_leaf: (4 * n_inner_groups + n_keys).saturating_sub(1),
            replaced: 0,
        }
    }

    fn key(&self, number: u32) -> u64 {
        self.places[self.last_leaf - number as usize]
    }

    /// Gives a key to a leaf if it has none, and gives the one that it had. The
    /// new one is not smaller.
    #[inline]
    fn enter(&mut self, number: u32, key: u64) -> u64 {
        let mut place = self.last_leaf - number as usize;
        let places = self.places.as_mut_slice();
        let had = places[place];
        places[place] = smaller(had, key);
        while place >= 4 {
            place = place / 4 - 1;
            places[place] = smaller(places[place], key);
        }
        had
    }

    /// Puts a key in place of another, right after [`Tournament::first`].
    #[inline]
    fn replace(&mut self, number: u32, key: u64) {
        self.replaced = self.last_leaf - number as usize;
        self.places[self.replaced] = key;
    }

    /// The smallest key.
    #[inline]
    fn first(&mut self) -> u64 {
        let places = self.places.as_mut_slice();
        let mut place = std::mem::take(&mut self.replaced);
        loop {
            let [a, b, c, d] = places.as_chunks().0[place / 4];
            let winner = smaller(smaller(a, b), smaller(c, d));
            if place < 4 {
                return winner;
            }
            place = place / 4 - 1;
            places[place] = winner;
        }
    }
}

/// The minimum, without a branch: who wins is as good as random, and a wrong
/// guess costs more than the whole match.
#[inline]
fn smaller(a: u64, b: u64) -> u64 {
    b ^ ((a ^ b) & u64::from(a < b).wrapping_neg())
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::model::mix;

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

    /// Against a plain search for the smallest, over every size of tree up to
    /// three levels.
    #[test]
    fn whatever_is_added_held_and_cleared_the_smallest_comes_first() {
        for n_lanes in 1..70 {
            let mut agenda = Agenda::new(n_lanes);
            let mut lanes = vec![VecDeque::new(); n_lanes as usize];
            let mut last = vec![Time::ZERO; n_lanes as usize];
            for turn in 0..2000 {
                let draw = mix(u64::from(n_lanes) << 32 ^ turn);
                let lane = (draw >> 32) as u32 % n_lanes;
                let times: &mut VecDeque<Time> = &mut lanes[lane as usize];
                match draw % 16 {
                    7 => {
                        let until = Time(turn + draw / 16 % 50);
                        times.iter_mut().for_each(|at| *at = until.max(*at));
                        last[lane as usize] = until.max(last[lane as usize]);
                        agenda.hold(lane, until);
                    }
                    0..8 => {
                        let at = Time(turn + draw / 16 % 50);
                        last[lane as usize] = at.max(last[lane as usize]);
                        times.push_back(last[lane as usize]);
                        agenda.push(lane, at);
                    }
                    8 => {
                        times.clear();
                        last[lane as usize] = Time::ZERO;
                        agenda.clear(lane);
                    }
                    _ => {
                        let heads = lanes.iter().zip(0..);
                        let heads = heads.filter_map(|(times, lane)| Some((*times.front()?, lane)));
                        let first = heads.min();
                        assert_eq!(agenda.pop(), first, "lane {lane} of {n_lanes}, turn {turn}");
                        if let Some((_, lane)) = first {
                            lanes[lane as usize].pop_front();
                        }
                    }
                }
                let others_empty = lanes.iter().zip(0..).all(|(t, n)| n == lane || t.is_empty());
                assert_eq!(agenda.holds_only(lane), others_empty);
            }
        }
    }
}
