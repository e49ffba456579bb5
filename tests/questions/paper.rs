//! Questions on paper: every form has every question, and what would be syntax
//! comes through.

use checkdam::model::Language;
use checkdam::questions::paper::{Form, Source, gift, paper};
use checkdam::questions::{Choice, Question};
use checkdam::trace::Rule;

use super::questions;
use crate::book::printed;

const LECTURE: Source<'_> = Source { name: "lecture", title: "The lecture" };

/// A question that is made of syntax.
fn nasty() -> Question {
    let text = |en: &str| [en.to_owned(), format!("{en}中文")];
    let choice = |en: &str| Choice { text: text(en), world: None };
    Question {
        id: "nasty".to_owned(),
        at: 1,
        shows: 2,
        ask: text("~a =b #c {d} :e \\f \"g\" 'h' [i] *j* _k_ <l> `m` 50%\u{7f}"),
        what: vec![choice("=right {x}"), choice("~wrong: #1"), choice("\"\"\"")],
        because: vec![text("a = b"), text("c ~ d"), text("e\nf")],
        answer: text("It is {so}: \\n."),
        rule: Rule::AlignHoldBack,
    }
}

/// Moodle's escapes: `~ = # { } :` and the backslash itself.
#[test]
fn gift_escapes_what_would_be_syntax() {
    assert_eq!(gift("~ = # { } : \\"), "\\~ \\= \\# \\{ \\} \\: \\\\");
    assert_eq!(gift("a\nb"), "a\\nb");
    assert_eq!(gift("50% 对齐 'x' \"y\""), "50% 对齐 'x' \"y\"");
}

/// What Moodle reads out of a GIFT file: title, text, right answers, wrong ones.
fn read_gift(text: &str) -> Vec<(String, String, Vec<String>, Vec<String>)> {
    // A sign behind a backslash is no syntax; its place is taken by one that
    // nobody types.
    let mut hidden = String::new();
    let mut signs =
        text.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    signs.push('\n');
    let mut signs = signs.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => {
                let next = signs.next().expect("a sign follows");
                hidden.push(char::from_u32(0xe000 + next as u32).expect("a private sign"));
            }
            _ => hidden.push(sign),
        }
    }
    let shown = |text: &str| -> String {
        let back = text.chars().map(|sign| match sign as u32 {
            own @ 0xe000..=0xe07f => match char::from_u32(own - 0xe000).expect("it was one") {
                'n' => '\n',
                own => own,
            },
            _ => sign,
        });
        back.collect::<String>().trim().to_owned()
    };
    let mut found = Vec::new();
    for block in hidden.split("\n\n").filter(|own| !own.trim().is_empty()) {
        let mut parts = block.trim().splitn(3, "::");
        assert_eq!(parts.next(), Some(""), "{block}");
        let title = shown(parts.next().expect("a title"));
        let rest = parts.next().expect("a text").strip_prefix("[plain]").expect("a format");
        let (ask, rest) = rest.split_once('{').expect("answers begin");
        let (answers, after) = rest.rsplit_once('}').expect("answers end");
        assert_eq!(after.trim(), "");
        let (answers, feedback) = answers.split_once("####").expect("feedback");
        assert!(!feedback.contains(['{', '}', '=', '~', '#', ':']), "{feedback}");
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for line in answers.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (list, own) = match line.strip_prefix('=') {
                Some(own) => (&mut right, own),
                None => (&mut wrong, line.strip_prefix('~').expect("right or wrong")),
            };
            assert!(!own.contains(['{', '}', '=', '~', '#', ':']), "{own}");
            list.push(shown(own));
        }
        found.push((title, shown(ask), right, wrong));
    }
    found
}

#[test]
fn moodle_reads_out_of_gift_what_was_asked() {
    for (place, language) in [(0, Language::En), (1, Language::Zh)] {
        let mut all = questions("lecture");
        all.push(nasty());
        let read = read_gift(&paper(LECTURE, &all, (Form::Gift, language)));
        assert_eq!(read.len(), 2 * all.len(), "what happens, and why");
        let plain = |text: &str| text.replace('\u{a0}', " ").trim().to_owned();
        for (own, pair) in all.iter().zip(read.chunks(2)) {
            let (title, ask, right, wrong) = &pair[0];
            assert!(title.contains(&own.id), "{title}");
            assert_eq!(ask, &plain(&own.ask[place]));
            assert_eq!(right, &[plain(&own.what[0].text[place])]);
            assert_eq!(wrong.len(), own.what.len() - 1);
            assert_eq!(pair[1].2, [plain(&own.because[0][place])]);
            assert_eq!(pair[1].3.len(), 2);
        }
    }
}

#[test]
fn mdbook_quiz_reads_its_toml_as_it_was_meant() {
    let mut all = questions("lecture");
    all.push(nasty());
    let text = paper(LECTURE, &all, (Form::Quiz, Language::En));
    let read: toml_edit::DocumentMut = text.parse().expect("it is TOML");
    let list = read["questions"].as_array_of_tables().expect("a list of questions");
    assert_eq!(list.len(), 2 * all.len());
    let mut ids: Vec<&str> = Vec::new();
    for own in list {
        assert_eq!(own["type"].as_str(), Some("MultipleChoice"));
        assert!(own["prompt"]["prompt"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(own["answer"]["answer"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(own["prompt"]["distractors"].as_array().is_some_and(|list| !list.is_empty()));
        ids.push(own["id"].as_str().expect("a name"));
    }
    let n = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), n);
    let last = list.iter().nth(2 * all.len() - 2).expect("the nasty one");
    let ask = last["prompt"]["prompt"].as_str().expect("text");
    assert_eq!(
        ask.replace('\\', ""),
        nasty().ask[0].replace('\\', ""),
        "but for Markdown's escapes"
    );
}

#[test]
fn a_books_answers_are_folded_away_and_have_their_reason() {
    let text = paper(LECTURE, &questions("lecture"), (Form::Book, Language::Zh));
    let n = text.matches("<details><summary>揭晓</summary>").count();
    assert_eq!(n, questions("lecture").len());
    assert_eq!(text.matches("</details>").count(), n);
    assert_eq!(text.matches("理由：").count(), n, "each with its reason");
    assert!(!text.contains('\u{a0}'));
}

/// A worksheet's key stands behind its questions.
#[test]
fn a_worksheet_gives_nothing_away_before_its_key() {
    for form in [Form::Text, Form::Worksheet] {
        let all = questions("lecture");
        let text = paper(LECTURE, &all, (form, Language::En));
        let (asked, key) = text.split_once("Key").expect("it has a key");
        for own in &all {
            let answer = own.answer[0].replace('\u{a0}', " ");
            let answer: String = answer.chars().filter(|sign| *sign != '\\').collect();
            assert!(!asked.replace('\\', "").contains(&answer), "{answer}");
            assert!(key.replace('\\', "").contains(&answer), "{answer}");
        }
    }
}

/// What the page saves is what the command prints.
#[test]
fn the_page_and_the_command_have_the_same_words() {
    let data = crate::page::data::data(crate::page::data::lecture());
    for (place, language) in [(0, "en"), (1, "zh")] {
        let saved = data["questions_as_text"][place].as_str().expect("text");
        assert_eq!(saved, printed(&["questions", "lecture", "--lang", language]));
    }
}

#[test]
fn questions_are_chosen_by_name_and_in_that_order() {
    let list = printed(&["questions", "lecture", "--list"]);
    let names: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"stored-2-at-sum-even"), "{names:?}");
    let only =
        printed(&["questions", "lecture", "--list", "--only", "ends-2,offset-2-at-numbers-blue"]);
    let names: Vec<&str> = only.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["ends-2", "offset-2-at-numbers-blue"]);
}
