//! How problems are shown, whatever they are.

use checkdam::load::{self, Colour};

use super::diagnostics::{check, with};

#[test]
fn a_line_as_long_as_a_file_is_shown_in_part() {
    let many = "1, ".repeat(50_000);
    let more = format!("\"faults\": [], \"steps\": [{many} 1], \"stepps\": 1");
    check("long-line", &with(&more).replace('\n', " "));
}

#[test]
fn more_problems_than_anybody_reads_are_counted() {
    let faults = "{ \"crash\": \"x\", \"at\": 0 }, ".repeat(2000);
    let more = format!("\"faults\": [{faults} {{ \"crash\": \"y\" }}]");
    let problems = load::scenario("my-job.json", with(&more).as_bytes());
    let problems = problems.expect_err("nothing is called x");
    assert_eq!(problems.items.len(), load::Diagnostics::KEPT_MAX);
    let shown = problems.show(Colour::Never);
    let end: Vec<&str> = shown.lines().rev().take(3).collect();
    assert_eq!(
        end,
        [
            "my-job.json: 2002 errors, nothing was run. Its schema: checkdam schema scenario",
            "",
            "... and 1902 more that are not shown",
        ]
    );
}

#[test]
fn colours_change_nothing_but_colours() {
    let problems = load::scenario("my-job.json", b"{ \"job\": {}, \"stesp\": 1 }");
    let problems = problems.expect_err("two things are wrong with it");
    let (plain, coloured) = (problems.show(Colour::Never), problems.show(Colour::Always));
    assert!(coloured.contains("\u{1b}[1m"));
    let mut stripped = anstream::adapter::strip_str(&coloured).to_string();
    stripped = stripped.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(stripped, plain);
}

#[test]
fn foreign_text_cannot_take_over_the_terminal() {
    let problems = load::scenario("my\u{1b}[2J.json", "{ \"\u{1b}[31m\u{202e}\": 1 }".as_bytes());
    let shown = problems.expect_err("it has no job").show(Colour::Never);
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
}

#[test]
fn machines_get_the_same_content() {
    let text = "{\n  \"job\": { \"in\": { \"source\": [1] } },\n  \"stpes\": \"蓝\"\n}";
    let problems = load::scenario("my-job.json", text.as_bytes()).expect_err("it has no sink");
    let json = serde_json::to_string_pretty(&problems.to_json()).expect("it is JSON");
    crate::common::snapshot("load", "json", &json);
}
