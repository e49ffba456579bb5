//! Each property of conduct: silent on real runs, and broken by one edit of
//! one, in the step that was edited, with an explanation in both languages.

use std::fmt::Write as _;

use checkdam::load;
use checkdam::model::{
    AlignmentType, Attempt, CheckpointId, Key, Language, Scenario, SnapshotState, StateValue,
    StreamElement, SubtaskIndex, Value,
};
use checkdam::sim::simulate;
use checkdam::trace::{Fact, FailureCause, RpcMessage, Trace};
use checkdam::verify::{Outcome, Property, Verdict, verify};

use super::spoken::explanation;
use crate::common::{random_jobs, sizes, snapshot};

/// A built-in scenario.
pub(super) fn shipped(name: &str) -> Scenario {
    crate::story::scenario(name)
}

/// The properties that a run breaks.
fn broken(verdict: &Verdict) -> Vec<&'static str> {
    let own = verdict.properties().into_iter().filter(|own| own.outcome == Outcome::Violated);
    own.map(|own| own.property.name()).collect()
}

/// What the stories that break something, or lose the JobManager's memory,
/// break; every other one is silent but for what it does not promise.
#[test]
fn the_shipped_scenarios_break_just_what_they_are_about() {
    let once = ["failure-transparency", "exactly-once-state", "exactly-once-output"];
    let without_alignment: Vec<&str> =
        ["alignment", "consistent-cut"].into_iter().chain(once).collect();
    let first_barrier =
        vec!["barrier-order", "consistent-cut", "failure-transparency", "exactly-once-state"];
    for own in load::builtin() {
        let scenario = shipped(own.name);
        let (trace, _) = simulate(&scenario, 1);
        let verdict = verify(&scenario, &trace);
        let conduct = verdict.conduct.n_breaches();
        match own.name {
            "without-alignment" => assert_eq!(broken(&verdict), without_alignment),
            "snapshot-at-first-barrier" => assert_eq!(broken(&verdict), first_barrier),
            "jobmanager-crash-without-ha" => {
                assert_eq!(broken(&verdict), ["failure-transparency", "exactly-once-output"]);
            }
            "retained-checkpoint-deleted" => assert_eq!(broken(&verdict), ["completeness"]),
            "last-results-missing" => {}
            name => assert_eq!(conduct, 0, "{name}: {:?}", verdict.conduct.breaches),
        }
    }
}

/// Random jobs in every mode, with failures, and with their state in files.
#[test]
fn random_jobs_behave() {
    // In job 2391 a task that could not store its state declines once more,
    // when a task upstream does.
    for number in (0..sizes::samples(400)).chain([2391]) {
        let plain = random_jobs::scenario(number);
        let mode = random_jobs::Mode::ALL[(number / 4) as usize % 4];
        let files = random_jobs::with_files(number, &random_jobs::document(number, mode));
        for scenario in [plain, random_jobs::loaded(number, &files)] {
            let (trace, _) = simulate(&scenario, number);
            let verdict = verify(&scenario, &trace);
            if verdict.promise != Outcome::Violated {
                let breaches = &verdict.conduct.breaches;
                assert_eq!(breaches, &[], "random job {number}\n{verdict}");
            }
        }
    }
}

/// A place in a trace: step and fact.
type Place = (usize, usize);

/// An edit of a real run that breaks one property.
struct Case {
    /// What is done.
    title: &'static str,
    scenario: &'static str,
    /// Gives the number of the step in which the property is broken then; 0
    /// for the last one.
    edit: fn(&mut Trace) -> u64,
    property: Property,
}

fn place(trace: &Trace, nth: usize, wanted: impl Fn(&Fact) -> bool) -> Place {
    let places = trace.steps.iter().enumerate().flat_map(|(step, own)| {
        own.facts.iter().enumerate().map(move |(place, fact)| ((step, place), fact))
    });
    let mut found = places.filter(|(_, fact)| wanted(fact)).map(|(place, _)| place);
    found.nth(nth).unwrap_or_else(|| panic!("no fact {nth} of this kind"))
}

fn change(
    trace: &mut Trace,
    nth: usize,
    wanted: impl Fn(&Fact) -> bool,
    how: impl FnOnce(&mut Fact),
) -> u64 {
    let (step, place) = place(trace, nth, wanted);
    how(&mut trace.steps[step].facts[place]);
    trace.steps[step].number
}

fn remove(trace: &mut Trace, nth: usize, wanted: impl Fn(&Fact) -> bool) -> u64 {
    let (step, place) = place(trace, nth, wanted);
    trace.steps[step].facts.remove(place);
    trace.steps[step].number
}

fn repeat(trace: &mut Trace, nth: usize, wanted: impl Fn(&Fact) -> bool) -> u64 {
    let (step, place) = place(trace, nth, wanted);
    let fact = trace.steps[step].facts[place].clone();
    trace.steps[step].facts.insert(place + 1, fact);
    trace.steps[step].number
}

/// The step of a fact, by number.
fn step(trace: &Trace, nth: usize, wanted: impl Fn(&Fact) -> bool) -> u64 {
    trace.steps[place(trace, nth, wanted).0].number
}

fn is_record(fact: &Fact) -> bool {
    matches!(fact, Fact::Emitted { element: StreamElement::Record(_), .. })
}

fn is_barrier(fact: &Fact) -> bool {
    matches!(fact, Fact::Emitted { element: StreamElement::Barrier(_), .. })
}

fn is_processed(fact: &Fact) -> bool {
    matches!(fact, Fact::Processed { .. })
}

fn is_counted(fact: &Fact) -> bool {
    matches!(fact, Fact::Processed { state: Some(_), .. })
}

fn is_taken(fact: &Fact) -> bool {
    matches!(fact, Fact::SnapshotTaken { .. })
}

fn is_committed(fact: &Fact) -> bool {
    matches!(fact, Fact::TransactionCommitted { .. })
}

fn is_restored(fact: &Fact) -> bool {
    matches!(fact, Fact::StateRestored { state: SnapshotState::Keyed(_), .. })
}

fn completes(id: u64) -> impl Fn(&Fact) -> bool {
    move |fact| *fact == Fact::CheckpointCompleted { checkpoint: CheckpointId(id) }
}

const TRANSACTIONAL: &str = "crash-after-complete-transactional";

const CASES: &[Case] = &[
    Case {
        title: "a record is processed under another number",
        scenario: "lecture",
        edit: |trace| {
            change(trace, 3, is_processed, |fact| {
                let Fact::Processed { number, .. } = fact else { unreachable!() };
                *number += 1;
            })
        },
        property: Property::Delivery,
    },
    Case {
        title: "a record never leaves the output buffer",
        scenario: "lecture",
        edit: |trace| {
            let Fact::Departed { channel, number } = trace
                .steps
                .iter()
                .flat_map(|s| &s.facts)
                .find(|fact| matches!(fact, Fact::Departed { .. }))
                .expect("one departs")
                .clone()
            else {
                unreachable!()
            };
            remove(trace, 0, |fact| *fact == Fact::Departed { channel, number });
            step(
                trace,
                0,
                |fact| matches!(fact, Fact::Processed { channel: own, number: n, .. } if (*own, *n) == (channel, number)),
            )
        },
        property: Property::Delivery,
    },
    Case {
        title: "a record overtakes another",
        scenario: "lecture",
        edit: |trace| {
            let (from, _) =
                place(trace, 0, |fact| matches!(fact, Fact::Processed { number: 4, .. }));
            let Fact::Processed { channel, .. } = trace.steps[from].facts[0] else {
                unreachable!()
            };
            let (to, _) = place(
                trace,
                0,
                |fact| matches!(fact, Fact::Processed { channel: own, .. } if *own == channel),
            );
            let moved = trace.steps[from].facts.clone();
            let stayed = std::mem::replace(&mut trace.steps[to].facts, moved);
            trace.steps[from].facts = stayed;
            trace.steps[to].number
        },
        property: Property::Delivery,
    },
    Case {
        title: "a record has another value than was sent",
        scenario: "lecture",
        edit: |trace| {
            change(trace, 3, is_processed, |fact| {
                let Fact::Processed { record, .. } = fact else { unreachable!() };
                record.value = Value::Number(77);
            })
        },
        property: Property::Delivery,
    },
    Case {
        title: "an element is counted wrong by its sender",
        scenario: "lecture",
        edit: |trace| {
            change(trace, 3, is_record, |fact| {
                let Fact::Emitted { number, .. } = fact else { unreachable!() };
                *number += 5;
            })
        },
        property: Property::Delivery,
    },
    Case {
        title: "a task takes from a channel of another",
        scenario: "lecture",
        edit: |trace| {
            change(trace, 3, is_processed, |fact| {
                let Fact::Processed { task, .. } = fact else { unreachable!() };
                *task = SubtaskIndex(0);
            })
        },
        property: Property::Delivery,
    },
    Case {
        title: "a barrier overtakes where none may",
        scenario: "broadcast-unaligned",
        edit: |trace| {
            let is_forced = |fact: &Fact| {
                matches!(fact, Fact::Emitted { element: StreamElement::Barrier(barrier), .. }
                    if barrier.options.alignment == AlignmentType::ForcedAligned)
            };
            change(trace, 0, is_forced, |fact| {
                let Fact::Emitted { element: StreamElement::Barrier(barrier), .. } = fact else {
                    unreachable!()
                };
                barrier.options.alignment = AlignmentType::Unaligned;
            })
        },
        property: Property::Delivery,
    },
    Case {
        title: "a source reads on after its end",
        scenario: "lecture",
        edit: |trace| {
            let reads = |fact: &Fact| matches!(fact, Fact::Read { task: SubtaskIndex(0), .. });
            let (at, of) = place(trace, 2, reads);
            let task = SubtaskIndex(0);
            trace.steps[at].facts.insert(of, Fact::EndOfData { task });
            trace.steps[at].number
        },
        property: Property::EndOfData,
    },
    Case {
        title: "a record comes after the end of the data",
        scenario: "lecture",
        edit: |trace| {
            let (from, of) = place(trace, 0, |fact| matches!(fact, Fact::EndReceived { .. }));
            let end = trace.steps[from].facts.remove(of);
            let Fact::EndReceived { channel, .. } = end else { unreachable!() };
            let (to, of) = place(
                trace,
                0,
                |fact| matches!(fact, Fact::Processed { channel: own, .. } if *own == channel),
            );
            trace.steps[to].facts.insert(of, end);
            trace.steps[to].number
        },
        property: Property::EndOfData,
    },
    Case {
        title: "the data ends twice",
        scenario: "lecture",
        edit: |trace| repeat(trace, 1, |fact| matches!(fact, Fact::EndOfData { .. })),
        property: Property::EndOfData,
    },
    Case {
        title: "half a record: a result is not sent",
        scenario: "lecture",
        edit: |trace| {
            let (at, of) = place(trace, 0, is_counted);
            trace.steps[at].facts.remove(of + 1);
            trace.steps[at].number
        },
        property: Property::LocalAtomicity,
    },
    Case {
        title: "a result is sent that nothing has caused",
        scenario: "lecture",
        edit: |trace| repeat(trace, 4, is_record),
        property: Property::LocalAtomicity,
    },
    Case {
        title: "a sum is wrong",
        scenario: "lecture",
        edit: |trace| {
            change(trace, 2, is_counted, |fact| {
                let Fact::Processed { state: Some((_, value)), .. } = fact else { unreachable!() };
                *value = StateValue::Value(Value::Number(1000));
            })
        },
        property: Property::LocalAtomicity,
    },
    Case {
        title: "a source skips a record",
        scenario: "lecture",
        edit: |trace| {
            change(
                trace,
                2,
                |fact| matches!(fact, Fact::Read { .. }),
                |fact| {
                    let Fact::Read { record, .. } = fact else { unreachable!() };
                    record.id.offset += 1;
                },
            )
        },
        property: Property::LocalAtomicity,
    },
    Case {
        title: "a snapshot holds another sum",
        scenario: "lecture",
        edit: |trace| {
            let keyed = |fact: &Fact| {
                matches!(fact, Fact::SnapshotTaken { state: SnapshotState::Keyed(entries), .. }
                    if !entries.is_empty())
            };
            change(trace, 0, keyed, |fact| {
                let Fact::SnapshotTaken { state: SnapshotState::Keyed(entries), .. } = fact else {
                    unreachable!()
                };
                entries[0].1 = StateValue::Value(Value::Number(9));
            })
        },
        property: Property::SnapshotState,
    },
    Case {
        title: "a checkpoint does not wait for an acknowledgement",
        scenario: "lecture",
        edit: |trace| {
            remove(trace, 7, |fact| matches!(fact, Fact::Acknowledged { .. }));
            step(trace, 0, completes(2))
        },
        property: Property::Completeness,
    },
    Case {
        title: "an acknowledgement before the state is stored",
        scenario: "lecture",
        edit: |trace| {
            let task = SubtaskIndex(2);
            let stored = |fact: &Fact| matches!(fact, Fact::SnapshotStored { task: own, .. } if *own == task);
            remove(trace, 1, stored);
            step(
                trace,
                1,
                |fact| matches!(fact, Fact::Acknowledged { task: own, .. } if *own == task),
            )
        },
        property: Property::Completeness,
    },
    Case {
        title: "a snapshot is stored twice",
        scenario: "lecture",
        edit: |trace| repeat(trace, 2, |fact| matches!(fact, Fact::SnapshotStored { .. })),
        property: Property::Completeness,
    },
    Case {
        title: "a checkpoint is complete twice",
        scenario: "lecture",
        edit: |trace| repeat(trace, 1, |fact| matches!(fact, Fact::CheckpointCompleted { .. })),
        property: Property::Completeness,
    },
    Case {
        title: "a newer checkpoint is deleted first",
        scenario: "incremental-files",
        edit: |trace| {
            change(
                trace,
                0,
                |fact| matches!(fact, Fact::CheckpointDiscarded { .. }),
                |fact| {
                    let Fact::CheckpointDiscarded { checkpoint } = fact else { unreachable!() };
                    checkpoint.0 += 1;
                },
            )
        },
        property: Property::Completeness,
    },
    Case {
        title: "a file is deleted that is still needed",
        scenario: "incremental-files",
        edit: |trace| {
            let shared =
                |fact: &Fact| matches!(fact, Fact::FilesDeleted { files } if files.len() > 1);
            let (from, of) = place(trace, 0, shared);
            let deleted = trace.steps[from].facts.remove(of);
            let (to, _) = place(trace, 0, completes(4));
            trace.steps[to].facts.push(deleted);
            trace.steps[to].number
        },
        property: Property::Completeness,
    },
    Case {
        title: "a file is deleted twice",
        scenario: "incremental-files",
        edit: |trace| repeat(trace, 0, |fact| matches!(fact, Fact::FilesDeleted { .. })),
        property: Property::Completeness,
    },
    Case {
        title: "an id comes again",
        scenario: "lecture",
        edit: |trace| {
            change(
                trace,
                1,
                |fact| matches!(fact, Fact::CheckpointTriggered { .. }),
                |fact| {
                    let Fact::CheckpointTriggered { checkpoint, .. } = fact else { unreachable!() };
                    *checkpoint = CheckpointId(1);
                },
            )
        },
        property: Property::BarrierOrder,
    },
    Case {
        title: "a barrier follows one of its own checkpoint",
        scenario: "lecture",
        edit: |trace| {
            change(trace, 8, is_barrier, |fact| {
                let Fact::Emitted { element: StreamElement::Barrier(barrier), .. } = fact else {
                    unreachable!()
                };
                barrier.checkpoint = CheckpointId(1);
            })
        },
        property: Property::BarrierOrder,
    },
    Case {
        title: "a barrier goes to one channel only",
        scenario: "lecture",
        edit: |trace| remove(trace, 7, is_barrier),
        property: Property::BarrierOrder,
    },
    Case {
        title: "a snapshot before the last barrier",
        scenario: "lecture",
        edit: |trace| {
            let received = |fact: &Fact| {
                matches!(
                    fact,
                    Fact::BarrierReceived {
                        task: SubtaskIndex(2),
                        checkpoint: CheckpointId(2),
                        ..
                    }
                )
            };
            remove(trace, 1, received)
        },
        property: Property::BarrierOrder,
    },
    Case {
        title: "a snapshot without a trigger",
        scenario: "lecture",
        edit: |trace| remove(trace, 2, |fact| matches!(fact, Fact::TriggerReceived { .. })),
        property: Property::BarrierOrder,
    },
    Case {
        title: "a snapshot is taken twice",
        scenario: "lecture",
        edit: |trace| repeat(trace, 2, is_taken),
        property: Property::BarrierOrder,
    },
    Case {
        title: "a barrier is counted twice",
        scenario: "lecture",
        edit: |trace| {
            change(
                trace,
                6,
                |fact| matches!(fact, Fact::BarrierReceived { .. }),
                |fact| {
                    let Fact::BarrierReceived { n_received, .. } = fact else { unreachable!() };
                    *n_received += 1;
                },
            )
        },
        property: Property::BarrierOrder,
    },
    Case {
        title: "a checkpoint times out that nobody aligns",
        scenario: "lecture-timeout",
        edit: |trace| {
            change(
                trace,
                0,
                |fact| matches!(fact, Fact::AlignmentTimedOut { .. }),
                |fact| {
                    let Fact::AlignmentTimedOut { checkpoint, .. } = fact else { unreachable!() };
                    checkpoint.0 += 5;
                },
            )
        },
        property: Property::BarrierOrder,
    },
    Case {
        title: "a record behind a barrier is processed",
        scenario: "without-alignment",
        edit: |trace| {
            let fourth = |fact: &Fact| matches!(fact, Fact::Processed { task: SubtaskIndex(2), record, .. } if record.id.offset == 4 && record.id.split.0 == 0);
            step(trace, 0, fourth)
        },
        property: Property::Alignment,
    },
    Case {
        title: "a channel is freed that is not blocked",
        scenario: "lecture",
        edit: |trace| repeat(trace, 0, |fact| matches!(fact, Fact::Resumed { .. })),
        property: Property::Alignment,
    },
    Case {
        title: "a barrier goes out in an earlier step than the snapshot",
        scenario: "lecture",
        edit: |trace| {
            let (at, of) = place(trace, 7, is_taken);
            let snapshot = trace.steps[at].facts.remove(of);
            trace.steps[at + 1].facts.insert(0, snapshot);
            trace.steps[at].number
        },
        property: Property::CutAtomicity,
    },
    Case {
        title: "a record is sent between barrier and snapshot",
        scenario: "lecture",
        edit: |trace| {
            let (from, _) = place(
                trace,
                0,
                |fact| matches!(fact, Fact::Processed { task: SubtaskIndex(2), record, .. } if record.id.offset == 4),
            );
            let moved = std::mem::take(&mut trace.steps[from].facts);
            let taken = |fact: &Fact| {
                matches!(
                    fact,
                    Fact::SnapshotTaken { task: SubtaskIndex(2), checkpoint: CheckpointId(2), .. }
                )
            };
            let (to, of) = place(trace, 0, taken);
            for (more, fact) in moved.into_iter().enumerate() {
                trace.steps[to].facts.insert(of + more, fact);
            }
            trace.steps[to].number
        },
        property: Property::CutAtomicity,
    },
    Case {
        title: "nothing happens any more",
        scenario: "lecture",
        edit: |trace| {
            let (at, _) = place(trace, 9, |fact| matches!(fact, Fact::BarrierReceived { .. }));
            trace.steps.truncate(at);
            0
        },
        property: Property::Liveness,
    },
    Case {
        title: "a task counts as done too early",
        scenario: "lecture",
        edit: |trace| {
            trace.steps[60].facts.push(Fact::TaskFinished { task: SubtaskIndex(3) });
            61
        },
        property: Property::Liveness,
    },
    Case {
        title: "a task works without its state",
        scenario: "crash-after-complete",
        edit: |trace| {
            remove(trace, 0, |fact| {
                matches!(fact, Fact::StateRestored { task: SubtaskIndex(0), .. })
            });
            let restarted = step(trace, 0, |fact| matches!(fact, Fact::AttemptStarted { .. }));
            let reads = trace.steps.iter().filter(|step| step.number > restarted).find(|step| {
                step.facts
                    .iter()
                    .any(|fact| matches!(fact, Fact::Read { task: SubtaskIndex(0), .. }))
            });
            reads.expect("it reads").number
        },
        property: Property::Fencing,
    },
    Case {
        title: "an acknowledgement counts twice",
        scenario: "lecture",
        edit: |trace| repeat(trace, 2, |fact| matches!(fact, Fact::Acknowledged { .. })),
        property: Property::Fencing,
    },
    Case {
        title: "an attempt is left out",
        scenario: "crash-after-complete",
        edit: |trace| {
            change(
                trace,
                0,
                |fact| matches!(fact, Fact::AttemptStarted { .. }),
                |fact| {
                    let Fact::AttemptStarted { attempt, .. } = fact else { unreachable!() };
                    *attempt = Attempt(3);
                },
            )
        },
        property: Property::Fencing,
    },
    Case {
        title: "a restart without a failure",
        scenario: "crash-after-complete",
        edit: |trace| {
            remove(trace, 0, |fact| matches!(fact, Fact::JobFailed { .. }));
            step(trace, 0, |fact| matches!(fact, Fact::AttemptStarted { .. }))
        },
        property: Property::Fencing,
    },
    Case {
        title: "a job fails by another limit than its own",
        scenario: "third-expiry-fails-the-job",
        edit: |trace| {
            change(
                trace,
                0,
                |fact| matches!(fact, Fact::JobFailed { .. }),
                |fact| {
                    let Fact::JobFailed { cause, .. } = fact else { unreachable!() };
                    let FailureCause::TooManyFailedCheckpoints { tolerable, .. } = cause else {
                        unreachable!()
                    };
                    *tolerable += 1;
                },
            )
        },
        property: Property::Fencing,
    },
    Case {
        title: "a checkpoint begins after the end",
        scenario: "lecture",
        edit: |trace| {
            let (checkpoint, cause) = (CheckpointId(9), checkdam::trace::TriggerCause::Scenario);
            let last = trace.steps.last_mut().expect("a step");
            last.facts.push(Fact::CheckpointTriggered {
                checkpoint,
                snapshot: Default::default(),
                format: Default::default(),
                cause,
            });
            last.number
        },
        property: Property::Fencing,
    },
    Case {
        title: "who could not store its part does not decline",
        scenario: "storage-outage",
        edit: |trace| {
            let (at, _) = place(trace, 0, |fact| matches!(fact, Fact::WriteFailed { .. }));
            trace.steps[at].facts.retain(|fact| !matches!(fact, Fact::Declined { .. }));
            trace.steps[at].number
        },
        property: Property::Messages,
    },
    Case {
        title: "a notification comes that nobody has sent",
        scenario: "lecture",
        edit: |trace| {
            change(
                trace,
                2,
                |fact| matches!(fact, Fact::Notified { .. }),
                |fact| {
                    let Fact::Notified { checkpoint, .. } = fact else { unreachable!() };
                    *checkpoint = CheckpointId(2);
                },
            )
        },
        property: Property::Messages,
    },
    Case {
        title: "a message is ignored that nobody has sent",
        scenario: "lecture",
        edit: |trace| {
            let (task, attempt) = (SubtaskIndex(1), Attempt(1));
            let message = RpcMessage::Decline(CheckpointId(1));
            trace.steps[20].facts.push(Fact::MessageIgnored { task, attempt, message });
            21
        },
        property: Property::Messages,
    },
    Case {
        title: "a restart from a checkpoint that is not complete",
        scenario: "crash-after-complete",
        edit: |trace| restarted_from(trace, Some(CheckpointId(3))),
        property: Property::RestoreEquality,
    },
    Case {
        title: "a restart from an older checkpoint",
        scenario: "crash-after-complete",
        edit: |trace| restarted_from(trace, None),
        property: Property::RestoreEquality,
    },
    Case {
        title: "a task gets another state back",
        scenario: "crash-after-complete",
        edit: |trace| {
            change(trace, 0, is_restored, |fact| {
                let Fact::StateRestored { state: SnapshotState::Keyed(entries), .. } = fact else {
                    unreachable!()
                };
                *entries = vec![(Key::Bool(false), StateValue::Value(Value::Number(7)))];
            })
        },
        property: Property::RestoreEquality,
    },
    Case {
        title: "a task gets its state back twice",
        scenario: "crash-after-complete",
        edit: |trace| repeat(trace, 0, is_restored),
        property: Property::RestoreEquality,
    },
    Case {
        title: "early publish",
        scenario: TRANSACTIONAL,
        edit: |trace| {
            let full = |fact: &Fact| matches!(fact, Fact::TransactionCommitted { n_records, .. } if *n_records > 0);
            let (from, of) = place(trace, 0, full);
            let commit = trace.steps[from].facts.remove(of);
            let Fact::TransactionCommitted { transaction, .. } = commit else { unreachable!() };
            let (to, of) = place(
                trace,
                0,
                |fact| matches!(fact, Fact::TransactionPrepared { transaction: own, .. } if *own == transaction),
            );
            trace.steps[to].facts.insert(of + 2, commit);
            trace.steps[to].number
        },
        property: Property::Commitment,
    },
    Case {
        title: "lost publish",
        scenario: TRANSACTIONAL,
        edit: |trace| {
            let full = |fact: &Fact| matches!(fact, Fact::TransactionCommitted { n_records, .. } if *n_records > 0);
            change(trace, 0, full, |fact| {
                let Fact::TransactionCommitted { transaction, n_records } = *fact else {
                    unreachable!()
                };
                *fact = Fact::TransactionAborted { transaction, n_records };
            })
        },
        property: Property::Commitment,
    },
    Case {
        title: "double publish",
        scenario: TRANSACTIONAL,
        edit: |trace| repeat(trace, 2, is_committed),
        property: Property::Commitment,
    },
    Case {
        title: "ghost writer",
        scenario: TRANSACTIONAL,
        edit: |trace| {
            let (from, of) = place(trace, 2, is_committed);
            let commit = trace.steps[from].facts.remove(of);
            let (to, of) = place(trace, 0, |fact| matches!(fact, Fact::JobFailed { .. }));
            trace.steps[to].facts.insert(of + 1, commit);
            trace.steps[to].number
        },
        property: Property::Commitment,
    },
    Case {
        title: "a record is written into no transaction",
        scenario: TRANSACTIONAL,
        edit: |trace| {
            let begun = |fact: &Fact| matches!(fact, Fact::TransactionBegun { .. });
            let (at, of) = place(trace, 0, begun);
            let begun = trace.steps[at].facts.remove(of);
            let Fact::TransactionBegun { transaction } = begun else { unreachable!() };
            let writes = |fact: &Fact| matches!(fact, Fact::Processed { task, .. } if *task == transaction.subtask);
            let next = trace.steps[at..].iter().find(|step| step.facts.iter().any(writes));
            next.expect("it writes").number
        },
        property: Property::Commitment,
    },
    Case {
        title: "a transaction of another size",
        scenario: TRANSACTIONAL,
        edit: |trace| {
            change(trace, 2, is_committed, |fact| {
                let Fact::TransactionCommitted { n_records, .. } = fact else { unreachable!() };
                *n_records += 1;
            })
        },
        property: Property::Commitment,
    },
    Case {
        title: "a transaction that is not there",
        scenario: TRANSACTIONAL,
        edit: |trace| repeat(trace, 2, |fact| matches!(fact, Fact::TransactionPrepared { .. })),
        property: Property::Commitment,
    },
    Case {
        title: "a newer transaction first",
        scenario: "source-finishes-first",
        edit: |trace| {
            let first =
                trace.steps.iter().flat_map(|step| &step.facts).find_map(|fact| match fact {
                    Fact::TransactionCommitted { transaction, n_records } if *n_records > 0 => {
                        Some(*transaction)
                    }
                    _ => None,
                });
            let first = first.expect("one is committed");
            remove(
                trace,
                0,
                |fact| matches!(fact, Fact::TransactionCommitted { transaction, .. } if *transaction == first),
            );
            step(
                trace,
                0,
                |fact| matches!(fact, Fact::TransactionCommitted { transaction, .. } if transaction.subtask == first.subtask && *transaction > first),
            )
        },
        property: Property::Commitment,
    },
    Case {
        title: "no run without failures looks like this",
        scenario: "without-alignment",
        edit: |_| 0,
        property: Property::FailureTransparency,
    },
    Case {
        title: "the output of a run that was forgotten",
        scenario: "jobmanager-crash-without-ha",
        edit: |_| 0,
        property: Property::FailureTransparency,
    },
    Case {
        title: "a record counts twice without an orphan",
        scenario: "lecture-at-least-once",
        edit: |trace| {
            repeat(trace, 11, is_counted);
            0
        },
        property: Property::AtLeastOnceBound,
    },
];

fn restarted_from(trace: &mut Trace, from: Option<CheckpointId>) -> u64 {
    change(
        trace,
        0,
        |fact| matches!(fact, Fact::AttemptStarted { .. }),
        |fact| {
            let Fact::AttemptStarted { checkpoint, .. } = fact else { unreachable!() };
            *checkpoint = from;
        },
    )
}

fn edited(case: &Case) -> (Scenario, Trace, u64) {
    let scenario = shipped(case.scenario);
    let (mut trace, _) = simulate(&scenario, 1);
    let step = (case.edit)(&mut trace);
    let last = trace.steps.last().expect("a step").number;
    (scenario, trace, if step == 0 { last } else { step })
}

#[test]
fn each_edit_breaks_its_property_in_its_step() {
    for case in CASES {
        let (scenario, trace, step) = edited(case);
        let verdict = verify(&scenario, &trace);
        let own = verdict.property(case.property);
        let title = case.title;
        assert_eq!(own.outcome, Outcome::Violated, "{title}: {:?}", verdict.conduct.breaches);
        assert_eq!(own.first_step, Some(step), "{title}: {:?}", verdict.conduct.breaches);
        assert_eq!(verdict.answer(), Outcome::Violated, "{title}");
    }
}

#[test]
fn what_is_wrong_is_said_in_both_languages() {
    for (language, name) in [(Language::En, "en"), (Language::Zh, "zh")] {
        let mut all = String::new();
        for (number, case) in CASES.iter().enumerate() {
            let (scenario, trace, _) = edited(case);
            let words = explanation(&scenario, &trace, (number, case.property, language));
            writeln!(all, "{}: {words}", case.title).expect("a string takes all");
        }
        snapshot("verify", &format!("explanations-{name}"), &all);
    }
}
