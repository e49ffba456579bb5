//! What is said of files that are wrong, word by word. Each snapshot was read
//! as a user would read it.

use checkdam::load::{self, Colour};

/// Compares what is said of a file with its golden.
pub(super) fn check(name: &str, text: &str) {
    let problems = match load::scenario("my-job.json", text.as_bytes()) {
        Ok(loaded) => loaded.remarks,
        Err(problems) => problems,
    };
    crate::common::snapshot("load", name, &problems.show(Colour::Never));
}

/// A sound job, to which a case adds its own.
pub(super) fn with(more: &str) -> String {
    format!(
        r#"{{
  "job": {{
    "numbers": {{ "source": {{ "blue": [1, 2, 3], "yellow": [1, 2] }} }},
    "total": {{ "sum": "parity", "parallelism": 2, "names": ["even", "odd"] }},
    "sink": {{ "sink": "publish", "parallelism": 2, "names": ["even", "odd"] }}
  }},
  "edges": [["numbers", "total"], ["total", "sink", "forward"]],
{more}
}}
"#
    )
}

#[test]
fn five_errors_of_one_file_are_told_at_once() {
    check(
        "five-errors",
        r#"{
  "title": "five errors in one file",
  "notes": "the cases of the first page of a user's life",

  "job": {
    "numbers": { "source": [1, 2, 3], "parallelism": 3 },
    "total":   { "sum": "parity", "paralelism": 2, "parallelism": 2, "names": ["even", "odd"] },
    "sink":    { "sink": "publish", "parallelism": 2, "names": ["even", "odd"] }
  },
  "edges": [
    ["numbers", "total", "forward"],
    ["total", "sinks", "forward"]
  ],
  "config": {
    "execution.checkpointing.interval": "10 sec onds"
  },

  "faults": [
    { "crash": "total[evn]", "when": "snapshot 2 taken" }
  ]
}
"#,
    );
}

#[test]
fn texts_that_are_no_json_are_explained() {
    for (name, text) in [
        ("empty", ""),
        ("trailing-comma", "{\n  \"job\": {},\n}\n"),
        ("missing-comma", "{\n  \"job\": {}\n  \"edges\": []\n}\n"),
        ("single-quotes", "{ 'job': {} }"),
        ("word", "{ \"job\": numbers }"),
        ("no-key", "{ job: {} }"),
        ("open-string", "{ \"job: {} }\n"),
        ("open-object", "{ \"job\": {"),
        ("two-documents", "{} {}"),
        ("no-value", "{ \"job\": }"),
        ("number", "{ \"steps\": 0x10 }"),
        ("escape", r#"{ "title": "C:\users" }"#),
        ("not-an-object", "[1, 2]"),
    ] {
        check(&format!("syntax-{name}"), text);
    }
}

#[test]
fn texts_beyond_the_limits_are_refused() {
    let too_deep = format!("{{ \"job\": {}", "[".repeat(100_000));
    check("limit-too-deep", &too_deep);
    let too_large = format!("{{ \"notes\": \"{}\" }}", "a".repeat(5 << 20));
    check("limit-too-large", &too_large);
    let problems = load::scenario("my-job.json", b"{\n  \"title\": \"caf\xe9\"\n}");
    let problems = problems.expect_err("it is not UTF-8");
    crate::common::snapshot("load", "limit-not-utf8", &problems.show(Colour::Never));
}

#[test]
fn keys_and_types_of_a_whole_scenario_are_checked() {
    check(
        "keys-and-types",
        &with(
            r#"  "titel": "x", "notes": 3, "moment": [], "steps": 0,
  "network": { "latncy": "1 ms", "capacity": { "credits": 0, "buffer": 2 } },
  "rpc": { "trigger": true, "ack": 1 },
  "config": [], "labels": { "fr": {} }, "taskmanagers": 7, "checkpoints": {}, "faults": "none",
  "$schema": 1"#,
        ),
    );
    check("no-job", "{}");
    check("empty-job", r#"{ "job": {}, "edges": [["a", "b"]] }"#);
    check("job-is-a-list", r#"{ "job": [], "faults": [{ "crash": "a", "at": 1 }] }"#);
}

#[test]
fn keys_that_stand_twice_are_told() {
    check(
        "twice",
        r#"{
  "job": {
    "in": { "source": [1, 2], "service": 1, "service": 2 },
    "out": { "sink": "publish" },
    "in": { "source": [3, 4] }
  },
  "edges": [["in", "out"]],
  "edges": [["in", "out"]]
}
"#,
    );
}

#[test]
fn sources_are_checked_one_by_one() {
    check(
        "sources",
        r#"{
  "job": {
    "a": { "source": [1, 2], "parallelism": 0 },
    "b": { "source": [1, 2.5, "x", "yz", null] },
    "c": { "source": { "from": 5, "to": 1 }, "parallelism": -1 },
    "d": { "source": { "random": 5 }, "replayable": "no" },
    "e": { "source": {} },
    "f": { "source": "ab1", "parallelism": 5000 },
    "g": { "source": { "from": 1, "to": 5000000000 } },
    "h": { "source": true },
    "out": { "sink": "publish" }
  },
  "edges": [
    ["a", "out"], ["b", "out"], ["c", "out"], ["d", "out"], ["e", "out"], ["f", "out"],
    ["g", "out"], ["h", "out"]
  ]
}
"#,
    );
}

#[test]
fn operators_are_checked_one_by_one() {
    check(
        "operators",
        r#"{
  "job": {
    "in": { "source": [1] },
    "g": { "sum": "partiy", "names": ["x", "x"], "parallelism": 2 },
    "h": { "count": { "modulo": 0 }, "names": ["x"], "parallelism": 2 },
    "i": { "max": { "names": [] }, "max-parallelism": 40000 },
    "j": { "map": { "plus": 1 }, "service": { "1": 2 } },
    "k": { "filter": { "above": 1, "below": 3 } },
    "l": { "union": false, "names": ["a b"] },
    "m": { "sink": "transactionl", "service": { "min": 3, "max": 2 } },
    "n": { "sum": "parity", "sink": "publish" },
    "o": { "sorce": [1] },
    "p q": { "parallelism": 1 },
    "r": "sink",
    "s": { "join": { "names": ["a", "b", "a"] }, "parallelism": 2, "names": ["1", "0"] }
  },
  "edges": [
    ["in", "g"], ["g", "h"], ["h", "i"], ["i", "j"], ["j", "k"], ["k", "l"], ["l", "m"],
    ["in", "s"], ["in", "s"], ["s", "m"]
  ]
}
"#,
    );
}

#[test]
fn edges_are_checked_one_by_one() {
    check(
        "edges",
        r#"{
  "job": {
    "left": { "source": [1, 2] },
    "right": { "source": [[1], [2]] },
    "both": { "join": "parity", "parallelism": 2 },
    "each": { "sum": "value", "parallelism": 3 },
    "same": { "map": { "add": 1 } },
    "out": { "sink": "publish" }
  },
  "edges": [
    ["left"],
    ["left", "both", "hsh"],
    ["left", "same", "hash"],
    ["left", 5, "forward"],
    ["left", "both", { "latency": 5 }],
    ["right", "both", { "hash": "value" }, { "input": "up", "capacity": 0 }],
    ["right", "each", "broadcast", { "latency": { "0->7": 1, "0-0": 2, "0->0": "x", "1->1": 1 } }],
    ["each", "out", "rebalance", { "latency": [], "input": "left" }],
    ["both", "out", 7],
    ["out", "left"]
  ]
}
"#,
    );
}

#[test]
fn a_graph_that_hangs_together_wrongly_is_told() {
    check(
        "circles",
        r#"{
  "job": {
    "in": { "source": [1] },
    "a": { "union": true },
    "b": { "union": true },
    "c": { "union": true },
    "self": { "union": true },
    "out": { "sink": "publish" }
  },
  "edges": [
    ["in", "a"], ["a", "b"], ["b", "c"],
    ["c", "a"],
    ["c", "self"], ["self", "self"],
    ["self", "out"]
  ]
}
"#,
    );
    check(
        "not-connected",
        r#"{
  "job": {
    "in": { "source": [1] },
    "other": { "source": [1] },
    "lonely": { "map": { "add": 1 } },
    "both": { "join": "parity" },
    "out": { "sink": "publish" },
    "idle": { "sink": "publish" }
  },
  "edges": [
    ["in", "both"],
    ["both", "out"]
  ]
}
"#,
    );
    check("no-edges", r#"{ "job": { "in": { "source": [1] }, "out": { "sink": "publish" } } }"#);
    check("one-operator", r#"{ "job": { "in": { "source": [1] } } }"#);
    check(
        "broadcast-inputs",
        r#"{
  "job": {
    "rules": { "source": [10], "redistribution": "all" },
    "orders": { "source": [1], "redistribution": "union" },
    "price": { "broadcast-process": "parity", "parallelism": 2 },
    "again": { "broadcast-process": "parity", "parallelism": 2 },
    "out": { "sink": "publish" }
  },
  "edges": [
    ["rules", "price", "broadcast"],
    ["orders", "again", "rebalance"],
    ["price", "out"],
    ["again", "out"]
  ]
}
"#,
    );
    check(
        "join-inputs",
        r#"{
  "job": {
    "a": { "source": [1] }, "b": { "source": [2] }, "c": { "source": [3] },
    "two": { "join": "parity" }, "three": { "join": "parity" }, "out": { "sink": "publish" }
  },
  "edges": [
    ["a", "two", "hash", { "input": "left" }], ["b", "two", "hash", { "input": "left" }],
    ["a", "three"], ["b", "three"], ["c", "three"],
    ["two", "out"], ["three", "out"]
  ]
}
"#,
    );
    check(
        "too-large-a-graph",
        r#"{
  "job": {
    "in": { "source": [1], "parallelism": 2000 },
    "wide": { "map": { "add": 1 }, "parallelism": 300 },
    "out": { "sink": "publish", "parallelism": 2000 }
  },
  "edges": [["in", "wide", "broadcast"], ["wide", "out", "rebalance"]]
}
"#,
    );
}

#[test]
fn durations_that_are_none_are_told() {
    check(
        "durations",
        &with(
            r#"  "checkpoints": [
    { "at": "soon" }, { "at": "-5 s" }, { "at": -5 }, { "at": "1.5 s" }, { "at": 0.5 },
    { "at": "10 parsecs" }, { "at": "10 ns" }, { "at": "4000 d" },
    { "at": 99999999999999999999 }, { "at": "" }, { "at": true },
    { "at": "1\u0020s econds" }
  ]"#,
        ),
    );
}

#[test]
fn settings_of_flink_are_checked_as_flink_does() {
    check(
        "config",
        &with(
            r#"  "config": {
    "execution.checkpointing.intervall": "10 s",
    "execution": { "checkpointing": { "interval": "10 s" } },
    "checkpoint.interval": "10 s",
    "execution.checkpointing.interval": "5 ms",
    "execution.checkpointing.max-concurrent-checkpoints": 0,
    "execution.checkpointing.checkpoints-after-tasks-finish": "yes",
    "execution.checkpointing.checkpoints-after-tasks-finish.enabled": true,
    "execution.checkpointing.mode": "exactly-once",
    "execution.checkpointing.timeout": "10 min",
    "restart-strategy.type": "fixed",
    "restart-strategy.fixed-delay.attempts": "many"
  }"#,
        ),
    );
    // Nothing wrong here: these are remarks about a scenario that runs.
    check(
        "config-remarks",
        &with(
            r#"  "config": {
    "execution.checkpointing.interval": 1000,
    "execution.checkpointing.mode": "at_least_once",
    "state.backend": "rocksdb",
    "restart-strategy": "failure-rate",
    "restart-strategy.fixed-delay.attempts": 3
  }"#,
        ),
    );
}

#[test]
fn faults_name_things_that_exist() {
    check(
        "faults",
        &with(
            r#"  "taskmanagers": {
    "tm-1": ["total[even]", "sink[even]"],
    "tm-2": ["sink[even]", "total", "total[2]", "totl[0]"],
    "sink": []
  },
  "faults": [
    { "crash": "evne", "at": "3 s" },
    { "crash": "even", "at": "3 s" },
    { "crash": "tm-3", "at": "3 s" },
    { "crash": "total", "at": "3 s" },
    { "crash": "total[even]" },
    { "crash": "total[even]", "at": 1, "when": "job fails" },
    { "crash": "total[even]", "at": 1, "nth": 2 },
    { "slow": "numbers[blue]->sink[even]", "times": 5, "for": 1, "at": 0 },
    { "slow": "total[even]->sink[odd]", "times": 1, "for": 0, "at": 0 },
    { "slow": "total[odd]", "at": 0 },
    { "slow": "tm-1", "times": 2, "for": 1, "at": 0 },
    { "crsh": "total[even]", "at": 0 },
    {},
    { "crash": "total[even]", "whn": "snapshot 2 taken" },
    { "crash": "tm-1", "when": "snapshot 2 taken" }
  ]"#,
        ),
    );
}

#[test]
fn facts_are_possible_ones() {
    check(
        "facts",
        &with(
            r#"  "moments": [
    { "name": "a", "when": "total[even] has eaten blue 4" },
    { "name": "a", "when": "checkpoint 0 is complete" },
    { "name": "b", "when": "checkpoint two is complete" },
    { "name": "c", "when": "numbers[blue] has received barrier 2" },
    { "name": "d", "when": "sink[odd] has received barrier 2 from total[even]" },
    { "name": "e", "when": "numbers[blue] has read yellow 1" },
    { "name": "f", "when": "numbers[blue] has read blue 4" },
    { "name": "g", "when": "total[even] has written blue 1" },
    { "name": "h", "when": "numbers[blue] has processed green 1" },
    { "name": "i", "until": "job fails" },
    { "name": "j", "when": "checkpoint 2 is" },
    { "name": "k", "when": "" },
    { "title": {}, "when": "job fails", "nth": 2 }
  ],
  "break": ["process-after-first-barier", "snapshot-at-first-barrier", "snapshot-at-first-barrier"],
  "labels": { "zh": { "blu": "蓝", "total": 7 } }"#,
        ),
    );
}

#[test]
fn names_are_unique_where_they_must_be() {
    check(
        "names",
        r#"{
  "job": {
    "in": { "source": { "blue": [1], "green": [2] } },
    "also": { "source": { "blue": [1] } },
    "green": { "source": [1] },
    "out": { "sink": "publish" }
  },
  "edges": [["in", "out"], ["also", "out"], ["green", "out"]]
}
"#,
    );
}

#[test]
fn messages_that_fail_are_named_by_kind_task_and_checkpoint() {
    check(
        "message-faults",
        &with(
            r#"  "cancel": { "whn": "checkpoint 1 is complete" },
  "faults": [
    { "lose": "acknowledgment", "of": "total[odd]", "checkpoint": 1 },
    { "lose": "acknowledgement", "to": "total[odd]", "checkpoint": 1 },
    { "lose": "trigger", "of": "numbers[blue]", "checkpoint": 0 },
    { "lose": "notification", "to": "sink[evn]" },
    { "delay": "notification", "to": "sink[even]", "checkpoint": 1 },
    { "delay": "notification", "to": "sink[even]", "checkpoint": 1, "by": 0, "when": "job fails" },
    { "stall": "total[even]", "for": "50 ms", "at": 1 },
    { "stall": "total[even]->sink[odd]", "for": 0, "at": 1 },
    { "crash": "total[even]", "for": "1 s", "at": 1 },
    { "crash": "jobmanager", "for": 0, "at": 1 },
    { "crash": "jobmanagr", "at": 1 }
  ]"#,
        ),
    );
}

#[test]
fn what_has_no_effect_is_told() {
    check(
        "no-effect",
        &with(
            r#"  "initial-delay": "20 ms",
  "checkpoints": [{ "at": "25 ms" }],
  "cancel": { "when": "job finishes" }"#,
        ),
    );
}

#[test]
fn two_jobmanagers_are_told_apart() {
    let crash = |name: &str| {
        with(&format!(
            r#"  "taskmanagers": {{ "jobmanager": ["total[even]"] }},
  "faults": [{{ "crash": "{name}", "at": "5 ms" }}]"#
        ))
    };
    check("two-jobmanagers", &crash("jobmanager"));
    let almost = with(r#"  "faults": [{ "crash": "JobManager", "at": "5 ms", "for": "10 ms" }]"#);
    check("almost-jobmanager", &almost);
}

#[test]
fn a_failover_strategy_and_a_service_are_known_by_name() {
    check(
        "named-services",
        &with(
            r#"  "config": {
    "jobmanager.execution.failover-strategy": "individual",
    "high-availability.type": "zookeper"
  }"#,
        ),
    );
}

#[test]
fn savepoints_without_a_place_or_checkpoints_are_told() {
    check("savepoints-alone", &with(r#"  "savepoints": [{ "at": "25 ms" }]"#));
    check(
        "savepoint-stop",
        &with(
            r#"  "savepoints": [{ "at": "25 ms", "stop": "suspned" }, { "stop": "drain" }],
  "config": { "execution.checkpointing.savepoint-dir": "file:///s" }"#,
        ),
    );
    check(
        "savepoint-format",
        &with(
            r#"  "checkpoints": [{ "at": "5 ms" }],
  "savepoints": [{ "at": "25 ms", "format": "natvie" }, { "at": "30 ms", "format": 2 }],
  "config": { "execution.checkpointing.savepoint-dir": "file:///s" }"#,
        ),
    );
}

#[test]
fn two_savepoints_to_start_from_are_told() {
    check(
        "two-starts",
        &with(
            r#"  "from": "stop-with-savepoint",
  "config": { "execution.savepoint.path": "savepoint.json" }"#,
        ),
    );
}

/// A mistake that has no place in a mode is refused, or told to have no effect.
#[test]
fn mistakes_that_have_no_place_in_a_mode_are_told() {
    let unaligned = r#""execution.checkpointing.unaligned.enabled": true"#;
    let forced = r#""execution.checkpointing.unaligned.forced": true"#;
    let at_least_once = r#""execution.checkpointing.mode": "AT_LEAST_ONCE""#;
    let cases = [
        ("break-alignment-unaligned", unaligned.to_owned(), "process-after-first-barrier"),
        ("break-alignment-forced", format!("{unaligned}, {forced}"), "count-any-barrier"),
        ("break-alignment-at-least-once", at_least_once.to_owned(), "abort-leaves-blocked"),
        ("break-held-back-unaligned", unaligned.to_owned(), "drop-held-back-records"),
        ("break-overtaking-aligned", String::new(), "forget-channel-state"),
        ("break-sink-unaligned", unaligned.to_owned(), "commit-at-pre-commit"),
    ];
    for (name, config, mutation) in cases {
        check(name, &with(&format!("\"config\": {{ {config} }},\n\"break\": [\"{mutation}\"]")));
    }
}
