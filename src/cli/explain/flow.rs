//! Mistakes in the flow of records: delivery, processing, alignment.

use super::Explainer;
use crate::verify::Wrong;

impl Explainer<'_> {
    pub(super) fn about_the_flow(&self, wrong: &Wrong, since: u64) -> Option<String> {
        let text = match wrong {
            Wrong::NotThere { channel, number } => {
                let channel = self.channel(*channel);
                self.pick(
                    format!("element {number} leaves a place of {channel} where it is not"),
                    format!("{channel} 的元素 {number} 离开了它并不在的地方"),
                )
            }
            Wrong::OutOfTurn { channel, number, first } => {
                let channel = self.channel(*channel);
                self.pick(
                    format!("on {channel} element {number} overtakes element {first}"),
                    format!("{channel} 上元素 {number} 越过了元素 {first}"),
                )
            }
            Wrong::AnotherThanSent { channel, number } => {
                let channel = self.channel(*channel);
                self.pick(
                    format!("what is taken as element {number} of {channel} is not what was sent"),
                    format!("作为 {channel} 的元素 {number} 取出的，不是所发出的"),
                )
            }
            Wrong::Misnumbered { channel, number, next } => {
                let channel = self.channel(*channel);
                self.pick(
                    format!("an element of {channel} has the number {number} instead of {next}"),
                    format!("{channel} 的一个元素编号为 {number}，应为 {next}"),
                )
            }
            Wrong::NotInHand { channel, number } => {
                let channel = self.channel(*channel);
                self.pick(
                    format!(
                        "element {number} of {channel} has its effect and was not taken before"
                    ),
                    format!("{channel} 的元素 {number} 没有取到手就生效"),
                )
            }
            Wrong::OvertakesWhereNone { channel, checkpoint } => {
                let (channel, barrier) = (self.channel(*channel), self.names.barrier(*checkpoint));
                self.pick(
                    format!(
                        "{barrier} may overtake on {channel}, and this edge cannot carry an \
                         unaligned barrier"
                    ),
                    format!("{barrier}在 {channel} 上可以越过记录，而这条边不支持非对齐屏障"),
                )
            }
            Wrong::NotItsChannel { task, channel } => {
                let (task, channel) = (self.task(*task), self.channel(*channel));
                self.pick(
                    format!("{task} takes something from {channel}, which does not lead to it"),
                    format!("{task}从并不通向它的 {channel} 取东西"),
                )
            }
            Wrong::ReadAfterEnd { task, record } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!("{task} reads {record}, and has been at its end since step {since}"),
                    format!("{task}读了{record}，而它自第 {since} 步起已到数据结尾"),
                )
            }
            Wrong::ComesAfterEnd { channel, record } => {
                let channel = self.channel(*channel);
                let record = match record {
                    Some(record) => self.record(record),
                    None => self.pick("a record".to_owned(), "一条记录".to_owned()),
                };
                self.pick(
                    format!("{record} comes on {channel}, whose data ended in step {since}"),
                    format!("{record}从 {channel} 到来，而该通道的数据已在第 {since} 步结束"),
                )
            }
            Wrong::EndsAgain { task } => {
                let task = self.task(*task);
                self.pick(
                    format!("{task} ends its data again, and had ended it in step {since}"),
                    format!("{task}在第 {since} 步已经结束数据，又结束了一次"),
                )
            }
            Wrong::StoredInMidRecord { task, checkpoint, record, channel } => {
                let (task, record) = (self.task(*task), self.record(record));
                let (checkpoint, channel) = (self.checkpoint(*checkpoint), self.channel(*channel));
                self.pick(
                    format!(
                        "half a record: {task} stores its state for {checkpoint} when {record} has \
                         its effect there, and sends the result to {channel} only then"
                    ),
                    format!(
                        "半条记录：{task}为{checkpoint}存状态时，{record}已经生效，结果却还没有发往 {channel}"
                    ),
                )
            }
            Wrong::ResultMissing { task, record, channel } => {
                let (task, record) = (self.task(*task), self.record(record));
                let channel = self.channel(*channel);
                self.pick(
                    format!(
                        "half a record: {record} has its effect at {task}, and its result is not \
                         sent to {channel} in the same step"
                    ),
                    format!("半条记录：{record}已在{task}生效，其结果却没有在同一步发往 {channel}"),
                )
            }
            Wrong::ResultUnasked { task, record, channel } => {
                let (task, record) = (self.task(*task), self.record(record));
                let channel = self.channel(*channel);
                self.pick(
                    format!(
                        "{task} sends {record} to {channel}, and nothing in this step makes it \
                         send that"
                    ),
                    format!("{task}向 {channel} 发出{record}，而这一步里没有什么会得出它"),
                )
            }
            Wrong::StateWrong { task, record } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!(
                        "the state of {task} after {record} is not what the operator makes of it"
                    ),
                    format!("{record}之后{task}的状态，不是该算子应得出的"),
                )
            }
            Wrong::ReadOutOfOrder { task, record, next } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!("{task} reads {record}, and record {next} of the split comes next"),
                    format!("{task}读了{record}，而该分片的下一条应是第 {next} 条"),
                )
            }
            Wrong::ProcessedBehindBarrier { task, channel, record, checkpoint, awaited } => {
                let (task, channel) = (self.task(*task), self.channel(*channel));
                let record = match record {
                    Some(record) => self.record(record),
                    None => self.pick("a record".to_owned(), "一条记录".to_owned()),
                };
                let barrier = self.names.barrier(*checkpoint);
                let awaited = self.channel(*awaited);
                self.pick(
                    format!(
                        "{task} takes {record} from {channel}, behind {barrier}, which came in \
                         step {since}; on {awaited} it has not come, and the snapshot is not taken"
                    ),
                    format!(
                        "{task}从 {channel} 取了{record}，它在第 {since} 步到的{barrier}之后；而 \
                         {awaited} 的屏障还没到，快照还没存"
                    ),
                )
            }
            Wrong::BlockedWrong { channel } => {
                let channel = self.channel(*channel);
                self.pick(
                    format!(
                        "{channel} is blocked without its barrier, or freed without being blocked"
                    ),
                    format!("{channel} 没有屏障就被扣住，或没有扣住就被放开"),
                )
            }
            _ => return None,
        };
        Some(text)
    }
}
