//! The parts of the schema that no derive can know.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use crate::model::{CheckpointMessage, Mutation, Time};

/// Writes the schemas that no derive can know.
macro_rules! by_hand {
    ($($(#[$doc:meta])* $name:ident: $make:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Deserialize)]
        #[serde(transparent)]
        pub(super) struct $name(Value);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $make
            }
        }
    )*};
}

/// What Java's `String.trim` takes away.
const BLANK: &str = r"[\x00-\x20]*";

by_hand! {
    /// A duration.
    Duration: json_schema!({
        "description": "A duration: a number of milliseconds, or a whole number and a unit as Flink \
                        writes them: \"10 s\", \"500 ms\", \"2 min\". Units: d, h, min, s, ms, µs, ns.",
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": Time::MAX.0 / 1000 },
            { "type": "string", "pattern": format!("^{BLANK}[0-9]+{BLANK}[A-Za-zµμ]*{BLANK}$") },
        ],
    });
    /// A size.
    ByteSize: json_schema!({
        "description": "A size: a number of bytes, or a whole number and a unit as Flink writes \
                        them: \"20 kb\". Units, each 1024 of the one before: b, kb, mb, gb, tb.",
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": format!("^{BLANK}[0-9]+{BLANK}[A-Za-z]*{BLANK}$") },
        ],
    });
    /// When the first periodic checkpoint comes.
    InitialDelayFile: json_schema!({
        "description": "A duration, or \"random\": at any time between the minimum pause and the \
                        interval, as Flink draws it.",
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": Time::MAX.0 / 1000 },
            { "type": "string", "pattern": format!("^{BLANK}[0-9]+{BLANK}[A-Za-zµμ]*{BLANK}$") },
            { "const": "random" },
        ],
    });
    /// A fact.
    FactSentence: json_schema!({
        "description": format!(
            "A fact. TASK is an operator with one of its subtasks in brackets, as sum[odd] or \
             sum[1]; numbers count from 1; has, is and are may be left out. {}.",
            crate::load::grammar::explained().join("; ")
        ),
        "type": "string",
        "examples": ["checkpoint 1 is complete", "sum[odd] has taken snapshot 2"],
    });
    /// A task.
    TaskName: json_schema!({
        "description": "A task: an operator with one of its subtasks in brackets, as sum[odd] or \
                        sum[1], or just the operator if it has one subtask.",
        "type": "string",
    });
    /// A letter.
    Letter: json_schema!({
        "description": "One letter.", "type": "string", "minLength": 1, "maxLength": 1,
    });
    /// The names of keys.
    KeyNames: json_schema!({
        "description": "Names, each once.",
        "type": "array", "items": { "type": "string" }, "minItems": 1,
        "maxItems": crate::load::limits::KEY_NAMES_MAX, "uniqueItems": true,
    });
    /// True.
    AlwaysTrue: json_schema!({ "const": true });
    /// The JobManager.
    JobManagerName: json_schema!({ "const": "jobmanager" });
    /// A message about a checkpoint.
    MessageName: json_schema!({
        "description": "A message about a checkpoint: the trigger that a source gets, the \
                        acknowledgement of a task, or the notification that it is complete or \
                        was given up.",
        "type": "string", "enum": CheckpointMessage::ALL.map(CheckpointMessage::name),
    });
    /// A rule that can be broken.
    MutationName: json_schema!({
        "description": "A rule that is broken on purpose.",
        "type": "string", "enum": Mutation::every().map(Mutation::name).collect::<Vec<_>>(),
    });
    /// Flink's settings.
    ConfigFile: json_schema!({
        "description": "Flink's settings. Those that are listed have an effect; others that Flink \
                        knows are accepted with a warning.",
        "type": "object",
        "properties": config_properties(),
        "additionalProperties": true,
    });
}

fn config_properties() -> Value {
    use crate::load::flink::{Effect, options};
    let followed = options().filter(|option| option.effect == Effect::Followed);
    let each = followed.map(|option| {
        let meaning = option.meaning.en;
        let description = match option.default {
            Some(default) => format!("{meaning}. Default: {default}."),
            None => format!("{meaning}."),
        };
        (option.key.to_owned(), serde_json::json!({ "description": description }))
    });
    Value::Object(each.collect())
}

/// A whole number between two bounds.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> JsonSchema for Whole<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{MIN}To{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}
