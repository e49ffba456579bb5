//! What has changed besides barriers that wait for each other: barriers that
//! overtake, records in flight that are stored, checkpoints that are given up.

use super::changed::Teller;
use crate::model::{ChannelEnd, ChannelIndex, CheckpointId, Record, StreamElement};
use crate::trace::Fact;

impl Teller<'_> {
    /// Checkpoints that became unaligned, and what led there.
    pub(super) fn turns(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for fact in &self.digest.turns {
            clauses.push(match fact {
                Fact::Announced { task, channel, checkpoint, .. } => {
                    let (who, what) = (names.task(*task), names.barrier_of(*channel, *checkpoint));
                    self.say(
                        || format!("{who} knows that {what} waits in its queue"),
                        || format!("{who}得知{what}已在队列中"),
                    )
                }
                Fact::AlignmentTimerDue { task, checkpoint } => {
                    let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                    self.say(
                        || format!("the time for an aligned {which} is over at {who}"),
                        || format!("{who}处{which}的对齐时限已到"),
                    )
                }
                Fact::AlignmentTimedOut { task, checkpoint } => {
                    let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                    self.say(
                        || format!("{which} became unaligned at {who}"),
                        || format!("{which}在{who}处转为非对齐"),
                    )
                }
                Fact::Prioritized { channel, .. } => {
                    let channel = names.channel(*channel);
                    self.say(
                        || format!("the barrier on {channel} moved to the front of the queue"),
                        || format!("{channel}上的屏障移到接收队列最前"),
                    )
                }
                Fact::OutputTimedOut { channel, .. } => {
                    let channel = names.channel(*channel);
                    self.say(
                        || {
                            format!(
                                "the barrier in the output buffer of {channel} became unaligned"
                            )
                        },
                        || format!("{channel}输出缓冲里的屏障转为非对齐"),
                    )
                }
                _ => continue,
            });
        }
    }

    /// Checkpoints given up, parts of snapshots that are stored.
    pub(super) fn parts(&self, clauses: &mut Vec<String>) {
        for fact in &self.digest.parts {
            clauses.extend(self.part(fact));
        }
    }

    fn part(&self, fact: &Fact) -> Option<String> {
        let names = self.names;
        let (task, checkpoint) = match fact {
            Fact::CancelMarkerReceived { task, checkpoint, .. }
            | Fact::Declined { task, checkpoint, .. }
            | Fact::FinishedTaskIncluded { task, checkpoint, .. }
            | Fact::SyncEnded { task, checkpoint }
            | Fact::SnapshotStored { task, checkpoint, .. }
            | Fact::AbortNotified { task, checkpoint }
            | Fact::DeclineReceived { task, checkpoint, .. } => (*task, *checkpoint),
            Fact::ChannelStateReceived { task, channel, .. } => {
                let (who, channel) = (names.task(*task), names.channel(*channel));
                return Some(self.say(
                    || format!("{who} has got back everything that was in flight on {channel}"),
                    || format!("{who}已取回{channel}上的全部在途数据"),
                ));
            }
            _ => return None,
        };
        let (who, which) = (names.task(task), names.checkpoint(checkpoint));
        let (en, zh) = match fact {
            Fact::CancelMarkerReceived { .. } => (
                format!("{who} got the cancellation of {which}"),
                format!("{who}收到{which}的取消标记"),
            ),
            Fact::Declined { .. } => {
                (format!("{who} gave up {which}"), format!("{who}放弃{which}"))
            }
            Fact::FinishedTaskIncluded { .. } => (
                format!("{who}, which has finished, counts as having acknowledged"),
                format!("已结束的{who}视为已确认"),
            ),
            Fact::SyncEnded { .. } => (
                format!("{who} has copied its state for {which} and goes on"),
                format!("{who}已为{which}复制好状态，继续工作"),
            ),
            Fact::SnapshotStored { .. } => (
                format!("{who}’s part of {which} is stored"),
                format!("{who}在{which}中的部分已存好"),
            ),
            Fact::AbortNotified { .. } => (
                format!("{who} learned that {which} was given up"),
                format!("{who}得知{which}已被放弃"),
            ),
            _ => (
                format!("the JobManager learned that {who} gave up {which}"),
                format!("JobManager 得知{who}放弃了{which}"),
            ),
        };
        Some(self.say(|| en, || zh))
    }

    /// Records in flight that became part of a snapshot, or came back from one.
    pub(super) fn in_flight(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for (checkpoint, channel, end, records) in self.saved() {
            let (list, which) = (names.records(&records), names.checkpoint(checkpoint));
            let channel = names.channel(channel);
            let copies = if records.len() == 1 { "a copy" } else { "copies" };
            clauses.push(match end {
                ChannelEnd::Input => self.say(
                    || format!("{which} keeps {copies} of {list}, in flight on {channel}"),
                    || format!("{which}保存了{channel}上在途的{list}的副本"),
                ),
                ChannelEnd::Output => self.say(
                    || format!("{which} keeps {copies} of {list}, in the buffer of {channel}"),
                    || format!("{which}保存了{channel}输出缓冲里{list}的副本"),
                ),
            });
        }
        for fact in &self.digest.in_flight {
            let Fact::ChannelStateRestored { channel, input, output } = fact else { continue };
            let records: Vec<Record> = input.iter().chain(output).copied().collect();
            if records.is_empty() {
                continue;
            }
            let (list, channel) = (names.records(&records), names.channel(*channel));
            clauses.push(self.say(
                || format!("{list} put back on {channel}"),
                || format!("{list}放回{channel}"),
            ));
        }
    }

    /// What the facts of a scene have stored, by checkpoint and place.
    fn saved(&self) -> Vec<(CheckpointId, ChannelIndex, ChannelEnd, Vec<Record>)> {
        let mut saved: Vec<(CheckpointId, ChannelIndex, ChannelEnd, Vec<Record>)> = Vec::new();
        for fact in &self.digest.in_flight {
            let Fact::ChannelStateSaved { checkpoint, channel, end, records } = fact else {
                continue;
            };
            let records = records.iter().map(|in_flight| in_flight.record);
            let same = saved
                .iter_mut()
                .find(|(id, place, side, _)| (id, place, side) == (checkpoint, channel, end));
            match same {
                Some((.., list)) => list.extend(records),
                None => saved.push((*checkpoint, *channel, *end, records.collect())),
            }
        }
        saved
    }

    /// Cancellation markers and ends of channels that were sent on.
    pub(super) fn markers(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        let mut cancelled: Vec<CheckpointId> = Vec::new();
        for element in &self.digest.markers {
            if let StreamElement::CancelMarker(checkpoint) = element
                && !cancelled.contains(checkpoint)
            {
                cancelled.push(*checkpoint);
            }
        }
        for checkpoint in cancelled {
            let which = names.checkpoint(checkpoint);
            clauses.push(self.say(
                || format!("the cancellation of {which} went on downstream"),
                || format!("{which}的取消标记发往下游"),
            ));
        }
        for (task, channel) in &self.digest.partitions_ended {
            let (who, channel) = (names.task(*task), names.channel(*channel));
            clauses.push(self.say(
                || format!("{who} has got the end of {channel}"),
                || format!("{who}的输入通道 {channel} 已关闭"),
            ));
        }
    }
}
