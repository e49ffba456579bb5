//! Why an unaligned barrier waits for nothing, what becomes of the records
//! that it overtakes, and where barriers stay aligned all the same.

use super::digest;
use super::why::Why;
use super::why_align::whose_barriers;
use crate::model::{
    AlignmentType, Barrier, ChannelEnd, ChannelIndex, CheckpointId, Micros, Record, SubtaskIndex,
};
use crate::trace::{Fact, Rule};

/// The barrier that a message of the step carries.
pub(super) fn barrier_at(why: &Why<'_>, channel: ChannelIndex, number: u64) -> Option<Barrier> {
    digest::barrier(why.before, why.step.facts.iter(), channel, number)
}

/// Whether a task has taken its snapshot while barriers were missing.
fn stands(why: &Why<'_>, task: SubtaskIndex, checkpoint: CheckpointId) -> bool {
    why.before.tasks[task.index()].snapshot >= Some(checkpoint)
}

/// Why a record is processed, where unaligned checkpoints have to do with it.
pub(super) fn processed(
    why: &Why<'_>,
    task: SubtaskIndex,
    (channel, number): (ChannelIndex, u64),
    record: &Record,
) -> Option<(String, Rule)> {
    let names = why.names;
    let what = names.record(record);
    if let Some(checkpoint) = why.memory.restored(&names.scenario.graph, channel, number) {
        let which = names.checkpoint(checkpoint);
        let text = why.say(
            || {
                format!(
                    "{what} was on its way when {which} was taken and comes back from its channel \
                     state; no source reads it again, so it counts once"
                )
            },
            || format!("做{which}时{what}还在途中，现在从通道状态取回；源不会重读它，所以只算一次"),
        );
        return Some((text, Rule::RecoveryRestore));
    }
    if let Some(checkpoint) = captured(why, channel, record) {
        let which = names.checkpoint(checkpoint);
        let text = why.say(
            || {
                format!(
                    "{which} keeps a copy of {what}, which was on its way when the snapshot was \
                     taken; the record itself goes on as if nothing had happened"
                )
            },
            || {
                format!(
                    "做快照时{what}还在途中，{which}存有它的副本；它本身照常处理，就像什么都没发生"
                )
            },
        );
        return Some((text, Rule::UnalignedOvertake));
    }
    let checkpoint = why.before.tasks[task.index()].aligning?.checkpoint;
    if !stands(why, task, checkpoint)
        || names.missing_barriers(why.before, task, checkpoint).contains(&channel)
    {
        return None;
    }
    let own = names.barrier_of(channel, checkpoint);
    let which = names.checkpoint(checkpoint);
    let text = why.say(
        || {
            format!(
                "{what} came after {own} and belongs to the next checkpoint; the state for {which} \
                 is taken already, so nothing has to be held back"
            )
        },
        || {
            format!(
                "{what}在{own}之后到达，属于下一个检查点；{which}的状态早已取好，不必扣住任何记录"
            )
        },
    );
    Some((text, Rule::UnalignedOvertake))
}

/// The checkpoint that keeps a copy of a record of a channel.
fn captured(why: &Why<'_>, channel: ChannelIndex, record: &Record) -> Option<CheckpointId> {
    let holds = |records: &[Record]| records.contains(record);
    let mut views = why.after.checkpoints.iter().rev();
    let view = views.find(|view| {
        let state = &view.in_flight[channel.index()];
        holds(&state.input) || holds(&state.output)
    });
    view.map(|view| view.id)
}

/// Records that a task has stored as channel state in this step.
pub(super) fn overtaken(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> Vec<Record> {
    let graph = &why.names.scenario.graph;
    let mut records = Vec::new();
    for fact in &why.step.facts {
        let Fact::ChannelStateSaved { checkpoint: id, channel, end, records: saved } = fact else {
            continue;
        };
        let spec = &graph.channels[channel.index()];
        let owner = match end {
            ChannelEnd::Input => spec.to,
            ChannelEnd::Output => spec.from,
        };
        if (owner, *id) == (task, checkpoint) {
            records.extend(saved.iter().map(|in_flight| in_flight.record));
        }
    }
    records
}

/// Why a source's barrier overtakes, if it does.
pub(super) fn source_snapshot(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> Option<(String, Rule)> {
    let names = why.names;
    let overtaken = overtaken(why, task, checkpoint);
    if overtaken.is_empty() {
        return None;
    }
    let barrier = names.kind_of_barrier(AlignmentType::Unaligned, checkpoint);
    let list = names.records(&overtaken);
    let (who, copies) = (names.task(task), copies(&overtaken));
    let text = why.say(
        || {
            format!(
                "{barrier} overtakes {list} in the output buffer; the stored offset says that \
                 {who} has read them, so the snapshot keeps {copies}, or they would be lost in a \
                 recovery"
            )
        },
        || {
            format!(
                "{barrier}在输出缓冲里越过{list}；存下的偏移量表示{who}已读过它们，所以快照要另存副本，\
                 否则恢复时就丢了"
            )
        },
    );
    Some((text, Rule::UnalignedOvertake))
}

fn copies(records: &[Record]) -> &'static str {
    if records.len() == 1 { "a copy" } else { "copies" }
}

/// The barrier upon which a task takes its snapshot, if it does so without
/// waiting for others: where it came from, and how many are needed.
fn trigger(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> Option<(ChannelIndex, u32)> {
    why.step.facts.iter().find_map(|fact| match fact {
        Fact::BarrierReceived {
            task: own,
            channel,
            number,
            checkpoint: id,
            n_received,
            n_needed,
        } if (*own, *id) == (task, checkpoint) => {
            let barrier = barrier_at(why, *channel, *number);
            let queue = &why.before.channels[channel.index()];
            let moved_up =
                queue.queue.iter().take(queue.queue_priority).any(|m| m.number == *number);
            let overtakes = barrier.is_some_and(|barrier| barrier.options.is_unaligned());
            (overtakes || moved_up || n_received < n_needed).then_some((*channel, *n_needed))
        }
        _ => None,
    })
}

/// Why a task takes its snapshot at the first barrier, if it does.
pub(super) fn snapshot(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> Option<(String, Rule)> {
    let names = why.names;
    let (channel, n_needed) = trigger(why, task, checkpoint)?;
    let (who, which) = (names.task(task), names.checkpoint(checkpoint));
    let overtaken = overtaken(why, task, checkpoint);
    let (list, copies) = (names.records(&overtaken), copies(&overtaken));
    let barrier = names.kind_of_barrier(AlignmentType::Unaligned, checkpoint);
    let prepares =
        why.step.facts.iter().any(|fact| matches!(fact, Fact::TransactionPrepared { .. }));
    let missing = names.missing_barriers(why.after, task, checkpoint);
    let text = if prepares {
        why.say(
            || {
                format!(
                    "the transaction holds what {who} has written so far; what was still in flight \
                     before {barrier} goes into the next one, and {which} keeps a copy of it"
                )
            },
            || {
                format!(
                    "事务里是{who}至今写出的记录；{barrier}之前仍在途的写入下一个事务，{which}存有它们的副本"
                )
            },
        )
    } else if n_needed > 1 && !missing.is_empty() {
        let own = names.barrier_of(channel, checkpoint);
        let senders: Vec<SubtaskIndex> = missing
            .iter()
            .map(|channel| names.scenario.graph.channels[channel.index()].from)
            .collect();
        let senders = names.of_tasks(&senders);
        why.say(
            || {
                format!(
                    "{own} is the first to come, and an unaligned checkpoint waits for no other: \
                     {who} takes its snapshot now, and what is still in flight before {senders} \
                     barrier goes into {which} as channel state"
                )
            },
            || {
                format!(
                    "{own}最先到达，非对齐检查点不等其他屏障：{who}立即做快照；{senders}屏障之前仍在途的\
                     记录作为通道状态存入{which}"
                )
            },
        )
    } else if overtaken.is_empty() {
        why.say(
            || {
                format!(
                    "{barrier} had nothing to overtake at {who}: the snapshot holds its state and \
                     no channel state"
                )
            },
            || format!("{barrier}在{who}处没有可越过的记录：快照只有状态，没有通道状态"),
        )
    } else {
        let them = if overtaken.len() == 1 { "it" } else { "them" };
        why.say(
            || {
                format!(
                    "{barrier} overtook {list}: {who} takes its snapshot without waiting for \
                     {them}, and the snapshot keeps {copies} as channel state"
                )
            },
            || {
                format!(
                    "{barrier}越过了{list}：{who}不等它们，立即做快照，并把副本作为通道状态存下"
                )
            },
        )
    };
    Some((text, Rule::UnalignedOvertake))
}

/// Why a barrier changes little at a task that has taken its snapshot, or is
/// waited for longer than others, if so.
pub(super) fn barrier(why: &Why<'_>, fact: &Fact) -> Option<(String, Rule)> {
    let Fact::BarrierReceived { task, channel, number, checkpoint, n_received, n_needed } = fact
    else {
        return None;
    };
    let names = why.names;
    let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
    if *n_needed == 0 {
        let text = why.say(
            || format!("{which} is over at {who}, so its barrier means nothing any more"),
            || format!("{which}在{who}处已经了结，它的屏障不再有意义"),
        );
        return Some((text, Rule::AlignSnapshot));
    }
    let last = n_received == n_needed;
    let own = names.barrier_of(*channel, *checkpoint);
    let missing = names.missing_barriers(why.after, *task, *checkpoint);
    if stands(why, *task, *checkpoint) {
        if last {
            let text = why.say(
                || {
                    format!(
                        "the last barrier has come, so no more record can belong to {which}: the \
                         channel state that {who} stores for it is complete"
                    )
                },
                || {
                    format!(
                        "最后一个屏障已到，不会再有记录属于{which}：{who}为它存的通道状态完整了"
                    )
                },
            );
            return Some((text, Rule::UnalignedOvertake));
        }
        let whose = whose_barriers(why, &missing, *checkpoint);
        let text = why.say(
            || {
                format!(
                    "{who} took its snapshot at the first barrier; nothing that follows {own} \
                     belongs to {which}, but {whose} not come yet"
                )
            },
            || {
                format!(
                    "{who}在第一个屏障到达时就做了快照；{own}之后的都不属于{which}，但{whose}还没到"
                )
            },
        );
        return Some((text, Rule::UnalignedOvertake));
    }
    let barrier = barrier_at(why, *channel, *number)?;
    if last {
        return None;
    }
    let whose = whose_barriers(why, &missing, *checkpoint);
    let text = match (barrier.options.alignment, barrier.options.timeout()) {
        (AlignmentType::ForcedAligned, _) => {
            let (edge, cause) = (names.kind_of_edge(*channel), forced(why, *channel));
            why.say(
                || {
                    format!(
                        "barriers stay aligned on {edge}, {cause}; {whose} not come yet, so what \
                         follows on this channel has to wait"
                    )
                },
                || {
                    format!(
                        "{edge}上的屏障保持对齐，{cause}；{whose}还没到，这条通道后面的记录要等"
                    )
                },
            )
        }
        (_, Some(timeout)) => {
            let left = Micros((barrier.triggered_at.0 + timeout.0).saturating_sub(why.step.at.0));
            why.say(
                || {
                    format!(
                        "{whose} not come yet: what follows on this channel belongs to the next \
                         checkpoint and has to wait; if this takes {left} more, {which} becomes \
                         unaligned"
                    )
                },
                || {
                    format!(
                        "{whose}还没到：这条通道后面的记录属于下一个检查点，要等；再过 {left}还没到，\
                         {which}就转为非对齐"
                    )
                },
            )
        }
        _ => return None,
    };
    Some((text, Rule::AlignHoldBack))
}

/// Why an edge carries no unaligned barriers.
pub(super) fn forced(why: &Why<'_>, channel: ChannelIndex) -> &'static str {
    let graph = &why.names.scenario.graph;
    let edge = &graph.job.edges[graph.channels[channel.index()].edge.index()];
    if edge.partitioner.supports_unaligned() {
        return why.names.pick(
            "since another edge to the same operator cannot carry unaligned ones",
            "因为通往同一算子的另一条边不能传非对齐屏障",
        );
    }
    why.names.pick(
        "since its records in flight could not be dealt out anew in a job of another parallelism",
        "因为并行度改变后，它的在途记录无法重新分配",
    )
}
