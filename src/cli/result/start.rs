//! What a run has started from, and the savepoints that it has written.

use super::text::Page;
use crate::model::Language;

impl Page<'_> {
    /// The savepoint that the job has started from, if it has started from one.
    pub(super) fn start(&mut self) {
        let Some(start) = &self.result.scenario.start else { return };
        let (which, job) = (self.names.checkpoint(start.savepoint.id), &start.savepoint.job);
        let text = match self.names.language {
            Language::En => format!("{which} of {job}"),
            Language::Zh => format!("{job} 的{which}"),
        };
        self.labelled(self.pick("started from", "启动自"), &self.names.tidy(&text));
        if !start.skipped.is_empty() {
            let list = start.skipped.join(", ");
            let text = match self.names.language {
                Language::En => format!("state that nobody takes: {list}"),
                Language::Zh => format!("没有谁取走的状态：{list}"),
            };
            self.labelled("", &text);
        }
        self.blank();
    }

    /// The files that savepoints have been written to.
    pub(super) fn written(&mut self) {
        let mut label = self.pick("written", "写出");
        for file in &self.result.savepoints {
            self.labelled(label, &file.display().to_string());
            label = "";
        }
    }
}
