//! What counts twice in at-least-once mode is what the cut of a restart had too
//! much: the records that a receiver's state holds and its sender's does not
//! yet. Nothing else may count twice.
//!
//! Source: measured in a model of its own: on every channel, what counts twice
//! and the orphans of the restored cut are equal as multisets.

use std::collections::BTreeMap;

use super::breach::{ConductJudgement, Wrong};
use crate::model::{ChannelIndex, ExecutionGraph, RecordId};
use crate::verify::history::{Entry, History, Log};

/// Records by channel that its receiver has processed more often than its
/// sender has sent them.
pub(in crate::verify) type Excess = BTreeMap<(ChannelIndex, u64), u32>;

/// What receivers have too much in the surviving history.
pub(in crate::verify) fn excess(history: &History) -> Excess {
    let mut all = Excess::new();
    for (channel, (sent, processed)) in
        (0..).map(ChannelIndex).zip(history.sent.iter().zip(&history.processed))
    {
        if is_beginning(processed, sent) {
            continue;
        }
        let (sent, processed) = (sorted(sent), sorted(processed));
        let mut rest = &sent[..];
        for same in processed.chunk_by(|a, b| a == b) {
            let record = same[0];
            rest = &rest[rest.partition_point(|other| *other < record)..];
            let n_sent = rest.partition_point(|other| *other == record);
            if same.len() > n_sent {
                all.insert((channel, record), (same.len() - n_sent) as u32);
            }
        }
    }
    all
}

/// Whether the records of a log are the first ones of another, as they are
/// wherever nothing was counted twice.
fn is_beginning(short: &Log, long: &Log) -> bool {
    let (short, long) = (&short.entries, &long.entries);
    short.len() <= long.len()
        && short.iter().zip(long).all(|(own, other)| own.record() == other.record())
}

fn sorted(log: &Log) -> Vec<u64> {
    let mut records: Vec<u64> = log.entries.iter().map(|entry| entry.record()).collect();
    records.sort_unstable();
    records
}

/// Compares what counts twice in the end with what the last restart began with.
pub(in crate::verify) fn compare(
    (graph, history): (&ExecutionGraph, &History),
    explained: &Excess,
    (step, found): (u64, &mut ConductJudgement),
) {
    for ((channel, record), n) in excess(history) {
        let explained = explained.get(&(channel, record)).copied().unwrap_or_default();
        if n > explained {
            let task = graph.channels[channel.index()].to;
            let entry = Entry { origin: (record >> 32) as u32, offset: record as u32, step: 0 };
            let (split, path) = history.origins.of(entry.origin);
            let record = RecordId { split, offset: entry.offset, path };
            found.push(step, None, Wrong::BeyondOrphans { record, task, n, explained });
        }
    }
}
