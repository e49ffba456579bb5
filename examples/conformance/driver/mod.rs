//! Recorded cases, put to the machines that the simulator runs.
//!
//! Nothing here decides anything: a case is translated into inputs, the
//! machines answer, and their effects are translated back and compared.

mod barrier_cases;
mod barrier_oracle;
mod config_cases;
mod config_facts;
pub(crate) mod coordinator_bench;
mod coordinator_cases;
mod coordinator_oracle;
mod coordinator_script;
mod json;
mod report;
mod restart_cases;
mod restore_cases;
mod sink_cases;
mod topology_cases;

pub(crate) use report::{Answer, Mismatch, Tally, Verdict};

use serde_json::Value;

/// Answers every case of a text: a JSON document, or one JSON object a line.
///
/// # Errors
/// When the text is not of a known format, with the place.
pub(crate) fn answer(text: &str) -> Result<Vec<Answer>, String> {
    if let Ok(document) = serde_json::from_str::<Value>(text)
        && document.get("ops").is_none()
    {
        return answer_document(&document);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let place = |problem: String| format!("line {}: {problem}", index + 1);
            let case = serde_json::from_str(line).map_err(|error| place(error.to_string()))?;
            answer_line(&case).map_err(place)
        })
        .collect()
}

/// Answers a case. One that cannot be read, or at which a machine gives up, has
/// failed; the others are answered all the same.
fn answered(case: &str, group: String, answer: impl FnOnce() -> Result<Verdict, String>) -> Answer {
    let answer = std::panic::AssertUnwindSafe(answer);
    let verdict = std::panic::catch_unwind(answer).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("a machine gave up: {}", text.unwrap_or("without a word")))
    });
    let verdict = verdict.unwrap_or_else(|problem| {
        Verdict::Failed(Mismatch {
            input: Vec::new(),
            expected: vec!["a case that can be answered".to_owned()],
            got: vec![problem],
        })
    });
    Answer { case: case.to_owned(), group, verdict }
}

/// Answers a document that holds many cases.
fn answer_document(document: &Value) -> Result<Vec<Answer>, String> {
    if barrier_cases::recognises(document) {
        return Ok(barrier_cases::answer(document));
    }
    if coordinator_cases::recognises(document) {
        return coordinator_cases::answer(document);
    }
    if restart_cases::recognises(document) {
        return restart_cases::answer_facts(document);
    }
    if restore_cases::recognises(document) {
        return restore_cases::answer_facts(document);
    }
    if config_facts::recognises(document) {
        return config_facts::answer(document);
    }
    Err("no known kind of case".to_owned())
}

/// Answers a line that the real Flink has answered.
fn answer_line(case: &Value) -> Result<Answer, String> {
    if case.get("level").is_some() {
        return Ok(barrier_oracle::answer(case));
    }
    if coordinator_oracle::recognises(case) {
        return coordinator_oracle::answer(case);
    }
    Err("no known kind of case".to_owned())
}
