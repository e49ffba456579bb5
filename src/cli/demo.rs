//! `checkdam demo`: everything once, for who is new here: commands as they are
//! typed, what each says, and a folder with figures and the page.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

use super::args::{Arguments, Command, Demo};
use super::output::Output;
use super::problem::Problem;
use super::{carry_out, walk, words};
use crate::model::Language;

/// A command, and what it shows, in English and in Chinese.
type Show = (&'static str, &'static str, &'static str);

const TOLD: [Show; 3] = [
    (
        "walk lecture --moment alignment",
        "The lecture: two sources, one checkpoint. Here blue’s barrier has come, yellow’s has not.",
        "课堂上的例子：两个源，一次检查点。这里蓝源的屏障到了，黄源的还没到。",
    ),
    (
        "run crash-after-complete",
        "A task crashes after the checkpoint: the state is exactly-once, the output is not.",
        "检查点之后一个任务崩溃：状态是精确一次，输出不是。",
    ),
    (
        "fuzz --cases 40",
        "Random jobs, settings and failures: does the engine keep its promises?",
        "随机的作业、设置和故障：引擎守得住承诺吗？",
    ),
];

/// What is drawn, and the file that it goes to.
const DRAWN: [(&str, &str); 5] = [
    ("draw lecture --moment alignment", "alignment.svg"),
    ("draw lecture --as spacetime", "spacetime.svg"),
    ("draw crash-after-complete --as spacetime", "crash.svg"),
    ("draw lecture --as gantt", "gantt.svg"),
    ("page lecture", "lecture.html"),
];

/// Shows everything once.
pub(super) fn demo(arguments: &Demo, language: Language, output: Output) -> Result<(), Problem> {
    let say = |en: &str, zh: &str| output.print(&format!("{}\n", words::pick(language, en, zh)));
    for (command, en, zh) in TOLD {
        say(en, zh)?;
        output.print(&format!("\n$ checkdam {command}\n"))?;
        carry_out_as_typed(command, &[], language, output)?;
        output.print("\n")?;
    }
    let folder = &arguments.out;
    std::fs::create_dir_all(folder).map_err(|error| {
        let what = format!("`{}` cannot be made: {error}", folder.display());
        Problem::input("output", what, "")
    })?;
    say("Figures for slides, and the page for class:", "给幻灯片用的图，和课堂用的网页：")?;
    output.print("\n")?;
    for (command, file) in DRAWN {
        let path = folder.join(file);
        output.print(&format!("$ checkdam {command} -o {}\n", path.display()))?;
        carry_out_as_typed(command, &["-o", &path.to_string_lossy()], language, output)?;
    }
    output.print(&next(&folder.join("lecture.html"), language))?;
    Ok(())
}

fn next(page: &Path, language: Language) -> String {
    let page = page.display();
    match language {
        Language::En => format!(
            "\nnext: open {page} in a browser: → steps on, c crashes a task, p asks, ? shows all \
             keys\n      checkdam                     the lecture, step by step, in this terminal\n      \
             checkdam list                the other scenarios\n      checkdam new my-job.json     a \
             scenario of your own\n"
        ),
        Language::Zh => format!(
            "\n接下来：用浏览器打开 {page}：→ 下一步，c 崩溃一个任务，p 提问，? 显示所有按键\n        \
             checkdam                     在这个终端里一步一步看课堂上的例子\n        checkdam list        \
                     其他场景\n        checkdam new my-job.json     写一个自己的场景\n"
        ),
    }
}

/// Carries a command out as if it had been typed, but nothing waits for keys.
fn carry_out_as_typed(
    command: &str,
    more: &[&str],
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let words = ["checkdam"].into_iter().chain(command.split(' ')).chain(more.iter().copied());
    let typed = Arguments::try_parse_from(words).expect("the demonstration’s commands are right");
    match typed.command.expect("each of them names a command") {
        Command::Walk(arguments) => {
            walk::print(&arguments, language, output)?;
            Ok(ExitCode::SUCCESS)
        }
        command => carry_out(command, language, output),
    }
}
