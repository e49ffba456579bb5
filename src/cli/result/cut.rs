//! Cuts that are not consistent: which record, where, and how.

use super::text::{Page, WIDTH, span};
use crate::model::Language;
use crate::render::text::{Paint, wrap};
use crate::verify::{ChannelFinding, Finding, Flaw, Outcome, Verdict};

/// Findings that are shown; the rest is counted.
const SHOWN_MAX: usize = 5;

impl Page<'_> {
    /// What is wrong with the cuts of completed checkpoints, if anything is.
    pub(super) fn cut(&mut self, verdict: &Verdict) {
        if verdict.cut.outcome() != Outcome::Violated {
            return;
        }
        let (n_findings, n_cuts) = (verdict.cut.n_findings, verdict.cut.n_cuts);
        let text = match self.names.language {
            Language::En => {
                format!("cut not consistent        {n_findings} of {n_cuts} channel cuts are wrong")
            }
            Language::Zh => {
                format!("切面不一致                {n_findings} 处不对，共检查 {n_cuts} 个通道切面")
            }
        };
        self.lines.push(vec![span("✗ ", Paint::Blocked), span(text, Paint::Plain)]);
        for finding in verdict.cut.findings.iter().take(SHOWN_MAX) {
            let text = match (finding, self.names.language) {
                (Finding::Channel(finding), Language::En) => self.channel_en(finding),
                (Finding::Channel(finding), Language::Zh) => self.channel_zh(finding),
                _ => finding.to_string(),
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
        match finding.flaw {
            Flaw::Orphan => format!(
                "{checkpoint}: {record} is in what {receiver} stored, and {sender} sent it after \
                 storing"
            ),
            Flaw::Lost => format!(
                "{checkpoint}: {sender} sent {record} before storing, and it is not in what \
                 {receiver} stored"
            ),
            Flaw::Duplicate => {
                format!("{checkpoint}: {record} is in what {receiver} stored more than once")
            }
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
        match finding.flaw {
            Flaw::Orphan => {
                format!(
                    "{checkpoint}：{receiver}存下的状态里有{record}，而{sender}存完之后才发出它"
                )
            }
            Flaw::Lost => {
                format!(
                    "{checkpoint}：{sender}存之前就发出了{record}，{receiver}存下的状态里却没有它"
                )
            }
            Flaw::Duplicate => format!("{checkpoint}：{receiver}存下的状态里{record}不止一次"),
            Flaw::Reordered => format!("{checkpoint}：{receiver}收到{record}晚于比它后发的记录"),
        }
    }
}
