//! What a question becomes on paper: plain text, a worksheet, a section of a
//! book, Moodle's GIFT, mdbook-quiz's TOML.

use std::fmt::Write as _;

use super::{Both, Question};
use crate::model::Language;

/// A form of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines for a terminal or a mail: questions, then the key.
    Text,
    /// Markdown to print: questions with boxes, then the key.
    Worksheet,
    /// Markdown for a book: each answer folded away below its question.
    Book,
    /// GIFT, which Moodle and others import.
    Gift,
    /// TOML for mdbook-quiz.
    Quiz,
}

/// Where questions come from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The scenario's name, as it is typed.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
}

/// Signs of the reasons.
const LETTERS: &[u8] = b"abcdef";

/// Questions in a form and a language.
#[must_use]
pub fn paper(
    source: Source<'_>,
    questions: &[Question],
    (form, language): (Form, Language),
) -> String {
    let pen = Pen { source, language };
    match form {
        Form::Text => pen.text(questions),
        Form::Worksheet => pen.worksheet(questions),
        Form::Book => pen.book(questions),
        Form::Gift => pen.gift(questions),
        Form::Quiz => pen.quiz(questions),
    }
}

struct Pen<'a> {
    source: Source<'a>,
    language: Language,
}

impl Pen<'_> {
    fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        match self.language {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// A text of the language, with spaces that break lines everywhere.
    fn of(&self, text: &Both) -> String {
        let place = match self.language {
            Language::En => 0,
            Language::Zh => 1,
        };
        text[place].replace('\u{a0}', " ")
    }

    fn step(&self, step: u64) -> String {
        match self.language {
            Language::En => format!("step {step}"),
            Language::Zh => format!("第 {step} 步"),
        }
    }

    fn heading(&self) -> String {
        format!("{} · {}", self.source.title, self.pick("Worksheet", "练习"))
    }

    /// `2 b`: what is right.
    fn right(question: &Question) -> String {
        let offered = question.offered();
        format!("{} {}", offered.right + 1, char::from(LETTERS[offered.reason]))
    }

    /// What happens, and the right reason.
    fn explained(&self, question: &Question) -> String {
        let (answer, reason) = (self.of(&question.answer), self.of(&question.because[0]));
        match self.language {
            Language::En => format!("{answer} The reason: {reason}."),
            Language::Zh => format!("{answer}理由：{reason}。"),
        }
    }

    fn text(&self, questions: &[Question]) -> String {
        let mut out = format!("{}\n\n", self.heading());
        for (place, own) in questions.iter().enumerate() {
            let offered = own.offered();
            let _ = writeln!(out, "{}. [{}] {}", place + 1, self.step(own.at), self.of(&own.ask));
            for (n, what) in offered.what.iter().enumerate() {
                let _ = writeln!(out, "   {}) {}", n + 1, self.of(&what.text));
            }
            let _ = writeln!(out, "   {}", self.pick("Because", "因为"));
            for (letter, because) in LETTERS.iter().zip(&offered.because) {
                let _ = writeln!(out, "   {}) {}", char::from(*letter), self.of(because));
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{}", self.pick("Key", "答案"));
        for (place, own) in questions.iter().enumerate() {
            let _ = writeln!(out, "{}: {}  {}", place + 1, Self::right(own), self.explained(own));
        }
        out
    }

    fn worksheet(&self, questions: &[Question]) -> String {
        let mut out = format!("# {}\n\n", markdown(&self.heading()));
        let _ = writeln!(
            out,
            "{}\n",
            self.pick(
                "Name: ______________________  Date: ______________",
                "姓名：______________________  日期：______________"
            )
        );
        for (place, own) in questions.iter().enumerate() {
            let offered = own.offered();
            let look = format!("`checkdam walk {} --step {}`", self.source.name, own.at);
            let _ = writeln!(
                out,
                "**{}.** {} ({}: {look})\n",
                place + 1,
                markdown(&self.of(&own.ask)),
                self.step(own.at)
            );
            for (n, what) in offered.what.iter().enumerate() {
                let _ = writeln!(out, "- ☐ {}. {}", n + 1, markdown(&self.of(&what.text)));
            }
            let _ = writeln!(out, "\n{}\n", self.pick("Because", "因为"));
            for (letter, because) in LETTERS.iter().zip(&offered.because) {
                let _ =
                    writeln!(out, "- ☐ {}. {}", char::from(*letter), markdown(&self.of(because)));
            }
            out.push('\n');
        }
        let _ = writeln!(out, "## {}\n", self.pick("Key", "答案"));
        for (place, own) in questions.iter().enumerate() {
            let _ = writeln!(
                out,
                "- **{}: {}.** {}",
                place + 1,
                Self::right(own),
                markdown(&self.explained(own))
            );
        }
        out
    }

    fn book(&self, questions: &[Question]) -> String {
        let mut out = String::new();
        for (place, own) in questions.iter().enumerate() {
            let offered = own.offered();
            let look = format!("`checkdam walk {} --step {}`", self.source.name, own.at);
            let _ = writeln!(out, "**{}. {}**\n", place + 1, markdown(&self.of(&own.ask)));
            for (n, what) in offered.what.iter().enumerate() {
                let _ = writeln!(out, "{}. {}", n + 1, markdown(&self.of(&what.text)));
            }
            let _ = writeln!(out, "\n*{}*\n\n<ol type=\"a\">", self.pick("Because", "因为"));
            for because in &offered.because {
                let _ = writeln!(out, "<li>{}</li>", html(&self.of(because)));
            }
            out.push_str("</ol>\n");
            let summary = self.pick("Reveal", "揭晓");
            let seen = match self.language {
                Language::En => format!("To see it: {look}."),
                Language::Zh => format!("查看：{look}。"),
            };
            let _ = write!(
                out,
                "\n<details><summary>{summary}</summary>\n\n**{}.** {} `[{}]` {seen}\n\n</details>\n\n",
                Self::right(own),
                markdown(&self.explained(own)),
                own.rule.name(),
            );
        }
        out
    }

    /// Each question becomes two: what happens, and why.
    fn gift(&self, questions: &[Question]) -> String {
        let mut out = format!(
            "// {}\n// checkdam questions {} --as gift\n\n",
            self.source.title, self.source.name
        );
        for own in questions {
            let offered = own.offered();
            let ask = self.of(&own.ask);
            let what: Vec<String> = offered.what.iter().map(|own| self.of(&own.text)).collect();
            let because: Vec<String> = offered.because.iter().map(|own| self.of(own)).collect();
            let name = |part: &str| gift(&format!("{} {} {part}", self.source.name, own.id));
            let why = match self.language {
                Language::En => format!("{ask} ({}) Why?", what[offered.right]),
                Language::Zh => format!("{ask}（{}）为什么？", what[offered.right]),
            };
            let explained = gift(&self.explained(own));
            for (part, ask, choices, right) in
                [("what", ask, &what, offered.right), ("why", why, &because, offered.reason)]
            {
                let _ = writeln!(out, "::{}::[plain]{} {{", name(part), gift(&ask));
                for (place, choice) in choices.iter().enumerate() {
                    let sign = if place == right { '=' } else { '~' };
                    let _ = writeln!(out, "\t{sign}{}", gift(choice));
                }
                let _ = writeln!(out, "\t####{explained}\n}}\n");
            }
        }
        out
    }

    fn quiz(&self, questions: &[Question]) -> String {
        let mut out = format!(
            "# {}\n# checkdam questions {} --as quiz\n",
            self.source.title, self.source.name
        );
        for own in questions {
            let offered = own.offered();
            let ask = self.of(&own.ask);
            let right = self.of(&own.what[0].text);
            let why = match self.language {
                Language::En => format!("{ask} ({right}) Why?"),
                Language::Zh => format!("{ask}（{right}）为什么？"),
            };
            let what: Vec<String> = offered.what.iter().map(|own| self.of(&own.text)).collect();
            let because: Vec<String> = offered.because.iter().map(|own| self.of(own)).collect();
            for (part, ask, choices, right) in
                [("what", ask, what, offered.right), ("why", why, because, offered.reason)]
            {
                let mut wrong = choices.clone();
                let right = wrong.remove(right);
                let wrong: Vec<String> = wrong.iter().map(|own| toml(&markdown(own))).collect();
                let _ = write!(
                    out,
                    "\n[[questions]]\nid = {}\ntype = \"MultipleChoice\"\nprompt.prompt = {}\nprompt.distractors = [{}]\nanswer.answer = {}\ncontext = {}\n",
                    toml(&format!("{}/{}/{part}", self.source.name, own.id)),
                    toml(&markdown(&ask)),
                    wrong.join(", "),
                    toml(&markdown(&right)),
                    toml(&markdown(&self.explained(own))),
                );
            }
        }
        out
    }
}

/// A text as GIFT takes it: what would be syntax gets a backslash.
#[must_use]
pub fn gift(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '~' | '=' | '#' | '{' | '}' | ':' | '\\' => out.extend(['\\', sign]),
            '\n' => out.push_str("\\n"),
            _ => out.push(sign),
        }
    }
    out
}

/// A text as a basic string of TOML. What JSON escapes, TOML does, too, and
/// the control sign 127 besides.
fn toml(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A text as Markdown takes it.
fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        if matches!(sign, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|') {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

/// A text as HTML takes it.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
