//! Random jobs that are stopped with a savepoint at a random moment and go on at
//! a random other parallelism: in the end they are what one that was never
//! stopped could have been.

use std::collections::{BTreeMap, BTreeSet};

use checkdam::model::{
    ExecutionGraph, Key, OperatorKind, RecordId, Scenario, SinkKind, SnapshotType, StateValue,
    SubtaskState, TransactionId, mix,
};
use checkdam::protocol::RestoreRefusal;
use checkdam::savepoint::{Recorder, Refusal, Saved, Wanted, start_from};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, Trace};
use checkdam::verify::{Outcome, verify, verify_chain};
use serde_json::{Value, json};

use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

/// A random job without broadcasts, which would make as many copies of a record
/// as there are subtasks, and with a last checkpoint.
fn document(number: u64) -> Value {
    let mode = [Mode::Aligned, Mode::Unaligned, Mode::Timeout][number as usize % 3];
    let text = random_jobs::document(number, mode).to_string();
    let mut document: Value =
        serde_json::from_str(&text.replace("\"broadcast\"", "\"rebalance\"")).expect("it is JSON");
    let config = document["config"].as_object_mut().expect("it has settings");
    config.remove("execution.checkpointing.checkpoints-after-tasks-finish");
    let tolerable = "execution.checkpointing.tolerable-failed-checkpoints";
    config.insert(tolerable.into(), json!(i32::MAX));
    config.insert("execution.checkpointing.savepoint-dir".into(), json!("file:///savepoints"));
    config.insert("high-availability.type".into(), json!("zookeeper"));
    if number % 4 == 1 {
        document["job"]["source0"]["redistribution"] = json!("union");
    }
    if number % 5 == 2 {
        add_rules(&mut document);
    }
    document
}

/// Rules for everybody in front of the keyed operator, as broadcast state.
fn add_rules(document: &mut Value) {
    let edges = document["edges"].as_array_mut().expect("a list");
    let into_keyed = edges.iter_mut().filter(|edge| edge[1] == "keyed");
    for edge in into_keyed {
        edge[1] = json!("ruled");
        edge[2] = json!("rebalance");
    }
    edges.push(json!(["source-rules", "ruled", "broadcast", { "latency": 4 }]));
    edges.push(json!(["ruled", "keyed", "hash"]));
    let rules = json!({ "rules": { "from": 100, "to": 111 } });
    document["job"]["source-rules"] = json!({ "source": rules, "names": ["r0"], "service": 5 });
    document["job"]["ruled"] = json!({
        "broadcast-process": { "modulo": 3 }, "parallelism": 2, "names": ["t0", "t1"]
    });
    // A join has two inputs, and here is one.
    let keyed = document["job"]["keyed"].as_object_mut().expect("an operator");
    if let Some(key) = keyed.remove("join") {
        keyed.insert("max".into(), key);
    }
    // After a failure a record may meet another rule and come out under another
    // key: what a sink has overwritten then stays where it was.
    for sink in ["sink0", "sink1"] {
        if document["job"][sink]["sink"] == "idempotent" {
            document["job"][sink]["sink"] = json!("transactional");
        }
    }
}

/// The same job with other parallelisms.
fn rescaled(number: u64, document: &Value) -> Value {
    let mut document = document.clone();
    let mut turn = 1000;
    let mut draw = |n: u64| {
        turn += 1;
        mix(number << 20 | turn) % n
    };
    let job = document["job"].as_object_mut().expect("operators by name");
    for (name, operator) in job.iter_mut() {
        let n_max = if name.starts_with("source") { 3 } else { 5 };
        let n = 1 + draw(n_max);
        let letter = if name.starts_with("source") { "r" } else { "t" };
        operator["parallelism"] = json!(n);
        operator["names"] = json!((0..n).map(|i| format!("{letter}{i}")).collect::<Vec<_>>());
    }
    let job = document["job"].clone();
    for edge in document["edges"].as_array_mut().expect("a list") {
        let n = |end: usize| job[edge[end].as_str().expect("a name")]["parallelism"].clone();
        if edge[2] == "forward" && n(0) != n(1) {
            edge[2] = json!("rebalance");
        }
    }
    // Faults may name tasks that there are no more.
    document["faults"] = json!([{ "crash": "manager", "at": 10 + draw(120) }]);
    document.as_object_mut().expect("an object").remove("savepoints");
    document
}

/// What sinks have shown to the outside: by sink, each record as often as it was
/// shown. A transaction counts once, however often it is committed.
#[derive(Default)]
struct Outside {
    shown: BTreeMap<String, BTreeMap<(String, u32, u64), u32>>,
    committed: BTreeSet<(u32, String)>,
    /// Which transactions a record came out with.
    with: BTreeMap<(String, u32), Vec<String>>,
}

impl Outside {
    fn show(&mut self, graph: &ExecutionGraph, sink: &str, id: RecordId) {
        let record = (graph.split(id.split).name.clone(), id.offset, id.path.0);
        *self.shown.entry(sink.to_owned()).or_default().entry(record).or_default() += 1;
    }

    /// All that a run shows; `run` tells its transactions from those of others.
    fn run(&mut self, run: u32, scenario: &Scenario, trace: &Trace) {
        let graph = &scenario.graph;
        let mut open: BTreeMap<u32, TransactionId> = BTreeMap::new();
        let mut written: BTreeMap<TransactionId, Vec<RecordId>> = BTreeMap::new();
        for task in graph.subtask_indices() {
            let attempt = checkdam::model::Attempt(1);
            open.insert(task.0, TransactionId { subtask: task, attempt, number: 1 });
        }
        for fact in trace.steps.iter().flat_map(|step| &step.facts) {
            match fact {
                Fact::TransactionBegun { transaction } => {
                    open.insert(transaction.subtask.0, *transaction);
                    written.insert(*transaction, Vec::new());
                }
                Fact::Processed { task, record, .. } => match graph.operator(*task).kind {
                    OperatorKind::Sink(SinkKind::Transactional) => {
                        written.entry(open[&task.0]).or_default().push(record.id);
                    }
                    OperatorKind::Sink(_) => {
                        let sink = graph.operator(*task).name.clone();
                        self.show(graph, &sink, record.id);
                    }
                    _ => {}
                },
                // Those of the job before are looked at in the savepoint.
                Fact::TransactionCommitted { transaction, .. } if transaction.attempt.0 > 0 => {
                    let task = &graph.subtasks[transaction.subtask.index()];
                    let name =
                        format!("{}/{}/{}", task.name, transaction.attempt, transaction.number);
                    if self.committed.insert((run, name)) {
                        let sink = graph.operator(transaction.subtask).name.clone();
                        for id in written.get(transaction).cloned().unwrap_or_default() {
                            let record = (graph.split(id.split).name.clone(), id.offset);
                            let who = format!("{run}:{transaction:?}");
                            self.with.entry(record).or_default().push(who);
                            self.show(graph, &sink, id);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The prepared transactions of a savepoint are committed by who starts from
    /// it.
    fn savepoint(&mut self, run: u32, saved: &Saved) {
        for operator in &saved.savepoint.operators {
            for subtask in &operator.subtasks {
                let SubtaskState::Transactions(prepared) = &subtask.state else { continue };
                for one in prepared {
                    if !self.committed.insert((run, one.transaction.clone())) {
                        continue;
                    }
                    for record in &one.records {
                        let path = record.path().expect("its turns fit").0;
                        let with = self.with.entry((record.split.clone(), record.offset));
                        with.or_default().push(format!("{run}: savepoint, {}", one.transaction));
                        let id = (record.split.clone(), record.offset, path);
                        let shown = self.shown.entry(operator.name.clone()).or_default();
                        *shown.entry(id).or_default() += 1;
                    }
                }
            }
        }
    }
}

/// State by key of all subtasks together.
fn keyed(scenario: &Scenario, trace: &Trace) -> BTreeMap<Key, StateValue> {
    let view = trace.view(&scenario.graph, u64::MAX).expect("the facts can have happened");
    view.tasks.iter().flat_map(|task| task.state.iter().map(|(key, own)| (*key, *own))).collect()
}

/// Whether a job is refused for what Flink refuses: records in flight on a
/// pointwise edge, or one that had finished behind others that had not.
fn is_flinks(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::CannotRescale { .. }
            | Refusal::Mapping(RestoreRefusal::FinishedBehindUnfinished { .. })
    )
}

fn is_commutative(scenario: &Scenario) -> bool {
    let mut kinds = scenario.graph.job.operators.iter().map(|operator| &operator.kind);
    !kinds.any(|kind| matches!(kind, OperatorKind::Join(_) | OperatorKind::BroadcastProcess(_)))
}

/// Starts another job from what one has left, and holds the two together
/// against one that was never stopped.
fn goes_on(number: u64, first: (&Scenario, &Trace), document: &Value, saved: &Saved) {
    let scenario = random_jobs::loaded(number, &rescaled(number, document));
    let next = match start_from(&scenario, saved) {
        Ok(next) => next,
        // What Flink refuses, too: a forward edge may have become another one.
        Err(refusal) if is_flinks(&refusal) => return,
        Err(refusal) => panic!("random job {number}: {refusal:?}"),
    };
    let (trace, ending) = simulate(&next, number + 1);
    assert_eq!(ending, Ending::Finished, "random job {number}");
    let verdict = verify(&next, &trace);
    assert_eq!(verdict.answer(), Outcome::Holds, "random job {number}: {verdict}");
    // The two runs as one: nothing is lost, and nothing comes twice.
    let verdict = verify_chain(&[first, (&next, &trace)]);
    assert_eq!(verdict.answer(), Outcome::Holds, "random job {number}, as one: {verdict}");
    let mut never_stopped = document.clone();
    never_stopped.as_object_mut().expect("an object").remove("savepoints");
    never_stopped["faults"] = json!([]);
    let never_stopped = random_jobs::loaded(number, &never_stopped);
    let (whole, ending) = simulate(&never_stopped, number);
    assert_eq!(ending, Ending::Finished, "random job {number}");
    if !is_commutative(&next) {
        return;
    }
    assert_eq!(keyed(&next, &trace), keyed(&never_stopped, &whole), "random job {number}");
    let (mut both, mut one) = (Outside::default(), Outside::default());
    both.run(1, first.0, first.1);
    both.savepoint(1, saved);
    both.run(2, &next, &trace);
    one.run(1, &never_stopped, &whole);
    for operator in &next.graph.job.operators {
        let OperatorKind::Sink(kind) = operator.kind else { continue };
        let shown = |outside: &Outside| {
            let mut shown = outside.shown.get(&operator.name).cloned().unwrap_or_default();
            if kind != SinkKind::Transactional {
                // At once, and after a failure once more.
                shown.values_mut().for_each(|n| *n = 1);
            }
            shown
        };
        let twice: Vec<_> = both.with.iter().filter(|(_, with)| with.len() > 1).collect();
        let name = &operator.name;
        assert_eq!(shown(&both), shown(&one), "random job {number}, {name}: {twice:?}");
    }
}

#[test]
fn a_job_that_is_stopped_goes_on_at_any_parallelism() {
    /// The source is told to stop while it copies its state, and its next
    /// record was due meanwhile.
    const TOLD_WHILE_COPYING: u64 = 337;
    let mut stopped = 0;
    for number in (0..sizes::samples(250)).chain([TOLD_WHILE_COPYING]) {
        let mut document = document(number);
        let at = mix(number << 8 | 1) % 150;
        document["savepoints"] = json!([{ "at": at, "stop": "suspend" }]);
        // A source that hears too late that its savepoint was given up has ended.
        let scenario = random_jobs::loaded(number, &document);
        let (trace, ending) = simulate(&scenario, number);
        if ending != Ending::Finished {
            continue; // a savepoint that is given up may hold its channels back
        }
        let Some(saved) = last(&scenario, number, &trace, Wanted::Savepoints) else { continue };
        stopped += 1;
        goes_on(number, (&scenario, &trace), &document, &saved);
    }
    assert!(stopped * 2 > sizes::samples(250), "{stopped} jobs stop");
}

/// A checkpoint that a job has left behind may hold records in flight.
#[test]
fn a_job_goes_on_from_a_retained_checkpoint_with_records_in_flight() {
    let (mut in_flight, mut from) = (0, 0);
    for number in 0..sizes::samples(250) {
        let mut document = document(number);
        let config = document["config"].as_object_mut().expect("it has settings");
        let key = "execution.checkpointing.externalized-checkpoint-retention";
        config.insert(key.into(), json!("RETAIN_ON_CANCELLATION"));
        document["cancel"] = json!({ "at": 30 + mix(number << 8 | 2) % 150 });
        let scenario = random_jobs::loaded(number, &document);
        let (cancelled, ending) = simulate(&scenario, number);
        if ending != Ending::Canceled {
            continue;
        }
        let wanted = Wanted::SavepointsAndCheckpoints;
        let Some(saved) = last(&scenario, number, &cancelled, wanted) else { continue };
        from += 1;
        in_flight += u32::from(!saved.savepoint.in_flight.is_empty());
        let next = random_jobs::loaded(number, &rescaled(number, &document));
        match start_from(&without_cancel(&next), &saved) {
            Ok(next) => {
                let (trace, ending) = simulate(&next, number + 1);
                assert_eq!(ending, Ending::Finished, "random job {number}");
                let verdict = verify(&next, &trace);
                assert_eq!(verdict.answer(), Outcome::Holds, "random job {number}: {verdict}");
                let verdict = verify_chain(&[(&scenario, &cancelled), (&next, &trace)]);
                let state = verdict.state.outcome;
                assert_eq!(state, Outcome::Holds, "random job {number}, as one: {verdict}");
                state_is_whole(number, &document, (&next, &trace));
            }
            Err(refusal) if is_flinks(&refusal) => {}
            Err(refusal) => panic!("random job {number}: {refusal:?}"),
        }
    }
    let n = sizes::samples(250) as u32;
    assert!(from > n / 3 && in_flight > n / 20, "{from} from checkpoints, {in_flight} in flight");
}

fn without_cancel(scenario: &Scenario) -> Scenario {
    Scenario { cancel: None, ..scenario.clone() }
}

/// The state is that of a job that was never stopped.
fn state_is_whole(number: u64, document: &Value, (next, trace): (&Scenario, &Trace)) {
    let mut never_stopped = document.clone();
    never_stopped.as_object_mut().expect("an object").remove("cancel");
    never_stopped["faults"] = json!([]);
    let never_stopped = random_jobs::loaded(number, &never_stopped);
    let (whole, _) = simulate(&never_stopped, number);
    if is_commutative(next) {
        assert_eq!(keyed(next, trace), keyed(&never_stopped, &whole), "random job {number}");
    }
}

/// The last snapshot of a run that is wanted; of savepoints, one that the job
/// has stopped with.
fn last(scenario: &Scenario, seed: u64, trace: &Trace, wanted: Wanted) -> Option<Saved> {
    let mut recorder = Recorder::new(scenario, seed, wanted);
    let steps = trace.steps.iter();
    let taken = steps.flat_map(|step| recorder.observe(step.number, step.at, &step.facts));
    let last = taken.last()?;
    // A job that fails after its savepoint goes back, and on.
    let mut later = trace.steps.iter().filter(|step| step.number > last.step);
    let goes_back =
        later.any(|step| step.facts.iter().any(|fact| matches!(fact, Fact::AttemptStarted { .. })));
    let is_right = match wanted {
        Wanted::Savepoints => last.savepoint.snapshot == SnapshotType::Suspend && !goes_back,
        Wanted::SavepointsAndCheckpoints => true,
    };
    is_right.then(|| Saved::of(last.savepoint))
}
