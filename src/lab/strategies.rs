//! Strategies for proptest: random jobs, their settings, delays and faults, for
//! property tests of your own.
//!
//! They draw one number and make of it what the fuzzer makes of it, and shrink
//! as the fuzzer shrinks (let `max_shrink_iters` be some thousands): fewer operators, subtasks, records and faults, plain
//! settings, small numbers. Every value is a valid scenario, also while it
//! shrinks.
//!
//! ```
//! use checkdam::lab::strategies;
//! use checkdam::sim::simulate;
//! use checkdam::verify::{Outcome, verify};
//! use proptest::prelude::*;
//! use proptest::test_runner::TestRunner;
//!
//! let mut runner = TestRunner::new(ProptestConfig { cases: 8, ..Default::default() });
//! runner.run(&strategies::scenarios(), |file| {
//!     let scenario = file.scenario();
//!     let (trace, _) = simulate(&scenario, 1);
//!     prop_assert_ne!(verify(&scenario, &trace).answer(), Outcome::Violated);
//!     Ok(())
//! })?;
//! # Ok::<(), proptest::test_runner::TestError<strategies::ScenarioFile>>(())
//! ```

use std::fmt;
use std::sync::Arc;

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::case::scenario;
use super::random::{self, Mode};
use super::shrink;
use super::style::written;
use crate::model::{Mutation, Scenario};

/// A scenario file. It prints as a person would write it.
#[derive(Clone, PartialEq, Eq)]
pub struct ScenarioFile(Value);

impl ScenarioFile {
    /// The scenario that the file says.
    ///
    /// # Panics
    /// Never: only what is valid gets this far.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        scenario("random", &self.0).expect("only valid files are drawn")
    }

    /// The file's content.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.0
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        written(&self.0)
    }
}

impl fmt::Debug for ScenarioFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Scenarios with some of everything that can go wrong, and no setting that
/// gives a promise up by itself: what `checkdam fuzz` tries.
#[must_use]
pub fn scenarios() -> Files {
    Files::new(|number| random::case(number, &[]))
}

/// Scenarios that break rules on purpose, with what that needs to matter.
#[must_use]
pub fn scenarios_that_break(broken: &[Mutation]) -> Files {
    let broken = broken.to_vec();
    Files::new(move |number| random::case(number, &broken))
}

/// Jobs with settings of one mode, with delays, and with faults at any time.
#[must_use]
pub fn jobs(mode: Mode) -> Files {
    Files::new(move |number| random::job(number, mode))
}

/// Jobs with their state in files, and storage that may be slow or away.
#[must_use]
pub fn jobs_with_files(mode: Mode) -> Files {
    Files::new(move |number| random::with_files(number, &random::job(number, mode)))
}

/// Fault plans for a job: faults that aim at the short times in which a
/// checkpoint is neither begun nor over, instead of those that it has.
///
/// # Panics
/// When the file is not one of [`jobs`] or its kin.
#[must_use]
pub fn fault_plans(job: &ScenarioFile) -> Files {
    let mut document = job.0.clone();
    document["faults"] = Value::Array(Vec::new());
    Files::new(move |number| random::with_aimed_faults(number, &document))
}

/// Other settings for a job: a mode, an interval, how many checkpoints at once.
///
/// # Panics
/// When the file is not one of [`jobs`] or its kin.
#[must_use]
pub fn settings(job: &ScenarioFile) -> Files {
    let document = job.0.clone();
    Files::new(move |number| random::with_settings(number, &document))
}

/// Other delays for a job, wherever something takes time.
#[must_use]
pub fn delays(job: &ScenarioFile) -> Files {
    let document = job.0.clone();
    Files::new(move |number| random::with_delays(number, &document))
}

/// A strategy for scenario files.
#[derive(Clone)]
pub struct Files(Arc<dyn Fn(u64) -> Value + Send + Sync>);

impl Files {
    fn new(of: impl Fn(u64) -> Value + Send + Sync + 'static) -> Self {
        Self(Arc::new(of))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}

impl Strategy for Files {
    type Tree = FileTree;
    type Value = ScenarioFile;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let number = proptest::num::u64::ANY.new_tree(runner)?.current();
        Ok(FileTree::of((self.0)(number)))
    }
}

/// A file that becomes simpler as long as the test fails.
#[derive(Clone, Debug)]
pub struct FileTree {
    /// The simplest one known to fail.
    fails: Value,
    /// What is simpler, and which of it is tried next.
    candidates: Vec<Value>,
    place: usize,
    /// Whether something has failed since the first candidate was tried.
    progress: Progress,
    current: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    None,
    Some,
}

impl FileTree {
    fn of(document: Value) -> Self {
        Self {
            candidates: shrink::simpler(&document),
            place: 0,
            progress: Progress::None,
            current: document.clone(),
            fails: document,
        }
    }

    /// Tries the next candidate that is a valid scenario.
    fn next(&mut self) -> bool {
        loop {
            while let Some(candidate) = self.candidates.get(self.place) {
                self.place += 1;
                if scenario("candidate", candidate).is_some() {
                    self.current = candidate.clone();
                    return true;
                }
            }
            if self.progress == Progress::None {
                self.current = self.fails.clone();
                return false;
            }
            // What did not fail at first may fail by now.
            (self.place, self.progress) = (0, Progress::None);
        }
    }
}

impl ValueTree for FileTree {
    type Value = ScenarioFile;

    fn current(&self) -> ScenarioFile {
        ScenarioFile(self.current.clone())
    }

    fn simplify(&mut self) -> bool {
        if self.current != self.fails {
            self.fails = self.current.clone();
            self.candidates = shrink::simpler(&self.fails);
            self.progress = Progress::Some;
            // At the same place there is another candidate now.
            self.place = self.place.saturating_sub(1);
        }
        self.next()
    }

    fn complicate(&mut self) -> bool {
        self.next()
    }
}
