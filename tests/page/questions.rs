//! Questions: what is right is what the lecture says.

use serde_json::Value as Json;

use super::data::{data, lecture, texts};

/// The right answer to the question that says all of these words.
fn right_answer<'d>(data: &'d Json, says: &[&str]) -> (&'d str, &'d str) {
    let questions = data["questions"].as_array().expect("a list");
    let asked = questions.iter().find(|own| {
        let ask = own["ask"][0].as_str().expect("text");
        says.iter().all(|word| ask.contains(word))
    });
    let asked = asked.unwrap_or_else(|| panic!("somebody asks about {says:?}"));
    let right = |list: &str, place: &str| {
        texts(&asked[list], 0)[asked[place].as_u64().expect("a number") as usize]
    };
    (right("what", "right"), right("because", "reason"))
}

#[test]
fn the_answers_are_those_of_the_lecture() {
    let data = data(lecture());
    // Blue has read 3 numbers when the trigger comes.
    let (offset, why) = right_answer(&data, &["trigger of checkpoint 2", "blue"]);
    assert_eq!(offset, "3");
    assert!(why.contains("before the barrier"), "{why}");
    // Blue 4 is behind blue's barrier, yellow 5 behind yellow's.
    let (what, why) = right_answer(&data, &["sum(even)", "blue\u{a0}4"]);
    assert!(what.contains("held back"), "{what}");
    assert!(why.contains("after the barrier"), "{why}");
    let (what, _) = right_answer(&data, &["sum(odd)", "yellow\u{a0}5"]);
    assert!(what.contains("held back"), "{what}");
    // Both stored sums are 8; sum(odd) has 8 at its first barrier already, so
    // that more than one reason would be right there.
    assert_eq!(right_answer(&data, &["The last barrier", "sum(even)"]).0, "8");
    // Held back first: blue 4 before yellow 6.
    assert_eq!(right_answer(&data, &["sum(even) has taken its snapshot"]).0, "Blue\u{a0}4");
    // Six acknowledgements make a checkpoint complete, those of the sinks too.
    assert!(right_answer(&data, &["only the sinks have not"]).0.starts_with("No, the sinks"));
    // After a crash yellow goes on behind the stored offset 4, although it had
    // read all of its 6 numbers.
    assert_eq!(right_answer(&data, &["Suppose", "yellow"]).0, "Yellow\u{a0}5");
    // Blue 4 was written as 12 before the crash, and is written again.
    assert_eq!(right_answer(&data, &["blue\u{a0}4", "published"]).0, "Twice");
    assert_eq!(right_answer(&data, &["How often does it count"]).0, "Once");
}

#[test]
fn every_question_can_be_asked_and_answered() {
    let data = data(lecture());
    let questions = data["questions"].as_array().expect("a list");
    assert!(questions.len() >= 8, "{} questions", questions.len());
    let mut places = Vec::new();
    for own in questions {
        for language in 0..2 {
            for (list, place) in [("what", "right"), ("because", "reason")] {
                let texts = texts(&own[list], language);
                let place = own[place].as_u64().expect("a number") as usize;
                assert!(place < texts.len(), "{own}");
                let mut distinct = texts.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), texts.len(), "{own}");
            }
        }
        assert!(own["at"].as_u64() <= own["shows"].as_u64(), "{own}");
        places.push(own["right"].as_u64());
    }
    places.sort_unstable();
    places.dedup();
    assert!(places.len() > 1, "the right answer is not always in the same place");
}
