//! What was found, as files: the scenario, its trace, a picture, and why it is
//! wrong, in both languages.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::super::draw::write;
use super::super::problem::Problem;
use super::super::verify::page;
use super::{Saved, sentence};
use crate::lab::{CASE_SEED, Case, Failure, Found, Fuzz, Kind, scenario, written};
use crate::model::{Language, Scenario};
use crate::narrate::Story;
use crate::render::{Colouring, Range, spacetime, svg};
use crate::sim::simulate;
use crate::trace::{Driver, Trace, TraceWriter};

/// Runs with more steps are drawn around the step that is wrong.
const STEPS_DRAWN_MAX: u64 = 150;

/// Saves what was found of a kind of failure. The scenario comes last: where it
/// is, all is.
pub(super) fn save(
    folder: &Path,
    fuzz: &Fuzz,
    (kind, found): (Kind, &Found),
) -> Result<Saved, Problem> {
    let name = name(fuzz, kind);
    fs::create_dir_all(folder).map_err(|error| {
        let what = format!("`{}` cannot be made: {error}", folder.display());
        Problem::input("output", what, "")
    })?;
    let text = written(&titled(fuzz, kind, found));
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let n_steps = found.run.as_ref().map(|run| run.n_steps);
    if let Some(run) = &found.run {
        let document = serde_json::from_str(&text).expect("what was written is JSON");
        let scenario = scenario(&name, &document).expect("a title changes nothing");
        let (trace, _) = simulate(&scenario, CASE_SEED);
        write(Some(&file("trace.jsonl")), &trace_file(&scenario, &trace)?)?;
        for (language, ending) in [(Language::En, "en.txt"), (Language::Zh, "zh.txt")] {
            let judged = (run.n_steps, &run.verdict);
            let page = page(&scenario, Some(CASE_SEED), judged, language).plain();
            write(Some(&file(ending)), page.as_bytes())?;
        }
        let picture = picture(scenario, trace, wrong_step(kind, run));
        write(Some(&file("svg")), picture.as_bytes())?;
    }
    write(Some(&file("json")), text.as_bytes())?;
    Ok(Saved { kind, file: file("json"), n_steps })
}

/// The first step that is wrong.
fn wrong_step(kind: Kind, run: &Case) -> u64 {
    let step = match kind.failure {
        Failure::Broken(property) => run.verdict.property(property).first_step,
        Failure::Panic => None,
    };
    step.unwrap_or(run.n_steps)
}

/// What the files are called: the rules that are broken on purpose, the
/// property, and the case.
fn name(fuzz: &Fuzz, kind: Kind) -> String {
    let rules = fuzz.broken.iter().map(|mutation| format!("{}-", mutation.name()));
    let rules: String = rules.collect();
    let protocol = fuzz.protocol.map(|own| format!("{}-", own.name())).unwrap_or_default();
    format!("{protocol}{rules}{}-{}-{}", kind.failure.name(), fuzz.seed, kind.case)
}

/// The scenario with a title that says what is wrong.
fn titled(fuzz: &Fuzz, kind: Kind, found: &Found) -> serde_json::Value {
    let mut document = found.document.clone();
    let place = format!("seed {}, case {}", fuzz.seed, kind.case);
    let ort = format!("种子 {}，用例 {}", fuzz.seed, kind.case);
    let sentence = |language| sentence(kind.failure, language);
    document["title"] = json!({
        "en": format!("Broken: {} ({place})", sentence(Language::En)),
        "zh": format!("违反：{}（{ort}）", sentence(Language::Zh)),
    });
    document
}

fn trace_file(scenario: &Scenario, trace: &Trace) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let mut writer = TraceWriter::new(&mut bytes, scenario, &Driver::Seed(CASE_SEED))?;
    for step in &trace.steps {
        writer.step(step.number, step.at, &step.facts)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The run as lifelines, around a step where it is long.
fn picture(scenario: Scenario, trace: Trace, around: u64) -> String {
    let range = match trace.steps.len() as u64 <= STEPS_DRAWN_MAX {
        true => Range::default(),
        false => Range {
            first: around.saturating_sub(STEPS_DRAWN_MAX * 3 / 4),
            last: Some(around + STEPS_DRAWN_MAX / 4),
        },
    };
    let story = Story::new(scenario, trace);
    svg(&spacetime(&story, Language::En, range), Colouring::Variables)
}
