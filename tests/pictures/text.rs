//! Figures as text for other tools: their grammar, line by line.

use checkdam::load;
use checkdam::model::Language;
use checkdam::render::{Range, graph_dot, graph_mermaid, sequence, timeline};
use checkdam::trace::Fact;
use serde_json::Value;

use super::story;
use crate::common::snapshot;

#[test]
fn the_lecture_as_text_looks_like_this() {
    let story = story("lecture");
    snapshot("pictures", "lecture-graph-dot", &graph_dot(&story.scenario, Language::En));
    snapshot("pictures", "lecture-graph-mermaid", &graph_mermaid(&story.scenario, Language::Zh));
    let range = Range { first: 34, last: Some(70) };
    snapshot("pictures", "lecture-sequence", &sequence(&story, Language::En, range));
}

/// Every line of a sequence diagram is one that Mermaid's grammar has.
#[test]
fn sequences_keep_to_the_grammar_in_every_scenario() {
    for own in load::builtin() {
        let story = story(own.name);
        let n_tasks = story.scenario.graph.subtasks.len();
        for language in [Language::En, Language::Zh] {
            let text = sequence(&story, language, Range::default());
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("sequenceDiagram"));
            let known = |name: &str| {
                name == "J"
                    || name
                        .strip_prefix('T')
                        .and_then(|number| number.parse::<usize>().ok())
                        .is_some_and(|number| number < n_tasks)
            };
            let mut n = 0;
            for line in lines {
                let line = line.strip_prefix("  ").expect("it is indented");
                n += 1;
                if let Some(rest) = line.strip_prefix("participant ") {
                    let (name, label) = rest.split_once(" as ").expect("it has a label");
                    assert!(known(name) && !label.is_empty(), "{}: {line}", own.name);
                    continue;
                }
                let (head, said) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
                assert!(!said.is_empty() && !said.contains(';') || said.contains('#'), "{line}");
                if let Some(name) = head.strip_prefix("Note over ") {
                    assert!(known(name), "{}: {line}", own.name);
                    continue;
                }
                let arrow = ["-->>", "->>", "-x"].into_iter().find(|arrow| head.contains(arrow));
                let arrow = arrow.unwrap_or_else(|| panic!("{}: {line}", own.name));
                let (from, to) = head.split_once(arrow).expect("it has one");
                assert!(known(from) && known(to), "{}: {line}", own.name);
            }
            assert!(n > n_tasks, "{}", own.name);
        }
    }
}

/// The schema was written from the format's description.
#[test]
fn timelines_are_valid_by_the_schema_of_the_format_in_every_scenario() {
    let schema = include_str!("../cases/trace-event.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    for own in load::builtin() {
        let story = story(own.name);
        for (language, first) in [(Language::En, 0), (Language::Zh, 0), (Language::En, 20)] {
            let range = Range { first, last: None };
            let text = timeline(&story, language, range);
            let whole: Value = serde_json::from_str(&text).expect("it is JSON");
            let wrong: Vec<String> =
                validator.iter_errors(&whole).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{}: {}", own.name, wrong.join("\n"));
        }
    }
    // What it is there for: a length that is no number, an event without a thread.
    let text = timeline(&super::story("slow-snapshot"), Language::En, Range::default());
    let whole: Value = serde_json::from_str(&text).expect("it is JSON");
    let slice = whole["traceEvents"].as_array().expect("events").iter();
    let place = slice.clone().position(|event| event["ph"] == "X").expect("it has slices");
    for (key, value) in [("dur", Value::from("x")), ("tid", Value::Null), ("ph", "Q".into())] {
        let mut broken = whole.clone();
        broken["traceEvents"][place][key] = value;
        assert!(!validator.is_valid(&broken), "{key}");
    }
}

/// What the Trace Event Format asks of each kind of event.
#[test]
fn timelines_keep_to_the_trace_event_format_in_every_scenario() {
    for own in load::builtin() {
        let story = story(own.name);
        let text = timeline(&story, Language::En, Range::default());
        let whole: Value = serde_json::from_str(&text).expect("it is JSON");
        let events = whole["traceEvents"].as_array().expect("it has events");
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for event in events {
            assert!(event["name"].is_string() && event["pid"].is_u64() && event["tid"].is_u64());
            assert!(event["ts"].is_u64(), "{event}");
            match event["ph"].as_str().expect("it has a phase") {
                "M" => assert!(event["args"].is_object()),
                "X" => assert!(event["dur"].is_u64(), "{event}"),
                "i" => assert_eq!(event["s"], "t"),
                "b" => begun.push(event["id"].clone()),
                "e" => ended.push(event["id"].clone()),
                "s" => sent.push(event["id"].clone()),
                "f" => received.push(event["id"].clone()),
                other => panic!("{}: an event of the kind {other}", own.name),
            }
        }
        assert!(ended.iter().all(|id| begun.contains(id)), "{}", own.name);
        assert!(received.iter().all(|id| sent.contains(id)), "{}", own.name);
        let facts = story.trace.steps.iter().flat_map(|step| &step.facts);
        let triggered = facts.filter(|fact| matches!(fact, Fact::CheckpointTriggered { .. }));
        assert_eq!(begun.len(), triggered.count(), "{}", own.name);
    }
}

#[test]
fn graphs_have_a_node_a_subtask_and_an_edge_a_channel() {
    for own in load::builtin() {
        let scenario = story(own.name).scenario;
        let (n_tasks, n_channels) = (scenario.graph.subtasks.len(), scenario.graph.channels.len());
        let dot = graph_dot(&scenario, Language::En);
        let count =
            |text: &str, sign: &str| text.lines().filter(|line| line.contains(sign)).count();
        assert_eq!(count(&dot, " -> "), n_channels, "{}", own.name);
        assert_eq!(count(&dot, "    t"), n_tasks, "{}", own.name);
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
        let mermaid = graph_mermaid(&scenario, Language::En);
        assert_eq!(count(&mermaid, " --> "), n_channels, "{}", own.name);
        assert_eq!(count(&mermaid, "    t"), n_tasks, "{}", own.name);
    }
}
