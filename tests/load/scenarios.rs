//! What files become: defaults, names, numbers; and the lecture's scenario.

use checkdam::load;
use checkdam::model::{
    CheckpointId, Config, Delay, FactPattern, JoinSide, KeySelector, Micros, OperatorKind,
    Partitioner, RestartStrategy, Scenario, SinkKind, SplitValues, SubtaskIndex, Text, Time, When,
};

fn parse(text: &str) -> Scenario {
    Scenario::parse("folder/my-job.json", text).unwrap_or_else(|problems| panic!("{problems}"))
}

fn built_in(name: &str) -> Scenario {
    let found = load::builtin().iter().find(|scenario| scenario.name == name);
    let text = found.expect("it is built in").text;
    Scenario::parse(name, text).unwrap_or_else(|problems| panic!("{problems}"))
}

fn subtask(scenario: &Scenario, name: &str) -> SubtaskIndex {
    let place = scenario.graph.subtasks.iter().position(|subtask| subtask.name == name);
    SubtaskIndex::at(place.unwrap_or_else(|| panic!("there is no {name}")))
}

fn ms(ms: u64) -> Micros {
    Micros::from_ms(ms)
}

fn list(list: &[u64]) -> Delay {
    Delay::List(list.iter().map(|n| ms(*n)).collect())
}

/// Two sources, a keyed sum, sinks: at most 20 lines.
const SMALLEST: &str = r#"{
  "job": {
    "numbers": { "source": { "blue": [1, 2, 3], "yellow": "abc" } },
    "sum": { "sum": "parity", "parallelism": 2, "names": ["even", "odd"] },
    "sink": { "sink": "transactional", "parallelism": 2 }
  },
  "edges": [["numbers", "sum"], ["sum", "sink"]]
}
"#;

#[test]
fn a_student_writes_a_job_in_a_few_lines_and_the_rest_has_defaults() {
    assert!(SMALLEST.lines().count() <= 20);
    let scenario = parse(SMALLEST);
    assert_eq!(scenario.name, "my-job");
    assert_eq!(scenario.title, Text::same("my-job"));
    assert_eq!(scenario.config, Config::default());
    assert_eq!(scenario.rpc.trigger, Delay::Fixed(ms(1)));
    assert_eq!(scenario.steps_max, 10_000_000);
    assert!(scenario.triggers.is_empty() && scenario.faults.is_empty());
    let names: Vec<&str> = scenario.graph.subtasks.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        names,
        ["numbers[blue]", "numbers[yellow]", "sum[even]", "sum[odd]", "sink[0]", "sink[1]"]
    );
    let [numbers, sum, sink] = scenario.graph.job.operators.as_slice() else { panic!("three") };
    assert_eq!(numbers.subtasks[0].service, Delay::Fixed(ms(1)));
    assert_eq!(sum.subtasks[0].service, Delay::NONE);
    assert_eq!((sum.max_parallelism, sink.parallelism), (128, 2));
    assert_eq!(sink.kind, OperatorKind::Sink(SinkKind::Transactional));
    let [into_sum, into_sink] = scenario.graph.job.edges.as_slice() else { panic!("two") };
    assert_eq!(into_sum.partitioner, Partitioner::Hash(KeySelector::Parity));
    assert_eq!(into_sink.partitioner, Partitioner::Forward);
    assert_eq!(into_sum.latency, Delay::Fixed(ms(1)));
    assert_eq!((into_sum.credits, into_sum.output_buffers), (8, 8));
}

#[test]
fn splits_without_names_get_some() {
    let text = r#"{
      "job": {
        "alone": { "source": [1] },
        "two": { "source": [[1], [2]] },
        "pair": { "source": [[3], [4]], "parallelism": 1 },
        "out": { "sink": "publish" }
      },
      "edges": [["alone", "out"], ["two", "out"], ["pair", "out"]]
    }"#;
    let names = |scenario: &Scenario| {
        let splits = 0..scenario.graph.splits.len();
        let names = splits.map(|n| scenario.graph.split(checkdam::model::SplitIndex::at(n)));
        names.map(|split| split.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&parse(text)), ["alone", "two-0", "two-1", "pair-0", "pair-1"]);
    let text = text.replace(r#""pair": { "source": [[3], [4]], "parallelism": 1 },"#, "");
    let text = text.replace(r#", ["pair", "out"]"#, "");
    let scenario = parse(&text);
    assert_eq!(names(&scenario), ["alone", "0", "1"]);
    assert_eq!(scenario.graph.subtasks[0].name, "alone");
    assert_eq!(scenario.graph.subtasks[1].name, "two[0]");
}

#[test]
fn edges_into_joins_take_the_side_that_is_free() {
    let sides = |first: &str, second: &str| {
        let text = format!(
            r#"{{ "job": {{ "a": {{ "source": [1] }}, "b": {{ "source": [2] }},
                  "join": {{ "join": "value" }}, "out": {{ "sink": "publish" }} }},
                "edges": [["a", "join", "hash", {{ {first} }}], ["b", "join", "hash", {{ {second} }}],
                          ["join", "out"]] }}"#
        );
        let scenario = parse(&text);
        [0, 1].map(|edge| scenario.graph.job.edges[edge].input)
    };
    let (left, right) = (JoinSide::Left, JoinSide::Right);
    assert_eq!(sides("", ""), [left, right]);
    assert_eq!(sides(r#""input": "right""#, ""), [right, left]);
    assert_eq!(sides("", r#""input": "left""#), [right, left]);
    assert_eq!(sides("", r#""input": "right""#), [left, right]);
}

#[test]
fn labels_are_made_from_the_parts_that_have_some() {
    let scenario = built_in("lecture");
    let label = |name: &str| {
        let spec = scenario.graph.spec(subtask(&scenario, name));
        [&spec.label.en, &spec.label.zh, &spec.short.en, &spec.short.zh].map(String::clone)
    };
    assert_eq!(label("numbers[blue]"), ["blue source", "蓝源", "blue", "蓝"]);
    assert_eq!(label("sum[even]"), ["sum(even)", "偶数和", "even", "偶"]);
    assert_eq!(label("sum[odd]"), ["sum(odd)", "奇数和", "odd", "奇"]);
    assert_eq!(label("sink[even]"), ["sink(even)", "汇(偶)", "sink(even)", "汇(偶)"]);
    let plain = parse(SMALLEST);
    let spec = plain.graph.spec(subtask(&plain, "sink[1]"));
    assert_eq!((&spec.label, &spec.short), (&Text::same("sink(1)"), &Text::same("sink(1)")));
}

#[test]
fn restart_strategies_have_flinks_defaults_once_they_are_named() {
    let config = |config: &str| parse(&SMALLEST.replacen('{', &format!("{{ {config},"), 1)).config;
    assert_eq!(
        config(r#""config": { "restart-strategy.type": "fixed-delay" }"#).restart,
        RestartStrategy::FixedDelay { attempts: 1, delay: ms(1000) }
    );
    assert_eq!(
        config(r#""config": { "execution.checkpointing.interval": "10 s" }"#).interval,
        Some(ms(10_000))
    );
}

/// The timings and words that the walkthrough is built on.
#[test]
fn the_lecture_is_the_lectures() {
    let scenario = built_in("lecture");
    let graph = &scenario.graph;
    let OperatorKind::Source { splits, replayable: true, .. } = &graph.job.operators[0].kind else {
        panic!("numbers is a source")
    };
    let values: Vec<_> = splits.iter().map(|split| (split.name.as_str(), &split.values)).collect();
    let range = |to| SplitValues::Range { from: 1, to };
    assert_eq!(values, [("blue", &range(5)), ("yellow", &range(6))]);
    assert_eq!(graph.job.operators[1].kind, OperatorKind::Sum(KeySelector::Parity));
    assert_eq!(graph.job.operators[2].kind, OperatorKind::Sink(SinkKind::Publish));
    let service = |name| graph.spec(subtask(&scenario, name)).service.clone();
    assert_eq!(service("numbers[blue]"), list(&[45, 15, 10, 48, 25, 47]));
    assert_eq!(service("numbers[yellow]"), list(&[40, 10, 10, 15, 44, 22, 50]));
    assert_eq!(service("sum[even]"), Delay::NONE);
    let latency: Vec<_> =
        graph.channels.iter().map(|channel| (channel.name.as_str(), &channel.latency)).collect();
    assert_eq!(
        latency,
        [
            ("numbers[blue]->sum[even]", &list(&[1, 43, 15, 10, 1])),
            ("numbers[blue]->sum[odd]", &list(&[1, 10, 34, 32, 10, 1])),
            ("numbers[yellow]->sum[even]", &list(&[1, 10, 47, 30, 10, 1])),
            ("numbers[yellow]->sum[odd]", &list(&[1, 10, 10, 16, 10, 1])),
            ("sum[even]->sink[even]", &list(&[1, 25, 41, 23, 30, 10, 20, 1])),
            ("sum[odd]->sink[odd]", &list(&[1, 20, 33, 38, 42, 29, 10, 20, 1])),
        ]
    );
    assert_eq!(scenario.rpc.trigger, Delay::Fixed(ms(20)));
    assert_eq!(scenario.rpc.acknowledge, Delay::Fixed(ms(1)));
    assert_eq!(scenario.triggers, [When::At(Time(0)), When::At(Time(80_000))]);
    assert!(!scenario.config.checkpoints_after_tasks_finish);
    let delay = ms(100);
    assert_eq!(scenario.config.restart, RestartStrategy::FixedDelay { attempts: 3, delay });
    let names: Vec<&str> = scenario.moments.iter().map(|moment| moment.name.as_str()).collect();
    assert_eq!(
        names,
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
    let checkpoint = CheckpointId(2);
    let even = subtask(&scenario, "sum[even]");
    assert_eq!(
        scenario.moments[3].begins,
        Some(FactPattern::BarrierReceived {
            task: even,
            checkpoint,
            from: Some(subtask(&scenario, "numbers[blue]"))
        })
    );
    assert_eq!(scenario.moments[0].begins, None);
    assert_eq!(scenario.moments[6].ends, Some(FactPattern::AllNotified(checkpoint)));
    assert!(scenario.moments.iter().all(|moment| moment.title.en != moment.title.zh));
}

#[test]
fn every_file_of_scenarios_is_built_in() {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios"));
    let mut files: Vec<String> = files
        .expect("the folder is there")
        .map(|file| file.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut built_in: Vec<String> =
        load::builtin().iter().map(|scenario| format!("{}.json", scenario.name)).collect();
    built_in.sort();
    assert_eq!(files, built_in);
}
