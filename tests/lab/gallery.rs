//! The gallery: for each rule that can be broken the smallest story that shows
//! it, and what the judge says; and what fails how in which mode. The books'
//! pages are made of this, and tested to be current.

#![expect(clippy::disallowed_methods, reason = "these tests are about the project's own files")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use checkdam::lab::random::{self, Aim, Mode};
use checkdam::lab::{CAUGHT_BY, run};
use checkdam::model::{Language, Mutation, Scenario};
use checkdam::verify::Outcome;
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn file(mutation: Mutation) -> PathBuf {
    root().join("gallery").join(format!("{}.json", mutation.name()))
}

fn text(mutation: Mutation) -> String {
    let file = file(mutation);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A story by the name of its mistake.
pub(crate) fn gallery_story(name: &str) -> Scenario {
    scenario(Mutation::of_name(name).expect("there is such a mistake"))
}

fn scenario(mutation: Mutation) -> Scenario {
    match Scenario::parse(mutation.name(), &text(mutation)) {
        Ok(scenario) => scenario,
        Err(problems) => panic!("{} is not valid: {problems:?}", mutation.name()),
    }
}

#[test]
fn every_rule_that_can_be_broken_has_a_story_that_is_right_without_it() {
    for row in CAUGHT_BY {
        let (mutation, properties) = (row.0, row.1);
        let scenario = scenario(mutation);
        assert_eq!(scenario.broken, [mutation]);
        let broken = run(scenario.clone());
        let breaks = properties.iter().any(|property| broken.breaks(*property));
        assert!(breaks, "{}: {:?}", mutation.name(), broken.broken());
        let right = run(Scenario { broken: Vec::new(), ..scenario });
        let answer = right.verdict.answer();
        assert_ne!(answer, Outcome::Violated, "{}: {:?}", mutation.name(), right.broken());
    }
}

/// A story that takes a page is none.
#[test]
fn every_story_is_small() {
    for mutation in Mutation::ALL {
        let scenario = scenario(mutation);
        let n_operators = scenario.graph.job.operators.len();
        assert!(n_operators <= 5, "{}: {n_operators} operators", mutation.name());
        assert!(scenario.faults.len() <= 2, "{}: {:?}", mutation.name(), scenario.faults);
        let n_lines = text(mutation).lines().count();
        assert!(n_lines <= 40, "{}: {n_lines} lines", mutation.name());
    }
}

#[test]
fn the_pages_of_the_books_are_current() {
    let counts = counts();
    for (language, folder) in [(Language::En, "en"), (Language::Zh, "zh")] {
        let path = root().join(format!("book/{folder}/src/gallery.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        let (head, rest) = page.split_once(BEGIN).expect("it says where the stories begin");
        let (_, tail) = rest.split_once(END).expect("and where they end");
        let current = format!("{head}{BEGIN}{}{END}{tail}", stories(&counts, language));
        if page != current {
            let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gallery-{folder}.md"));
            std::fs::write(&made, &current).expect("a file of the test's own");
            panic!("{} is not current; {} is", path.display(), made.display());
        }
    }
}

/// What stands between is made of the stories; the rest of a page is written
/// by hand.
const BEGIN: &str = "<!-- stories -->\n";
const END: &str = "\n<!-- /stories -->\n";

fn stories(counts: &[Counted], language: Language) -> String {
    let mut page = String::new();
    for mutation in Mutation::ALL {
        let document: Value = serde_json::from_str(&text(mutation)).expect("it is JSON");
        let title = &document["title"][tag(language)];
        let title = title.as_str().expect("it has a title in both languages");
        // The story itself, without what the heading says already.
        let mut story = document.clone();
        story.as_object_mut().expect("it is one").remove("title");
        let story = checkdam::lab::written(&story);
        let name = mutation.name();
        write!(page, "\n## `{name}`\n\n{}\n\n```json\n{story}```\n", sentence(title, language))
            .expect("a string");
        for line in explanation(mutation, language) {
            write!(page, "\n{line}\n").expect("a string");
        }
    }
    page.push_str(pick(language, BETWEEN));
    page.push_str(&table(counts, language));
    page
}

/// With a capital letter at its beginning and a stop at its end.
fn sentence(title: &str, language: Language) -> String {
    let mut signs = title.chars();
    let first: String = signs.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = pick(language, [".", "。"]);
    format!("{first}{}{stop}", signs.as_str())
}

fn tag(language: Language) -> &'static str {
    pick(language, ["en", "zh"])
}

fn pick(language: Language, [en, zh]: [&'static str; 2]) -> &'static str {
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}

/// What the judge says of each promise that is broken.
fn explanation(mutation: Mutation, language: Language) -> Vec<String> {
    const SHOWN_MAX: usize = 2;
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.arg("verify").arg(file(mutation)).args(["--format", "json"]);
    let output = command.env_clear().env("LANG", "C.UTF-8").output().expect("the program starts");
    let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let properties = json["properties"].as_array().expect("a list").iter();
    let broken =
        properties.filter(|own| own["outcome"] == "violated" && own["promised"] == json!(true));
    let lines = broken.map(|own| {
        let sentence = own["sentence"][tag(language)].as_str().expect("a sentence");
        let mut line = format!("✗ **{sentence}**");
        let findings = own["findings"].as_array().expect("a list");
        for finding in findings.iter().take(SHOWN_MAX) {
            let finding = finding[tag(language)].as_str().expect("a sentence");
            write!(line, "  \n{finding}").expect("a string");
        }
        if findings.len() > SHOWN_MAX {
            let n = findings.len() - SHOWN_MAX;
            match language {
                Language::En => write!(line, "  \n… and {n} more"),
                Language::Zh => write!(line, "  \n……还有 {n} 处"),
            }
            .expect("a string");
        }
        line
    });
    lines.collect()
}

const BETWEEN: [&str; 2] = [
    "
## What fails how, in which mode

Nobody makes a mistake here. Twelve random jobs for each place, each with one crash, aimed; in how many of them a record counts twice in the state, or a result is published twice. Nothing is ever lost. Before a crash in a recovery comes another one, when checkpoint 1 is complete. A crash that is aimed at a checkpoint that is never taken does not happen.

",
    "
## 哪种模式，怎样失败

这里谁也没有犯错。每一格十二个随机作业，各有一次瞄准的崩溃；数一数有多少个作业里，有记录在状态里计了两次，或有结果发布了两次。什么都没有丢失过。恢复途中的崩溃之前，先有检查点 1 完成后的一次。瞄准的检查点若从未开始，崩溃就不会发生。

",
];

/// In how many of so many jobs something counts twice.
const JOBS: u64 = 12;

fn table(counts: &[Counted], language: Language) -> String {
    let name_of = |aim: Aim| match aim {
        Aim::BarrierInFlight => ["a barrier in flight", "屏障在途"],
        Aim::Alignment => ["an alignment", "对齐途中"],
        Aim::SnapshotToAcknowledgement => ["snapshot taken, not acknowledged", "快照已存，未确认"],
        Aim::SomeAcknowledged => ["some acknowledged", "部分已确认"],
        Aim::CompleteToNotified => ["complete, not told", "已完成，未通知"],
        Aim::SecondSink => ["the second sink", "第二个汇"],
        Aim::Recovery => ["a recovery", "恢复途中"],
    };
    let mode_of = |mode: Mode| match mode {
        Mode::Aligned => ["exactly once, aligned", "精确一次，对齐"],
        Mode::Unaligned => ["exactly once, unaligned", "精确一次，非对齐"],
        Mode::Timeout => ["exactly once, aligned with a timeout", "精确一次，对齐超时"],
        Mode::AtLeastOnce => ["at least once", "至少一次"],
    };
    let sink_of = |sink: &str| match sink {
        "publish" => ["publish", "立即发布"],
        _ => ["transactional", "事务"],
    };
    let mut table = pick(
        language,
        [
            "| mode | sink | crash aimed at | state twice | output twice |\n",
            "| 模式 | 汇 | 崩溃瞄准 | 状态计两次 | 输出发两次 |\n",
        ],
    )
    .to_owned();
    table.push_str("| --- | --- | --- | --- | --- |\n");
    for (mode, sink, aim, twice) in counts {
        let cell = |n: u32| if n == 0 { "–".to_owned() } else { n.to_string() };
        let [mode, sink, aim] =
            [mode_of(*mode), sink_of(sink), name_of(*aim)].map(|own| pick(language, own));
        let [state, output] = twice.map(cell);
        writeln!(table, "| {mode} | {sink} | {aim} | {state} | {output} |").expect("a string");
    }
    table
}

/// In how many jobs something counts twice in the state, and in the output.
type Counted = (Mode, &'static str, Aim, [u32; 2]);

fn counts() -> Vec<Counted> {
    let mut counts = Vec::new();
    for mode in Mode::ALL {
        for sink in ["publish", "transactional"] {
            for aim in Aim::ALL {
                let (mut state, mut output) = (0, 0);
                for number in 0..JOBS {
                    let verdict = run(job(number, mode, (sink, aim))).verdict;
                    assert_eq!(
                        (verdict.state.n_lost, verdict.output.n_lost),
                        (0, 0),
                        "job {number}, {mode:?}, {sink}, {aim:?}: {verdict}"
                    );
                    state += u32::from(verdict.state.n_too_often > 0);
                    output += u32::from(verdict.output.n_too_often > 0);
                    let promises_output = mode != Mode::AtLeastOnce && sink == "transactional";
                    assert!(!promises_output || output == 0, "job {number}, {mode:?}, {aim:?}");
                    assert!(mode == Mode::AtLeastOnce || state == 0, "job {number}, {mode:?}");
                }
                counts.push((mode, sink, aim, [state, output]));
            }
        }
    }
    counts
}

fn job(number: u64, mode: Mode, (sink, aim): (&str, Aim)) -> Scenario {
    let mut document = random::with_fault_at(aim, number, &random::job(number, mode));
    for name in ["sink0", "sink1"] {
        if let Some(operator) = document["job"].get_mut(name) {
            operator["sink"] = json!(sink);
        }
    }
    let config = document["config"].as_object_mut().expect("it has settings");
    config.remove("execution.checkpointing.checkpoints-after-tasks-finish");
    checkdam::lab::scenario("job", &document).expect("it is valid")
}
