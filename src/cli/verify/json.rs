//! The verdict for machines: the same content as the text.

use serde_json::{Map, Value as Json, json};

use super::text::{applies, findings};
use super::{Judged, Shows};
use crate::cli::explain::{self, Explainer};
use crate::cli::result::json::{judgement, outcome};
use crate::model::{CheckpointingMode, Language, OperatorIndex};
use crate::verify::{LedgerRow, Promised, PropertyJudgement};

pub(super) fn json(judged: &Judged) -> Json {
    let verdict = &judged.verdict;
    let words = [Language::En, Language::Zh];
    let [en, zh] = words.map(|own| Explainer::new(&judged.scenario, own, judged.seed));
    let property = |own: PropertyJudgement| {
        let both = findings(&en, verdict, own.property).into_iter().zip(findings(
            &zh,
            verdict,
            own.property,
        ));
        let both: Vec<Json> = both.map(|(en, zh)| json!({ "en": en, "zh": zh })).collect();
        json!({
            "name": own.property.name(),
            "sentence": {
                "en": explain::sentence(own.property, Language::En),
                "zh": explain::sentence(own.property, Language::Zh),
            },
            "outcome": outcome(own.outcome),
            "promised": own.promised == Promised::Yes,
            "times": own.n,
            "first_step": own.first_step,
            "rule": explain::rule(own.property).map(|rule| rule.name()),
            "findings": both,
        })
    };
    let own = verdict.properties().into_iter();
    let own = own.filter(|own| applies(own.property, verdict.mode));
    let properties: Vec<Json> = own.map(property).collect();
    let limits =
        verdict.limits.iter().map(|own| json!({ "en": en.limit(own), "zh": zh.limit(own) }));
    let limits: Vec<Json> = limits.collect();
    let reasons: Vec<String> = verdict.cannot_tell.iter().map(ToString::to_string).collect();
    let mut all = json!({
        "scenario": judged.scenario.name,
        "seed": judged.seed,
        "steps": judged.n_steps,
        "answer": outcome(verdict.answer()),
        "mode": match verdict.mode {
            CheckpointingMode::ExactlyOnce => "exactly-once",
            CheckpointingMode::AtLeastOnce => "at-least-once",
        },
        "promise": outcome(verdict.promise),
        "properties": properties,
        "state": judgement(&judged.scenario, &verdict.state),
        "output": judgement(&judged.scenario, &verdict.output),
        "limits": limits,
        "cannot_tell": reasons,
    });
    if judged.shows == Shows::VerdictAndLedger {
        all["ledger"] = verdict.ledger.rows().map(|own| row(judged, &own)).collect();
    }
    all
}

/// How often one input record was read, counted and published, beside how often
/// it should have been.
fn row(judged: &Judged, own: &LedgerRow) -> Json {
    let graph = &judged.scenario.graph;
    let columns = |list: &[(OperatorIndex, u32, u32)]| {
        let column = |(operator, n, expected): &(OperatorIndex, u32, u32)| {
            let name = graph.job.operators[operator.index()].name.clone();
            (name, json!({ "times": n, "expected": expected }))
        };
        Json::Object(list.iter().map(column).collect::<Map<String, Json>>())
    };
    json!({
        "split": graph.split(own.split).name,
        "offset": own.offset,
        "read": own.read,
        "counted": columns(&own.counted),
        "published": columns(&own.published),
    })
}
