//! The lecture's page: every crash is in it, it is small, and it asks for
//! nothing from outside.

use checkdam::cluster::Detail;
use checkdam::sim::Simulation;
use checkdam::trace::{JobStatus, TaskStatus, View};

use super::data::{crashes, crashes_with_other_sinks, data, lecture};

#[test]
fn the_lectures_page_with_every_crash_is_small() {
    let page = lecture();
    assert!(page.len() < 600_000, "{} bytes", page.len());
}

#[test]
fn a_page_asks_for_nothing_from_outside() {
    let page = lecture();
    let data = data(page).to_string();
    for text in [page, &data] {
        for word in
            ["http:", "https:", "fetch(", "import(", "XMLHttpRequest", "<link", "@import", "url("]
        {
            assert!(!text.contains(word), "{word}");
        }
    }
    assert!(!page.contains(" src="), "no source but its own");
    assert!(page.contains("default-src 'none'"), "and a browser is told so");
}

#[test]
fn every_task_that_runs_can_crash_at_every_step() {
    let data = data(lecture());
    let held: Vec<(u64, usize)> =
        crashes(&data).into_iter().map(|(step, task, _)| (step, task)).collect();
    let scenario = crate::story::scenario("lecture");
    let mut simulation = Simulation::new(&scenario, 1, Detail::All);
    let mut view = View::start(&scenario.graph);
    let mut expected = Vec::new();
    loop {
        for (task, own) in view.tasks.iter().enumerate() {
            // Before the first step no attempt has begun.
            let runs = matches!(own.status, TaskStatus::Running | TaskStatus::Initializing);
            if runs && view.status == JobStatus::Running {
                expected.push((view.step, task));
            }
        }
        let Some(step) = simulation.step() else { break };
        let facts = step.facts.to_vec();
        let step = checkdam::trace::Step { number: step.number, at: step.at, facts };
        view.apply_step(&scenario.graph, &step).expect("it is a run");
    }
    assert_eq!(held, expected);
    assert!(held.len() > 400, "{} crashes", held.len());
}

/// What the engine promises, the judge finds kept after every crash: state is
/// exactly-once, and nothing of the output is lost.
#[test]
fn after_every_crash_the_lectures_job_keeps_its_promise() {
    let data = data(lecture());
    for (step, task, verdict) in crashes(&data) {
        let verdict = &data["verdicts"][verdict];
        assert_eq!(verdict["answer"], "holds", "step {step}, task {task}");
        assert_eq!(verdict["state"][0], "holds", "step {step}, task {task}");
        assert_eq!(verdict["output"][4], 0, "step {step}, task {task}: nothing is lost");
        // The job has no failure of its own, so there is just the one restart.
        let restores = verdict["restores"].as_array().expect("it is a list");
        assert_eq!(restores.len(), 1, "step {step}, task {task}");
    }
}

/// What transactional sinks are for: whatever crashes, each result is published
/// once. Sinks that publish at once publish some of them again. At its end a job
/// with transactions goes another way, for its tasks wait for a last checkpoint.
#[test]
fn with_the_other_sinks_every_crash_publishes_once() {
    let data = data(lecture());
    assert_eq!(data["transactional"], false);
    let all = crashes_with_other_sinks(&data);
    let (_, trace) = crate::story::run("lecture");
    let finishes = |step: &&checkdam::trace::Step| {
        step.facts.iter().any(|fact| matches!(fact, checkdam::trace::Fact::TaskFinished { .. }))
    };
    let first_end = trace.steps.iter().find(finishes).expect("the tasks come to their end").number;
    let mut again = 0;
    for (step, task, own, other) in all {
        let Some(other) = other else {
            assert!(step + 1 >= first_end, "step {step}, task {task} has another verdict");
            continue;
        };
        let [own, other] = [own, other].map(|number| &data["verdicts"][number]);
        assert_eq!(other["state"][0], "holds", "step {step}, task {task}");
        assert_eq!(other["output"][0], "holds", "step {step}, task {task}");
        assert_eq!(other["output"][1], 11, "step {step}, task {task}: eleven results");
        assert_eq!(other["restores"], own["restores"], "step {step}, task {task}");
        again += u32::from(own["output"][3].as_u64().expect("a number") > 0);
    }
    assert!(again > 100, "{again} crashes publish something again");
}

/// The crashes at the ends of moments, and every other run, have their diagrams.
#[test]
fn runs_have_diagrams_of_their_own() {
    let data = data(lecture());
    let diagrams = data["diagrams"].as_object().expect("by link");
    let ends: Vec<u64> = data["moments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|own| own["last"].as_u64().expect("a number"))
        .collect();
    let tasks = super::data::texts(&data["tasks"], 0);
    for (step, task, _) in crashes(&data) {
        let link = format!("crash-at-{step}-{}", tasks[task]);
        assert_eq!(diagrams.contains_key(&link), ends.contains(&step), "{link}");
    }
    for variant in data["variants"].as_array().expect("a list") {
        assert!(diagrams.contains_key(variant["link"].as_str().expect("text")), "{variant}");
    }
}

/// Before checkpoint 1 is complete there is nothing to restart from; before
/// checkpoint 2 is, the job restarts from 1: the lecture's rule.
#[test]
fn a_crash_restarts_from_the_newest_complete_checkpoint() {
    let data = data(lecture());
    let (_, trace) = crate::story::run("lecture");
    let completed: Vec<(u64, u64)> = trace
        .steps
        .iter()
        .flat_map(|step| step.facts.iter().map(move |fact| (step.number, fact)))
        .filter_map(|(step, fact)| match fact {
            checkdam::trace::Fact::CheckpointCompleted { checkpoint } => Some((step, checkpoint.0)),
            _ => None,
        })
        .collect();
    for (step, task, verdict) in crashes(&data) {
        let newest = completed.iter().rev().find(|(at, _)| *at <= step).map(|(_, id)| *id);
        let restored = data["verdicts"][verdict]["restores"][0].as_u64();
        // An acknowledgement that is under way may still complete a checkpoint
        // before the JobManager hears of the crash.
        let later = completed.iter().find(|(at, _)| *at > step).map(|(_, id)| *id);
        assert!(restored == newest || restored == later, "step {step}, task {task}: {restored:?}");
    }
}

#[test]
fn links_are_made_from_names_and_numbers() {
    let data = data(lecture());
    let tasks = super::data::texts(&data["tasks"], 0);
    assert_eq!(
        tasks,
        ["numbers-blue", "numbers-yellow", "sum-even", "sum-odd", "sink-even", "sink-odd"]
    );
    let moments: Vec<_> =
        data["moments"].as_array().expect("a list").iter().map(|own| &own["name"]).collect();
    assert_eq!(
        moments,
        [
            "before",
            "trigger",
            "sources-snapshot",
            "alignment",
            "aligned",
            "held-back-first",
            "complete",
            "end"
        ]
    );
    let variants: Vec<&str> = data["variants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|own| own["link"].as_str().expect("text"))
        .collect();
    for link in [
        "with-unaligned",
        "with-at-least-once",
        "rule-process-after-first-barrier",
        "rule-snapshot-at-first-barrier",
        "rule-keep-state-on-restart",
        "rule-keep-offsets-on-restart",
    ] {
        assert!(variants.contains(&link), "{link} in {variants:?}");
    }
}

/// Each of these mistakes costs the job its promise, and the sums of the
/// lecture's page come out: without alignment blue 4 and yellow 5 count twice.
#[test]
fn broken_rules_are_found_and_shown_where_they_hurt() {
    let data = data(lecture());
    let variants = data["variants"].as_array().expect("a list");
    let rules: Vec<_> = variants.iter().filter(|own| own["rule"] == true).collect();
    assert!(rules.len() >= 10, "{} rules", rules.len());
    for rule in &rules {
        let verdict = &data["verdicts"][rule["verdict"].as_u64().expect("a number") as usize];
        assert_eq!(verdict["answer"], "violated", "{}", rule["link"]);
        let findings = verdict["findings"].as_array().expect("a list");
        assert!(!findings.is_empty(), "{} is explained", rule["link"]);
    }
    let no_alignment = rules.iter().find(|own| own["link"] == "rule-process-after-first-barrier");
    let no_alignment = no_alignment.expect("it is there");
    let verdict = &data["verdicts"][no_alignment["verdict"].as_u64().expect("a number") as usize];
    assert_eq!(verdict["state"][3], 2, "blue 4 and yellow 5 count twice");
}

#[test]
fn everything_is_said_in_both_languages() {
    let data = data(lecture());
    let is_chinese =
        |text: &str| text.chars().any(|sign| ('\u{4e00}'..='\u{9fff}').contains(&sign));
    for (list, what) in [(&data["texts"], "texts"), (&data["title"], "title")] {
        let pairs = list.as_array().expect("a list");
        if what == "title" {
            assert!(is_chinese(pairs[1].as_str().expect("text")));
            continue;
        }
        for pair in pairs {
            assert!(!is_chinese(pair[0].as_str().expect("text")), "{pair}");
            assert!(is_chinese(pair[1].as_str().expect("text")), "{pair}");
        }
    }
    for question in data["questions"].as_array().expect("a list") {
        for key in ["ask", "answer"] {
            assert!(is_chinese(question[key][1].as_str().expect("text")), "{question}");
        }
    }
}
