//! Cuts that are not consistent, and what was in flight and is not put back:
//! which record, where, and how.

use super::text::{Page, WIDTH, padded, span};
use crate::model::{ChannelEnd, CheckpointingMode, Language};
use crate::render::text::{Paint, wrap};
use crate::verify::{ChannelFinding, Finding, Flaw, Outcome, Part, RestoreFinding, Verdict};

/// Findings that are shown; the rest is counted.
const SHOWN_MAX: usize = 5;

impl Page<'_> {
    /// What is wrong with the cuts of completed checkpoints, if anything is.
    pub(super) fn cut(&mut self, verdict: &Verdict) {
        let cut = &verdict.cut;
        if cut.outcome() != Outcome::Violated {
            return;
        }
        let is_restore = |finding: &Finding| matches!(finding, Finding::Restore(_));
        let only_orphans = cut.n_findings == cut.n_orphans;
        let allowed = verdict.mode == CheckpointingMode::AtLeastOnce && only_orphans;
        let (n_findings, n_wrong, n_cuts) = (cut.n_findings, cut.n_wrong_cuts, cut.n_cuts);
        let (label, text) = match self.names.language {
            Language::En if cut.findings.iter().all(is_restore) => {
                ("not restored as stored", format!("{n_findings} differences"))
            }
            Language::En if allowed => (
                "cut not consistent",
                format!("{n_wrong} of {n_cuts} channel cuts have orphans, which this mode allows"),
            ),
            Language::En if n_wrong == 0 => {
                ("cut not consistent", format!("{n_findings} differences"))
            }
            Language::En => {
                ("cut not consistent", format!("{n_wrong} of {n_cuts} channel cuts are wrong"))
            }
            Language::Zh if cut.findings.iter().all(is_restore) => {
                ("恢复与快照不符", format!("{n_findings} 处不同"))
            }
            Language::Zh if allowed => {
                ("切面不一致", format!("{n_cuts} 个通道切面中 {n_wrong} 个有孤儿记录，此模式允许"))
            }
            Language::Zh => {
                ("切面不一致", format!("{n_findings} 处不对，共检查 {n_cuts} 个通道切面"))
            }
        };
        self.lines.push(vec![
            if allowed { span("! ", Paint::Dim) } else { span("✗ ", Paint::Blocked) },
            span(format!("{}{text}", padded(label, 26)), Paint::Plain),
        ]);
        for finding in verdict.cut.findings.iter().take(SHOWN_MAX) {
            let text = match (finding, self.names.language) {
                (Finding::Channel(finding), Language::En) => self.channel_en(finding),
                (Finding::Channel(finding), Language::Zh) => self.channel_zh(finding),
                (Finding::Restore(finding), Language::En) => self.restore_en(finding),
                (Finding::Restore(finding), Language::Zh) => self.restore_zh(finding),
                (Finding::Source(_) | Finding::NotStored { .. }, _) => finding.to_string(),
            };
            for line in wrap(&self.names.tidy(&text), WIDTH - 28) {
                self.lines.push(vec![span(format!("{}{line}", " ".repeat(28)), Paint::Plain)]);
            }
        }
    }

    fn channel_en(&self, finding: &ChannelFinding) -> String {
        let record = self.cause(&finding.record.id);
        let checkpoint = self.names.checkpoint(finding.checkpoint);
        let sender = self.names.task(finding.sender.id);
        let receiver = self.names.task(finding.receiver.id);
        let in_flight = matches!(finding.part, Some(Part::InFlight(_)));
        let unaligned = self.result.scenario.config.unaligned;
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
        let record = self.cause(&finding.record.id);
        let checkpoint = self.names.checkpoint(finding.checkpoint);
        let sender = self.names.task(finding.sender.id);
        let receiver = self.names.task(finding.receiver.id);
        let in_flight = matches!(finding.part, Some(Part::InFlight(_)));
        let unaligned = self.result.scenario.config.unaligned;
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
        let record = self.cause(&finding.record.id);
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
        let record = self.cause(&finding.record.id);
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
