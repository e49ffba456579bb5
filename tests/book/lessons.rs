//! What the lesson plans show in front of a class is there, and is as they say.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{LANGUAGES, folder, read};
use crate::page::crashes;
use crate::page::data::{data, lecture};

/// Links into the lecture's page, as the plans name them.
fn links(language: &str) -> BTreeSet<String> {
    let page = read(&folder(language).join("lessons.md"));
    let links = page.split('`').filter(|part| part.starts_with('#') && !part.contains(' '));
    links.map(str::to_owned).collect()
}

/// The names of tasks in links.
fn tasks(data: &Json) -> Vec<&str> {
    let tasks = data["tasks"].as_array().expect("a list").iter();
    tasks.map(|own| own[0].as_str().expect("a name")).collect()
}

#[test]
fn every_link_of_the_lesson_plans_is_on_the_page() {
    let data = data(lecture());
    let moments = data["moments"].as_array().expect("a list").iter();
    let mut there: BTreeSet<String> =
        moments.map(|own| format!("#moment-{}", own["name"].as_str().expect("a name"))).collect();
    let tasks = tasks(&data);
    there.extend(
        crashes(&data).iter().map(|(step, task, _)| format!("#crash-at-{step}-{}", tasks[*task])),
    );
    for language in LANGUAGES {
        let links = links(language);
        assert!(links.len() > 5, "{links:?}");
        for link in &links {
            assert!(there.contains(link), "book/{language}/src/lessons.md: {link}");
        }
    }
    assert_eq!(links("en"), links("zh"));
}

/// Just before its completion a crash goes back to checkpoint 1, just after it
/// to 2; after three more results are out, three are published twice.
#[test]
fn the_crashes_of_the_lesson_plans_end_as_they_say() {
    let data = data(lecture());
    let tasks = tasks(&data);
    let verdict = |step: u64| -> Json {
        let found = crashes(&data)
            .into_iter()
            .find(|(own, task, _)| *own == step && tasks[*task] == "sum-even");
        let (_, _, verdict) = found.unwrap_or_else(|| panic!("sum(even) can crash at {step}"));
        data["verdicts"][verdict].clone()
    };
    for (step, checkpoint, n_twice) in [(61, 1, None), (71, 2, Some(0)), (74, 2, Some(3))] {
        let verdict = verdict(step);
        assert_eq!(verdict["restores"][0], checkpoint, "step {step}");
        assert_eq!(verdict["state"][0], "holds", "step {step}");
        if let Some(n) = n_twice {
            assert_eq!(verdict["output"][3], n, "step {step}");
        }
    }
    for language in LANGUAGES {
        for step in [61, 71, 74] {
            assert!(
                links(language).contains(&format!("#crash-at-{step}-sum-even")),
                "{language} {step}"
            );
        }
    }
}
