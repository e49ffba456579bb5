//! What a sweep says in words.

use unicode_width::UnicodeWidthStr as _;

use super::super::words::pick;
use crate::lab::sweep::{Measured, Recipe, Young, recipes};
use crate::load;
use crate::model::Language;
use crate::render::duration;

/// The built-in sweeps, one a line, name first.
pub(super) fn built_in(language: Language) -> String {
    let line = |recipe: &Recipe| {
        let loaded = load::scenario(recipe.name, recipe.text.as_bytes());
        let loaded = loaded.expect("the built-in sweeps are tested to be right");
        (recipe.name, loaded.scenario.title.of(language).to_owned())
    };
    let lines: Vec<(&str, String)> = recipes().iter().map(line).collect();
    let widest = lines.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    lines.iter().map(|(name, text)| format!("{name:widest$}  {text}\n")).collect()
}

/// What is measured, as a heading.
pub(super) fn heading(measured: Measured, language: Language) -> &'static str {
    let (en, zh) = match measured {
        Measured::Duration => ("checkpoint duration", "检查点用时"),
        Measured::Alignment => ("alignment", "对齐用时"),
        Measured::Persisted => ("in-flight data stored", "存储的在途数据"),
        Measured::Latency => ("latency, mean", "平均延迟"),
        Measured::Throughput => ("throughput", "吞吐量"),
        Measured::Time => ("time of the job", "作业用时"),
        Measured::Cost => ("time against none", "相对用时"),
    };
    pick(language, en, zh)
}

/// The same for a chart, where there is room.
pub(super) fn long_heading(measured: Measured, language: Language) -> String {
    let (en, zh) = match measured {
        Measured::Cost => (
            "Time of the job against a run without checkpoints and failures",
            "作业用时与没有检查点、没有故障时之比",
        ),
        Measured::Persisted => {
            ("In-flight data stored with a checkpoint", "随检查点存储的在途数据")
        }
        Measured::Latency => {
            ("Mean latency of a record from its first read", "记录自首次读取起的平均延迟")
        }
        _ => {
            let text = heading(measured, language);
            let mut signs = text.chars();
            let first = signs.next().map(char::to_uppercase);
            return first.into_iter().flatten().chain(signs).collect();
        }
    };
    pick(language, en, zh).to_owned()
}

/// The best interval, in a sentence.
pub(super) fn young(young: &Young, language: Language) -> String {
    let short = |micros: f64| duration(micros.round() as u64);
    let (blocked, mean) = (short(young.blocked), short(young.mean_time_between));
    let best = short(young.interval);
    let simulated = young.simulated.map(short);
    match (language, simulated) {
        (Language::En, Some(own)) => format!(
            "A checkpoint costs the job {blocked}, and it fails every {mean}: Young's best interval \
             is {best}; the curve through the simulated points is lowest at {own}."
        ),
        (Language::En, None) => format!(
            "A checkpoint costs the job {blocked}, and it fails every {mean}: Young's best interval \
             is {best}; the simulated points have no lowest place."
        ),
        (Language::Zh, Some(own)) => format!(
            "一次检查点让作业多花 {blocked}，平均每 {mean} 故障一次：Young 的最佳间隔是 {best}；\
             过模拟各点的曲线在 {own} 处最低。"
        ),
        (Language::Zh, None) => format!(
            "一次检查点让作业多花 {blocked}，平均每 {mean} 故障一次：Young 的最佳间隔是 {best}；\
             模拟各点没有最低处。"
        ),
    }
}
