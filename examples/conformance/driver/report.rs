//! What came of a case, and how it is told.

use std::collections::BTreeMap;
use std::fmt;

/// One case with what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The case's name.
    pub(crate) case: String,
    /// What kind of case it is: the mode or machine under test.
    pub(crate) group: String,
    /// What came of it.
    pub(crate) verdict: Verdict,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// The machines answer as recorded.
    Passed,
    /// They do not.
    Failed(Mismatch),
    /// They answer as documented beside the named `Differs:` line.
    Difference(&'static str),
}

/// The first place at which an answer is not as recorded.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    /// The inputs up to there, the last one being the one in question.
    pub(crate) input: Vec<String>,
    /// What was recorded for it.
    pub(crate) expected: Vec<String>,
    /// What the machines said.
    pub(crate) got: Vec<String>,
}

/// How many cases came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Answered as recorded.
    pub(crate) passed: u64,
    /// Answered otherwise.
    pub(crate) failed: u64,
    /// Answered as documented.
    pub(crate) differences: u64,
}

impl Tally {
    /// Counts answers.
    #[must_use]
    pub(crate) fn of(answers: &[Answer]) -> Self {
        let mut tally = Self::default();
        answers.iter().for_each(|answer| tally.count(&answer.verdict));
        tally
    }

    /// Counts answers by group.
    #[must_use]
    pub(crate) fn by_group(answers: &[Answer]) -> BTreeMap<&str, Self> {
        let mut groups: BTreeMap<&str, Self> = BTreeMap::new();
        for answer in answers {
            groups.entry(&answer.group).or_default().count(&answer.verdict);
        }
        groups
    }

    fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Difference(_) => self.differences += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, differences } = self;
        write!(f, "{passed} passed, {failed} failed, {differences} documented differences")
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.input {
            writeln!(f, "    {line}")?;
        }
        let width = self.expected.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = width.max("expected".len());
        writeln!(f, "      {:width$}   got", "expected")?;
        for index in 0..self.expected.len().max(self.got.len()) {
            let expected = self.expected.get(index).map_or("", String::as_str);
            let got = self.got.get(index).map_or("", String::as_str);
            let sign = if expected == got { ' ' } else { '≠' };
            writeln!(f, "    {sign} {expected:width$}   {got}")?;
        }
        Ok(())
    }
}
