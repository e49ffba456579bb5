//! What users report and ask, and how courses present the algorithm, each a
//! small story with its verdict. The numbers are those of the list that the
//! stories were collected in; where a built-in scenario tells one, it is used.
//!
//! Not here, since checkdam has no such part: timers and watermarks (U03, U25,
//! U72), time-outs and limits of an outside transaction (U26, U28, U29), offsets
//! that a broker keeps or a start option names (U39, U42), and two jobs in one
//! directory (U53).

mod coordinator;
mod courses;
mod recovery;
mod savepoints;
mod sinks;

use std::convert::Infallible;

use checkdam::chain;
use checkdam::lab::{Case, run};
use checkdam::model::Scenario;
use checkdam::sim::{Ending, simulate};
use checkdam::trace::Trace;
use checkdam::verify::{Outcome, Verdict, verify_chain};

/// What is wrong with a run: records lost and counted too often in the state,
/// results lost and published too often.
type Wrong = [u64; 4];

/// Nothing is lost, and nothing is there twice.
const EXACT: Wrong = [0; 4];

fn wrong(verdict: &Verdict) -> Wrong {
    let Verdict { state, output, .. } = verdict;
    [state.n_lost, state.n_too_often, output.n_lost, output.n_too_often]
}

/// A scenario that is written here.
fn written(text: &str) -> Scenario {
    Scenario::parse("user", text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A story of the gallery, and the same without its mistake.
fn broken(name: &str) -> (Case, Case) {
    let scenario = crate::lab::gallery_story(name);
    let right = Scenario { broken: Vec::new(), ..scenario.clone() };
    (run(scenario), run(right))
}

/// A run that must end in a way, and be wrong in a way.
fn judged(scenario: Scenario, ending: Ending, expected: Wrong) -> Case {
    let case = run(scenario);
    assert_eq!(case.ending, ending, "{}", case.verdict);
    assert_eq!(wrong(&case.verdict), expected, "{}", case.verdict);
    case
}

/// A built-in story that ends in good order, with nothing lost and nothing twice.
fn exact(name: &str) -> Case {
    let case = judged(crate::story::scenario(name), Ending::Finished, EXACT);
    assert_eq!(case.verdict.answer(), Outcome::Holds, "{}", case.verdict);
    case
}

/// A job, and another that starts from its last savepoint or checkpoint: as one.
fn as_one(first: &Scenario, then: &Scenario) -> Verdict {
    let taken = chain::savepoints(first, 1).pop().expect("it leaves something behind");
    let saved = checkdam::savepoint::Saved::of(taken.savepoint);
    let then = checkdam::savepoint::start_from(then, &saved).expect("it fits");
    let traces: Vec<Trace> = [first, &then].iter().map(|job| simulate(job, 1).0).collect();
    verify_chain(&[(first, &traces[0]), (&then, &traces[1])])
}

/// The jobs of a built-in chain, as one.
fn chained(name: &str) -> Verdict {
    let built_in = checkdam::load::builtin().iter().find(|own| own.name == name);
    let scenario = written(built_in.expect("it is shipped").text);
    let mut find = |name: &str| Ok::<_, Infallible>(crate::story::scenario(name));
    let links = chain::links(scenario, 1, &mut find).expect("they follow each other");
    let traces: Vec<Trace> = links.iter().map(|link| simulate(link, 1).0).collect();
    verify_chain(&links.iter().zip(&traces).collect::<Vec<_>>())
}
