//! What a source's box says of a split: what has been read, what comes next.

use super::canvas::{cut, width};
use super::paint::{Paint, mark};
use super::plan::SPLITS_MAX;
use super::task::{Line, Task};
use crate::model::Language;

impl Task<'_> {
    /// What has been read of a split, a bar, and what comes next.
    pub(super) fn tape(&self, mut line: Line<'_>, position: usize) {
        let graph = &self.names.scenario.graph;
        let splits = &graph.subtasks[self.task.index()].splits;
        let Some(&split) = splits.get(position) else { return };
        if position + 1 == SPLITS_MAX && splits.len() > SPLITS_MAX {
            let rest = splits.len() - position;
            let text = match self.names.language {
                Language::En => format!("+ {rest} splits"),
                Language::Zh => format!("另有 {rest} 个分片"),
            };
            return line.put(&text, Paint::Dim);
        }
        if splits.len() > 1 {
            let label = format!("{} {} ", mark(split.0), cut(self.names.split(split), 8));
            line.put(&label, Paint::Split(split.0));
        }
        let values = &graph.split(split).values;
        let offset = self.view().offsets[position];
        let text = |offset: u32| values.value(offset, split.0, self.seed).to_string();
        // The window holds the bar: some that were read, some that come next.
        let room = line.room().saturating_sub(3);
        let (mut first, mut last, mut used) = (offset + 1, offset, 1);
        loop {
            let more = last < values.len();
            let longer = if more { 1 + width(&text(last + 1)) } else { 0 };
            let earlier = if first > 1 { 1 + width(&text(first - 1)) } else { 0 };
            let n_next = last - offset;
            let n_read = offset + 1 - first;
            if more && (n_next <= n_read || first == 1) && used + longer <= room {
                (last, used) = (last + 1, used + longer);
            } else if first > 1 && used + earlier <= room {
                (first, used) = (first - 1, used + earlier);
            } else if more && used + longer <= room {
                (last, used) = (last + 1, used + longer);
            } else {
                break;
            }
        }
        if first > 1 {
            line.put("…", Paint::Dim);
        }
        for (place, offset) in (first..=offset).enumerate() {
            if place > 0 {
                line.put(" ", Paint::Plain);
            }
            line.put(&text(offset), Paint::Split(split.0));
        }
        line.put("│", Paint::Bold);
        for (place, offset) in (offset + 1..=last).enumerate() {
            if place > 0 {
                line.put(" ", Paint::Plain);
            }
            line.put(&text(offset), Paint::Dim);
        }
        if last < values.len() {
            line.put("…", Paint::Dim);
        }
    }
}
