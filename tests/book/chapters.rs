//! The form of a chapter: a question to begin with, a figure, a run, something
//! to break, questions at the end.

use super::{LANGUAGES, folder, pages, read};

/// How many parts of the summary are held to the form.
const PARTS: usize = 3;
/// How many questions end a chapter, at least.
const QUESTIONS_MIN: usize = 3;

/// What is wrong with a chapter's form, in sentences.
fn problems(text: &str, language: &str) -> Vec<String> {
    let (break_it, heading) = match language {
        "zh" => ("**动手弄坏它。**", "## 先猜，再看"),
        _ => ("**Break it.**", "## Predict, then reveal"),
    };
    let mut wrong: Vec<String> = Vec::new();
    let mut paragraphs = text.split("\n\n");
    if !paragraphs.next().is_some_and(|own| own.starts_with("# ")) {
        wrong.push("it begins with no title".to_owned());
    }
    let question = paragraphs.next().unwrap_or_default();
    let is_italic =
        question.starts_with('*') && !question.starts_with("**") && question.ends_with('*');
    if !is_italic || !question.contains(['?', '？']) {
        wrong.push("below the title stands no question in italics".to_owned());
    }
    let figures = text.split("![").skip(1).filter_map(|own| own.split_once("](pictures/"));
    let told = figures.filter(|(alt, _)| alt.chars().count() >= 8).count();
    if told == 0 {
        wrong.push("it has no figure with a sentence of what one sees".to_owned());
    }
    if !runs(text) {
        wrong.push("it has no executed block".to_owned());
    }
    let broken = text.split("\n## ").any(|section| {
        section.split_once(&format!("\n{break_it}")).is_some_and(|(_, rest)| runs(rest))
    });
    if !broken {
        wrong.push(format!(
            "no paragraph begins with {break_it} and has an executed block behind it"
        ));
    }
    let last = text.rfind("\n## ").map_or("", |at| &text[at + 1..]);
    // Runs may take turns, each with a marker of its own.
    let markers = last.lines().filter(|line| line.starts_with("<!-- questions "));
    let n: usize = markers.map(|line| line.split_whitespace().count().saturating_sub(4)).sum();
    if !last.starts_with(heading) || !last.trim_end().ends_with("<!-- /questions -->") {
        wrong.push(format!("it does not end with {heading} and its questions"));
    }
    if n < QUESTIONS_MIN {
        wrong.push(format!("it ends with {n} questions, not with {QUESTIONS_MIN}"));
    }
    wrong
}

/// Whether a console block with a command is in a text.
fn runs(text: &str) -> bool {
    let blocks = text.split("```console\n").skip(1);
    blocks.filter_map(|own| own.split("```").next()).any(|own| own.starts_with("$ checkdam"))
}

#[test]
fn every_chapter_has_a_question_a_figure_a_run_something_to_break_and_questions() {
    let mut wrong = Vec::new();
    for language in LANGUAGES {
        let names = chapters(language);
        assert!(names.len() >= 20, "book/{language}: {names:?}");
        for name in names {
            let text = read(&folder(language).join(&name));
            for problem in problems(&text, language) {
                wrong.push(format!("book/{language}/src/{name}: {problem}"));
            }
        }
    }
    assert!(wrong.is_empty(), "chapters out of form:\n{}", wrong.join("\n"));
}

/// The chapters of the teaching parts: those that the summary has there.
fn chapters(language: &str) -> Vec<String> {
    let summary = read(&folder(language).join("SUMMARY.md"));
    let parts: Vec<&str> = summary.split("\n# ").skip(1).take(PARTS).collect();
    assert_eq!(parts.len(), PARTS, "book/{language}: parts of the summary");
    parts.into_iter().flat_map(linked).map(str::to_owned).collect()
}

fn linked(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|own| own.split(')').next())
}

/// A page that the summary does not name is in no book.
#[test]
fn the_summary_lists_every_page_in_the_same_order_in_both_books() {
    let summaries = LANGUAGES.map(|language| read(&folder(language).join("SUMMARY.md")));
    let [en, zh] = summaries.each_ref().map(|own| linked(own).collect::<Vec<_>>());
    assert_eq!(en, zh);
    for language in LANGUAGES {
        for page in pages(language) {
            let is_listed = page.name == "SUMMARY.md" || en.contains(&page.name.as_str());
            assert!(is_listed, "book/{language}: {} is in no summary", page.name);
        }
    }
}

/// The test itself can fail: each part of the form that is missing is named.
#[test]
fn a_chapter_without_a_part_of_the_form_is_found() {
    let whole = "# A title\n\n*Why?*\n\n![what one sees here](pictures/x.svg)\n\n```console\n$ checkdam list\n```\n\n**Break it.** So.\n\n```console\n$ checkdam list\n```\n\n## Predict, then reveal\n\n<!-- questions lecture a b c -->\n<!-- /questions -->\n";
    assert_eq!(problems(whole, "en"), Vec::<String>::new());
    for (part, instead) in [
        ("# A title", "A title"),
        ("*Why?*", "*So.*"),
        ("![what one sees here](pictures/x.svg)", ""),
        ("![what one sees here]", "![]"),
        ("**Break it.**", "Break it."),
        ("## Predict, then reveal", "## The end"),
        ("a b c", "a b"),
        ("<!-- /questions -->\n", ""),
    ] {
        assert_eq!(problems(&whole.replacen(part, instead, 1), "en").len(), 1, "{part}");
    }
    let still = whole.replace("```console", "```text");
    assert_eq!(problems(&still, "en").len(), 2, "no block runs, neither to show nor to break");
}
