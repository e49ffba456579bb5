//! A batch of random cases: what each comes to, and the smallest file that
//! still fails as one of them does.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::batch::Batch;
use super::case::{Broken, Case, scenario, try_run};
use super::random::{self, Protocol};
use super::shrink::shrink;
use crate::model::{Mutation, Scenario};
use crate::sim::Ending;
use crate::verify::{Outcome, Property};

/// A batch of random cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fuzz {
    /// Where chance begins.
    pub seed: u64,
    /// How many cases.
    pub n_cases: u64,
    /// The protocol of every job; none: all of them.
    pub protocol: Option<Protocol>,
    /// Rules that are broken on purpose.
    pub broken: Vec<Mutation>,
}

/// What one case came to: a line of the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// Its number.
    pub case: u64,
    /// What the judge says.
    pub outcome: CaseOutcome,
    /// How the run ended.
    pub ending: CaseEnding,
    /// In how many steps.
    pub steps: u64,
    /// The digest of its trace: the same on every machine.
    pub trace: String,
    /// The promises that were broken, mistakes before their consequences; with
    /// rules broken on purpose, only those that the same job keeps without that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<Broken>,
}

/// What the judge says of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseOutcome {
    /// Every promise was kept.
    Holds,
    /// Some promise was broken.
    Violated,
    /// The run did not come to its end, or does not say enough.
    CannotTell,
    /// An assertion of this program itself has failed.
    Panicked,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseEnding {
    /// Every task is done.
    Finished,
    /// The job has failed for good.
    Failed,
    /// The user has cancelled it.
    Cancelled,
    /// Nothing can happen any more.
    Stuck,
    /// It goes on and on.
    OutOfSteps,
    /// This program made a mistake.
    Panicked,
}

/// How a case fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// A promise is broken.
    Broken(Property),
    /// An assertion of this program itself fails.
    Panic,
}

impl Failure {
    /// What machines call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Broken(property) => property.name(),
            Self::Panic => "panic",
        }
    }
}

/// Cases that fail in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// How; what goes wrong first.
    pub failure: Failure,
    /// The first such case.
    pub case: u64,
    /// How many cases there are.
    pub n: u64,
}

/// The smallest file that fails as a case does.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file's content.
    pub document: Value,
    /// Its run; none if this program panics.
    pub run: Option<Case>,
}

/// What all cases of a batch have in common, beside the seed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    r#break: Vec<String>,
    #[serde(default)]
    protocol: Option<String>,
}

/// The word by which results of a batch of random cases are known.
const WHAT: &str = "fuzz";

impl Fuzz {
    /// What the results say of the whole.
    #[must_use]
    pub fn batch(&self) -> Batch {
        let names: Vec<&str> = self.broken.iter().map(|mutation| mutation.name()).collect();
        let mut settings = json!({ "break": names });
        if let Some(protocol) = self.protocol {
            settings["protocol"] = json!(protocol.name());
        }
        Batch { what: WHAT.to_owned(), seed: self.seed, cases: self.n_cases, settings }
    }

    /// The batch that results are of.
    ///
    /// # Errors
    /// What is wrong, when they are of something else.
    pub fn of(batch: &Batch) -> Result<Self, String> {
        if batch.what != WHAT {
            return Err(format!("these are results of `checkdam {}`", batch.what));
        }
        let settings: Settings = serde_json::from_value(batch.settings.clone())
            .map_err(|error| format!("the settings of the batch are damaged: {error}"))?;
        let broken = settings.r#break.iter().map(|name| {
            Mutation::of_name(name).ok_or_else(|| format!("there is no rule `{name}` to break"))
        });
        let broken = broken.collect::<Result<Vec<_>, _>>()?;
        let protocol = settings.protocol.map(|name| {
            Protocol::of_name(&name).ok_or_else(|| format!("there is no protocol `{name}`"))
        });
        let protocol = protocol.transpose()?;
        Ok(Self { seed: batch.seed, n_cases: batch.cases, protocol, broken })
    }

    /// The scenario file of a case.
    #[must_use]
    pub fn document(&self, case: u64) -> Value {
        random::case_of(self.protocol, self.batch().seed_of(case), &self.broken)
    }

    /// Runs a case.
    ///
    /// # Panics
    /// When a random file is no valid scenario, which is our own mistake.
    #[must_use]
    pub fn result(&self, case: u64) -> CaseResult {
        let document = self.document(case);
        let scenario = scenario(&format!("case-{case}"), &document)
            .unwrap_or_else(|| panic!("random case {case} is not valid:\n{document}"));
        let Some(own) = try_run(&scenario) else {
            return CaseResult {
                case,
                outcome: CaseOutcome::Panicked,
                ending: CaseEnding::Panicked,
                steps: 0,
                trace: String::new(),
                broken: Vec::new(),
            };
        };
        let mut broken = own.broken();
        if !broken.is_empty() && !self.broken.is_empty() {
            let right = without_mistakes(&own.scenario).map(|own| own.broken());
            let right = right.unwrap_or_default();
            broken.retain(|own| right.iter().all(|right| right.property != own.property));
        }
        CaseResult {
            case,
            outcome: match own.verdict.answer() {
                _ if !broken.is_empty() => CaseOutcome::Violated,
                Outcome::Holds | Outcome::Violated => CaseOutcome::Holds,
                Outcome::CannotTell => CaseOutcome::CannotTell,
            },
            ending: match own.ending {
                Ending::Finished => CaseEnding::Finished,
                Ending::Failed => CaseEnding::Failed,
                Ending::Canceled => CaseEnding::Cancelled,
                Ending::Stuck(_) => CaseEnding::Stuck,
                Ending::OutOfSteps(_) | Ending::OutOfTime(_) => CaseEnding::OutOfSteps,
            },
            steps: own.n_steps,
            trace: format!("{:032x}", own.digest),
            broken,
        }
    }

    /// The smallest file found that fails as a case does. With rules broken on
    /// purpose, the same job without that does not.
    ///
    /// # Panics
    /// When the case does not fail so.
    #[must_use]
    pub fn shrunk(&self, case: u64, failure: Failure) -> Found {
        let document = shrink(&self.document(case), TRIES_MAX, |candidate| {
            scenario("candidate", candidate).is_some_and(|own| fails(&own, failure))
        });
        let scenario = scenario("found", &document).expect("only what is valid was taken");
        assert!(fails(&scenario, failure), "case {case} fails: {failure:?}");
        Found { document, run: try_run(&scenario) }
    }
}

/// So many candidates are run to make one case small.
const TRIES_MAX: u32 = 5_000;

/// Whether a scenario fails in a way, and because of the rules that it breaks
/// on purpose if there are any.
#[must_use]
pub fn fails(scenario: &Scenario, failure: Failure) -> bool {
    let is_so = |own: Option<Case>| match (own, failure) {
        (Some(own), Failure::Broken(property)) => own.breaks(property),
        (own, Failure::Panic) => own.is_none(),
        (None, Failure::Broken(_)) => false,
    };
    is_so(try_run(scenario)) && (scenario.broken.is_empty() || !is_so(without_mistakes(scenario)))
}

/// The same job with nothing broken on purpose.
fn without_mistakes(scenario: &Scenario) -> Option<Case> {
    try_run(&Scenario { broken: Vec::new(), ..scenario.clone() })
}

/// Cases that break a property, whatever else they break.
#[must_use]
pub fn kind_of<'a>(
    results: impl IntoIterator<Item = &'a CaseResult>,
    property: Property,
) -> Option<Kind> {
    let breaks_it =
        |own: &&CaseResult| own.broken.iter().any(|own| own.property == property.name());
    let cases: Vec<u64> = results.into_iter().filter(breaks_it).map(|own| own.case).collect();
    let (case, n) = (*cases.first()?, cases.len() as u64);
    Some(Kind { failure: Failure::Broken(property), case, n })
}

/// Cases that fail, by what goes wrong first in each; the kind whose first case
/// comes first is first.
#[must_use]
pub fn kinds<'a>(results: impl IntoIterator<Item = &'a CaseResult>) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for result in results {
        let broken = result.broken.first().and_then(|own| Property::of_name(&own.property));
        let failure = match (broken, result.outcome) {
            (Some(property), _) => Failure::Broken(property),
            (None, CaseOutcome::Panicked) => Failure::Panic,
            (None, _) => continue,
        };
        match kinds.iter_mut().find(|kind| kind.failure == failure) {
            Some(kind) => kind.n += 1,
            None => kinds.push(Kind { failure, case: result.case, n: 1 }),
        }
    }
    kinds
}
