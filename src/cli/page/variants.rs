//! The runs that a page can show beside its own: other settings, and rules
//! that are broken.

use crate::cli::mutations;
use crate::lab::mistakes;
use crate::load::{self, ValuePlace, with_value};
use crate::model::{CheckpointingMode, Language, Scenario};
use crate::page::Variant;
use crate::sim::simulate;
use crate::trace::Trace;
use crate::verify::{Outcome, Verdict, verify};

/// In runs of so many steps, times tasks, mistakes are looked for.
const MISTAKES_MAX: usize = 12_000;

/// A run to show, with its judgement.
pub(super) struct Shown {
    pub(super) variant: Variant,
    pub(super) scenario: Scenario,
    pub(super) trace: Trace,
    pub(super) verdict: Verdict,
}

/// All that differ from the scenario's own run.
pub(super) fn variants(scenario: &Scenario, seed: u64, own: &Trace) -> Vec<Shown> {
    let mut shown = settings(scenario, seed);
    shown.retain(|other| other.trace.steps != own.steps);
    // Of a run that is wrong by itself no mistake could be told, and of a long
    // one the search would take too long.
    let is_short = own.steps.len() * scenario.graph.subtasks.len() <= MISTAKES_MAX;
    if is_short && verify(scenario, own).answer() == Outcome::Holds {
        shown.extend(rules(scenario, seed));
    }
    shown
}

fn settings(scenario: &Scenario, seed: u64) -> Vec<Shown> {
    const MODE: &str = "execution.checkpointing.mode";
    const UNALIGNED: &str = "execution.checkpointing.unaligned.enabled";
    let exactly = scenario.config.mode == CheckpointingMode::ExactlyOnce;
    let mut wanted: Vec<(&str, &str, &str, [&str; 2])> = Vec::new();
    if exactly {
        wanted.push((
            "with-unaligned",
            UNALIGNED,
            "true",
            ["unaligned checkpoints", "非对齐检查点"],
        ));
        wanted.push(("with-aligned", UNALIGNED, "false", ["aligned checkpoints", "对齐检查点"]));
        let words = ["at least once: no alignment", "至少一次：不对齐"];
        wanted.push(("with-at-least-once", MODE, "\"AT_LEAST_ONCE\"", words));
    } else {
        let words = ["exactly once: with alignment", "精确一次：对齐"];
        wanted.push(("with-exactly-once", MODE, "\"EXACTLY_ONCE\"", words));
    }
    if !scenario.faults.is_empty() {
        wanted.push(("without-faults", "faults", "[]", ["without its faults", "没有故障"]));
    }
    wanted
        .into_iter()
        .filter_map(|(link, key, value, [en, zh])| {
            let place = ValuePlace::of(&scenario.document, key);
            let document = with_value(&scenario.document, &place, value).ok()?;
            let loaded = load::scenario(&scenario.name, document.as_bytes()).ok()?;
            let mut other = loaded.scenario;
            other.start.clone_from(&scenario.start);
            other.steps_max = scenario.steps_max;
            let (trace, _) = simulate(&other, seed);
            let verdict = verify(&other, &trace);
            let key = if key == "faults" {
                String::new()
            } else {
                format!("{key}: {}", value.trim_matches('"'))
            };
            let variant = Variant {
                link: link.to_owned(),
                title: [en.to_owned(), zh.to_owned()],
                text: [key.clone(), key],
                breaks_a_rule: false,
                crash: None,
            };
            Some(Shown { variant, scenario: other, trace, verdict })
        })
        .collect()
}

fn rules(scenario: &Scenario, seed: u64) -> Vec<Shown> {
    let shown = mistakes(scenario, seed).into_iter().map(|own| {
        let [en, zh] = [Language::En, Language::Zh]
            .map(|language| mutations::text(own.mutation, language).to_owned());
        let name = own.mutation.name();
        let variant = Variant {
            link: format!("rule-{name}"),
            title: [name.replace('-', " "), zh.clone()],
            text: [en, zh],
            breaks_a_rule: true,
            crash: own.crash,
        };
        Shown { variant, scenario: own.scenario, trace: own.trace, verdict: own.verdict }
    });
    shown.collect()
}
