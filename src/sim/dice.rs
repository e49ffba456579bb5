//! The only randomness of a run: one ChaCha stream per purpose, so that a new
//! draw in one place moves nothing in another.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::cluster::{Chance, RpcKind, Wait};
use crate::model::{Delay, Micros, Scenario, Time};

/// What a stream of dice is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Latencies of a channel.
    Network,
    /// Service times of a subtask.
    Service,
    /// Trigger messages to a source.
    Trigger,
    /// Messages of a task to the JobManager.
    Acknowledge,
    /// Completion notices to a task.
    Notify,
    /// Copying a subtask's state.
    Sync,
    /// Storing the copy.
    Store,
    /// Moving a restart delay.
    RestartJitter,
    /// The first periodic checkpoint.
    InitialDelay,
    /// The time to the next of a fault that comes at random.
    Failure,
}

impl Purpose {
    /// Every purpose, in order.
    pub const ALL: [Self; 10] = [
        Self::Network,
        Self::Service,
        Self::Trigger,
        Self::Acknowledge,
        Self::Notify,
        Self::Sync,
        Self::Store,
        Self::RestartJitter,
        Self::InitialDelay,
        Self::Failure,
    ];
}

/// All streams of a run. A stream is made when it is first drawn from.
#[derive(Clone, Debug)]
pub struct Dice {
    seed: u64,
    /// By purpose and index.
    streams: [Vec<Stream>; 10],
}

/// A stream, and words that were drawn ahead, a block at a time.
#[derive(Clone, Debug)]
struct Stream {
    dice: ChaCha8Rng,
    words: [u32; WORDS],
    n_used: usize,
}

const WORDS: usize = 16;

impl Dice {
    /// The dice of a run with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, streams: Default::default() }
    }

    /// The next 64 bits for a purpose and the index of a channel or subtask.
    #[inline]
    pub fn draw(&mut self, purpose: Purpose, index: u32) -> u64 {
        let low = u64::from(self.word(purpose, index));
        u64::from(self.word(purpose, index)) << 32 | low
    }

    /// The next 32 bits.
    #[inline]
    fn word(&mut self, purpose: Purpose, index: u32) -> u32 {
        if let Some(stream) = self.streams[purpose as usize].get_mut(index as usize)
            && let Some(word) = stream.words.get(stream.n_used)
        {
            stream.n_used += 1;
            *word
        } else {
            self.draw_ahead(purpose, index)
        }
    }

    /// Draws a block and gives its first word.
    #[cold]
    fn draw_ahead(&mut self, purpose: Purpose, index: u32) -> u32 {
        let streams = &mut self.streams[purpose as usize];
        for index in streams.len() as u32..=index {
            streams.push(Stream::new(self.seed, purpose, index));
        }
        let stream = &mut streams[index as usize];
        let mut bytes = [0; 4 * WORDS];
        stream.dice.fill_bytes(&mut bytes);
        for (word, bytes) in stream.words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        stream.n_used = 1;
        stream.words[0]
    }

    /// A whole number from 0 to `n` - 1: the high half of the product with as
    /// many random bits as `n` needs, 32 or 64. It is off the even by at most
    /// one part in 2^32.
    #[inline]
    fn below(&mut self, n: u64, stream: (Purpose, u32)) -> u64 {
        let (purpose, index) = stream;
        match u32::try_from(n) {
            Ok(n) => (u64::from(self.word(purpose, index)) * u64::from(n)) >> 32,
            Err(_) => ((u128::from(self.draw(purpose, index)) * u128::from(n)) >> 64) as u64,
        }
    }

    /// An exponential length with a mean, from comparisons alone, without a
    /// logarithm.
    ///
    /// Of uniform numbers that fall from the first on, the run is of odd length
    /// with probability e to the power of minus the first. Each run of even
    /// length stands for one mean that goes by.
    ///
    /// Source: von Neumann 1951, Various Techniques Used in Connection with
    /// Random Digits.
    #[cold]
    fn exponential(&mut self, mean: u64, (purpose, index): (Purpose, u32)) -> u64 {
        let mut whole: u64 = 0;
        loop {
            let first = self.draw(purpose, index);
            let (mut last, mut n) = (first, 1_u32);
            loop {
                let next = self.draw(purpose, index);
                if next > last {
                    break;
                }
                (last, n) = (next, n + 1);
            }
            if n % 2 == 1 {
                let part = (u128::from(mean) * u128::from(first)) >> 64;
                return mean.saturating_mul(whole).saturating_add(part as u64);
            }
            whole += 1;
        }
    }

    /// The next 64 bits for something that chance decides.
    pub fn chance(&mut self, chance: Chance) -> u64 {
        match chance {
            Chance::RestartJitter => self.draw(Purpose::RestartJitter, 0),
            Chance::InitialDelay => self.draw(Purpose::InitialDelay, 0),
        }
    }

    /// When something that begins now will be over.
    #[inline(always)]
    pub fn until(&mut self, scenario: &Scenario, now: Time, wait: Wait) -> Time {
        match wait {
            Wait::Network { channel, number, times } => {
                let latency = &scenario.graph.channels[channel.index()].latency;
                let micros = self.length(latency, number, (Purpose::Network, channel.0));
                now.after(Micros(micros.saturating_mul(times)))
            }
            Wait::Service { subtask, number, times } => {
                let service = &scenario.graph.spec(subtask).service;
                let micros = self.length(service, number, (Purpose::Service, subtask.0));
                now.after(Micros(micros.saturating_mul(times)))
            }
            Wait::Sync { subtask, number } => {
                let sync = &scenario.graph.spec(subtask).sync;
                now.after(Micros(self.length(sync, number, (Purpose::Sync, subtask.0))))
            }
            Wait::Store { subtask, number, files } => {
                let store = &scenario.graph.spec(subtask).store;
                let micros = self.length(store, number, (Purpose::Store, subtask.0));
                now.after(Micros(micros)).after(files)
            }
            Wait::Rpc { kind, subtask, number, late } => {
                let (delay, purpose) = match kind {
                    RpcKind::Trigger => (&scenario.rpc.trigger, Purpose::Trigger),
                    RpcKind::Acknowledge => (&scenario.rpc.acknowledge, Purpose::Acknowledge),
                    RpcKind::Notify => (&scenario.rpc.notify, Purpose::Notify),
                };
                let usual = self.length(delay, number, (purpose, subtask.0));
                now.after(Micros(usual)).after(late)
            }
            Wait::Failure { fault, mean } => {
                now.after(Micros(self.exponential(mean.0, (Purpose::Failure, fault))))
            }
            Wait::After(micros) => now.after(micros),
            Wait::At(time) => time.max(now),
        }
    }

    /// A length in microseconds, for the so-manieth use (from 1).
    #[inline(always)]
    fn length(&mut self, delay: &Delay, number: u64, stream: (Purpose, u32)) -> u64 {
        match delay {
            Delay::Fixed(micros) => micros.0,
            Delay::Uniform { min, max } => min.0 + self.below(max.0 - min.0 + 1, stream),
            Delay::List(list) => {
                let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
                list[place.min(list.len() - 1)].0
            }
        }
    }
}

impl Stream {
    fn new(seed: u64, purpose: Purpose, index: u32) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut dice = ChaCha8Rng::from_seed(key);
        dice.set_stream((purpose as u64) << 32 | u64::from(index));
        Self { dice, words: [0; WORDS], n_used: WORDS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ChaCha8 with a zero key and nonce: the first keystream bytes of the
    /// published test vectors (ecrypt, 256-bit key) are 3e 00 ef 2f 89 5f 40
    /// d6.
    #[test]
    fn the_first_stream_is_plain_chacha8() {
        let first = Dice::new(0).draw(Purpose::Network, 0);
        assert_eq!(first, u64::from_le_bytes([0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]));
    }

    /// First outputs of every stream, from an implementation of ChaCha8 of its
    /// own (the block function of RFC 8439 with 8 rounds, a 64-bit counter and
    /// the stream as nonce).
    #[test]
    fn the_first_outputs_of_every_stream_are_pinned() {
        let pinned = [
            (
                1,
                0,
                [
                    0x61a9_4a49_a0e9_5ecf,
                    0x7b25_09f7_2b8f_4646,
                    0xa6a6_53ff_b3f3_47b1,
                    0xf10d_ab16_21ad_4b9d,
                    0xa94e_80d6_577a_1347,
                    0xead8_33f8_d374_5d9b,
                    0xf31b_2237_9fa2_a54d,
                    0x58dd_89c3_5a8a_f0f5,
                    0x4096_c6f9_3792_1f05,
                    0xc825_7de5_d1d5_ee95,
                ],
            ),
            (
                42,
                3,
                [
                    0x74ee_5ce4_4646_5e4e,
                    0xf810_9dd8_2679_d6d0,
                    0xa967_5f98_0bd4_4ab2,
                    0xf53d_41a7_7290_7bc8,
                    0xf34b_7b17_88c2_0a80u64,
                    0x4443_3e7a_47cb_4370,
                    0xa9e1_9007_ef31_1eaa,
                    0x0988_04e4_bc9b_29ce,
                    0x8155_16f1_b49a_9e95,
                    0x5d53_0c47_dec9_0039,
                ],
            ),
        ];
        for (seed, index, first) in pinned {
            let mut dice = Dice::new(seed);
            assert_eq!(Purpose::ALL.map(|purpose| dice.draw(purpose, index)), first, "seed {seed}");
        }
    }

    #[test]
    fn draws_for_one_purpose_move_no_other() {
        let mut alone = Dice::new(7);
        let undisturbed: Vec<_> = (0..4).map(|_| alone.draw(Purpose::Network, 3)).collect();
        let mut mixed = Dice::new(7);
        let disturbed: Vec<_> = (0..4)
            .map(|_| {
                mixed.draw(Purpose::Service, 3);
                mixed.draw(Purpose::Network, 2);
                mixed.draw(Purpose::Network, 3)
            })
            .collect();
        assert_eq!(undisturbed, disturbed);
    }

    /// The mean, and how many are longer than one, two and three means: e to the
    /// power of -1, -2 and -3, within four standard deviations.
    #[test]
    fn times_between_failures_are_exponential() {
        const N: u32 = 40_000;
        const MEAN: u64 = 1_000_000;
        let mut dice = Dice::new(1);
        let (mut sum, mut longer) = (0, [0_u32; 3]);
        for _ in 0..N {
            let length = dice.exponential(MEAN, (Purpose::Failure, 0));
            sum += length;
            for (longer, n) in longer.iter_mut().zip(1..) {
                *longer += u32::from(length > n * MEAN);
            }
        }
        let mean = sum as f64 / f64::from(N) / MEAN as f64;
        assert!((mean - 1.0).abs() < 4.0 / f64::from(N).sqrt(), "{mean}");
        for (longer, part) in longer.into_iter().zip([0.367_879, 0.135_335, 0.049_787]) {
            let seen = f64::from(longer) / f64::from(N);
            let deviation = (part * (1.0 - part) / f64::from(N)).sqrt();
            assert!((seen - part).abs() < 4.0 * deviation, "{seen}, not {part}");
        }
    }

    #[test]
    fn a_uniform_delay_reaches_both_ends_and_nothing_beyond() {
        let delay = Delay::Uniform { min: Micros(3), max: Micros(6) };
        let mut dice = Dice::new(1);
        let mut seen = [0; 10];
        for number in 1..=400 {
            seen[dice.length(&delay, number, (Purpose::Service, 0)) as usize] += 1;
        }
        assert!(seen[3..=6].iter().all(|times| *times > 50), "{seen:?}");
        assert_eq!(seen[3..=6].iter().sum::<u32>(), 400);
    }
}
