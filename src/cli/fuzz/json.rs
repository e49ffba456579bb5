//! What a batch came to, for machines: the same content as the text.

use serde_json::{Value as Json, json};

use super::sentence;
use super::{Gathered, Saved};
use crate::lab::CaseOutcome;
use crate::model::Language;

pub(super) fn json(gathered: &Gathered, saved: &[Saved]) -> Json {
    let Gathered { fuzz, shard, results, missing } = gathered;
    let n = |wanted| results.iter().filter(|own| own.outcome == wanted).count();
    let found = saved.iter().map(|own| {
        json!({
            "failure": own.kind.failure.name(),
            "sentence": {
                "en": sentence(own.kind.failure, Language::En),
                "zh": sentence(own.kind.failure, Language::Zh),
            },
            "cases": own.kind.n,
            "first_case": own.kind.case,
            "file": own.file.display().to_string(),
            "steps": own.n_steps,
        })
    });
    let missing = missing.iter().map(|own| {
        json!({
            "shard": own.shard.to_string(),
            "cases": own.n_cases,
            "first_case": own.first,
            "cut": own.cut,
        })
    });
    json!({
        "seed": fuzz.seed,
        "cases": fuzz.n_cases,
        "shard": shard.to_string(),
        "protocol": fuzz.protocol.map(|own| own.name()),
        "break": fuzz.broken.iter().map(|own| own.name()).collect::<Vec<_>>(),
        "holds": n(CaseOutcome::Holds),
        "violated": n(CaseOutcome::Violated),
        "panicked": n(CaseOutcome::Panicked),
        "cannot_tell": n(CaseOutcome::CannotTell),
        "steps": results.iter().map(|own| own.steps).sum::<u64>(),
        "found": found.collect::<Vec<_>>(),
        "missing": missing.collect::<Vec<_>>(),
    })
}
