//! Questions as the page holds them, and their text as it can be saved.

use serde_json::{Value as Json, json};

use crate::model::Language;
use crate::questions::paper::{Form, Source, paper};
use crate::questions::{Choice, Question};

/// The questions in order.
pub(super) fn json(questions: &[Question]) -> Json {
    questions.iter().map(one).collect()
}

fn one(question: &Question) -> Json {
    let offered = question.offered();
    let texts = |own: &&Choice| own.text.clone();
    json!({
        "id": question.id,
        "at": question.at,
        "shows": question.shows,
        "ask": question.ask,
        "what": offered.what.iter().map(texts).collect::<Vec<_>>(),
        "worlds": offered.what.iter().map(|own| own.world).collect::<Vec<_>>(),
        "right": offered.right,
        "because": offered.because,
        "reason": offered.reason,
        "answer": question.answer,
        "rule": question.rule.name(),
    })
}

/// What `checkdam questions` prints, in English and in Chinese.
pub(super) fn texts(name: &str, title: &[String; 2], questions: &[Question]) -> [String; 2] {
    let text = |(place, language): (usize, Language)| {
        paper(Source { name, title: &title[place] }, questions, (Form::Text, language))
    };
    [(0, Language::En), (1, Language::Zh)].map(text)
}
