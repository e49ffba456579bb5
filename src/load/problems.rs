//! The problems of one text as they are found, and how much was done to find
//! them. Both are bounded.

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::lines::Lines;

/// Names compared with what was written, over a whole text. Looking for what
/// was meant stops here: it must not cost more than reading.
const COMPARISONS_MAX: u32 = 200_000;
/// Words longer than this are not compared.
const COMPARED_CHARS_MAX: usize = 80;

/// Collects what is wrong with a text.
pub(super) struct Problems {
    pub(super) lines: Lines,
    items: Vec<Diagnostic>,
    found: [usize; 3],
    comparisons_left: u32,
    work: u64,
}

impl Problems {
    pub(super) fn new(text: &str) -> Self {
        Self {
            lines: Lines::of(text),
            items: Vec::new(),
            found: [0; 3],
            comparisons_left: COMPARISONS_MAX,
            work: 0,
        }
    }

    /// Notes a problem.
    pub(super) fn add(&mut self, problem: Diagnostic) {
        self.found[problem.severity as usize] += 1;
        if !self.is_full() {
            self.items.push(problem);
        }
    }

    /// Whether further problems are only counted: then it is not worth
    /// looking for what to say of them.
    pub(super) fn is_full(&self) -> bool {
        self.items.len() >= Diagnostics::KEPT_MAX
    }

    /// How many errors have been found.
    pub(super) fn n_errors(&self) -> usize {
        self.found[Severity::Error as usize]
    }

    /// Counts values or bytes looked at.
    pub(super) fn worked(&mut self, amount: usize) {
        self.work += amount as u64;
    }

    /// The candidate that was probably meant: the nearest one, if it is near.
    pub(super) fn nearest<'a>(
        &mut self,
        wanted: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        self.nearest_within(wanted, candidates, |wanted, candidate| {
            wanted.chars().count().max(candidate.chars().count()) / 3
        })
    }

    /// As [`Problems::nearest`], with another measure of how many changes are
    /// still near.
    pub(super) fn nearest_within<'a>(
        &mut self,
        wanted: &str,
        candidates: impl IntoIterator<Item = &'a str>,
        limit: impl Fn(&str, &str) -> usize,
    ) -> Option<String> {
        if wanted.len() > COMPARED_CHARS_MAX || self.is_full() {
            return None;
        }
        let mut best: Option<(usize, &str)> = None;
        for candidate in candidates {
            if self.comparisons_left == 0 {
                break;
            }
            self.comparisons_left -= 1;
            self.work += 1;
            let limit = limit(wanted, candidate);
            if candidate.len() > COMPARED_CHARS_MAX
                || (candidate.len().abs_diff(wanted.len()) > 4 * limit + 4
                    && !candidate.starts_with(wanted))
            {
                continue;
            }
            let distance = if wanted.to_lowercase() == candidate.to_lowercase() {
                0
            } else if wanted.len() >= 3 && candidate.starts_with(wanted) && limit > 0 {
                // The beginning of a word stands for it.
                1
            } else {
                strsim::damerau_levenshtein(wanted, candidate)
            };
            if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, candidate)| candidate.to_owned())
    }

    /// Everything found, by place.
    pub(super) fn into_diagnostics(mut self, name: &str, text: &str) -> Diagnostics {
        self.items.sort_by_key(|item| (item.start(), item.severity));
        Diagnostics {
            name: name.to_owned(),
            text: text.to_owned(),
            items: self.items,
            found: self.found,
            work: self.work,
            consequence: ", nothing was run. Its schema: checkdam schema scenario",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_suggested_and_what_is_not_is_not() {
        let mut problems = Problems::new("");
        let names = ["source", "sum", "sink", "parallelism", "service"];
        for (written, meant) in [
            ("paralelism", Some("parallelism")),
            ("sinks", Some("sink")),
            ("SUM", Some("sum")),
            ("soruce", Some("source")),
            ("par", Some("parallelism")),
            ("delay", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(problems.nearest(written, names).as_deref(), meant, "{written}");
        }
    }

    #[test]
    fn looking_for_what_was_meant_ends() {
        let mut problems = Problems::new("");
        let many = ["aaaaaaaaab"; 1000];
        for _ in 0..1000 {
            problems.nearest("aaaaaaaaac", many);
        }
        assert_eq!(problems.work, u64::from(COMPARISONS_MAX));
    }
}
