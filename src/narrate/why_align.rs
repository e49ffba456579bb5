//! Why barriers, blocked channels and snapshots are as they are.

use super::why::{Why, record_of};
use super::{why_at_least_once, why_unaligned};
use crate::model::{ChannelIndex, CheckpointId, Mutation, Record, SubtaskIndex};
use crate::trace::{Fact, Rule};

/// The checkpoint for which a channel is held back, and the inputs of its task
/// whose barriers are missing.
pub(super) fn held_by(
    why: &Why<'_>,
    channel: ChannelIndex,
) -> Option<(CheckpointId, Vec<ChannelIndex>)> {
    let checkpoint = why.after.channels[channel.index()].blocked?;
    let task = why.names.scenario.graph.channels[channel.index()].to;
    Some((checkpoint, why.names.missing_barriers(why.after, task, checkpoint)))
}

/// "yellow’s barrier 2 has" or "the barriers 2 of yellow and red have", in
/// Chinese without the verb.
pub(super) fn whose_barriers(
    why: &Why<'_>,
    missing: &[ChannelIndex],
    checkpoint: CheckpointId,
) -> String {
    let names = why.names;
    let senders: Vec<SubtaskIndex> =
        missing.iter().map(|channel| names.scenario.graph.channels[channel.index()].from).collect();
    match missing {
        [] => why.say(
            || format!("another {} has", names.barrier(checkpoint)),
            || format!("另一个{}", names.barrier(checkpoint)),
        ),
        [only] => why.say(
            || format!("{} has", names.barrier_of(*only, checkpoint)),
            || names.barrier_of(*only, checkpoint),
        ),
        _ => why.say(
            || format!("{} of {} have", names.barrier(checkpoint), names.shorts(&senders)),
            || format!("{}的{}", names.tasks(&senders), names.barrier(checkpoint)),
        ),
    }
}

/// Why a record is not processed although it is there.
pub(super) fn hold_back(
    why: &Why<'_>,
    what: &str,
    channel: ChannelIndex,
    checkpoint: CheckpointId,
    missing: &[ChannelIndex],
) -> (String, Rule) {
    let own = why.names.barrier_of(channel, checkpoint);
    let missing = whose_barriers(why, missing, checkpoint);
    let text = why.say(
        || {
            format!(
                "{what} came after {own}, and {missing} not come yet: it is held back, for \
            counted now it would be in the snapshot and be read again after a recovery: counted \
            twice"
            )
        },
        || {
            format!(
                "{what}在{own}之后到达，而{missing}还没到：先扣住；现在就算进去，它会进入快\
            照，恢复后又被重读，重复计算"
            )
        },
    );
    (text, Rule::AlignHoldBack)
}

/// Why a record is processed, where barriers have to do with it; else nothing.
pub(super) fn processed(
    why: &Why<'_>,
    task: SubtaskIndex,
    (channel, number): (ChannelIndex, u64),
    record: &Record,
) -> Option<(String, Rule)> {
    if why_at_least_once::applies(why) {
        return why_at_least_once::processed(why, task, channel, record);
    }
    if let Some(told) = why_unaligned::processed(why, task, (channel, number), record) {
        return Some(told);
    }
    let names = why.names;
    let what = names.record(record);
    if let Some(aligning) = why.before.tasks[task.index()].aligning {
        let checkpoint = aligning.checkpoint;
        let missing = names.missing_barriers(why.before, task, checkpoint);
        let own = names.barrier_of(channel, checkpoint);
        if !missing.contains(&channel) {
            return out_of_turn(why, &what, &own, (checkpoint, &missing));
        }
        let held = held_beside(why, task);
        let text = match held {
            Some((held, behind)) => why.say(
                || {
                    format!(
                        "{own} has not come yet, so {what} belongs to {}; {held} came after \
                    {behind} and is held back: counted now, it would count twice after a \
                    recovery",
                        names.checkpoint(checkpoint)
                    )
                },
                || {
                    format!(
                        "{own}还没到，所以{what}属于{}；{held}在{behind}之后到达，先扣住：现\
                    在就算进去，恢复后会被重复计算",
                        names.checkpoint(checkpoint)
                    )
                },
            ),
            None => why.say(
                || {
                    format!(
                        "{own} has not come yet, so {what} belongs to {} and is processed; \
                    only the blocked inputs wait",
                        names.checkpoint(checkpoint)
                    )
                },
                || {
                    format!(
                        "{own}还没到，所以{what}属于{}，照常处理；只有被阻塞的输入在等",
                        names.checkpoint(checkpoint)
                    )
                },
            ),
        };
        return Some((text, Rule::AlignHoldBack));
    }
    let checkpoint = why.memory.held_back(channel, number)?;
    let barrier = names.barrier(checkpoint);
    let text = why.say(
        || {
            format!(
                "{what} was held back at {barrier}; the snapshot is taken, and what waited \
            longest comes first"
            )
        },
        || format!("{what}曾在{barrier}处被扣住；快照已完成，等得最久的先处理"),
    );
    Some((text, Rule::AlignRelease))
}

/// A record processed after its barrier although others are missing: the
/// scenario breaks a rule on purpose.
fn out_of_turn(
    why: &Why<'_>,
    what: &str,
    own: &str,
    (checkpoint, missing): (CheckpointId, &[ChannelIndex]),
) -> Option<(String, Rule)> {
    let names = why.names;
    if names.scenario.breaks(Mutation::ProcessAfterFirstBarrier) {
        let missing = whose_barriers(why, missing, checkpoint);
        let text = why.say(
            || {
                format!(
                    "the scenario breaks this rule: {what} came after {own} and should wait, \
                since {missing} not come; now it gets into the snapshot, and a recovery will \
                count it twice"
                )
            },
            || {
                format!(
                    "本场景故意违反此规则：{what}在{own}之后到达，而{missing}还没到，本该扣\
                住；现在它进了快照，恢复后会计入两次"
                )
            },
        );
        return Some((text, Rule::AlignHoldBack));
    }
    None
}

/// A record that a blocked input of a task holds back, and the barrier that
/// it stands behind.
fn held_beside(why: &Why<'_>, task: SubtaskIndex) -> Option<(String, String)> {
    let names = why.names;
    names.scenario.graph.subtasks[task.index()].inputs.iter().find_map(|input| {
        let places = &why.before.channels[input.index()];
        let checkpoint = places.blocked?;
        let mut behind = places.buffer.iter();
        let record = behind.find_map(|message| record_of(&message.element))?;
        Some((names.record(&record), names.barrier_of(*input, checkpoint)))
    })
}

/// Why a barrier that is not the last one blocks its channel, and what the
/// last one does.
pub(super) fn barrier(why: &Why<'_>, fact: &Fact) -> (String, Rule) {
    if let Some(told) = why_unaligned::barrier(why, fact) {
        return told;
    }
    let names = why.names;
    match fact {
        Fact::BarrierReceived { task, channel, checkpoint, n_received, n_needed, .. }
            if n_received < n_needed && why_at_least_once::applies(why) =>
        {
            why_at_least_once::barrier(why, (*task, *channel), *checkpoint)
        }
        Fact::BarrierReceived { task, channel, checkpoint, n_received, n_needed, .. }
            if n_received < n_needed =>
        {
            let missing = names.missing_barriers(why.after, *task, *checkpoint);
            let whose = whose_barriers(why, &missing, *checkpoint);
            let which = names.checkpoint(*checkpoint);
            let text = if names.scenario.breaks(Mutation::ProcessAfterFirstBarrier) {
                why.say(
                    || {
                        format!(
                            "the scenario breaks this rule: {whose} not come yet, and all \
                        the same the channel stays open"
                        )
                    },
                    || format!("本场景故意违反此规则：{whose}还没到，通道却没有被阻塞"),
                )
            } else if names.scenario.breaks(Mutation::SnapshotAtFirstBarrier) {
                why.say(
                    || {
                        format!(
                            "the scenario breaks a rule: the state was stored at the first \
                        barrier, so {} changes nothing any more",
                            names.barrier_of(*channel, *checkpoint)
                        )
                    },
                    || {
                        format!(
                            "本场景故意违反规则：第一个屏障到达时状态就已存下，{}不再起作用",
                            names.barrier_of(*channel, *checkpoint)
                        )
                    },
                )
            } else {
                why.say(
                    || {
                        format!(
                            "{whose} not come yet: what follows on this channel belongs to \
                        the next checkpoint, so it has to wait until {which} has the state"
                        )
                    },
                    || {
                        format!(
                            "{whose}还没到：这条通道后面的记录属于下一个检查点，要等{which}\
                        存下状态"
                        )
                    },
                )
            };
            (text, Rule::AlignHoldBack)
        }
        Fact::BarrierReceived { task, checkpoint, .. } => {
            let (who, barrier) = (names.task(*task), names.barrier(*checkpoint));
            let text = why.say(
                || {
                    format!(
                        "{who} has {barrier} from every input, and its part of the \
                    checkpoint is stored already"
                    )
                },
                || format!("{who}已从所有输入收到{barrier}，它的那部分检查点早已存下"),
            );
            (text, Rule::AlignSnapshot)
        }
        Fact::Resumed { .. } => {
            let text = names.pick(
                "the snapshot is taken, so the blocked inputs are free again, what waited first",
                "快照已完成，被阻塞的输入恢复接收，先等的先处理",
            );
            (text.to_owned(), Rule::AlignRelease)
        }
        _ => {
            let text = names.pick(
                "after a barrier on one input nothing more of it is processed until the barrier \
                    has come on all inputs",
                "某个输入的屏障到达后，要等所有输入的屏障都到齐，才继续处理它后面的记录",
            );
            (text.to_owned(), Rule::AlignHoldBack)
        }
    }
}
