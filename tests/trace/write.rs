//! What is written, byte for byte.

use std::io;

use checkdam::model::{
    Attempt, Barrier, ChannelIndex, CheckpointId, CheckpointOptions, Key, Path, Record, RecordId,
    SnapshotState, SplitIndex, StateValue, StreamElement, SubtaskIndex, Time, TransactionId, Value,
};
use checkdam::trace::{Driver, Ending, Fact, Names, Step, StepLine, TraceWriter};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::{facts, read, sample, samples, steps, written};

/// The lines of a trace between its header and its end.
fn step_lines(steps: &[Step]) -> Vec<String> {
    let text = String::from_utf8(written(steps)).expect("a trace is UTF-8");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1..lines.len() - 1].to_vec()
}

fn line(fact: Fact) -> String {
    let line = step_lines(&steps([vec![fact]])).remove(0);
    let fact = line.strip_prefix(r#"{"step":1,"at":1000,"facts":["#).expect("a step");
    fact.strip_suffix("]}").expect("a step's end").to_owned()
}

fn task(name: &str) -> SubtaskIndex {
    let graph = sample::scenario().graph;
    SubtaskIndex::at(graph.subtasks.iter().position(|task| task.name == name).expect(name))
}

fn channel(name: &str) -> ChannelIndex {
    let graph = sample::scenario().graph;
    ChannelIndex::at(graph.channels.iter().position(|channel| channel.name == name).expect(name))
}

fn record(split: u32, offset: u32, value: Value) -> Record {
    let id = RecordId { split: SplitIndex(split), offset, path: Path(0) };
    Record { id, value, key: None }
}

#[test]
fn a_trace_has_a_header_a_line_for_each_step_and_an_end() {
    let bytes = written(&steps([vec![Fact::JobFinished], vec![]]));
    let text = String::from_utf8(bytes).expect("a trace is UTF-8");
    let body = [
        r#"{"checkdam":"trace","format":2,"engine":1,"tool":"checkdam 0.1.0","name":"sample","#,
        r#""driver":{"seed":7},"scenario":{"title":"A \"sample\"","job":{"色":[1,2.50,-0]}}}"#,
        "\n",
        r#"{"step":1,"at":1000,"facts":[{"job-finished":{}}]}"#,
        "\n",
        r#"{"step":2,"at":2000,"facts":[]}"#,
        "\n",
    ]
    .concat();
    let digest = xxh3_128(body.as_bytes());
    let end = format!("{{\"end\":{{\"records\":2,\"digest\":\"{digest:032x}\"}}}}\n");
    assert_eq!(text, body + &end);
}

#[test]
fn a_schedule_is_written_as_the_lanes_chosen() {
    let mut bytes = Vec::new();
    let driver = Driver::Schedule(vec![3, 0, 12]);
    let writer = TraceWriter::new(&mut bytes, &sample::scenario(), &driver);
    writer.and_then(TraceWriter::finish).expect("memory can be written");
    let text = String::from_utf8(bytes.clone()).expect("a trace is UTF-8");
    assert!(text.contains(r#""driver":{"schedule":[3,0,12]},"#), "{text}");
    assert_eq!(read(&bytes).expect("a whole trace").0.driver, driver);
}

#[test]
fn facts_name_what_they_are_about() {
    let blue_to_odd = channel("numbers[blue]->sum[odd]");
    let odd_to_sink = channel("sum[odd]->sink[odd]");
    let blue_3 = record(0, 3, Value::Number(3));
    let odd_8 = Record { value: Value::Number(8), key: Some(Key::Bool(true)), ..blue_3 };
    assert_eq!(
        line(Fact::Read { task: task("numbers[blue]"), record: blue_3 }),
        r#"{"read":{"record":"blue/3","value":3}}"#
    );
    assert_eq!(
        line(Fact::Processed {
            task: task("sum[odd]"),
            channel: blue_to_odd,
            number: 2,
            record: blue_3,
            state: Some((Key::Bool(true), StateValue::Value(Value::Number(8)))),
        }),
        r#"{"processed":{"element":"numbers[blue]->sum[odd]/2","record":"blue/3","value":3,"state":{"key":"odd","value":8}}}"#
    );
    let element = StreamElement::Record(odd_8);
    assert_eq!(
        line(Fact::Emitted { channel: odd_to_sink, number: 4, element, buffered: true }),
        r#"{"emitted":{"element":"sum[odd]->sink[odd]/4","record":"blue/3","value":8,"key":"odd","buffered":true}}"#
    );
    let barrier = Barrier {
        checkpoint: CheckpointId(2),
        triggered_at: Time(3000),
        options: CheckpointOptions::ALIGNED,
    };
    let element = StreamElement::Barrier(barrier);
    assert_eq!(
        line(Fact::Emitted { channel: odd_to_sink, number: 5, element, buffered: false }),
        r#"{"barrier-emitted":{"element":"sum[odd]->sink[odd]/5","checkpoint":2,"triggered_at":3000}}"#
    );
    let transaction = TransactionId { subtask: task("sink[odd]"), attempt: Attempt(2), number: 1 };
    let prepared = vec![(transaction, CheckpointId(2))];
    assert_eq!(
        line(Fact::SnapshotTaken {
            task: task("sink[odd]"),
            checkpoint: CheckpointId(2),
            state: SnapshotState::Transactions(prepared),
        }),
        r#"{"snapshot-taken":{"task":"sink[odd]","checkpoint":2,"state":{"transactions":[{"transaction":"sink[odd]/2/1","checkpoint":2}]}}}"#
    );
}

#[test]
fn what_a_line_has_said_it_does_not_say_again() {
    let emitted = |channel, record: Record| Fact::Emitted {
        channel,
        number: 4,
        element: StreamElement::Record(record),
        buffered: false,
    };
    let blue_3 = record(0, 3, Value::Number(3));
    let odd_8 = Record { value: Value::Number(8), key: Some(Key::Bool(true)), ..blue_3 };
    let read = Fact::Read { task: task("numbers[blue]"), record: blue_3 };
    let summed = Fact::Processed {
        task: task("sum[odd]"),
        channel: channel("numbers[blue]->sum[odd]"),
        number: 2,
        record: blue_3,
        state: Some((Key::Bool(true), StateValue::Value(Value::Number(8)))),
    };
    let read_text = r#"{"read":{"record":"blue/3","value":3}}"#;
    let summed_text = r#"{"processed":{"element":"numbers[blue]->sum[odd]/2","record":"blue/3","value":3,"state":{"key":"odd","value":8}}}"#;
    let to_odd = r#"{"emitted":{"element":"numbers[blue]->sum[odd]/4""#;
    let to_sink = r#"{"emitted":{"element":"sum[odd]->sink[odd]/4""#;
    let turned = Record { id: RecordId { path: Path(0).turn(1), ..odd_8.id }, ..odd_8 };
    let cases = [
        (&read, "numbers[blue]->sum[odd]", blue_3, format!("{read_text},{to_odd}}}}}")),
        (&summed, "sum[odd]->sink[odd]", odd_8, format!("{summed_text},{to_sink}}}}}")),
        (
            &summed,
            "sum[odd]->sink[odd]",
            turned,
            format!(r#"{summed_text},{to_sink},"record":"blue/3~1"}}}}"#),
        ),
        (
            &summed,
            "sum[odd]->sink[odd]",
            blue_3,
            format!(r#"{summed_text},{to_sink},"value":3,"key":null}}}}"#),
        ),
    ];
    for (cause, to, record, expected) in cases {
        let steps = steps([vec![cause.clone(), emitted(channel(to), record)]]);
        let expected = format!(r#"{{"step":1,"at":1000,"facts":[{expected}]}}"#);
        assert_eq!(step_lines(&steps), [expected]);
        assert_eq!(self::read(&written(&steps)).expect("a whole trace").0.steps, steps);
    }
}

#[test]
fn records_name_split_offset_and_the_turns_they_took() {
    let cases = [
        (0, Path(0), r#""blue/4""#),
        (0, Path(0).turn(1).turn(2), r#""blue/4~1.2""#),
        (2, Path(u64::MAX), r#""a/b~1.2/4~255.255.255.255.255.255.255.255""#),
        (3, Path(7), r#""色\t\"c\"/4~7""#),
    ];
    for (split, path, text) in cases {
        let mut record = record(split, 4, Value::Letter('"'));
        record.id.path = path;
        let expected = format!(r#"{{"read":{{"record":{text},"task":"letters","value":"\""}}}}"#);
        assert_eq!(line(Fact::Read { task: task("letters"), record }), expected);
    }
}

#[test]
fn keys_are_written_as_their_operator_calls_them() {
    let number = StateValue::Value(Value::Number(1));
    let sides = StateValue::Sides { left: None, right: Some(Value::Letter('色')) };
    let cases = [
        ("sum[odd]", Key::Bool(false), number, r#"{"key":"even","value":1}"#),
        ("count[1]", Key::Int(6), number, r#"{"key":6,"value":1}"#),
        ("max \"of\" all", Key::Name(2), number, r#"{"key":"say \"blue\"","value":1}"#),
        ("join[左]", Key::Long(-7), sides, r#"{"key":-7,"value":{"right":"色"}}"#),
        ("join[左]", Key::Letter('7'), number, r#"{"key":"7","value":1}"#),
        ("sum[odd]", Key::Int(6), number, r#"{"key":{"remainder":6},"value":1}"#),
    ];
    for (name, key, value, text) in cases {
        let state = SnapshotState::Keyed(vec![(key, value)]);
        let line = line(Fact::StateRestored { task: task(name), state });
        let name = serde_json::to_string(name).expect("a text");
        let expected =
            format!(r#"{{"state-restored":{{"task":{name},"state":{{"keyed":[{text}]}}}}}}"#);
        assert_eq!(line, expected);
    }
}

proptest! {
    #![proptest_config(samples())]

    #[test]
    fn every_line_is_the_one_that_serde_writes_and_reads_back_the_same(
        steps in facts::any_steps(),
    ) {
        let names = Names::of(&sample::scenario());
        for (line, step) in step_lines(&steps).iter().zip(&steps) {
            let by_serde = serde_json::to_string(&StepLine::of(&names, step)).expect("a line");
            prop_assert_eq!(line, &by_serde);
        }
        let (trace, ending) = read(&written(&steps)).expect("a whole trace");
        prop_assert_eq!(trace.steps, steps);
        prop_assert_eq!((trace.driver, ending), (Driver::Seed(7), Ending::Complete));
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_whole_lines_and_no_end() {
    let mut bytes = Vec::new();
    let mut writer =
        TraceWriter::new(&mut bytes, &sample::scenario(), &Driver::Seed(7)).expect("memory");
    writer.step(1, Time(1), &[Fact::JobFinished]).expect("memory");
    drop(writer);
    let (trace, ending) = read(&bytes).expect("a cut trace");
    assert_eq!(trace.steps.len(), 1);
    assert!(!trace.complete);
    assert_eq!(ending, Ending::Cut { line: 3, torn_bytes: 0 });
}

/// Takes so many writes; remembers their lengths.
struct Disk<'a> {
    writes_left: usize,
    writes: &'a mut Vec<Vec<u8>>,
}

impl io::Write for Disk<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.writes_left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.writes_left -= 1;
        self.writes.push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn bytes_are_handed_on_in_blocks_that_end_at_multiples_of_their_size() {
    let mut writes = Vec::new();
    let disk = Disk { writes_left: usize::MAX, writes: &mut writes };
    let mut writer = TraceWriter::new(disk, &sample::scenario(), &Driver::Seed(7)).expect("a disk");
    let facts = facts::one_of_each();
    for number in 1..=100 {
        writer.step(number, Time(number), &facts).expect("a disk");
    }
    writer.finish().expect("a disk");
    assert!(writes.len() > 5, "the header, some blocks, the rest, the end");
    assert!(writes[0].starts_with(b"{\"checkdam\"") && writes[0].ends_with(b"}\n"));
    assert!(writes[writes.len() - 1].starts_with(b"{\"end\""));
    assert_eq!(writes[writes.len() - 2].last(), Some(&b'\n'));
    let mut written = writes[0].len();
    for write in &writes[1..writes.len() - 2] {
        written += write.len();
        assert_eq!(written % TraceWriter::<Disk<'_>>::BUFFER_BYTES, 0);
    }
}

#[test]
fn after_a_failed_write_nothing_more_is_written() {
    let mut writes = Vec::new();
    let disk = Disk { writes_left: 1, writes: &mut writes };
    let mut writer =
        TraceWriter::new(disk, &sample::scenario(), &Driver::Seed(7)).expect("one write");
    writer.step(1, Time(1), &[]).expect("it is in the buffer");
    assert_eq!(writer.flush().expect_err("the disk is full").kind(), io::ErrorKind::StorageFull);
    let later = writer.flush().expect_err("the trace has a gap").to_string();
    assert_eq!(later, "an earlier part of the trace could not be written");
    assert!(writer.finish().is_err());
    assert_eq!(writes.len(), 1);
}
