//! Every scenario that is shipped: what it shows, how to run it, and which
//! chapters of a book use it.

use std::fmt::Write as _;
use std::path::Path;

use super::head;
use crate::cli::input;
use crate::cli::problem::Problem;
use crate::cli::words::pick;
use crate::load;
use crate::model::{Language, Mutation};

/// The page; chapters are looked for in the folder of a book.
pub(super) fn page(book: Option<&Path>, language: Language) -> Result<String, Problem> {
    let chapters = book.map(chapters).transpose()?.unwrap_or_default();
    let mut page = head(
        language,
        [
            [
                "All scenarios",
                "Which stories come with checkdam, and where does this book tell them?",
                "This page is what `checkdam reference scenarios --book book/en/src` prints. Each scenario is run with `checkdam run NAME`, stepped through with `checkdam walk NAME`, and made into a page with `checkdam page NAME -o NAME.html`; `checkdam questions NAME` asks about it. Their files lie in `scenarios/`.",
            ],
            [
                "全部场景",
                "checkdam 自带哪些故事，本书在哪里讲？",
                "本页由 `checkdam reference scenarios --lang zh --book book/zh/src` 打印。每个场景都可用 `checkdam run NAME` 运行，用 `checkdam walk NAME` 单步走，用 `checkdam page NAME -o NAME.html` 做成网页；`checkdam questions NAME` 就它出题。文件在 `scenarios/` 里。",
            ],
        ],
    );
    for own in load::builtin() {
        let loaded = load::scenario(own.name, own.text.as_bytes());
        let scenario = loaded.expect("the built-in scenarios are tested to be right").scenario;
        let (stop, gap) = (pick(language, ".", "。"), pick(language, " ", ""));
        let title = scenario.title.of(language);
        let _ = write!(page, "\n## {}\n\n**{title}**{stop}", own.name);
        let note = first_sentence(scenario.notes.of(language));
        if !note.is_empty() {
            let _ = write!(page, "{gap}{note}");
        }
        let from = scenario.from.as_ref().map(|from| from.scenario.clone());
        if let Some(from) = from {
            let _ = match language {
                Language::En => write!(page, " Starts from a savepoint of [{from}](#{from})."),
                Language::Zh => write!(page, "从 [{from}](#{from}) 的保存点启动。"),
            };
        }
        let _ = write!(page, "\n\n```sh\ncheckdam run {0}\ncheckdam walk {0}\n```\n", own.name);
        let used: Vec<String> = chapters
            .iter()
            .filter(|chapter| uses(&chapter.text, own.name))
            .map(|chapter| format!("[{}]({})", chapter.title, chapter.file))
            .collect();
        if !used.is_empty() {
            let _ = match language {
                Language::En => write!(page, "\nIn this book: {}.\n", used.join(", ")),
                Language::Zh => write!(page, "\n书中：{}。\n", used.join("、")),
            };
        }
    }
    Ok(page)
}

/// A chapter, in the order of the book's summary.
struct Chapter {
    title: String,
    file: String,
    text: String,
}

fn chapters(book: &Path) -> Result<Vec<Chapter>, Problem> {
    let summary = read(&book.join("SUMMARY.md"))?;
    let mut chapters = Vec::new();
    for line in summary.lines() {
        let Some((title, rest)) = line.trim_start_matches([' ', '-', '[']).split_once("](") else {
            continue;
        };
        let Some(file) = rest.strip_suffix(')') else { continue };
        // This very page uses nothing.
        if file == "scenarios.md" {
            continue;
        }
        let text = read(&book.join(file))?;
        chapters.push(Chapter { title: title.to_owned(), file: file.to_owned(), text });
    }
    Ok(chapters)
}

fn read(path: &Path) -> Result<String, Problem> {
    let name = path.display().to_string();
    let mut text = String::new();
    let read = std::io::Read::read_to_string(&mut input::open(&name)?, &mut text);
    read.map_err(|error| input::unreadable(&name, &error))?;
    Ok(text)
}

/// Commands that take a scenario.
const COMMANDS: [&str; 11] = [
    "run",
    "walk",
    "draw",
    "page",
    "questions",
    "verify",
    "explore",
    "session",
    "sweep",
    "replay",
    "compare",
];

/// Whether a chapter runs a scenario, or names it as code where the name can be
/// nothing else.
fn uses(text: &str, name: &str) -> bool {
    let is_plain = !name.contains('-') || Mutation::of_name(name).is_some();
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let ends =
            !after.starts_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '.'));
        let line = before.rsplit('\n').next().unwrap_or_default();
        let command = line.rsplit_once("checkdam ").and_then(|(_, words)| words.split(' ').next());
        let is_command = command.is_some_and(|own| COMMANDS.contains(&own));
        let is_argument =
            line.ends_with([' ', '"']) && (is_command || line.starts_with("<!-- questions "));
        ends && (is_argument || !is_plain && line.ends_with('`') && after.starts_with('`'))
    })
}

/// The first sentence of a note.
fn first_sentence(text: &str) -> &str {
    let ends = [". ", "。", ".\n"];
    let end =
        ends.iter().filter_map(|own| text.find(own).map(|at| at + own.trim_end().len())).min();
    end.map_or(text, |end| &text[..end])
}
