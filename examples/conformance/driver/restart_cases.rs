//! Cases of restart strategies: those of the document, and the sequences that
//! the real strategies have answered (`facts-restart.json`).

use checkdam::model::{Factor, RestartStrategy};
use checkdam::protocol::{RestartDecision, RestartStrategyMachine};
use serde_json::{Map, Value, json};

use super::coordinator_bench::time;
use super::coordinator_cases::object;
use super::json::{compare, field, list, millis, number, number_or, text};
use super::{Answer, config_facts};

/// Whether a document holds the answers of the real strategies.
pub(crate) fn recognises(document: &Value) -> bool {
    document.get("sequences").is_some() && document.get("chosen_by_configuration").is_some()
}

/// Answers every sequence, and which strategy each configuration chooses.
///
/// # Errors
/// When the document is not of the format.
pub(crate) fn answer_facts(document: &Value) -> Result<Vec<Answer>, String> {
    let mut answers = Vec::new();
    for (index, sequence) in list(document, "sequences")?.iter().enumerate() {
        let strategy = text(sequence, "strategy")?;
        let settings = field(sequence, "settings")?;
        let mut machine = RestartStrategyMachine::new(fact_strategy(strategy, settings)?);
        let steps = list(sequence, "steps")?;
        let mut got = Vec::new();
        for step in steps {
            let at = step.get(0).and_then(Value::as_u64).ok_or("a step has no time")?;
            let delay = machine.on_failure(time(at), 0).delay().map(|delay| delay.0 / 1000);
            got.push(json!([at, delay.is_some(), delay]));
        }
        let expected = json!({ "steps": steps });
        answers.push(Answer {
            case: format!("sequence {index}"),
            group: format!("restart sequence, {strategy}"),
            verdict: compare(
                std::slice::from_ref(sequence),
                &expected,
                &object([("steps", json!(got))]),
            ),
        });
    }
    for (index, choice) in list(document, "chosen_by_configuration")?.iter().enumerate() {
        answers.push(Answer {
            case: format!("choice {index}: {}", field(choice, "settings")?),
            group: "restart strategy chosen by configuration".to_owned(),
            verdict: config_facts::chosen_strategy(choice),
        });
    }
    Ok(answers)
}

/// Plays a case of the document.
///
/// # Errors
/// When it is not of the format.
pub(crate) fn run(case: &Value) -> Result<Map<String, Value>, String> {
    let mut machine = RestartStrategyMachine::new(case_strategy(field(case, "config")?)?);
    let mut decisions = Vec::new();
    for event in list(case, "events")? {
        let at = time(number(event, "at_ms")?);
        decisions.push(match (text(event, "what")?, machine.on_failure(at, 0)) {
            ("failure", RestartDecision::Restart(delay)) => json!(delay.0 / 1000),
            ("failure", RestartDecision::Merge(rest)) => {
                json!({ "merged": true, "remaining_ms": rest.0 / 1000 })
            }
            ("failure", RestartDecision::Fail) => json!("fail"),
            (what, _) => return Err(format!("unknown event {what}")),
        });
    }
    Ok(object([("decisions", Value::Array(decisions))]))
}

fn case_strategy(config: &Value) -> Result<RestartStrategy, String> {
    match text(config, "type")? {
        "none" => Ok(RestartStrategy::None),
        "fixed-delay" => Ok(RestartStrategy::FixedDelay {
            attempts: number(config, "attempts")? as u32,
            delay: millis(config, "delay_ms")?,
        }),
        "failure-rate" => Ok(RestartStrategy::FailureRate {
            max_failures: number(config, "max_failures_per_interval")? as u32,
            interval: millis(config, "failure_rate_interval_ms")?,
            delay: millis(config, "delay_ms")?,
        }),
        "exponential-delay" => Ok(RestartStrategy::ExponentialDelay {
            initial: millis(config, "initial_backoff_ms")?,
            max: millis(config, "max_backoff_ms")?,
            multiplier: factor(config, "backoff_multiplier")?,
            reset_threshold: millis(config, "reset_backoff_threshold_ms")?,
            jitter: factor(config, "jitter_factor")?,
            attempts: attempts(config, "attempts_before_reset_backoff")?,
        }),
        kind => Err(format!("unknown strategy {kind}")),
    }
}

fn fact_strategy(strategy: &str, settings: &Value) -> Result<RestartStrategy, String> {
    match strategy {
        "none" => Ok(RestartStrategy::None),
        "fixed-delay" => Ok(RestartStrategy::FixedDelay {
            attempts: number(settings, "attempts")? as u32,
            delay: millis(settings, "delay")?,
        }),
        "failure-rate" => Ok(RestartStrategy::FailureRate {
            max_failures: number(settings, "max_failures_per_interval")? as u32,
            interval: millis(settings, "interval")?,
            delay: millis(settings, "delay")?,
        }),
        "exponential-delay" => Ok(RestartStrategy::ExponentialDelay {
            initial: millis(settings, "initial")?,
            max: millis(settings, "max")?,
            multiplier: factor(settings, "multiplier")?,
            reset_threshold: millis(settings, "reset_threshold")?,
            jitter: factor(settings, "jitter")?,
            attempts: attempts(settings, "attempts")?,
        }),
        _ => Err(format!("unknown strategy {strategy}")),
    }
}

fn factor(settings: &Value, key: &str) -> Result<Factor, String> {
    let factor = field(settings, key)?.as_f64().ok_or_else(|| format!("{key} is no number"))?;
    Ok(Factor::new(factor))
}

fn attempts(settings: &Value, key: &str) -> Result<u32, String> {
    Ok(number_or(settings, key, u64::from(u32::MAX))? as u32)
}
