//! Whether and when a failed job is restarted.
//!
//! Source: Flink `FixedDelayRestartBackoffTimeStrategy`,
//! `NoRestartBackoffTimeStrategy`.

use crate::model::{Micros, RestartStrategy};

/// A restart strategy with the failures that it has seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RestartStrategyMachine {
    strategy: RestartStrategy,
    n_failures: u32,
}

impl RestartStrategyMachine {
    /// A strategy that has seen no failure.
    #[must_use]
    pub fn new(strategy: RestartStrategy) -> Self {
        Self { strategy, n_failures: 0 }
    }

    /// A failure: how long until the restart, or none when the job fails for
    /// good. A fixed number of attempts never grows back.
    pub fn on_failure(&mut self) -> Option<Micros> {
        self.n_failures = self.n_failures.saturating_add(1);
        match self.strategy {
            RestartStrategy::None => None,
            RestartStrategy::FixedDelay { attempts, delay } => {
                (self.n_failures <= attempts).then_some(delay)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flink's rule: failure number attempts + 1 is one too many.
    #[test]
    fn a_fixed_number_of_restarts_is_used_up_for_good() {
        let strategy = RestartStrategy::FixedDelay { attempts: 2, delay: Micros(5) };
        let mut machine = RestartStrategyMachine::new(strategy);
        assert_eq!(machine.on_failure(), Some(Micros(5)));
        assert_eq!(machine.on_failure(), Some(Micros(5)));
        assert_eq!(machine.on_failure(), None);
        assert_eq!(RestartStrategyMachine::new(RestartStrategy::None).on_failure(), None);
    }
}
