//! The recorded cases of configurations: settings in, what holds out.

use std::collections::BTreeMap;

use checkdam::load::Severity;
use checkdam::load::flink::{
    API, BarrierAlignment, How, Reading, Release, Value as Setting, option_of, parse_value,
    read_map, refuse,
};
use serde_json::{Value, json};

use super::json::{field, list};
use super::{Answer, Mismatch, Verdict};

/// Puts a case to the reader, once for each release that it was verified on.
///
/// # Errors
/// When the case has a form that is not known.
pub(crate) fn run(case: &Value) -> Result<Verdict, String> {
    let mut sides = Vec::new();
    for version in list(case, "verified_on")? {
        let version = version.as_str().ok_or("a version is a text")?;
        let on =
            |(expected, got): Side| (format!("{version} {expected}"), format!("{version} {got}"));
        sides.extend(once(case, version)?.into_iter().map(on));
    }
    Ok(verdict(vec![field(case, "config")?.to_string()], sides))
}

fn once(case: &Value, version: &str) -> Result<Vec<Side>, String> {
    let release = Release::of(version).ok_or_else(|| format!("{version} is no release"))?;
    let how = How { release: Some(release), ..How::default() };
    let config = field(case, "config")?.as_object().ok_or("a case has settings")?;
    let mut map = BTreeMap::new();
    let mut refused_by_setter = false;
    for (key, value) in config {
        match key.strip_prefix("setter.") {
            Some(method) => match set(method, value, release)? {
                Some((key, value)) => _ = map.insert(key.to_owned(), value),
                None => refused_by_setter = true,
            },
            None => _ = map.insert(key.clone(), text_of(value)),
        }
    }
    let reading = read_map(&map, how);
    let expected = case["expect"].as_object().ok_or("a case has expectations")?;
    let mut sides = Vec::new();
    for (what, wanted) in expected {
        let got = match what.as_str() {
            "ok" => json!(reading.is_right() && !refused_by_setter),
            "error" => json!(if refused_by_setter { "illegal_argument" } else { error(&reading) }),
            "effective" => {
                sides.extend(effective(&reading, wanted, release)?);
                continue;
            }
            "periodic_checkpointing" => {
                json!(if reading.is_periodic() { "enabled" } else { "disabled" })
            }
            "interval_during_backlog" => match reading.interval_during_backlog_ms() {
                Some(ms) => json!(ms),
                None => json!("disabled"),
            },
            "barrier_alignment" => json!(match reading.barrier_alignment() {
                BarrierAlignment::AtLeastOnce => "at_least_once",
                BarrierAlignment::Aligned => "aligned",
                BarrierAlignment::Unaligned => "unaligned",
                BarrierAlignment::AlignedWithTimeout { .. } => "aligned_with_timeout",
            }),
            "warnings" => json!(reading.diagnostics.count(Severity::Warning)),
            "coordinator_unaligned_flag" => {
                sides.push(side(
                    what,
                    &wanted[version],
                    &json!(reading.coordinator_is_unaligned()),
                ));
                continue;
            }
            "restart" => restart(&reading),
            _ => return Err(format!("nothing is known of `{what}`")),
        };
        sides.push(side(what, wanted, &got));
    }
    Ok(sides)
}

/// One thing that is compared: what was recorded and what came out.
pub(crate) type Side = (String, String);

pub(crate) fn side(what: &str, expected: &Value, got: &Value) -> Side {
    (format!("{what}: {expected}"), format!("{what}: {got}"))
}

/// What follows from all sides of a case.
pub(crate) fn verdict(input: Vec<String>, sides: Vec<Side>) -> Verdict {
    if sides.iter().all(|(expected, got)| expected == got) {
        return Verdict::Passed;
    }
    let (expected, got) = sides.into_iter().unzip();
    Verdict::Failed(Mismatch { input, expected, got })
}

/// The answer to a case.
pub(crate) fn compared(case: String, group: &str, input: Vec<String>, sides: Vec<Side>) -> Answer {
    Answer { case, group: group.to_owned(), verdict: verdict(input, sides) }
}

/// Calls a setter; nothing if it refuses its argument.
fn set(
    method: &str,
    argument: &Value,
    release: Release,
) -> Result<Option<(&'static str, String)>, String> {
    let method = API.iter().find(|own| own.name == method);
    let method = method.ok_or_else(|| "a method that the table does not have".to_owned())?;
    let option = option_of(method.key).ok_or("every method sets an option")?;
    let argument = match argument {
        Value::Bool(yes) => Setting::Bool(*yes),
        other => match parse_value(option, &text_of(other), release) {
            Ok(value) => value,
            Err(_) => return Ok(None),
        },
    };
    let value = method.sets(argument);
    Ok(refuse(option, &value).is_none().then(|| (method.key, value.to_string())))
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The name that the cases give to an error.
fn error(reading: &Reading) -> &'static str {
    let codes: Vec<&str> = errors(reading);
    let is_set = |key: &str| reading.map.contains_key(key);
    match codes.as_slice() {
        ["too-short"] if is_set("execution.checkpointing.timeout") => "timeout_below_10_ms",
        ["too-short"] => "interval_below_10_ms",
        ["contradiction"] if is_set("execution.checkpointing.interval-during-backlog") => {
            "backlog_interval_below_interval"
        }
        _ => "another error",
    }
}

/// The codes of the errors of a reading.
pub(crate) fn errors(reading: &Reading) -> Vec<&'static str> {
    let items = reading.diagnostics.items.iter();
    items.filter(|item| item.severity == Severity::Error).map(|item| item.code).collect()
}

/// Settings that hold, under the keys of the cases: `_ms` behind a key asks for
/// milliseconds.
fn effective(reading: &Reading, wanted: &Value, release: Release) -> Result<Vec<Side>, String> {
    let wanted = wanted.as_object().ok_or("settings stand under their keys")?;
    let mut sides = Vec::new();
    for (key, expected) in wanted {
        let plain = key.strip_suffix("_ms").unwrap_or(key);
        let option = option_of(plain).ok_or_else(|| format!("no option has the key {plain}"))?;
        let value = reading.setting(plain).and_then(|setting| setting.value.clone());
        let got = value.as_ref().map_or(Value::Null, Setting::to_json);
        // Sizes stand there as a text.
        let expected = match (expected, &value) {
            (Value::String(text), Some(Setting::Memory(_))) => {
                parse_value(option, text, release).map_or(Value::Null, |value| value.to_json())
            }
            _ => expected.clone(),
        };
        sides.push(side(key, &expected, &got));
    }
    Ok(sides)
}

/// The restart strategy under the names of the cases.
fn restart(reading: &Reading) -> Value {
    let own = reading.expect()["restart"].clone();
    let renamed = |name: &str| match name {
        "initial_ms" => "initial_backoff_ms",
        "max_ms" => "max_backoff_ms",
        "multiplier" => "backoff_multiplier",
        "reset_ms" => "reset_backoff_threshold_ms",
        "jitter" => "jitter_factor",
        "attempts_before_reset" => "attempts_before_reset_backoff",
        _ => "type",
    };
    let Value::Object(own) = own else { return own };
    Value::Object(own.into_iter().map(|(name, value)| (renamed(&name).to_owned(), value)).collect())
}
