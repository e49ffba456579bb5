//! The questions that end a chapter are what the program asks: each pair of
//! markers says of which scenario, and which.

use super::{LANGUAGES, pages, printed, write, writes_anew};

const BEGIN: &str = "<!-- questions ";
const END: &str = "<!-- /questions -->";

/// A page with the questions of its markers, and how many there are.
fn filled(text: &str, language: &str) -> (String, usize) {
    let (mut out, mut rest, mut n) = (String::new(), text, 0);
    while let Some(at) = rest.find(&format!("\n{BEGIN}")) {
        let line = rest[at + 1..].lines().next().unwrap_or_default();
        let asked = line.trim_start_matches(BEGIN).trim_end_matches("-->").trim();
        let mut words = asked.split_whitespace();
        let scenario = words.next().expect("the marker names a scenario");
        let ids: Vec<&str> = words.collect();
        out.push_str(&rest[..at + 1 + line.len()]);
        out.push('\n');
        if !ids.is_empty() {
            let only = ids.join(",");
            let arguments =
                ["questions", scenario, "--lang", language, "--as", "book", "--only", &only];
            out.push('\n');
            out.push_str(&printed(&arguments));
            n += ids.len();
        }
        let end = rest[at..].find(END).expect("the marker has its end");
        out.push_str(END);
        rest = &rest[at + end + END.len()..];
    }
    out.push_str(rest);
    (out, n)
}

#[test]
fn the_questions_of_every_chapter_are_those_of_its_run() {
    for language in LANGUAGES {
        for page in pages(language) {
            let (current, _) = filled(&page.text, language);
            if current != page.text && writes_anew() {
                write(&page.path, &current);
            } else {
                assert!(
                    current == page.text,
                    "{} is not current; INSTA_UPDATE=always writes its questions anew",
                    page.path.display()
                );
            }
        }
    }
}

#[test]
fn a_question_that_is_not_current_is_found() {
    let page = "# T\n\n<!-- questions lecture offset-2-at-numbers-blue -->\n<!-- /questions -->\n";
    let (current, n) = filled(page, "en");
    assert_eq!(n, 1);
    assert!(current.contains("Which offset does it store?"), "{current}");
    assert_eq!(filled(&current, "en").0, current, "once filled it stays");
    assert_ne!(filled(&current, "zh").0, current);
}
