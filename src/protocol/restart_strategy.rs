//! Whether and when a failed job is restarted.
//!
//! Source: Flink `FixedDelayRestartBackoffTimeStrategy`,
//! `ExponentialDelayRestartBackoffTimeStrategy`,
//! `FailureRateRestartBackoffTimeStrategy`, `NoRestartBackoffTimeStrategy`.

use std::collections::VecDeque;

use crate::model::{Factor, Micros, RestartStrategy, Time};

/// What becomes of the job after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RestartDecision {
    /// It is restarted after so long.
    Restart(Micros),
    /// The restart that was planned before, after so long, is for this
    /// failure too.
    Merge(Micros),
    /// It fails for good.
    Fail,
}

impl RestartDecision {
    /// How long until the restart, if there is one.
    #[must_use]
    pub fn delay(self) -> Option<Micros> {
        match self {
            Self::Restart(delay) | Self::Merge(delay) => Some(delay),
            Self::Fail => None,
        }
    }
}

/// A restart strategy with the failures that it has seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RestartStrategyMachine {
    strategy: RestartStrategy,
    /// Restarts of a fixed delay; of an exponential one since it started anew.
    n_attempts: u32,
    /// When the planned restart of an exponential delay is or was.
    next_restart: Option<Time>,
    /// The last failures of a failure rate, one more than are allowed.
    failures: VecDeque<Time>,
}

impl RestartStrategyMachine {
    /// A strategy that has seen no failure.
    #[must_use]
    pub fn new(strategy: RestartStrategy) -> Self {
        Self { strategy, n_attempts: 0, next_restart: None, failures: VecDeque::new() }
    }

    /// The largest jitter, in milliseconds, of a failure at a time: what the
    /// one that draws may add or take away.
    // Flink 1.20: ExponentialDelayRestartBackoffTimeStrategy
    // .calculateJitterBackoffMS.
    #[must_use]
    pub fn jitter_max_ms(&self, now: Time) -> i64 {
        let RestartStrategy::ExponentialDelay {
            initial, multiplier, reset_threshold, jitter, ..
        } = self.strategy
        else {
            return 0;
        };
        let n_attempts = if self.starts_anew(now, reset_threshold) { 0 } else { self.n_attempts };
        (backoff_ms(initial, multiplier, n_attempts) as f64 * jitter.value()) as i64
    }

    /// A failure. A jitter is an addition in milliseconds that has been drawn
    /// between plus and minus [`Self::jitter_max_ms`].
    // Flink 1.20: ExecutionFailureHandler.getFailureHandlingResult: the
    // strategy is told of the failure before it is asked.
    pub fn on_failure(&mut self, now: Time, jitter_ms: i64) -> RestartDecision {
        match self.strategy {
            RestartStrategy::None => RestartDecision::Fail,
            RestartStrategy::FixedDelay { attempts, delay } => {
                self.n_attempts = self.n_attempts.saturating_add(1);
                within(self.n_attempts <= attempts, delay)
            }
            RestartStrategy::FailureRate { max_failures, interval, delay } => {
                if self.failures.len() > max_failures as usize {
                    self.failures.pop_front();
                }
                self.failures.push_back(now);
                let is_full = self.failures.len() > max_failures as usize;
                let first = self.failures.front().filter(|_| is_full);
                // Exactly an interval apart is still too close.
                within(first.is_none_or(|first| now > first.after(interval)), delay)
            }
            RestartStrategy::ExponentialDelay {
                initial,
                max,
                multiplier,
                reset_threshold,
                attempts,
                ..
            } => {
                if let Some(next) = self.next_restart.filter(|next| now <= *next) {
                    return match self.n_attempts <= attempts {
                        true => RestartDecision::Merge(Micros(next.0 - now.0)),
                        false => RestartDecision::Fail,
                    };
                }
                if self.starts_anew(now, reset_threshold) {
                    self.n_attempts = 0;
                }
                // The sum wraps around, as it does in Flink, once the power
                // is out of all proportion.
                let backoff = backoff_ms(initial, multiplier, self.n_attempts);
                let backoff = backoff.wrapping_add(jitter_ms).min(whole_ms(max));
                let delay = Micros::from_ms(backoff.max(whole_ms(initial)) as u64);
                self.next_restart = Some(now.after(delay));
                self.n_attempts = self.n_attempts.saturating_add(1);
                within(self.n_attempts <= attempts, delay)
            }
        }
    }

    /// Whether the job has run for long enough since its last restart.
    fn starts_anew(&self, now: Time, threshold: Micros) -> bool {
        self.next_restart.is_some_and(|next| now >= next.after(threshold))
    }
}

fn within(is_allowed: bool, delay: Micros) -> RestartDecision {
    if is_allowed { RestartDecision::Restart(delay) } else { RestartDecision::Fail }
}

fn whole_ms(duration: Micros) -> i64 {
    (duration.0 / 1000) as i64
}

/// The time between a failure and its restart after so many others, without
/// limit and jitter.
// Flink 1.20: ExponentialDelayRestartBackoffTimeStrategy
// .calculateActualBackoffTime.
fn backoff_ms(initial: Micros, multiplier: Factor, n_attempts: u32) -> i64 {
    (whole_ms(initial) as f64 * power(multiplier.value(), n_attempts)) as i64
}

/// A power, rounded once, as Java's `Math.pow` is. Multiplying again and again
/// would round each time: a thousand times 1.2 to the third is 1727
/// milliseconds in Flink, not 1728. What each rounding takes away is kept in a
/// second number.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut product, mut rest) = (1.0_f64, 0.0_f64);
    for _ in 0..exponent {
        let next = product * base;
        if !next.is_finite() {
            return next;
        }
        let lost = product.mul_add(base, -next) + rest * base;
        product = next + lost;
        rest = lost - (product - next);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of Java's `(long) (initial * Math.pow(multiplier, attempts))`.
    #[test]
    fn powers_are_rounded_as_java_rounds_them() {
        let cases = [
            (1000, 1.2, 3, 1727),
            (250, 1.2, 3, 431),
            (1500, 1.2, 3, 2591),
            (1000, 1.5, 9, 38443),
            (1000, 2.0, 40, 1_099_511_627_776_000),
            (1000, 1.5, 200, i64::MAX),
        ];
        for (initial, multiplier, n_attempts, expected) in cases {
            let backoff = backoff_ms(Micros::from_ms(initial), Factor::new(multiplier), n_attempts);
            assert_eq!(backoff, expected, "{initial} ms, {multiplier} to the {n_attempts}");
        }
    }

    /// Flink's rule: the jitter is a share of the time before its limit.
    #[test]
    fn jitter_is_added_before_the_limits_and_grows_with_the_time() {
        let mut machine = RestartStrategyMachine::new(RestartStrategy::ExponentialDelay {
            initial: Micros::from_ms(1000),
            max: Micros::from_ms(2000),
            multiplier: Factor::new(1.5),
            reset_threshold: Micros::from_ms(3_600_000),
            jitter: Factor::new(0.1),
            attempts: u32::MAX,
        });
        let mut now = Time::ZERO;
        for (bound, jitter, expected) in
            [(100, -100, 1000), (150, 150, 1650), (225, -225, 2000), (337, -337, 2000)]
        {
            now = now.after(Micros::from_ms(10_000));
            assert_eq!(machine.jitter_max_ms(now), bound);
            let delay = machine.on_failure(now, jitter);
            assert_eq!(delay, RestartDecision::Restart(Micros::from_ms(expected)));
        }
    }
}
