//! What every kind of barrier does: numbers from the lecture, from the rules
//! of barriers, and from arithmetic.

use checkdam::model::{AlignmentType, ChannelEnd, CheckpointId, Micros, StreamElement, Time};
use checkdam::trace::Fact;
use checkdam::verify::{Outcome, verify};

use super::lecture::cell;
use super::reading::Reading;

const fn ms(n: u64) -> Micros {
    Micros(n * 1000)
}

/// Rows of the lecture's table at the end of a run or of a step.
fn rows<const N: usize>(reading: &Reading, step: u64, names: [&str; N]) -> [String; N] {
    let graph = &reading.scenario.graph;
    let view = reading.trace.view(graph, step).expect("the run's own trace is sound");
    names.map(|name| cell(graph, &view, name))
}

/// The step in which a checkpoint is complete.
fn completion(reading: &Reading, id: u64) -> u64 {
    let done = |fact: &Fact| matches!(fact, Fact::CheckpointCompleted { checkpoint } if checkpoint.0 == id);
    let step = reading.trace.steps.iter().find(|step| step.facts.iter().any(done));
    step.expect("it is complete").number
}

const SUMS: [&str; 2] = ["sum(even)", "sum(odd)"];
const HOLDS: [&str; 1] = ["checkpoint 2 holds"];

/// sum(even) has counted 2 and 2 when its first barrier comes, sum(odd) 1, 1,
/// 3 and 3. Of what was sent before the barriers only yellow 4 is missing.
const HELD: &str = "blue 3, yellow 4, even 4, odd 8, sink(even), sink(odd)";

#[test]
fn the_unaligned_lecture_holds_4_and_8_and_yellow_4_at_the_receiving_end() {
    let reading = Reading::of("lecture-unaligned");
    assert_eq!(rows(&reading, completion(&reading, 2), HOLDS), [HELD]);
    let yellow_4 = ("numbers[yellow]->sum[even]", ChannelEnd::Input, "yellow 4".to_owned());
    assert_eq!(reading.in_flight(2), [yellow_4]);
    assert_eq!(reading.in_flight(1), [], "nothing was read before checkpoint 1");
}

#[test]
fn the_unaligned_lecture_ends_at_18_and_18_after_its_crash() {
    let reading = Reading::of("lecture-unaligned");
    let from = reading.facts().find_map(|(_, fact)| match fact {
        Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    });
    assert_eq!(from, Some(Some(CheckpointId(2))));
    assert_eq!(rows(&reading, u64::MAX, SUMS), ["18", "18"]);
    let verdict = verify(&reading.scenario, &reading.trace);
    assert_eq!(verdict.state.outcome, Outcome::Holds);
}

#[test]
fn the_unaligned_lecture_blocks_no_input_of_a_sum() {
    let reading = Reading::of("lecture-unaligned");
    // The edges to the sinks are pointwise, and stay aligned.
    assert!(reading.blocked().iter().all(|(name, _)| !name.starts_with("numbers")));
    for (_, fact) in reading.facts() {
        if let Fact::Emitted { channel, element: StreamElement::Barrier(barrier), .. } = fact {
            let to_a_sum = reading.channel_name(*channel).starts_with("numbers");
            let expected =
                if to_a_sum { AlignmentType::Unaligned } else { AlignmentType::ForcedAligned };
            assert_eq!(barrier.options.alignment, expected);
        }
    }
}

#[test]
fn with_a_timeout_of_40_ms_one_sum_is_aligned_and_the_other_is_not() {
    let reading = Reading::of("lecture-timeout");
    assert_eq!(rows(&reading, completion(&reading, 2), HOLDS), [HELD]);
    let late: Vec<_> = reading
        .facts()
        .filter_map(|(at, fact)| match fact {
            Fact::AlignmentTimedOut { task, .. } => Some((at, *task)),
            _ => None,
        })
        .collect();
    // Triggered at 80 ms: 40 ms later it waits no longer.
    assert_eq!(late, [(Time(120_000), reading.task("sum[even]"))]);
    assert!(reading.metrics("sum[even]", 2).unaligned);
    assert!(!reading.metrics("sum[odd]", 2).unaligned);
    let yellow_4 = ("numbers[yellow]->sum[even]", ChannelEnd::Input, "yellow 4".to_owned());
    assert_eq!(reading.in_flight(2), [yellow_4]);
    assert_eq!(rows(&reading, u64::MAX, SUMS), ["18", "18"]);
    // From blue's barrier to yellow's, although it switched in between.
    let blue = ("numbers[blue]->sum[even]", ms(15));
    assert!(reading.blocked().contains(&blue), "{:?}", reading.blocked());
}

#[test]
fn with_a_timeout_that_nobody_reaches_nothing_is_stored_in_flight() {
    let reading = Reading::changed("lecture-timeout", &[("\"40 ms\"", "\"1 s\"")]);
    assert_eq!((reading.n_in_flight(1), reading.n_in_flight(2)), (0, 0));
    let held = "blue 3, yellow 4, even 8, odd 8, sink(even), sink(odd)";
    assert_eq!(rows(&reading, completion(&reading, 2), HOLDS), [held]);
}

#[test]
fn at_least_once_blocks_nothing_and_counts_the_two_orphans_twice() {
    let reading = Reading::of("lecture-at-least-once");
    assert_eq!(reading.blocked(), []);
    let held = "blue 3, yellow 4, even 12, odd 13, sink(even), sink(odd)";
    assert_eq!(rows(&reading, completion(&reading, 2), HOLDS), [held]);
    assert_eq!(rows(&reading, u64::MAX, SUMS), ["22", "23"]);
    let verdict = verify(&reading.scenario, &reading.trace);
    let twice: Vec<_> = verdict.state.too_often.iter().map(|m| (&*m.record.name, m.n)).collect();
    assert_eq!(twice, [("blue 4", 2), ("yellow 5", 2)]);
    assert_eq!(verdict.state.lost, []);
}

#[test]
fn what_was_in_flight_comes_back_first_in_order_at_its_own_end() {
    let reading = Reading::of("in-flight-comes-back");
    let channel = "numbers->sum";
    let numbers = |from: u32, to: u32| {
        (from..=to).map(|n| format!("numbers {n}")).collect::<Vec<_>>().join(", ")
    };
    let mut saved = reading.in_flight(1);
    saved.sort();
    let expected = [
        (channel, ChannelEnd::Input, numbers(5, 7)),
        (channel, ChannelEnd::Output, numbers(8, 10)),
    ];
    assert_eq!(saved, expected);
    let restored = reading.facts().find_map(|(_, fact)| match fact {
        Fact::ChannelStateRestored { channel: c, input, output }
            if *c == reading.channel(channel) =>
        {
            let offsets = |records: &[checkdam::model::Record]| {
                records.iter().map(|record| record.id.offset).collect::<Vec<_>>()
            };
            Some((offsets(input), offsets(output)))
        }
        _ => None,
    });
    assert_eq!(restored, Some((vec![5, 6, 7], vec![8, 9, 10])));
    let start = reading.when(|fact| matches!(fact, Fact::AttemptStarted { .. }));
    let sum = reading.task("sum");
    let processed = reading.facts().filter_map(|(at, fact)| match fact {
        Fact::Processed { task, record, .. } if *task == sum && at > start => {
            Some(record.id.offset)
        }
        _ => None,
    });
    assert_eq!(processed.collect::<Vec<_>>(), [5, 6, 7, 8, 9, 10, 11]);
    let read = reading.facts().filter_map(|(at, fact)| match fact {
        Fact::Read { record, .. } if at > start => Some(record.id.offset),
        _ => None,
    });
    assert_eq!(read.collect::<Vec<_>>(), [11], "the source has read ten already");
}

#[test]
fn a_broadcast_edge_keeps_every_edge_into_its_operator_aligned() {
    let reading = Reading::of("broadcast-unaligned");
    for (_, fact) in reading.facts() {
        if let Fact::Emitted { channel, element: StreamElement::Barrier(barrier), .. } = fact {
            let name = reading.channel_name(*channel);
            // Into count by hash; into merge also a broadcast; into the sink
            // one to one.
            let expected = match name.ends_with("->count") {
                true => AlignmentType::Unaligned,
                false => AlignmentType::ForcedAligned,
            };
            assert_eq!(barrier.options.alignment, expected, "{name}");
        }
    }
    let in_flight = [
        ("merge[0]->count", ChannelEnd::Input, "yellow 5, rules 100".to_owned()),
        ("merge[1]->count", ChannelEnd::Input, "blue 2, rules 100".to_owned()),
    ];
    assert_eq!(reading.in_flight(1), in_flight);
    // The numbers' barriers come 6 ms after they are sent, the rules' 10 ms.
    let blocked: Vec<_> =
        reading.blocked().into_iter().filter(|(name, _)| name.contains("->merge")).collect();
    let numbers = ["blue", "yellow"].map(|from| [0, 1].map(|to| (from, to)));
    let expected: Vec<_> = numbers.concat();
    assert_eq!(blocked.len(), expected.len(), "{blocked:?}");
    for (from, to) in expected {
        let name = format!("numbers[{from}]->merge[{to}]");
        assert!(blocked.contains(&(&*name, ms(4))), "{name}: {blocked:?}");
    }
}

#[test]
fn an_unaligned_barrier_waits_for_the_record_in_hand_and_for_no_other() {
    let reading = Reading::of("barrier-behind-a-slow-record");
    let sum = reading.task("sum");
    let third = reading.when(
        |fact| matches!(fact, Fact::Processed { task, record, .. } if *task == sum && record.id.offset == 3),
    );
    let taken =
        reading.when(|fact| matches!(fact, Fact::SnapshotTaken { task, .. } if *task == sum));
    assert_eq!(taken, third);
    // 3 is read at 9 ms, is there at 11 ms, and takes 40 ms; triggered at 15.
    assert_eq!(taken, Time(51_000));
    assert_eq!(reading.metrics("sum", 1).start_delay, ms(51 - 15));
    let waiting = ("numbers->sum", ChannelEnd::Input, "numbers 4, numbers 5".to_owned());
    assert_eq!(reading.in_flight(1), [waiting]);
    let aligned = Reading::changed(
        "barrier-behind-a-slow-record",
        &[(
            "\"execution.checkpointing.unaligned.enabled\": true",
            "\"execution.checkpointing.unaligned.enabled\": false",
        )],
    );
    assert_eq!((reading.duration_ms(1), aligned.duration_ms(1)), (39, 39 + 2 * 2));
}

#[test]
fn the_fast_input_is_blocked_and_the_slow_one_is_the_cause() {
    let reading = Reading::of("one-slow-input");
    // fast's barrier leaves at 11 ms and is there at 13 ms. slow's stands
    // behind four records of 15 ms, the first taken at 4 ms, and a wire.
    let span = ms(4 + 4 * 15 + 2 - 13);
    assert_eq!(reading.blocked(), [("fast->total", span)]);
    assert_eq!(reading.metrics("total", 1).alignment_duration, span);
    let total = reading.task("total");
    let last = reading.facts().rev().find_map(|(_, fact)| match fact {
        Fact::BarrierReceived { task, channel, .. } if *task == total => Some(*channel),
        _ => None,
    });
    assert_eq!(last.map(|channel| reading.channel_name(channel)), Some("work->total"));
}

#[test]
fn sync_stops_the_task_and_async_does_not() {
    let reading = Reading::of("slow-snapshot");
    let metrics = reading.metrics("sum", 1);
    // Barriers leave at 11 ms, 1 ms after the trigger; wires of 2 and 8 ms.
    assert_eq!(metrics.start_delay, ms(1 + 2));
    assert_eq!(metrics.alignment_duration, ms(8 - 2));
    assert_eq!((metrics.sync_duration, metrics.async_duration), (ms(10), ms(30)));
    assert_eq!(reading.duration_ms(1), 1 + 8 + 10 + 30 + 1);
    let sum = reading.task("sum");
    let taken =
        reading.when(|fact| matches!(fact, Fact::SnapshotTaken { task, .. } if *task == sum));
    let n_processed = |from: u64, to: u64| {
        let during = taken.0 + from..taken.0 + to;
        let processed = reading.facts().filter(|(at, fact)| {
            during.contains(&at.0) && matches!(fact, Fact::Processed { task, .. } if *task == sum)
        });
        processed.count()
    };
    assert_eq!(n_processed(0, 10_000), 0, "it stands still");
    assert!(n_processed(10_000, 40_000) > 0, "it works on");
}

#[test]
fn a_source_at_its_end_takes_part_once_more_and_then_finishes() {
    let reading = Reading::of("source-finishes-first");
    let blue = reading.task("numbers[blue]");
    let at = |what: &dyn Fn(&Fact) -> bool| reading.when(what);
    let end = at(&|fact| matches!(fact, Fact::EndOfData { task } if *task == blue));
    let finished = at(&|fact| matches!(fact, Fact::TaskFinished { task } if *task == blue));
    let two = CheckpointId(2);
    let told = at(
        &|fact| matches!(fact, Fact::Notified { task, checkpoint } if *task == blue && *checkpoint == two),
    );
    assert!(end < finished);
    assert_eq!(finished, told);
    let taken = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::SnapshotTaken { task, checkpoint, .. } if *task == blue => Some(checkpoint.0),
        _ => None,
    });
    assert_eq!(taken.collect::<Vec<_>>(), [1, 2]);
    let included = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::FinishedTaskIncluded { task, checkpoint, .. } => Some((*task, checkpoint.0)),
        _ => None,
    });
    assert_eq!(included.collect::<Vec<_>>(), [(blue, 3), (blue, 4)]);
    let sum = reading.task("sum");
    let needed = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::BarrierReceived { task, checkpoint, n_needed, .. } if *task == sum => {
            Some((checkpoint.0, *n_needed))
        }
        _ => None,
    });
    assert_eq!(needed.collect::<Vec<_>>(), [(1, 2), (1, 2), (2, 2), (2, 2), (3, 1), (4, 1)]);
    assert_eq!(published(&reading), 3 + 8);
}

#[test]
fn with_that_setting_off_nothing_is_checkpointed_after_the_first_end() {
    let reading = Reading::of("source-finishes-first-off");
    let blue = reading.task("numbers[blue]");
    let at = |what: &dyn Fn(&Fact) -> bool| reading.when(what);
    let end = at(&|fact| matches!(fact, Fact::EndOfData { task } if *task == blue));
    let finished = at(&|fact| matches!(fact, Fact::TaskFinished { task } if *task == blue));
    assert_eq!(end, finished);
    let rejected = reading.facts().filter(|(_, fact)| matches!(fact, Fact::TriggerRejected { .. }));
    assert_eq!(rejected.map(|(at, _)| at).collect::<Vec<_>>(), [Time(32_000), Time(62_000)]);
    let completed = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::CheckpointCompleted { checkpoint } => Some(checkpoint.0),
        _ => None,
    });
    assert_eq!(completed.collect::<Vec<_>>(), [1]);
    // Blue 1 came before barrier 1, everything else behind it.
    assert_eq!(published(&reading), 1);
}

/// Results that the outside has seen at the end.
fn published(reading: &Reading) -> u64 {
    let graph = &reading.scenario.graph;
    let view = reading.trace.view(graph, u64::MAX).expect("the run's own trace is sound");
    view.tasks.iter().filter_map(|task| task.sink.as_ref()).map(|sink| sink.published.count).sum()
}
