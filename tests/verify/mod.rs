//! The judge on traces that are made by hand: what it must find, and that it
//! finds nothing where nothing is. Expectations come from the lecture's
//! walkthrough and from the definitions, see each test.

mod conduct;
mod corrupted_fields;
mod corruption;
mod damage;
mod deliveries;
mod endings;
mod engine;
mod in_flight;
mod jobs;
mod lecture;
pub(crate) mod mutations;
mod sinks;
mod sources;
mod spoken;
mod story;
mod two_phase_commit;

use checkdam::verify::{
    ChannelFinding, Finding, Flaw, Miscount, Outcome, Part, RestoreFinding, Verdict,
};

/// The records of a list, as people name them.
fn names(list: &[Miscount]) -> Vec<&str> {
    list.iter().map(|miscount| miscount.record.name.as_str()).collect()
}

/// Every finding on a channel: `orphan of 2 on numbers[blue]->sum[even]: blue 4`,
/// `lost by restart 2 on numbers[blue]->sum[even]: blue 4`; of one in flight
/// with the word.
fn flaws(verdict: &Verdict) -> Vec<String> {
    let word = |flaw: &Flaw| match flaw {
        Flaw::Orphan => "orphan",
        Flaw::Lost => "lost",
        Flaw::Duplicate => "duplicate",
        Flaw::Reordered => "reordered",
    };
    let text = |finding: &Finding| match finding {
        Finding::Channel(ChannelFinding { flaw, checkpoint, channel, record, part, .. }) => {
            let part = match part {
                Some(Part::InFlight(_)) => " in flight",
                Some(Part::State) | None => "",
            };
            format!("{} of {checkpoint}{part} on {channel}: {record}", word(flaw))
        }
        Finding::Restore(RestoreFinding { flaw, checkpoint, channel, record, .. }) => {
            format!("{} by restart {checkpoint} on {channel}: {record}", word(flaw))
        }
        other => panic!("not on a channel: {other}"),
    };
    verdict.cut.findings.iter().map(text).collect()
}

/// Cut, state and output.
fn outcomes(verdict: &Verdict) -> [Outcome; 3] {
    [verdict.cut.outcome(), verdict.state.outcome, verdict.output.outcome]
}

const HOLDS: Outcome = Outcome::Holds;
const CANNOT_TELL: Outcome = Outcome::CannotTell;
const VIOLATED: Outcome = Outcome::Violated;
