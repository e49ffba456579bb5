//! The JSON Schema of scenario files, for editors.
//!
//! The types say what a file can hold; a hand-written walk over the JSON tree
//! says what is wrong with one. Tests hold the two together: the same keys,
//! and whatever the walk accepts fits the schema.

#![expect(dead_code, reason = "the types are read by the derive of their schema alone")]

mod by_hand;
mod delays;
mod edges;
mod happenings;
mod job;
mod storage;
mod texts;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::limits::STEPS_MAX;
use by_hand::{ConfigFile, InitialDelayFile, MutationName, TaskName, Whole};
use edges::{EdgeFile, NetworkFile, RpcFile};
use happenings::{CancelFile, CheckpointFile, FaultFile, FromFile, SavepointFile};
use job::OperatorFile;
use storage::StorageFile;
use texts::{LabelsFile, MomentFile, TextFile};

/// The schema of scenario files.
#[must_use]
pub fn scenario_schema() -> Value {
    let mut schema = schemars::schema_for!(ScenarioFile).to_value();
    tidy(&mut schema);
    schema
}

/// What may be absent may not be null, and a description is one paragraph.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            object.values_mut().for_each(tidy);
            if let Some(Value::String(description)) = object.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(forms)) = object.get_mut("anyOf") {
                forms.retain(|form| form["type"] != "null");
                if let [Value::Object(only)] = forms.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    object.extend(only);
                }
            }
        }
        _ => {}
    }
}

/// A job, its settings, what happens to it, and how its story is told. Only
/// `job` is needed, and `edges` if it has several operators.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "checkdam scenario")]
struct ScenarioFile {
    /// The address of this schema.
    #[serde(rename = "$schema")]
    schema: Option<String>,
    /// One line for people.
    title: Option<TextFile>,
    /// What to see in it; for a lecturer.
    notes: Option<TextFile>,
    /// The operators by name. Names are made of letters, digits, `-`, `_`
    /// and `.`.
    job: BTreeMap<String, OperatorFile>,
    /// How the operators are connected.
    edges: Option<Vec<EdgeFile>>,
    /// Flink's settings under Flink's own keys, for example
    /// `"execution.checkpointing.interval": "10 s"`.
    config: Option<ConfigFile>,
    /// What holds for every edge that does not say otherwise.
    network: Option<NetworkFile>,
    /// How long messages between the JobManager and the tasks take: one delay
    /// for all, or one for each kind. Default: 1 ms.
    rpc: Option<RpcFile>,
    /// The file system that checkpoints go to, where the settings say that they
    /// go to one: a profile, or one with changes. Default: no time.
    storage: Option<StorageFile>,
    /// The scenario that is run before this one: the job starts from its last
    /// savepoint.
    from: Option<FromFile>,
    /// When the first periodic checkpoint comes after the job runs. Default: after
    /// one interval.
    #[serde(rename = "initial-delay")]
    initial_delay: Option<InitialDelayFile>,
    /// Checkpoints beside those that the interval triggers.
    checkpoints: Option<Vec<CheckpointFile>>,
    /// Savepoints that the user asks for. They go to
    /// `execution.checkpointing.savepoint-dir`.
    savepoints: Option<Vec<SavepointFile>>,
    /// The user cancels the job.
    cancel: Option<CancelFile>,
    /// Tasks that run in one process and crash together, by its name.
    taskmanagers: Option<BTreeMap<String, Vec<TaskName>>>,
    /// What breaks.
    faults: Option<Vec<FaultFile>>,
    /// What operators, subtasks and splits are called for people, by name.
    labels: Option<LabelsFile>,
    /// The steps of the story.
    moments: Option<Vec<MomentFile>>,
    /// Rules that are broken on purpose.
    #[serde(rename = "break")]
    broken: Option<Vec<MutationName>>,
    /// The most steps that a run may take. Default: 10000000.
    steps: Option<Whole<1, STEPS_MAX>>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::vocabulary::*;
    use super::*;

    /// The keys that the walk knows for each object, and the schema's name of
    /// that object.
    fn objects() -> Vec<(&'static str, &'static [&'static str])> {
        let kinds = KindKey::ALL.map(|kind| {
            let name = match kind {
                KindKey::Source => "SourceFile",
                KindKey::Map => "MapFile",
                KindKey::Filter => "FilterFile",
                KindKey::Sum => "SumFile",
                KindKey::Count => "CountFile",
                KindKey::Max => "MaxFile",
                KindKey::Union => "UnionFile",
                KindKey::Join => "JoinFile",
                KindKey::BroadcastProcess => "BroadcastProcessFile",
                KindKey::Sink => "SinkFile",
            };
            (name, kind.keys())
        });
        let others: [(&'static str, &'static [&'static str]); 26] = [
            ("", SCENARIO),
            ("LanguagesFile", LANGUAGES),
            ("LabelsFile", LANGUAGES),
            ("EdgeOptionsFile", EDGE),
            ("SnapshotFile", SNAPSHOT),
            ("CapacityEndsFile", CAPACITY),
            ("NetworkFile", NETWORK),
            ("RpcEachFile", RPC),
            ("UniformFile", UNIFORM),
            ("FromOptionsFile", FROM),
            ("CheckpointFile", CHECKPOINT),
            ("SavepointFile", SAVEPOINT),
            ("CancelFile", CANCEL),
            ("CrashFile", CRASH),
            ("JobManagerCrashFile", JOB_MANAGER_CRASH),
            ("SlowFile", SLOW),
            ("StorageOptionsFile", STORAGE),
            ("DeviceFile", DEVICE),
            ("StorageFaultFile", STORAGE_FAULT),
            ("DisposeFile", DISPOSE),
            ("StallFile", STALL),
            ("LoseFile", LOSE),
            ("LateFile", DELAY),
            ("MomentFile", MOMENT),
            ("RangeFile", RANGE),
            ("DrawnFile", DRAWN),
        ];
        kinds.into_iter().chain(others).collect()
    }

    #[test]
    fn the_walk_and_the_schema_know_the_same_keys() {
        let schema = scenario_schema();
        for (name, walked) in objects() {
            let object = if name.is_empty() { &schema } else { &schema["$defs"][name] };
            let properties = object["properties"].as_object().expect(name);
            let described: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
            assert_eq!(described, walked.iter().copied().collect(), "{name}");
            assert_eq!(object["additionalProperties"], false, "{name} takes no other keys");
        }
        // And no object of the schema is missing above; the settings of Flink
        // have a table of their own, and a key of a hash edge stands alone.
        let known: BTreeSet<&str> = objects().iter().map(|(name, _)| *name).collect();
        for (name, definition) in schema["$defs"].as_object().expect("it has definitions") {
            let is_object = definition["type"] == "object";
            let other = ["ConfigFile", "HashFile"].contains(&name.as_str());
            assert!(!is_object || other || known.contains(name.as_str()), "{name}");
        }
    }
}
