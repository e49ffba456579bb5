//! Why a checkpoint becomes unaligned, why records in flight are stored and
//! come back, and what storing a snapshot takes.

use super::why::Why;
use crate::model::{
    ChannelEnd, ChannelIndex, CheckpointId, InFlight, Micros, Record, SubtaskIndex,
};
use crate::trace::Fact;

/// The reason for a fact of these, if it is one.
pub(super) fn reason(why: &Why<'_>, fact: &Fact) -> Option<String> {
    let names = why.names;
    let text = match fact {
        Fact::Announced { task, checkpoint, .. } => announced(why, *task, *checkpoint),
        Fact::AlignmentTimerDue { task, .. } => {
            let who = names.task(*task);
            why.say(
                || format!("{who} is busy; it turns to the timer before it takes the next record"),
                || format!("{who}正忙；取下一条记录之前会先处理定时器"),
            )
        }
        Fact::AlignmentTimedOut { task, checkpoint } => timed_out(why, *task, *checkpoint),
        Fact::Prioritized { channel, .. } => {
            let who = names.task(names.scenario.graph.channels[channel.index()].to);
            why.say(
                || {
                    format!(
                        "the checkpoint is unaligned at {who} now, so its barrier overtakes the \
                         records that wait in front of it"
                    )
                },
                || format!("检查点在{who}处已转为非对齐，它的屏障越过排在前面的记录"),
            )
        }
        Fact::OutputTimedOut { channel, .. } => {
            let age = match names.scenario.config.aligned_timeout {
                Micros::ZERO => String::new(),
                timeout => format!(" {timeout}"),
            };
            let to = names.task(names.scenario.graph.channels[channel.index()].to);
            why.say(
                || {
                    format!(
                        "the barrier has not left for {to} within aligned-checkpoint-timeout{age}: \
                         it becomes unaligned and overtakes what waits before it"
                    )
                },
                || {
                    format!(
                        "屏障在 aligned-checkpoint-timeout{age}之内没能发往{to}：它转为非对齐，越过前面\
                         等待的记录"
                    )
                },
            )
        }
        Fact::ChannelStateSaved { checkpoint, channel, end, records } => {
            saved(why, (*channel, *end), *checkpoint, records)
        }
        Fact::FinishedTaskIncluded { task, .. } => {
            let who = names.task(*task);
            why.say(
                || {
                    format!(
                        "{who} has finished and takes no snapshot any more; nothing of it can \
                         change, so its last state stands in the checkpoint"
                    )
                },
                || format!("{who}已结束，不再做快照；它的状态不会再变，检查点直接采用它最后的状态"),
            )
        }
        Fact::SyncEnded { task, .. } => {
            let who = names.task(*task);
            if names.scenario.graph.spec(*task).store.is_none() {
                why.say(
                    || format!("only the synchronous part of a snapshot stops {who}"),
                    || format!("只有快照的同步部分会让{who}停下"),
                )
            } else {
                why.say(
                    || {
                        format!(
                            "only the synchronous part of a snapshot stops {who}; the copy is \
                             stored while it works on"
                        )
                    },
                    || format!("只有快照的同步部分会让{who}停下；副本在它继续工作时异步存储"),
                )
            }
        }
        Fact::SnapshotStored { metrics, .. } if metrics.unaligned => names
            .pick(
                "its state and its channel state are in the storage, and nothing more can join \
                 them: it may acknowledge",
                "它的状态和通道状态都已进入存储，不会再增加：可以确认了",
            )
            .to_owned(),
        Fact::SnapshotStored { .. } => names
            .pick(
                "all of its part is in the storage: it may acknowledge",
                "它的部分已全部进入存储：可以确认了",
            )
            .to_owned(),
        Fact::ChannelStateRestored { .. } => names
            .pick(
                "what the snapshot held in flight comes first, in its old order, before anything \
                 new",
                "快照里的在途数据排在最前，次序不变，先于一切新数据",
            )
            .to_owned(),
        Fact::ChannelStateReceived { channel, .. } => {
            let from = names.task(names.scenario.graph.channels[channel.index()].from);
            why.say(
                || {
                    format!(
                        "{from} goes on only when every channel has delivered what the snapshot \
                         held, so that new records cannot overtake old ones"
                    )
                },
                || {
                    format!(
                        "{from}要等所有通道都送完快照里的在途数据才继续发送，新记录才不会抢在旧记录前面"
                    )
                },
            )
        }
        Fact::PartitionEnded { channel, .. } => {
            let from = names.task(names.scenario.graph.channels[channel.index()].from);
            why.say(
                || {
                    format!(
                        "{from} has finished: no record and no barrier can come from there any more"
                    )
                },
                || format!("{from}已结束：那边不会再来记录，也不会再来屏障"),
            )
        }
        _ => return None,
    };
    Some(text)
}

fn announced(why: &Why<'_>, task: SubtaskIndex, checkpoint: CheckpointId) -> String {
    let (who, which) = (why.names.task(task), why.names.checkpoint(checkpoint));
    let timeout = why.names.scenario.config.aligned_timeout;
    why.say(
        || {
            format!(
                "the barrier keeps its place behind the records, but {who} is told at once that it \
                 is there: should {which} grow older than {timeout}, it may overtake them"
            )
        },
        || {
            format!(
                "屏障仍排在记录后面，但一到队列就通知{who}：若{which}的年龄超过 {timeout}，它可以越过这\
                 些记录"
            )
        },
    )
}

fn timed_out(why: &Why<'_>, task: SubtaskIndex, checkpoint: CheckpointId) -> String {
    let names = why.names;
    let (who, which) = (names.task(task), names.checkpoint(checkpoint));
    let timeout = names.scenario.config.aligned_timeout;
    let view = why.after.checkpoints.iter().find(|view| view.id == checkpoint);
    let age = view.map_or(timeout, |view| Micros(why.step.at.0 - view.triggered_at.0));
    let snapshot = why.step.facts.iter().any(|fact| {
        matches!(fact, Fact::SnapshotTaken { task: own, checkpoint: id, .. }
            if (*own, *id) == (task, checkpoint))
    });
    if snapshot {
        why.say(
            || {
                format!(
                    "{which} is {age} old and its aligned-checkpoint-timeout is {timeout}: {who} \
                     waits no longer and takes its snapshot now, with a copy of what is in flight"
                )
            },
            || {
                format!(
                    "{which}已过 {age}，aligned-checkpoint-timeout 是 {timeout}：{who}不再等待，立即做\
                     快照，并保存在途数据的副本"
                )
            },
        )
    } else {
        why.say(
            || {
                format!(
                    "{which} is {age} old and its aligned-checkpoint-timeout is {timeout}: from \
                     now on its barriers overtake, and the first one makes {who} take its snapshot"
                )
            },
            || {
                format!(
                    "{which}已过 {age}，aligned-checkpoint-timeout 是 {timeout}：从现在起它的屏障可以越\
                     过记录，第一个屏障一到，{who}就做快照"
                )
            },
        )
    }
}

/// Why records in flight become part of a snapshot.
fn saved(
    why: &Why<'_>,
    (channel, end): (ChannelIndex, ChannelEnd),
    checkpoint: CheckpointId,
    records: &[InFlight],
) -> String {
    let names = why.names;
    let graph = &names.scenario.graph;
    let records: Vec<Record> = records.iter().map(|in_flight| in_flight.record).collect();
    let (list, which) = (names.records(&records), names.checkpoint(checkpoint));
    let own = names.barrier_of(channel, checkpoint);
    let from = names.task(graph.channels[channel.index()].from);
    let to = names.task(graph.channels[channel.index()].to);
    match end {
        ChannelEnd::Input => {
            let (one, zh) = if records.len() == 1 {
                (("belongs", "it goes"), "它")
            } else {
                (("belong", "they go"), "它们")
            };
            why.say(
                || {
                    format!(
                        "{own} has not come yet, so {list} {} to {which}, but {to} has taken its \
                         snapshot already: the snapshot keeps a copy, and {} on as if nothing had \
                         happened",
                        one.0, one.1
                    )
                },
                || {
                    format!(
                        "{own}还没到，所以{list}属于{which}，但{to}已做过快照：快照里另存副本，{zh}照常处\
                         理，就像什么都没发生"
                    )
                },
            )
        }
        ChannelEnd::Output => why.say(
            || {
                format!(
                    "the barrier overtakes {list} here, which {from} has sent as far as its own \
                     state knows: the snapshot keeps a copy, or nobody would send it again"
                )
            },
            || {
                format!(
                    "屏障在这里越过{list}，而按{from}的状态它已经发出：快照必须另存副本，否则没有人会再发它"
                )
            },
        ),
    }
}
