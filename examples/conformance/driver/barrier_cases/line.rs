//! Input lines, and the names of records in them.

use std::collections::BTreeMap;

use checkdam::model::{
    AlignmentType, Barrier, CheckpointFailureReason, CheckpointId, CheckpointOptions, Message,
    Micros, Path, Record, RecordId, SnapshotType, SplitIndex, StreamElement, Time, Value,
};
use serde_json::{Value as Json, json};

/// An input line.
pub(super) struct Line<'a> {
    pub(super) line: &'a Json,
    pub(super) default_timeout: Option<u64>,
}

impl Line<'_> {
    pub(super) fn kind(&self) -> Result<&str, String> {
        self.line["kind"].as_str().ok_or_else(|| format!("{} has no kind", self.line))
    }

    pub(super) fn no_kind<T>(&self) -> Result<T, String> {
        Err(format!("nothing of this layer is called {}", self.line["kind"]))
    }

    pub(super) fn number(&self, field: &str) -> Result<u64, String> {
        self.line[field].as_u64().ok_or_else(|| format!("{} has no `{field}`", self.line))
    }

    pub(super) fn channel(&self) -> Result<u32, String> {
        self.number("ch").map(|channel| channel as u32)
    }

    pub(super) fn checkpoint(&self) -> Result<CheckpointId, String> {
        self.number("checkpoint").map(CheckpointId)
    }

    pub(super) fn barrier(&self) -> Result<Barrier, String> {
        let kind = self.line["alignment"].as_str().unwrap_or_default();
        let timeout = self.line["timeout_ms"].as_u64().or(self.default_timeout);
        let (alignment, aligned_timeout) = match kind {
            "aligned" => (AlignmentType::Aligned, None),
            "timeoutable" => {
                let timeout = timeout.unwrap_or(u64::from(u32::MAX));
                (AlignmentType::Aligned, Some(Micros::from_ms(timeout)))
            }
            "unaligned" => (AlignmentType::Unaligned, None),
            "forced_aligned" => (AlignmentType::ForcedAligned, timeout.map(Micros::from_ms)),
            "at_least_once" => (AlignmentType::AtLeastOnce, None),
            other => return Err(format!("no alignment is called `{other}`")),
        };
        let is_savepoint = self.line["savepoint"] == true;
        let snapshot =
            if is_savepoint { SnapshotType::Savepoint } else { SnapshotType::Checkpoint };
        Ok(Barrier {
            checkpoint: self.checkpoint()?,
            triggered_at: Time(Micros::from_ms(self.number("timestamp")?).0),
            options: CheckpointOptions { snapshot, alignment, aligned_timeout },
        })
    }
}

/// Names of records, which are numbers in the machines.
#[derive(Default)]
pub(super) struct RecordNames(Vec<String>);

impl RecordNames {
    pub(super) fn element(&mut self, line: &Line<'_>) -> Result<StreamElement, String> {
        let id = line.line["id"].as_str().ok_or_else(|| format!("{} has no id", line.line))?;
        Ok(self.record(id))
    }

    pub(super) fn record(&mut self, name: &str) -> StreamElement {
        self.0.push(name.to_owned());
        let id = RecordId { split: SplitIndex(0), offset: 1, path: Path::default() };
        let value = Value::Number(self.0.len() as i64 - 1);
        StreamElement::Record(Record { id, value, key: None })
    }

    pub(super) fn of(&self, message: &Message) -> Json {
        match message.element {
            StreamElement::Record(record) => json!(self.0[record.value.number() as usize]),
            StreamElement::Barrier(_) => json!("barrier"),
            _ => Json::Null,
        }
    }
}

/// Records by checkpoint. A checkpoint without any is as good as none, where
/// only records are compared.
pub(super) type Snapshots = BTreeMap<u64, Vec<Json>>;

/// What was captured, with the empty lists that the expectation has.
pub(super) fn snapshots(snapshots: &Snapshots, expected: &Json) -> Json {
    let is_wanted = |checkpoint: &u64| expected.get(checkpoint.to_string()).is_some();
    let mut all: BTreeMap<String, Json> = snapshots
        .iter()
        .filter(|(checkpoint, records)| !records.is_empty() || is_wanted(checkpoint))
        .map(|(checkpoint, records)| (checkpoint.to_string(), json!(records)))
        .collect();
    for checkpoint in expected.as_object().into_iter().flat_map(|lists| lists.keys()) {
        all.entry(checkpoint.clone()).or_insert_with(|| json!([]));
    }
    json!(all)
}

pub(super) fn reason(reason: CheckpointFailureReason) -> &'static str {
    match reason {
        CheckpointFailureReason::CheckpointDeclinedSubsumed => "declined_subsumed",
        CheckpointFailureReason::CheckpointDeclinedOnCancellationBarrier => "cancellation_barrier",
        CheckpointFailureReason::CheckpointDeclinedInputEndOfStream => "input_end_of_stream",
        CheckpointFailureReason::CheckpointSubsumed => "checkpoint_subsumed",
        CheckpointFailureReason::CheckpointDeclinedTaskNotReady => "task_not_ready",
        other => other.flink_name(),
    }
}
