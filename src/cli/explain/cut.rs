//! Cuts that are not consistent, and what was in flight and is not put back:
//! which record, where, and how.

use super::Explainer;
use crate::model::{ChannelEnd, Language};
use crate::verify::{ChannelFinding, Finding, Flaw, Part, RestoreFinding, SourceFinding};

impl Explainer<'_> {
    /// A finding about the cut of a checkpoint, without its step.
    pub(in crate::cli) fn about_a_cut(&self, finding: &Finding) -> String {
        match (finding, self.names.language) {
            (Finding::Channel(finding), Language::En) => self.channel_en(finding),
            (Finding::Channel(finding), Language::Zh) => self.channel_zh(finding),
            (Finding::Restore(finding), Language::En) => self.restore_en(finding),
            (Finding::Restore(finding), Language::Zh) => self.restore_zh(finding),
            (Finding::Source(finding), _) => self.source(finding),
            (Finding::NotStored { checkpoint, task, .. }, _) => {
                let (which, task) = (self.names.checkpoint(*checkpoint), self.names.task(task.id));
                self.pick(
                    format!("{which} is complete, and {task} stored nothing for it"),
                    format!("{which}完成了，而{task}没有为它存任何东西"),
                )
            }
        }
    }

    fn source(&self, finding: &SourceFinding) -> String {
        let (which, source) =
            (self.names.checkpoint(finding.checkpoint), self.names.task(finding.source.id));
        let (split, first, last) =
            (self.names.split(finding.split.id), finding.first, finding.last);
        let records = match first == last {
            true => self.pick(format!("record {first}"), format!("第 {first} 条")),
            false => {
                self.pick(format!("records {first} to {last}"), format!("第 {first} 至 {last} 条"))
            }
        };
        match finding.flaw {
            Flaw::Lost => self.pick(
                format!("{which}: the offset that {source} stores covers {records} of {split}, not sent yet"),
                format!("{which}：{source}存下的偏移量包含了{split}尚未发出的{records}"),
            ),
            Flaw::Orphan | Flaw::Duplicate | Flaw::Reordered => self.pick(
                format!("{which}: {source} had sent {records} of {split}, which its stored offset does not cover"),
                format!("{which}：{source}已发出{split}的{records}，存下的偏移量却没有包含"),
            ),
        }
    }

    fn channel_en(&self, finding: &ChannelFinding) -> String {
        let record = self.record(&finding.record.id);
        let checkpoint = self.names.checkpoint(finding.checkpoint);
        let sender = self.names.task(finding.sender.id);
        let receiver = self.names.task(finding.receiver.id);
        let in_flight = matches!(finding.part, Some(Part::InFlight(_)));
        let unaligned = self.names.scenario.config.unaligned;
        match finding.flaw {
            Flaw::Orphan if in_flight => format!(
                "{checkpoint}: {record} is stored in flight to {receiver}, and {sender} sent it \
                 after storing"
            ),
            Flaw::Orphan => format!(
                "{checkpoint}: {record} is in what {receiver} stored, and {sender} sent it after \
                 storing"
            ),
            Flaw::Lost if unaligned => format!(
                "{checkpoint}: {sender} sent {record} before storing, and it is neither in what \
                 {receiver} stored nor stored in flight"
            ),
            Flaw::Lost => format!(
                "{checkpoint}: {sender} sent {record} before storing, and it is not in what \
                 {receiver} stored"
            ),
            Flaw::Duplicate if in_flight => format!(
                "{checkpoint}: {record} is stored in flight to {receiver}, and is in the snapshot \
                 more than once"
            ),
            Flaw::Duplicate => {
                format!("{checkpoint}: {record} is in what {receiver} stored more than once")
            }
            Flaw::Reordered if in_flight => format!(
                "{checkpoint}: {record} is stored in flight to {receiver} behind what {sender} \
                 sent later"
            ),
            Flaw::Reordered => {
                format!("{checkpoint}: {receiver} got {record} after what was sent later")
            }
        }
    }

    fn channel_zh(&self, finding: &ChannelFinding) -> String {
        let record = self.record(&finding.record.id);
        let checkpoint = self.names.checkpoint(finding.checkpoint);
        let sender = self.names.task(finding.sender.id);
        let receiver = self.names.task(finding.receiver.id);
        let in_flight = matches!(finding.part, Some(Part::InFlight(_)));
        let unaligned = self.names.scenario.config.unaligned;
        match finding.flaw {
            Flaw::Orphan if in_flight => format!(
                "{checkpoint}：存下的在途数据里有发往{receiver}的{record}，而{sender}存完之后才发出它"
            ),
            Flaw::Orphan => {
                format!(
                    "{checkpoint}：{receiver}存下的状态里有{record}，而{sender}存完之后才发出它"
                )
            }
            Flaw::Lost if unaligned => format!(
                "{checkpoint}：{sender}存之前就发出了{record}，{receiver}存下的状态和存下的在途数据里\
                 都没有它"
            ),
            Flaw::Lost => {
                format!(
                    "{checkpoint}：{sender}存之前就发出了{record}，{receiver}存下的状态里却没有它"
                )
            }
            Flaw::Duplicate if in_flight => format!(
                "{checkpoint}：存下的在途数据里有发往{receiver}的{record}，它在快照里不止一次"
            ),
            Flaw::Duplicate => format!("{checkpoint}：{receiver}存下的状态里{record}不止一次"),
            Flaw::Reordered if in_flight => format!(
                "{checkpoint}：存下的在途数据里，发往{receiver}的{record}排在{sender}后发的记录之后"
            ),
            Flaw::Reordered => format!("{checkpoint}：{receiver}收到{record}晚于比它后发的记录"),
        }
    }

    fn restore_en(&self, finding: &RestoreFinding) -> String {
        let record = self.record(&finding.record.id);
        let checkpoint = self.names.checkpoint(finding.checkpoint);
        let channel = self.names.channel(finding.channel.id);
        let end = match finding.end {
            ChannelEnd::Input => "receiving",
            ChannelEnd::Output => "sending",
        };
        let what = match finding.flaw {
            Flaw::Orphan => "is put back, and was not stored there",
            Flaw::Lost => "was stored, and is not put back there",
            Flaw::Duplicate => "is put back more often than it was stored there",
            Flaw::Reordered => "is put back behind what was stored after it",
        };
        format!(
            "restart from {checkpoint}: {record} {what}, in flight at the {end} end of {channel}"
        )
    }

    fn restore_zh(&self, finding: &RestoreFinding) -> String {
        let record = self.record(&finding.record.id);
        let checkpoint = self.names.checkpoint(finding.checkpoint);
        let channel = self.names.channel(finding.channel.id);
        let end = match finding.end {
            ChannelEnd::Input => "接收端",
            ChannelEnd::Output => "发送端",
        };
        let what = match finding.flaw {
            Flaw::Orphan => "放回了，却没有存过",
            Flaw::Lost => "存下了，却没有放回",
            Flaw::Duplicate => "放回的次数比存下的多",
            Flaw::Reordered => "放回到了后存的记录之后",
        };
        format!("从{checkpoint}重启：{channel} {end}的在途记录{record}{what}")
    }
}
