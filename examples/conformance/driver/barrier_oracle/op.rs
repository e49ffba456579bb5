//! The ops of a script.

use checkdam::model::{
    AlignmentType, Barrier, CheckpointId, CheckpointOptions, Micros, Path, Record, RecordId,
    SnapshotType, SplitIndex, StreamElement, Time, Value,
};
use serde_json::Value as Json;

/// `["d", channel, value]`.
pub(super) fn record(op: &Json) -> Result<StreamElement, String> {
    let value = op[2].as_i64().ok_or_else(|| format!("{op} has no value"))?;
    let id = RecordId { split: SplitIndex(0), offset: 1, path: Path::default() };
    Ok(StreamElement::Record(Record { id, value: Value::Number(value), key: None }))
}

/// `["b", channel, id, timestamp, kind, timeout]`.
pub(super) fn barrier(op: &Json) -> Result<Barrier, String> {
    let kind = op[4].as_str().ok_or_else(|| format!("{op} has no kind of barrier"))?;
    let (alignment, aligned_timeout) = match kind {
        "A" | "S" => (AlignmentType::Aligned, None),
        "T" => (AlignmentType::Aligned, Some(Micros::from_ms(number(op, 5)?))),
        "U" => (AlignmentType::Unaligned, None),
        "L" => (AlignmentType::AtLeastOnce, None),
        other => return Err(format!("no kind of barrier is called `{other}`")),
    };
    let snapshot = if kind == "S" { SnapshotType::Savepoint } else { SnapshotType::Checkpoint };
    Ok(Barrier {
        checkpoint: CheckpointId(number(op, 2)?),
        triggered_at: Time(Micros::from_ms(number(op, 3)?).0),
        options: CheckpointOptions { snapshot, alignment, aligned_timeout },
    })
}

pub(super) fn word(op: &Json) -> Result<&str, String> {
    op[0].as_str().ok_or_else(|| format!("{op} is not an op"))
}

pub(super) fn number(op: &Json, place: usize) -> Result<u64, String> {
    op[place].as_u64().ok_or_else(|| format!("{op} has no number at place {place}"))
}
