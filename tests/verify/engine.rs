//! The judge against the engine, in random runs: it is silent where the engine
//! is right, and where it is not, its lists explain the final sums to the
//! last record.

use std::collections::BTreeMap;

use checkdam::model::{
    Fault, FaultKind, Key, KeySelector, Micros, Mutation, OperatorKind, Partitioner, Scenario,
    SinkKind, StateValue, SubtaskIndex, Time, When, mix,
};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, Trace};
use checkdam::verify::{Finding, Flaw, Verdict, verify};

use super::{HOLDS, VIOLATED, jobs, outcomes};

fn n_runs() -> u64 {
    crate::common::sizes::samples(300)
}
const SINKS: [SinkKind; 3] = [SinkKind::Publish, SinkKind::Transactional, SinkKind::Idempotent];
const BLUE: i64 = 30;
const YELLOW: i64 = 45;

/// The lecture's job with more to read, checkpoints every 10 ms or so, up to
/// three crashes and sometimes several checkpoints at once.
pub(super) fn random_run(seed: u64, replayable: bool) -> Scenario {
    let source = jobs::numbers(replayable, &[("blue", BLUE), ("yellow", YELLOW)]);
    let key = KeySelector::Parity;
    let mut scenario = jobs::scenario(
        vec![
            jobs::operator("numbers", source, &["blue", "yellow"]),
            jobs::operator("sum", OperatorKind::Sum(key.clone()), &["even", "odd"]),
            jobs::operator("sink", OperatorKind::Sink(SINKS[seed as usize % 3]), &["even", "odd"]),
        ],
        vec![(0, 1, Partitioner::Hash(key)), (1, 2, Partitioner::Forward)],
    );
    let draw = |purpose: u64, below: u64| mix(seed << 8 ^ purpose) % below;
    scenario.config.interval = Some(Micros(10_000 + draw(1, 5_000)));
    scenario.config.max_concurrent_checkpoints = 1 + draw(2, 3) as u32;
    for crash in 0..draw(3, 4) {
        let task = SubtaskIndex(draw(10 + crash, 6) as u32);
        let at = Time(5_000 + draw(20 + crash, 60_000) + crash * 1_060_000);
        let kind = FaultKind::CrashSubtask(task);
        scenario.faults.push(Fault { kind, when: When::At(at) });
    }
    scenario
}

pub(super) fn run(scenario: &Scenario, seed: u64) -> (Trace, Verdict) {
    let (trace, ending) = simulate(scenario, seed);
    assert_eq!(ending, Ending::Finished, "seed {seed}");
    let verdict = verify(scenario, &trace);
    (trace, verdict)
}

/// The two sums at the end.
fn sums(scenario: &Scenario, trace: &Trace) -> [i64; 2] {
    let last = trace.steps.last().expect("a step").number;
    let view = trace.view(&scenario.graph, last).expect("a right trace");
    [(2, false), (3, true)].map(|(task, is_odd)| {
        match view.tasks[task].state.get(&Key::Bool(is_odd)) {
            Some(StateValue::Value(sum)) => sum.number(),
            _ => 0,
        }
    })
}

/// What the two sums should be, and by how much the judge's lists change them.
fn sums_by(verdict: &Verdict) -> [i64; 2] {
    let right = |parity: i64| {
        let of = |to: i64| (1..=to).filter(|n| n % 2 == parity).sum::<i64>();
        of(BLUE) + of(YELLOW)
    };
    let mut sums = [right(0), right(1)];
    let state = &verdict.state;
    for miscount in state.too_often.iter().chain(&state.lost) {
        let value = i64::from(miscount.record.id.offset);
        sums[value as usize % 2] += value * (i64::from(miscount.n) - 1);
    }
    sums
}

/// How often each input record's result came to a sink.
fn writes(trace: &Trace) -> BTreeMap<(u32, u32), u32> {
    let mut writes = BTreeMap::new();
    for fact in trace.steps.iter().flat_map(|step| &step.facts) {
        if let Fact::Processed { task, record, .. } = fact
            && task.0 >= 4
        {
            *writes.entry((record.id.split.0, record.id.offset)).or_default() += 1;
        }
    }
    writes
}

#[test]
fn the_engine_is_right_and_the_judge_is_silent() {
    let mut n_restores = 0;
    for seed in 0..n_runs() {
        let scenario = random_run(seed, true);
        let (trace, verdict) = run(&scenario, seed);
        assert_eq!(outcomes(&verdict)[..2], [HOLDS; 2], "seed {seed}\n{verdict}");
        assert_eq!((verdict.promise, &*verdict.cannot_tell), (HOLDS, &[][..]), "seed {seed}");
        assert_eq!(sums(&scenario, &trace), sums_by(&verdict), "seed {seed}");
        n_restores += verdict.restores.len();
        let twice = writes(&trace).into_iter().filter(|(_, n)| *n > 1);
        let twice: Vec<_> = twice.map(|((split, offset), n)| (split, offset, n)).collect();
        let output = &verdict.output;
        let list = match SINKS[seed as usize % 3] {
            SinkKind::Transactional => {
                assert_eq!(output.outcome, HOLDS, "seed {seed}\n{verdict}");
                continue;
            }
            SinkKind::Publish => &output.too_often,
            SinkKind::Idempotent => &output.overwritten,
        };
        let list = list.iter().map(|one| (one.record.id.split.0, one.record.id.offset, one.n));
        assert_eq!(list.collect::<Vec<_>>(), twice, "seed {seed}");
    }
    assert!(n_restores > n_runs() as usize / 2, "too few failures to show anything: {n_restores}");
}

/// Runs a broken engine, and says how many runs broke the cut and the state.
fn broken_runs(mutation: Mutation, flaw: Flaw) -> (u64, u64) {
    let (mut n_cut, mut n_state) = (0, 0);
    for seed in 0..n_runs() {
        let mut scenario = random_run(seed, true);
        scenario.broken = vec![mutation];
        let (trace, verdict) = run(&scenario, seed);
        for finding in &verdict.cut.findings {
            let Finding::Channel(finding) = finding else { panic!("{finding}") };
            assert_eq!(finding.flaw, flaw, "seed {seed}\n{verdict}");
        }
        let (expected, real) = (sums_by(&verdict), sums(&scenario, &trace));
        assert_eq!(real, expected, "seed {seed}\n{verdict}");
        let [cut, state, _] = outcomes(&verdict);
        n_cut += u64::from(cut == VIOLATED);
        n_state += u64::from(state == VIOLATED);
        assert!(cut == VIOLATED || state == HOLDS, "seed {seed}\n{verdict}");
    }
    (n_cut, n_state)
}

#[test]
fn processing_after_the_first_barrier_makes_orphans_only() {
    let (n_cut, n_state) = broken_runs(Mutation::ProcessAfterFirstBarrier, Flaw::Orphan);
    assert!(n_cut > n_runs() / 2 && n_state > n_runs() / 10, "cut {n_cut}, state {n_state}");
}

#[test]
fn a_snapshot_at_the_first_barrier_loses_only() {
    let (n_cut, n_state) = broken_runs(Mutation::SnapshotAtFirstBarrier, Flaw::Lost);
    assert!(n_cut > n_runs() / 2 && n_state > n_runs() / 10, "cut {n_cut}, state {n_state}");
}

#[test]
fn a_source_that_cannot_rewind_loses_just_what_the_sums_lack() {
    let mut n_lost = 0;
    for seed in 0..n_runs() {
        let scenario = random_run(seed, false);
        let (trace, verdict) = run(&scenario, seed);
        assert_eq!(outcomes(&verdict)[0], HOLDS, "seed {seed}\n{verdict}");
        assert_eq!(verdict.state.n_too_often, 0, "seed {seed}\n{verdict}");
        assert_eq!(sums(&scenario, &trace), sums_by(&verdict), "seed {seed}\n{verdict}");
        n_lost += verdict.state.n_lost;
    }
    assert!(n_lost > 0);
}
