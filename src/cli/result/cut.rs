//! Cuts that are not consistent, and what was in flight and is not put back:
//! which record, where, and how.

use super::text::{Page, WIDTH, padded, span};
use crate::model::{CheckpointingMode, Language};
use crate::render::text::{Paint, wrap};
use crate::verify::{Finding, Outcome, Verdict};

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
        let explainer = self.explainer();
        for finding in verdict.cut.findings.iter().take(SHOWN_MAX) {
            let text = explainer.about_a_cut(finding);
            for line in wrap(&self.names.tidy(&text), WIDTH - 28) {
                self.lines.push(vec![span(format!("{}{line}", " ".repeat(28)), Paint::Plain)]);
            }
        }
    }
}
