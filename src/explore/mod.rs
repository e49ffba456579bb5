//! Every order instead of one: which states a scenario can reach, and whether
//! the properties hold in all of them.
//!
//! The cluster is the one that the simulator runs. Here the head of each lane is
//! a choice, and time is left out: whatever is pending may happen at any moment,
//! a timer included. So what is found is possible under *some* timing.
//!
//! Knows no clock and no dice.

mod choices;
mod fingerprint;
mod index;
mod reduction;
mod schedule;
mod search;
mod space;

pub use choices::{Budget, Choices, Find, Orders};
pub use schedule::{Unplayable, play};
pub use search::{
    Counterexample, Ended, Exploration, FinalOutput, Progress, Wrong, explore, explore_and_tell,
};
pub use space::{TooLarge, compare_moves};
