//! The settings that the article names: all are in the table, and what Flink
//! still does with them, a run shows.

use checkdam::load::flink::{API, Effect, How, Origin, Release, Setting, option_of, read};
use checkdam::load::{self, Loaded};
use checkdam::model::{Config, RestartStrategy, Scenario};
use checkdam::sim::simulate;
use checkdam::trace::Fact;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The nine keys of its table.
const KEYS: [&str; 9] = [
    "state.backend",
    "state.backend.async",
    "state.backend.fs.memory-threshold",
    "state.backend.incremental",
    "state.backend.local-recovery",
    "state.checkpoints.dir",
    "state.checkpoints.num-retained",
    "state.savepoints.dir",
    "taskmanager.state.local.root-dirs",
];

/// The methods of its listing, with the key of today.
const METHODS: [(&str, &str); 7] = [
    ("enableCheckpointing", "execution.checkpointing.interval"),
    ("setCheckpointingMode", "execution.checkpointing.mode"),
    ("setCheckpointTimeout", "execution.checkpointing.timeout"),
    ("setMinPauseBetweenCheckpoints", "execution.checkpointing.min-pause"),
    ("setMaxConcurrentCheckpoints", "execution.checkpointing.max-concurrent-checkpoints"),
    ("enableExternalizedCheckpoints", "execution.checkpointing.externalized-checkpoint-retention"),
    ("setFailOnCheckpointingErrors", "execution.checkpointing.tolerable-failed-checkpoints"),
];

#[test]
fn every_key_and_method_of_the_article_is_in_the_table() {
    for key in KEYS {
        assert!(option_of(key).is_some_and(|option| option.is_in(Release::V1)), "{key}");
    }
    for (name, key) in METHODS {
        let method = API.iter().find(|method| method.name == name).expect(name);
        assert_eq!(method.key, key);
    }
}

/// Its `flink-conf.yaml`, in which every line is a comment, sets nothing.
#[test]
fn a_listing_of_comments_sets_nothing() {
    let listing = include_str!("../../book/article/flink-conf.yaml");
    assert!(listing.lines().all(|line| line.is_empty() || line.starts_with('#')));
    let named = listing.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(": "));
    let named: Vec<_> = named.map(|(key, _)| key).filter(|key| !key.contains(' ')).collect();
    assert_eq!(named, KEYS);
    let reading = read("flink-conf.yaml", listing.as_bytes(), How::default());
    assert!(reading.map.is_empty());
    let of_a_file = |setting: &&Setting| matches!(setting.origin, Origin::File { .. });
    assert_eq!(reading.settings.iter().filter(of_a_file).count(), 0);
    assert_eq!(reading.config(), Config { restart: RestartStrategy::None, ..Config::default() });
    let codes: Vec<_> = reading.diagnostics.items.iter().map(|item| item.code).collect();
    assert_eq!(codes, ["no-periodic", "restart-none"]);
}

/// The scenario that shows the listing's settings has each of them, under the
/// key of today.
#[test]
fn the_article_s_scenario_sets_what_its_seven_methods_set() {
    let text = include_str!("../../scenarios/article.json");
    let document: Value = serde_json::from_str(text).expect("it is JSON");
    let settings = document["config"].as_object().expect("it has settings");
    let not_restart = |key: &&String| !key.starts_with("restart-strategy");
    let keys: BTreeSet<_> = settings.keys().filter(not_restart).map(String::as_str).collect();
    assert_eq!(keys, METHODS.iter().map(|(_, key)| *key).collect());
}

/// A job with slow barriers under some settings.
fn job(settings: &Value) -> Loaded {
    let text = json!({
        "job": {
            "numbers": { "source": { "a": { "from": 1, "to": 60 }, "b": { "from": 1, "to": 60 } } },
            "sum": { "sum": "parity", "parallelism": 2, "service": "5 ms" },
            "out": { "sink": "publish" },
        },
        "edges": [["numbers", "sum", "hash"], ["sum", "out", "rebalance"]],
        "rpc": "40 ms",
        "config": settings,
    });
    load::scenario("job.json", text.to_string().as_bytes()).expect("it is valid")
}

/// How often something happens in a run.
fn count(scenario: &Scenario, wanted: fn(&Fact) -> bool) -> usize {
    let (trace, _) = simulate(scenario, 1);
    trace.steps.iter().flat_map(|step| &step.facts).filter(|fact| wanted(fact)).count()
}

fn triggers(settings: &Value) -> usize {
    count(&job(settings).scenario, |fact| matches!(fact, Fact::CheckpointTriggered { .. }))
}

#[test]
fn the_interval_decides_how_many_checkpoints_there_are() {
    let (few, many) = (
        triggers(&json!({ "execution.checkpointing.interval": "200 ms" })),
        triggers(&json!({ "execution.checkpointing.interval": "100 ms" })),
    );
    // Without one there is nothing but the last checkpoint of a job that ends.
    assert!(triggers(&json!({})) <= 1 && few > 1 && many > few, "{few} {many}");
}

#[test]
fn the_least_pause_spreads_checkpoints() {
    let with = |pause: &str| {
        triggers(&json!({
            "execution.checkpointing.interval": "100 ms",
            "execution.checkpointing.min-pause": pause,
        }))
    };
    assert!(with("150 ms") < with("0"), "{} {}", with("150 ms"), with("0"));
}

#[test]
fn more_checkpoints_at_once_are_more_checkpoints() {
    let with = |most: u32| {
        triggers(&json!({
            "execution.checkpointing.interval": "30 ms",
            "execution.checkpointing.max-concurrent-checkpoints": most,
        }))
    };
    assert!(with(3) > with(1), "{} {}", with(3), with(1));
}

#[test]
fn the_mode_decides_whether_records_are_held_back() {
    let run = |mode: &str| {
        let settings = json!({
            "execution.checkpointing.interval": "50 ms",
            "execution.checkpointing.mode": mode,
        });
        simulate(&job(&settings).scenario, 1).0
    };
    assert_ne!(run("EXACTLY_ONCE").steps, run("AT_LEAST_ONCE").steps);
}

/// Flink does nothing with it any more, and neither does a run; a message says
/// so.
#[test]
fn asynchronous_snapshots_cannot_be_switched_off() {
    let option = option_of("state.backend.async").expect("it is in the table");
    assert_eq!(option.effect, Effect::Nothing);
    let run = |settings: &Value| {
        let loaded = job(settings);
        let codes: Vec<_> = loaded.remarks.items.iter().map(|item| item.code).collect();
        (simulate(&loaded.scenario, 1).0.steps, codes)
    };
    let interval = ("execution.checkpointing.interval", "50 ms");
    let (off, said) = run(&json!({ interval.0: interval.1, "state.backend.async": false }));
    let (on, silent) = run(&json!({ interval.0: interval.1 }));
    assert_eq!(off, on);
    assert_eq!((said, silent), (vec!["no-effect"], vec![]));
}
