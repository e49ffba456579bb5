//! The sentences below the picture, wrapped as both languages want it.

use std::borrow::Cow;

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use super::canvas::width;
use super::paint::{Paint, Span};
use crate::narrate::{Names, Scene, Story, tell};

/// "changed", "why" and, at the end of a damaged run, a note.
pub(super) fn lines(
    scene: &Scene<'_>,
    story: &Story,
    names: Names<'_>,
    columns: usize,
) -> Vec<Vec<Span>> {
    let narration = tell(scene, names.language);
    let tag = narration.rule.map_or_else(String::new, |rule| format!("[{}]", rule.name()));
    let mut lines = Vec::new();
    let changed = names.pick("changed:", "变化：");
    let why = names.pick("why:", "原因：");
    entry(&mut lines, (changed, Paint::Changed), (&narration.changed, ""), columns);
    entry(&mut lines, (why, Paint::Bold), (&narration.why, &tag), columns);
    if let Some(note) = end_note(scene, story, names) {
        entry(&mut lines, (names.pick("note:", "注意："), Paint::Blocked), (&note, ""), columns);
    }
    lines
}

/// At the last step of a run that is not whole: what is wrong with its trace.
pub(in crate::render) fn end_note(
    scene: &Scene<'_>,
    story: &Story,
    names: Names<'_>,
) -> Option<String> {
    if scene.after.step != story.n_steps() {
        return None;
    }
    match (&story.damage, story.trace.complete) {
        (Some(what), _) => Some(match names.language {
            crate::model::Language::En => format!("the trace is damaged: {what}"),
            crate::model::Language::Zh => format!("轨迹文件已损坏：{what}"),
        }),
        (None, false) => {
            let cut = "the trace was cut here: its end is missing";
            Some(names.pick(cut, "轨迹到此中断，缺少结尾").to_owned())
        }
        (None, true) => None,
    }
}

/// A label, and a text that hangs beside it, with a tag at its end.
fn entry(
    lines: &mut Vec<Vec<Span>>,
    (label, paint): (&str, Paint),
    (text, tag): (&str, &str),
    columns: usize,
) {
    let indent = if label.is_ascii() { 11 } else { 9 };
    let span = |text: &str, paint| Span { text: text.to_owned(), paint };
    let whole =
        if tag.is_empty() { Cow::from(text) } else { Cow::from(format!("{text} {}", tie(tag))) };
    for (place, line) in wrap(&whole, columns - indent).into_iter().enumerate() {
        let mut spans = if place == 0 {
            let gap = indent - 1 - width(label);
            vec![span(" ", Paint::Plain), span(label, paint), span(&" ".repeat(gap), Paint::Plain)]
        } else {
            vec![span(&" ".repeat(indent), Paint::Plain)]
        };
        match line.strip_suffix(tag).filter(|_| !tag.is_empty()) {
            Some("") => spans.push(span(tag, Paint::Dim)),
            Some(rest) => spans.extend([span(rest, Paint::Plain), span(tag, Paint::Dim)]),
            None => spans.push(span(&line, Paint::Plain)),
        }
        lines.push(spans);
    }
}

/// Keeps a tag on one line: its hyphens are no places to break.
fn tie(text: &str) -> String {
    text.replace('-', "\u{2011}")
}

/// A text in lines of at most so many columns. No line begins with a Chinese
/// comma or stop and none ends with an opening bracket; no-break spaces and
/// no-break hyphens hold, and come out as ordinary ones.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let options = Options::new(columns)
        .word_separator(WordSeparator::UnicodeBreakProperties)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    // "汇(奇)" is one name; Unicode would allow a break before its bracket.
    let mut joined = String::with_capacity(text.len());
    let mut before = ' ';
    for sign in text.chars() {
        if sign == '(' && before != ' ' {
            joined.push('\u{2060}');
        }
        joined.push(sign);
        before = sign;
    }
    let lines = textwrap::wrap(&joined, options);
    lines
        .into_iter()
        .map(|line| {
            line.trim_end().replace('\u{a0}', " ").replace('\u{2011}', "-").replace('\u{2060}', "")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_lines_begin_and_end_where_they_may() {
        let text = "黄源的屏障\u{a0}2 还没到，所以黄\u{a0}4 属于检查点\u{a0}2；蓝\u{a0}4 在蓝源\
            的屏障之后到达（先扣住）：现在就算进去，恢复后会被重复计算。";
        for columns in 10..90 {
            for line in wrap(text, columns) {
                assert!(width(&line) <= columns, "{columns}: {line}");
                assert!(!line.starts_with(['，', '。', '：', '；', '）']), "{columns}: {line}");
                assert!(!line.ends_with('（'), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn a_name_keeps_its_bracket() {
        for columns in 12..30 {
            for line in wrap("屏障\u{a0}2 发往汇(偶)、汇(奇)和偶数和，然后确认", columns)
            {
                assert!(!line.starts_with('('), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn what_is_tied_is_not_parted() {
        let text = format!("because barrier\u{a0}2 {}", tie("[align.hold-back]"));
        assert_eq!(wrap(&text, 18), ["because barrier 2", "[align.hold-back]"]);
        assert_eq!(wrap(&text, 17), ["because barrier 2", "[align.hold-back]"]);
        assert_eq!(wrap("because barrier\u{a0}2", 16), ["because", "barrier 2"]);
    }
}
