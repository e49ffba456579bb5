//! What has changed besides barriers that wait for each other: barriers that
//! overtake, records in flight that are stored, checkpoints that are given up.

use super::changed::Teller;
use crate::model::{ChannelEnd, ChannelIndex, CheckpointId, Record, StreamElement};
use crate::trace::Fact;

impl Teller<'_> {
    pub(super) fn overtaking(&self, clauses: &mut Vec<String>) {
        for fact in &self.digest.overtaking {
            clauses.extend(self.overtaken(fact));
        }
        self.in_flight(clauses);
    }

    fn overtaken(&self, fact: &Fact) -> Option<String> {
        let names = self.names;
        match fact {
            Fact::Announced { task, channel, checkpoint, .. } => {
                let (who, what) = (names.task(*task), names.barrier_of(*channel, *checkpoint));
                Some(self.say(
                    || format!("{who} knows that {what} waits in its queue"),
                    || format!("{who}得知{what}已在队列中"),
                ))
            }
            Fact::AlignmentTimerDue { task, checkpoint } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("the time for an aligned {which} is over at {who}"),
                    || format!("{who}处{which}的对齐时间到了"),
                ))
            }
            Fact::AlignmentTimedOut { task, checkpoint } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("{which} became unaligned at {who}"),
                    || format!("{which}在{who}处转为非对齐"),
                ))
            }
            Fact::Prioritized { channel, .. } | Fact::OutputTimedOut { channel, .. } => {
                let channel = names.channel(*channel);
                Some(self.say(
                    || format!("the barrier on {channel} moved to the front"),
                    || format!("{channel} 上的屏障移到队首"),
                ))
            }
            Fact::CancelMarkerReceived { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("{who} got the cancellation of {which}"),
                    || format!("{who}收到{which}的取消标记"),
                ))
            }
            Fact::Declined { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(|| format!("{who} gave up {which}"), || format!("{who}放弃{which}")))
            }
            Fact::FinishedTaskIncluded { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("{who}, which has finished, counts for {which} already"),
                    || format!("已结束的{who}直接计入{which}"),
                ))
            }
            Fact::SyncEnded { task, checkpoint } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("{who} has copied its state for {which} and goes on"),
                    || format!("{who}已为{which}复制好状态，继续工作"),
                ))
            }
            Fact::SnapshotStored { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("{who}’s part of {which} is stored"),
                    || format!("{who}在{which}中的部分已存好"),
                ))
            }
            Fact::ChannelStateReceived { task, channel, .. } => {
                let (who, channel) = (names.task(*task), names.channel(*channel));
                Some(self.say(
                    || format!("{who} has everything that was in flight on {channel}"),
                    || format!("{who}已取回{channel} 上全部在途数据"),
                ))
            }
            Fact::AbortNotified { task, checkpoint } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("{who} learned that {which} was given up"),
                    || format!("{who}得知{which}已被放弃"),
                ))
            }
            Fact::DeclineReceived { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                Some(self.say(
                    || format!("the JobManager learned that {who} gave up {which}"),
                    || format!("JobManager 得知{who}放弃了{which}"),
                ))
            }
            _ => None,
        }
    }

    /// Records in flight that became part of a snapshot, or came back from one.
    fn in_flight(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for (checkpoint, channel, end, records) in self.saved() {
            let (list, which) = (names.records(&records), names.checkpoint(checkpoint));
            let place = self.place(channel, end);
            clauses.push(self.say(
                || format!("{list} {place} stored in {which}"),
                || format!("{place}的{list}存入{which}"),
            ));
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

    fn place(&self, channel: ChannelIndex, end: ChannelEnd) -> String {
        let channel = self.names.channel(channel);
        match end {
            ChannelEnd::Input => {
                self.say(|| format!("in flight on {channel}"), || format!("{channel} 上在途"))
            }
            ChannelEnd::Output => self.say(
                || format!("in the output buffer of {channel}"),
                || format!("{channel} 输出缓冲里"),
            ),
        }
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
                || format!("{channel} has ended for {who}"),
                || format!("{who}的输入通道 {channel} 已关闭"),
            ));
        }
    }
}
