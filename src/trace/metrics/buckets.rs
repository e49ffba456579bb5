//! Numbers over time in bounded room: slices of equal length, which become
//! twice as long whenever there would be too many of them.

use crate::model::{Micros, Time};

/// What fell into one slice of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// How many numbers.
    pub n: u64,
    /// All of them together.
    pub sum: u128,
    /// The smallest; of an empty slice nothing can be said.
    pub min: u64,
    /// The largest; 0 of an empty slice.
    pub max: u64,
}

impl Bucket {
    const EMPTY: Self = Self { n: 0, sum: 0, min: u64::MAX, max: 0 };

    fn merge(&mut self, other: &Self) {
        self.n += other.n;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// Numbers over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    /// The length of a slice is this power of two, in microseconds.
    shift: u32,
    slices: Vec<Bucket>,
}

impl Buckets {
    /// The most slices.
    pub const N_MAX: usize = 512;

    /// Adds a number at a time.
    pub fn add(&mut self, at: Time, number: u64) {
        let slice = self.slice(at);
        slice.merge(&Bucket { n: 1, sum: number.into(), min: number, max: number });
    }

    /// Adds a number that held from a time until another: its sum is the number
    /// times the length, in microseconds.
    pub fn hold(&mut self, (from, until): (Time, Time), number: u64) {
        self.slice(until);
        let mut from = from.0;
        loop {
            let end = (((from >> self.shift) + 1) << self.shift).min(until.0);
            let sum = u128::from(number) * u128::from(end - from);
            self.slice(Time(from)).merge(&Bucket { n: 1, sum, min: number, max: number });
            if end >= until.0 {
                return;
            }
            from = end;
        }
    }

    /// The length of a slice.
    #[must_use]
    pub fn width(&self) -> Micros {
        Micros(1 << self.shift)
    }

    /// The slices from the start on: when each begins, and what fell into it.
    pub fn slices(&self) -> impl Iterator<Item = (Time, &Bucket)> {
        self.slices.iter().zip(0..).map(|(slice, place)| (Time(place << self.shift), slice))
    }

    /// Those into which something fell.
    pub fn filled(&self) -> impl Iterator<Item = (Time, &Bucket)> {
        self.slices().filter(|(_, slice)| slice.n > 0)
    }

    /// The same numbers in at most so many slices of a time.
    #[must_use]
    pub fn coarser(&self, until: Time, n_max: usize) -> Self {
        let mut coarse = self.clone();
        while until.0 >> coarse.shift >= n_max as u64 {
            coarse.halve();
        }
        coarse
    }

    /// All slices as one.
    #[must_use]
    pub fn total(&self) -> Bucket {
        let mut total = Bucket::EMPTY;
        self.slices.iter().for_each(|slice| total.merge(slice));
        total
    }

    fn slice(&mut self, at: Time) -> &mut Bucket {
        while at.0 >> self.shift >= Self::N_MAX as u64 {
            self.halve();
        }
        let place = (at.0 >> self.shift) as usize;
        if place >= self.slices.len() {
            self.slices.resize(place + 1, Bucket::EMPTY);
        }
        &mut self.slices[place]
    }

    fn halve(&mut self) {
        self.shift += 1;
        let n = self.slices.len();
        for place in 0..n.div_ceil(2) {
            let mut pair = self.slices[2 * place];
            if let Some(second) = self.slices.get(2 * place + 1) {
                pair.merge(second);
            }
            self.slices[place] = pair;
        }
        self.slices.truncate(n.div_ceil(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::mix;

    #[test]
    fn however_long_it_takes_nothing_is_lost_and_the_slices_stay_few() {
        let mut buckets = Buckets::default();
        let (mut at, mut sum, mut max) = (0, 0_u128, 0);
        for turn in 0..20_000 {
            let draw = mix(turn);
            at += draw % 1_000_000;
            let number = draw >> 40;
            buckets.add(Time(at), number);
            (sum, max) = (sum + u128::from(number), number.max(max));
            assert!(buckets.slices.len() <= Buckets::N_MAX);
        }
        let total = buckets.total();
        assert_eq!((total.n, total.sum, total.max), (20_000, sum, max));
        assert!(buckets.slices.len() > Buckets::N_MAX / 2);
        let coarse = buckets.coarser(Time(at), 40);
        assert!((21..=40).contains(&coarse.slices.len()));
        assert_eq!(coarse.total(), total);
    }

    #[test]
    fn what_holds_over_several_slices_is_in_each_of_them() {
        let mut buckets = Buckets::default();
        buckets.add(Time(512 * 4 - 1), 0);
        assert_eq!(buckets.width(), Micros(4));
        buckets.hold((Time(2), Time(11)), 10);
        let sums: Vec<u128> = buckets.slices().take(4).map(|(_, slice)| slice.sum).collect();
        assert_eq!(sums, [20, 40, 30, 0]);
        buckets.hold((Time(11), Time(11)), 99);
        let (_, third) = buckets.slices().nth(2).expect("it is there");
        assert_eq!((third.sum, third.max), (30, 99));
    }
}
