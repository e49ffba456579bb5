//! What to do about a misuse, where it can be told from the run and its verdict.

use crate::model::{FaultKind, Language, Scenario};
use crate::verify::{Outcome, Property, Verdict};

/// What to do; none where nobody has misused anything, or nothing came of it.
pub(super) fn remedy(
    scenario: &Scenario,
    verdict: &Verdict,
    language: Language,
) -> Option<&'static str> {
    let is_disposed = |kind: &FaultKind| matches!(kind, FaultKind::Dispose { .. });
    let deletes = scenario.faults.iter().any(|fault| is_disposed(&fault.kind));
    let misses = verdict.property(Property::Completeness).outcome == Outcome::Violated;
    let repeats = verdict.output.outcome == Outcome::Violated && verdict.output.n_too_often > 0;
    let text = if deletes && misses {
        [
            "leave a checkpoint’s files to the job that writes them \
             (state.checkpoints.num-retained: how many it keeps), and take a savepoint, which \
             stands alone, for what people keep and delete",
            "检查点的文件交给写它的作业管理（state.checkpoints.num-retained 决定保留几个）；\
             要由人来保管和删除的，用保存点，它不依赖别的文件",
        ]
    } else if scenario.start.is_some() && repeats {
        [
            "start from the newest savepoint or retained checkpoint; whatever the sinks have \
             published since an older one comes again, and only sinks that overwrite by key can \
             bear that",
            "从最新的保存点或保留的检查点启动；比它旧的，此后汇已发布的都会再来一遍，\
             只有按键覆盖的汇经得起",
        ]
    } else {
        return None;
    };
    Some(super::words::pick(language, text[0], text[1]))
}
