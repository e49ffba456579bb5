//! What at-least-once costs: which records count twice, and why.
//!
//! Source: the definition of an orphan (received before the cut, sent after
//! it): the restored state has it, and it will be sent again. Nothing else is
//! in the restored state and sent again.

use std::collections::BTreeSet;

use checkdam::model::{
    ChannelIndex, ExecutionGraph, OperatorIndex, OperatorKind, SinkKind, SplitIndex,
};
use checkdam::sim::{Ending, simulate};
use checkdam::verify::{Miscount, Outcome, Verdict, verify};
use serde_json::{Value, json};

use super::cuts::{self, Cut};
use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

/// A random job that crashes once.
fn document(number: u64) -> Value {
    let mut document = random_jobs::document(number, Mode::AtLeastOnce);
    let config = document["config"].as_object_mut().expect("settings");
    config.remove("execution.checkpointing.checkpoints-after-tasks-finish");
    let checkpoint = 1 + number % 4;
    document["faults"] = json!([{
        "crash": "keyed[t0]",
        "when": format!("checkpoint {checkpoint} is complete"),
        "after": number / 4 % 15,
    }]);
    document
}

/// Input records.
type Inputs = BTreeSet<(SplitIndex, u32)>;

/// The input records behind the orphans on some channels of a cut.
fn orphans(cut: &Cut, of: impl Fn(ChannelIndex) -> bool) -> Inputs {
    let channels = (0..).map(ChannelIndex).zip(&cut.channels);
    let own = channels.filter(|(channel, _)| of(*channel));
    own.flat_map(|(_, there)| there.orphans()).map(|id| (id.split, id.offset)).collect()
}

fn inputs<'a>(list: impl IntoIterator<Item = &'a Miscount>) -> Inputs {
    list.into_iter().map(|one| (one.record.id.split, one.record.id.offset)).collect()
}

fn receiver(graph: &ExecutionGraph, channel: ChannelIndex) -> OperatorIndex {
    graph.subtasks[graph.channels[channel.index()].to.index()].operator
}

#[test]
fn after_one_crash_the_records_counted_twice_are_the_orphans_of_the_restored_cut() {
    let (mut n_runs, mut n_with_orphans, mut n_records) = (0, 0, 0);
    for number in 0.. {
        if n_runs == sizes::samples(2_000) {
            break;
        }
        let scenario = random_jobs::loaded(number, &document(number));
        let (trace, ending) = simulate(&scenario, number);
        assert_eq!(ending, Ending::Finished, "random job {number}");
        let verdict = verify(&scenario, &trace);
        let [restore] = &*verdict.restores else {
            assert_eq!(verdict.restores, [], "random job {number}");
            continue; // it was over before the crash
        };
        let restored = restore.checkpoint.expect("it crashes after a checkpoint");
        let cuts = cuts::completed(&scenario.graph, &trace);
        let cut = cuts.iter().find(|cut| cut.checkpoint == restored).expect("it is complete");
        n_runs += 1;
        let n = check(number, &scenario.graph, cut, &verdict);
        n_with_orphans += u64::from(n > 0);
        n_records += n;
    }
    // The random jobs reach what they are for.
    assert!(n_with_orphans * 10 > n_runs, "{n_with_orphans} of {n_runs} runs have orphans");
    assert!(n_records > n_runs / 2, "{n_records} records counted twice");
}

/// Says how many records are counted twice.
fn check(number: u64, graph: &ExecutionGraph, cut: &Cut, verdict: &Verdict) -> u64 {
    let at = || format!("random job {number}, {:?}\n{verdict}", cut.checkpoint);
    assert_eq!((verdict.promise, verdict.state.n_lost), (Outcome::Holds, 0), "{}", at());
    let sink = |id: OperatorIndex| match graph.job.operators[id.index()].kind {
        OperatorKind::Sink(kind) => Some(kind),
        _ => None,
    };
    let in_state = orphans(cut, |channel| sink(receiver(graph, channel)).is_none());
    assert_eq!(inputs(&verdict.state.too_often), in_state, "{}", at());
    assert!(verdict.state.too_often.iter().all(|one| (one.n, one.expected) == (2, 1)), "{}", at());
    // A transaction of the restored cut has what its sink received before it,
    // and what counts twice is published twice.
    for (place, operator) in graph.job.operators.iter().enumerate() {
        if operator.kind != OperatorKind::Sink(SinkKind::Transactional) {
            continue;
        }
        let id = OperatorIndex::at(place);
        let own = verdict.output.too_often.iter().filter(|one| one.operator.id == id);
        let twice = inputs(own);
        let at_sink = orphans(cut, |channel| receiver(graph, channel) == id);
        let all = &at_sink | &in_state;
        assert!(twice.is_superset(&at_sink) && twice.is_subset(&all), "{}", at());
    }
    in_state.len() as u64
}
