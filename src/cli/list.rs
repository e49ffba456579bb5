//! `checkdam list`: the built-in scenarios, and the rules that one can break.

use unicode_width::UnicodeWidthStr;

use super::output::Output;
use super::problem::Problem;
use crate::load;
use crate::model::{Language, Mutation};

/// The built-in scenarios, one a line, name first.
pub(super) fn scenarios(language: Language, output: Output) -> Result<(), Problem> {
    let lines: Vec<(&str, String)> = load::builtin()
        .iter()
        .map(|own| {
            let loaded = load::scenario(own.name, own.text.as_bytes());
            let loaded = loaded.expect("the built-in scenarios are tested to be right");
            (own.name, loaded.scenario.title.of(language).to_owned())
        })
        .collect();
    Ok(output.print(&columns(&lines))?)
}

/// The mutations, one a line, name first.
pub(super) fn mutations(language: Language, output: Output) -> Result<(), Problem> {
    let lines: Vec<(&str, String)> = Mutation::ALL
        .iter()
        .map(|mutation| {
            let (en, zh) = match mutation {
                Mutation::ProcessAfterFirstBarrier => (
                    "an input is not held back after its barrier: records are counted twice",
                    "屏障之后的输入不扣住：有的记录会被计算两次",
                ),
                Mutation::SnapshotAtFirstBarrier => (
                    "the state is stored at the first barrier: records are lost",
                    "第一个屏障一到就存状态：有的记录会丢失",
                ),
            };
            let text = match language {
                Language::En => en,
                Language::Zh => zh,
            };
            (mutation.name(), text.to_owned())
        })
        .collect();
    Ok(output.print(&columns(&lines))?)
}

fn columns(lines: &[(&str, String)]) -> String {
    let widest = lines.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    lines.iter().map(|(name, text)| format!("{name:widest$}  {text}\n")).collect()
}
