//! What the real Flink has answered to questions about its options, its
//! validation and its configuration files.

use std::collections::BTreeMap;

use checkdam::load::flink::{
    API, FlinkOption, How, Reading, Release, Value as Setting, backend_class, files_in_order,
    option_of, options, parse_value, read, read_map, refuse,
};
use checkdam::model::CheckpointId;
use checkdam::protocol::{
    CheckpointFailure, CheckpointFailureManager, SnapshotKind, TolerableFailures,
};
use serde_json::{Value, json};

use super::config_cases::{compared, errors, side, text_of, verdict};
use super::coordinator_cases::reason;
use super::{Answer, Verdict};

/// Whether a document holds such facts.
pub(crate) fn recognises(document: &Value) -> bool {
    document.get("flink").is_some()
        && ["options", "setters", "files"].iter().any(|part| document[part].is_array())
}

/// Puts the facts of a document to the tables and the reader, part by part.
///
/// # Errors
/// When the document has a form that is not known.
pub(crate) fn answer(document: &Value) -> Result<Vec<Answer>, String> {
    let version = document["flink"].as_str().ok_or("the facts name their version")?;
    let release = Release::of(version).ok_or_else(|| format!("{version} is no release"))?;
    let rows = |part: &str| document[part].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let mut answers = Vec::new();
    answers.extend(rows("options").iter().map(|row| option_row(row, rows("options"), release)));
    answers.extend(rows("setters").iter().map(|row| setter(row, release)));
    answers.extend(rows("job_level").iter().map(|row| job_level(row, release)));
    if let Some(defaults) = document["defaults"].as_object() {
        let reading = read_map(&BTreeMap::new(), how(release));
        answers.extend(defaults.iter().map(|(getter, value)| got(getter, value, &reading)));
    }
    answers.extend(rows("methods_named_in_the_article").iter().map(|row| method(row, release)));
    for row in rows("failure_reasons") {
        answers.push(failure_reason(row)?);
    }
    answers.extend(rows("files").iter().map(|row| file(row, release)));
    answers.extend(rows("both_files").iter().map(|row| both_files(row, release)));
    answers.extend(rows("values").iter().map(|row| value(row, release)));
    answers.extend(rows("state_backend_names").iter().map(|row| backend(row, release)));
    for row in rows("settings") {
        answers.extend(settings(row, release));
    }
    Ok(answers)
}

fn how(release: Release) -> How {
    How { release: Some(release), ..How::default() }
}

/// A row of the dump of options. Some keys stand there more than once: as an
/// older field, or under an older name as an option of their own.
fn option_row(row: &Value, all: &[Value], release: Release) -> Answer {
    let key = row["key"].as_str().unwrap_or_default();
    let name = format!("{} {key}", row["class"].as_str().unwrap_or_default());
    let is_live = |other: &&Value| other["key"] == row["key"] && other["deprecated_field"] == false;
    let option = options().find(|option| option.key == key && option.is_in(release));
    let by_old_key = || options().find(|option| option.old_keys.contains(&key));
    let sides = match option {
        Some(option) => {
            // The field that is not deprecated says what holds.
            let live = all.iter().find(is_live).unwrap_or(row);
            vec![
                side("type", &live["type"], &json!(option.kind.java_type(release))),
                side(
                    "default",
                    &default(&live["default"], option, release),
                    &shown_default(option, release),
                ),
                side("old_keys", &live["old_keys"], &json!(option.old_keys)),
                side("fallback_keys", &live["fallback_keys"], &json!(option.fallback_keys)),
                side("list", &live["list"], &json!(false)),
            ]
        }
        None => match by_old_key() {
            Some(option) => vec![
                side("type", &row["type"], &json!(option.kind.java_type(release))),
                side(
                    "default",
                    &default(&row["default"], option, release),
                    &shown_default(option, release),
                ),
            ],
            None => vec![side("key", &row["key"], &Value::Null)],
        },
    };
    compared(name, "options", vec![row.to_string()], sides)
}

/// A default as recorded, in the form that ours has.
fn default(recorded: &Value, option: &FlinkOption, release: Release) -> Value {
    match recorded {
        Value::String(text) => {
            parse_value(option, text, release).map_or(Value::Null, |v| v.to_json())
        }
        other => other.clone(),
    }
}

fn shown_default(option: &FlinkOption, release: Release) -> Value {
    let value = option.default.and_then(|text| parse_value(option, text, release).ok());
    value.map_or(Value::Null, |value| value.to_json())
}

/// `[method, argument, null or the error]`
fn setter(row: &Value, release: Release) -> Answer {
    let name = row[0].as_str().unwrap_or_default();
    let method = API.iter().find(|method| method.name == name);
    let option = method.and_then(|method| option_of(method.key));
    let got = match (method, option) {
        (Some(method), Some(option)) => {
            // A setter takes a number where a file has a text: less than
            // nothing is no duration, and refused unless the setter looks at
            // nothing at all.
            match parse_value(option, &text_of(&row[1]), release) {
                Ok(value) => refuse(option, &method.sets(value)).is_some(),
                Err(_) => option.refuses_negative(),
            }
        }
        _ => {
            return compared(
                name.to_owned(),
                "setters",
                vec![],
                vec![side("method", &row[0], &Value::Null)],
            );
        }
    };
    let sides = vec![side("refused", &json!(!row[2].is_null()), &json!(got))];
    compared(format!("{name}({})", row[1]), "setters", vec![row.to_string()], sides)
}

/// `[settings, null or the error]`, with an interval unless there is one.
fn job_level(row: &Value, release: Release) -> Answer {
    let mut map = map_of(&row[0]);
    map.entry("execution.checkpointing.interval".to_owned()).or_insert("1000 ms".to_owned());
    let reading = read_map(&map, how(release));
    let sides = vec![side("refused", &json!(!row[1].is_null()), &json!(!reading.is_right()))];
    compared(row[0].to_string(), "job_level", vec![row.to_string()], sides)
}

fn map_of(settings: &Value) -> BTreeMap<String, String> {
    let settings = settings.as_object().into_iter().flatten();
    settings.map(|(key, value)| (key.clone(), text_of(value))).collect()
}

/// What a getter of `CheckpointConfig` returns.
fn got(getter: &str, recorded: &Value, reading: &Reading) -> Answer {
    let sides = match ours(getter, reading) {
        Some(own) => vec![side(getter, &in_ms(recorded), &own)],
        None => vec![side(getter, recorded, &json!("not known"))],
    };
    compared(getter.to_owned(), "defaults", vec![getter.to_owned()], sides)
}

/// "0 ms" as a number.
fn in_ms(recorded: &Value) -> Value {
    let text = recorded.as_str().and_then(|text| text.strip_suffix(" ms"));
    text.and_then(|text| text.parse::<i64>().ok()).map_or(recorded.clone(), |ms| json!(ms))
}

fn ours(getter: &str, reading: &Reading) -> Option<Value> {
    let value = |key: &str| {
        let setting = reading.setting(key)?;
        Some(setting.value.as_ref().map_or(Value::Null, Setting::to_json))
    };
    let retention = || value("execution.checkpointing.externalized-checkpoint-retention");
    Some(match getter {
        "isCheckpointingEnabled" => json!(reading.is_periodic()),
        "isExternalizedCheckpointsEnabled" => {
            json!(retention()? != json!("NO_EXTERNALIZED_CHECKPOINTS"))
        }
        "isFailOnCheckpointingErrors" => {
            json!(value("execution.checkpointing.tolerable-failed-checkpoints")? == json!(0))
        }
        "getExternalizedCheckpointCleanup" => retention()?,
        "getCheckpointIntervalDuringBacklog" => {
            // Java's way to say never.
            json!(reading.interval_during_backlog_ms().unwrap_or(i64::MAX as u64))
        }
        "getCheckpointInterval" => match value("execution.checkpointing.interval")? {
            Value::Null => json!(-1),
            interval => interval,
        },
        "isForceUnalignedCheckpoints" => value("execution.checkpointing.unaligned.forced")?,
        "isForceCheckpointing" => value("execution.checkpointing.force")?,
        "isUnalignedCheckpointsEnabled" => value("execution.checkpointing.unaligned.enabled")?,
        "isUnalignedCheckpointsInterruptibleTimersEnabled" => {
            value("execution.checkpointing.unaligned.interruptible-timers.enabled")?
        }
        "isApproximateLocalRecoveryEnabled" => {
            value("execution.state-recovery.approximate-local-recovery")?
        }
        other => {
            let setter = other.replacen("get", "set", 1);
            let method = API.iter().find(|method| method.name == setter)?;
            value(method.key)?
        }
    })
}

/// `[method of the article, present, deprecated or absent]`
fn method(row: &Value, release: Release) -> Answer {
    let name = row[0].as_str().unwrap_or_default();
    let method = API.iter().find(|method| method.name == name);
    let got = method.map_or("not known", |method| method.standing.word(release));
    compared(name.to_owned(), "methods", vec![], vec![side(name, &row[1], &json!(got))])
}

/// `[name, counts towards tolerable failures, happens before the start, text]`
fn failure_reason(row: &Value) -> Result<Answer, String> {
    let name = row[0].as_str().unwrap_or_default();
    let reason = reason(name)?;
    let mut manager = CheckpointFailureManager::new(TolerableFailures::AtMost(0));
    let (kind, checkpoint) = (SnapshotKind::Checkpoint, Some(CheckpointId(1)));
    let failure = CheckpointFailure { checkpoint, kind, reason, declined_by: None };
    let sides = vec![
        side("counts", &row[1], &json!(manager.on_failure(failure).is_some())),
        side("before the start", &row[2], &json!(reason.is_pre_flight())),
    ];
    Ok(compared(name.to_owned(), "failure_reasons", vec![row.to_string()], sides))
}

/// `{name, text, then a map or an error}`
fn file(row: &Value, release: Release) -> Answer {
    let name = row["name"].as_str().unwrap_or_default();
    let text = row["text"].as_str().unwrap_or_default();
    let reading = read(name, text.as_bytes(), how(release));
    let is_of_the_file =
        |code: &&str| ["syntax", "no-value", "given-twice", "not-read", "template"].contains(code);
    let refused = errors(&reading).into_iter().find(is_of_the_file);
    let sides = match row.get("map") {
        Some(map) => vec![
            side("refused", &Value::Null, &json!(refused)),
            side("map", map, &json!(reading.map)),
        ],
        None => {
            let error = row["error"].as_str().unwrap_or_default();
            // Which of several flaws is found first is the parser's affair.
            let kind = match refused {
                Some("no-value") if error.contains("NullPointerException") => "as recorded",
                Some("given-twice") if error.contains("while constructing a mapping") => {
                    "as recorded"
                }
                Some("not-read") if error.contains("does not exist") => "as recorded",
                Some("syntax" | "given-twice" | "template")
                    if error.contains("YamlEngineException") =>
                {
                    "as recorded"
                }
                Some("syntax" | "template") if error.contains("ClassCastException") => {
                    "as recorded"
                }
                _ => "otherwise",
            };
            let told = format!("{kind}: {refused:?}");
            vec![side(
                "error",
                &json!(error),
                &if kind == "as recorded" { json!(error) } else { json!(told) },
            )]
        }
    };
    let group = if name.starts_with("flink-conf") { "flat files" } else { "yaml files" };
    compared(format!("{text:?}"), group, vec![format!("{name}: {text:?}")], sides)
}

/// Which of two files wins.
fn both_files(row: &Value, release: Release) -> Answer {
    let got = match files_in_order(release)[0] {
        "flink-conf.yaml" => "{who=old}",
        _ => "{who=new}",
    };
    compared("both files".to_owned(), "both_files", vec![], vec![side("read", row, &json!(got))])
}

/// `[key in the file, text, option, value or error]`
fn value(row: &Value, release: Release) -> Answer {
    let [key, text, option] = [0, 1, 2].map(|at| row[at].as_str().unwrap_or_default());
    let map = BTreeMap::from([(key.to_owned(), text.to_owned())]);
    let Some(known) = option_of(option) else {
        // Options that the table does not have are none of ours.
        return compared(
            option.to_owned(),
            "values",
            vec![],
            vec![side("option", &row[2], &Value::Null)],
        );
    };
    let named = read_map(&map, how(release)).map.get(key).cloned().unwrap_or_default();
    let got = match parse_value(known, &named, release) {
        Ok(value) => value.to_json(),
        Err(_) => json!("error"),
    };
    let expected = match &row[3] {
        Value::String(error) if error.starts_with("error: ") => json!("error"),
        Value::String(_)
            if matches!(
                parse_value(known, &text_of(&row[3]), release),
                Ok(Setting::Duration(_) | Setting::Memory(_))
            ) =>
        {
            default(&row[3], known, release)
        }
        other => other.clone(),
    };
    let sets = known.keys().any(|own| own == key);
    let sides = vec![side("value", &expected, &got), side("sets", &json!(true), &json!(sets))];
    compared(format!("{key}: {text:?} as {option}"), "values", vec![row.to_string()], sides)
}

/// `[name, class or error]`
fn backend(row: &Value, release: Release) -> Answer {
    let name = row[0].as_str().unwrap_or_default();
    let expected = row[1].as_str().filter(|class| !class.starts_with("error"));
    let sides = vec![side("class", &json!(expected), &json!(backend_class(name, release)))];
    compared(name.to_owned(), "state_backend_names", vec![], sides)
}

/// Settings with everything that Flink makes of them.
fn settings(row: &Value, release: Release) -> Vec<Answer> {
    let map = map_of(&row["settings"]);
    let reading = read_map(&map, how(release));
    let name = row["settings"].to_string();
    let job_is_refused = row["job"].is_string();
    let strategy = row["restart"].as_str().unwrap_or_default();
    let refused = job_is_refused || strategy.starts_with("error");
    // Flink builds no job without a scheme; the reader warns of it.
    let starts = |item: &checkdam::load::Diagnostic| !["no-scheme", "quotes"].contains(&item.code);
    let is_right = reading.is_right() && reading.diagnostics.items.iter().all(starts);
    let mut answers = vec![compared(
        name.clone(),
        "settings refused",
        vec![name.clone()],
        vec![side("refused", &json!(refused), &json!(!is_right))],
    )];
    if refused {
        return answers;
    }
    let getters = row["checkpoint"].as_object().into_iter().flatten();
    let sides: Vec<_> = getters
        .filter(|(_, value)| !value.as_str().is_some_and(|text| text.starts_with("error")))
        .map(|(getter, value)| {
            side(getter, &in_ms(value), &ours(getter, &reading).unwrap_or(json!("not known")))
        })
        .collect();
    answers.push(compared(name.clone(), "settings got", vec![name.clone()], sides));
    answers.push(compared(
        name.clone(),
        "settings restart",
        vec![name.clone()],
        vec![side("restart", &json!(strategy_of(strategy)), &json!(ours_strategy(&reading)))],
    ));
    let class = |recorded: &Value| {
        let is_class = |text: &&str| !text.starts_with("error") && *text != "null";
        recorded.as_str().filter(is_class).map(str::to_owned)
    };
    let sides = vec![
        side("backend", &json!(class(&row["backend"])), &json!(reading.backend_class())),
        side("storage", &json!(class(&row["storage"])), &json!(reading.storage_class())),
    ];
    answers.push(compared(name.clone(), "settings storage", vec![name], sides));
    answers
}

/// Which strategy a configuration chooses: `{settings, checkpointing, then what
/// Flink says of the strategy or the error}`.
pub(crate) fn chosen_strategy(choice: &Value) -> Verdict {
    let mut map = map_of(&choice["settings"]);
    if choice["checkpointing"] == true {
        map.insert("execution.checkpointing.interval".to_owned(), "1000 ms".to_owned());
    }
    let reading = read_map(&map, how(Release::V1));
    let side = match choice["strategy"].as_str() {
        Some(said) => side("strategy", &json!(strategy_of(said)), &json!(ours_strategy(&reading))),
        None => side("refused", &json!(true), &json!(!reading.is_right())),
    };
    verdict(vec![choice["settings"].to_string()], vec![side])
}

/// What Flink says of a strategy, without what changes while it is at work.
fn strategy_of(said: &str) -> &str {
    let said = said.split(", currentRestartAttempt").next().unwrap_or(said);
    // The class is said twice there.
    let name = "FailureRateRestartBackoffTimeStrategy(";
    said.strip_prefix(name)
        .filter(|rest| rest.starts_with(name))
        .unwrap_or(said)
        .trim_end_matches(')')
}

/// The same of ours.
fn ours_strategy(reading: &Reading) -> String {
    let restart = &reading.expect()["restart"];
    let number = |name: &str| restart[name].to_string();
    match restart["type"].as_str().unwrap_or_default() {
        "fixed-delay" => format!(
            "FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts={}, backoffTimeMS={}",
            number("attempts"),
            number("delay_ms")
        ),
        "failure-rate" => format!(
            "FailureRateRestartBackoffTimeStrategy(failuresIntervalMS={},backoffTimeMS={},maxFailuresPerInterval={}",
            number("interval_ms"),
            number("delay_ms"),
            number("max_per_interval")
        ),
        "exponential-delay" => format!(
            "ExponentialDelayRestartBackoffTimeStrategy(initialBackoffMS={}, maxBackoffMS={}, \
             backoffMultiplier={}, resetBackoffThresholdMS={}, jitterFactor={}, \
             attemptsBeforeResetBackoff={}",
            number("initial_ms"),
            number("max_ms"),
            number("multiplier"),
            number("reset_ms"),
            number("jitter"),
            number("attempts_before_reset")
        ),
        _ => "NoRestartBackoffTimeStrategy".to_owned(),
    }
}
