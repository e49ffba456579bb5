//! What holds for the questions of every scenario that is shipped.

use std::collections::BTreeSet;

use super::questions;

#[test]
fn every_shipped_scenario_has_three_questions_that_can_be_asked_in_both_languages() {
    let mut few = Vec::new();
    for own in checkdam::load::builtin() {
        let questions = questions(own.name);
        if questions.len() < 3 {
            few.push(format!("{}: {}", own.name, questions.len()));
        }
        let ids: BTreeSet<&str> = questions.iter().map(|own| own.id.as_str()).collect();
        assert_eq!(ids.len(), questions.len(), "{}: every name is there once", own.name);
        for question in &questions {
            let place = format!("{} {}", own.name, question.id);
            let is_plain = |sign: char| sign.is_lowercase() || sign.is_ascii_digit() || sign == '-';
            assert!(question.id.chars().all(is_plain), "{place}");
            assert!(question.at <= question.shows, "{place}");
            assert!((2..=4).contains(&question.what.len()), "{place}");
            assert_eq!(question.because.len(), 3, "{place}");
            for language in 0..2 {
                let what: Vec<&str> =
                    question.what.iter().map(|own| own.text[language].as_str()).collect();
                let because: Vec<&str> =
                    question.because.iter().map(|own| own[language].as_str()).collect();
                for list in [what, because] {
                    let distinct: BTreeSet<&&str> = list.iter().collect();
                    assert_eq!(distinct.len(), list.len(), "{place}: {list:?}");
                    assert!(list.iter().all(|text| !text.is_empty()), "{place}: {list:?}");
                }
            }
            for [en, zh] in [&question.ask, &question.answer] {
                assert!(en.is_ascii() || !has_chinese(en), "{place}: {en}");
                assert!(has_chinese(zh), "{place}: {zh}");
            }
        }
    }
    assert!(few.is_empty(), "fewer than three questions: {few:?}");
}

fn has_chinese(text: &str) -> bool {
    text.chars().any(|sign| ('\u{4e00}'..='\u{9fff}').contains(&sign))
}

/// A name must stay when other questions come: none holds a place in a list.
#[test]
fn the_right_choice_of_a_question_stays_where_it_is() {
    let all = questions("lecture");
    for own in &all {
        let offered = own.offered();
        assert_eq!(offered.what[offered.right], &own.what[0], "{}", own.id);
        assert_eq!(offered.because[offered.reason], &own.because[0], "{}", own.id);
    }
    let places: BTreeSet<usize> = all.iter().map(|own| own.offered().right).collect();
    assert!(places.len() > 1, "the right answer is not always in the same place");
}
