//! What a reader says of lines that no writer writes.

use std::io::{BufReader, Read as _};

use checkdam::trace::{Ending, LINE_BYTES_MAX, Step, TraceReader, read_header};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{read, sample_trace, samples, written};

/// The sample's header, some lines, and no end.
fn with_lines(lines: &[&str]) -> Vec<u8> {
    let mut bytes = written(&[]);
    let header = bytes.iter().position(|byte| *byte == b'\n').expect("a header") + 1;
    bytes.truncate(header);
    for line in lines {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

#[test]
fn an_error_names_line_column_and_what_was_meant() {
    let changed =
        "the file has been changed since it was written; `checkdam run` writes the trace anew";
    let cases = [
        (
            r#"{"step":1,"at":0,"facts":[{"end-of-data":{"task":"sum[od]"}}]}"#,
            (51, "facts[0].end-of-data.task: the trace's scenario has no task `sum[od]`"),
            "did you mean `sum[odd]`?",
        ),
        (
            r#"{"step":1,"at":0,"facts":[{"resumed":{"channel":"sum[odd]"}}]}"#,
            (50, "facts[0].resumed.channel: the trace's scenario has no channel `sum[odd]`"),
            changed,
        ),
        (
            r#"{"step":1,"at":0,"facts":[{"read":{"task":"letters","record":"blue/04","value":1}}]}"#,
            (63, "facts[0].read.record: `blue/04` is not a record, as `blue/4` is"),
            changed,
        ),
        (
            r#"{"step":1,"at":0,"facts":[{"transaction-begun":{"transaction":"screen/1"}}]}"#,
            (
                64,
                "facts[0].transaction-begun.transaction: \
                 `screen/1` is not a transaction, as `sink[even]/2/1` is",
            ),
            changed,
        ),
        (
            r#"{"step":1,"at":0,"facts":[{"state-restored":{"task":"sum[odd]","state":{"keyed":[{"key":"red","value":1}]}}}]}"#,
            (90, "facts[0].state-restored.state[0].key: no key of this operator is `red`"),
            changed,
        ),
        (
            r#"{"step":1,"at":0,"facts":[{"vanished":{}}]}"#,
            (37, "unknown variant `vanished`, expected one of `read`, `emitted`,"),
            changed,
        ),
        (
            r#"{"step":1,"at":0,"facts":[{"job-finished":{"early":true}}]}"#,
            (50, "unknown field `early`, there are no fields"),
            changed,
        ),
        (r#"{"step":-1,"at":0,"facts":[]}"#, (10, "invalid value: integer `-1`"), changed),
        (r#"{"step":1,"at":0,"at":0,"facts":[]}"#, (21, "duplicate field `at`"), changed),
        (r#"{"step":3,"at":0,"facts":[]}"#, (9, "step 3 where step 1 belongs"), changed),
        (
            r#"{"step":1,"at":281474976710656,"facts":[]}"#,
            (16, "281474976710656 µs is behind the end of time"),
            changed,
        ),
        ("", (1, "an empty line"), changed),
    ];
    for (line, (column, what), remedy) in cases {
        let error = read(&with_lines(&[line])).expect_err(line);
        assert_eq!((error.line, error.column), (2, column), "{error}");
        assert!(error.what.starts_with(what), "{error}");
        assert_eq!(error.remedy, remedy);
    }
}

#[test]
fn time_does_not_go_back() {
    let lines = [r#"{"step":1,"at":5,"facts":[]}"#, r#"{"step":2,"at":4,"facts":[]}"#];
    let error = read(&with_lines(&lines)).expect_err("4 is before 5");
    assert_eq!((error.line, error.column), (3, 16));
    assert_eq!(error.what, "time goes back from 5 to 4 µs");
}

#[test]
fn values_beyond_64_bits_are_no_values() {
    for value in ["9223372036854775808", "1.0", "1e3", "\"ab\"", "\"\"", "null", "{}"] {
        let line = format!(
            r#"{{"step":1,"at":0,"facts":[{{"read":{{"task":"letters","record":"blue/1","value":{value}}}}}]}}"#
        );
        let error = read(&with_lines(&[&line])).expect_err(value);
        assert_eq!(error.line, 2);
        assert_eq!(error.what, "a value is a whole number of 64 bits or one letter");
    }
}

#[test]
fn what_is_not_utf8_is_an_error_at_its_byte() {
    let mut bytes = with_lines(&[r#"{"step":1,"at":0,"facts":[]}"#]);
    let place = bytes.len() - 3;
    bytes[place] = 0xff;
    let error = read(&bytes).expect_err("0xff is no UTF-8");
    assert_eq!((error.line, error.column, error.what.as_str()), (2, 27, "not valid UTF-8"));
}

#[test]
fn a_scenario_or_a_picture_is_not_a_trace() {
    for bytes in [&b"{\n  \"job\": {}\n}\n"[..], b"<svg>", b"{\"checkdam\":\"savepoint\"}\n"] {
        let error = TraceReader::open(bytes).expect_err("not a trace");
        assert_eq!(error.what, "this is not a trace: the first line is not a trace's header");
        assert_eq!(error.remedy, "`checkdam run SCENARIO --trace FILE` writes a trace");
    }
    assert_eq!(TraceReader::open(&b""[..]).expect_err("nothing").what, "the file is empty");
}

#[test]
fn another_format_is_refused_naming_both_and_the_tool() {
    let line = r#"{"checkdam":"trace","format":3,"tool":"checkdam 9.0.0","lanes":[]}"#;
    let error = read_header(line).expect_err("format 3");
    assert_eq!(error.what, "the trace has format 3, and this program knows format 2");
    assert_eq!(error.remedy, "read it with checkdam 9.0.0, which wrote it");
    assert_eq!(error.column, 21);
}

#[test]
fn another_engine_can_still_be_read() {
    let text = String::from_utf8(written(&[])).expect("UTF-8");
    let header = text.lines().next().expect("a header").replace(r#""engine":1"#, r#""engine":9"#);
    let header = read_header(&header).expect("format 2");
    assert_eq!((header.engine, header.is_of_this_engine()), (9, false));
}

#[test]
fn the_header_gives_the_scenario_back_byte_for_byte() {
    let bytes = written(&[]);
    let reader = TraceReader::open(&bytes[..]).expect("a header");
    let scenario = super::sample::scenario();
    assert_eq!(reader.header().document, scenario.document);
    assert_eq!(reader.header().name, scenario.name);
    assert!(reader.header().is_of_this_engine());
}

#[test]
fn a_line_without_end_is_an_error_before_memory_is() {
    let endless = BufReader::new(std::io::repeat(b' ').take(LINE_BYTES_MAX as u64 * 2));
    let error = TraceReader::open(endless).expect_err("too long");
    assert_eq!((error.line, error.column), (1, LINE_BYTES_MAX + 1));
}

#[test]
fn a_trace_can_be_read_while_it_grows() {
    let bytes = written(&sample_trace());
    let whole = read(&bytes).expect("a whole trace").0.steps;
    let end = bytes.len() / 2;
    let (trace, ending) = read(&bytes[..end]).expect("a part of a trace");
    assert!(!trace.complete);
    assert_eq!(trace.steps, whole[..trace.steps.len()]);
    let torn = bytes[..end].iter().rev().take_while(|byte| **byte != b'\n').count();
    let line = trace.steps.len() as u64 + 2;
    assert_eq!(ending, Ending::Cut { line, torn_bytes: torn });
    let note = format!("the trace is cut after step {}: line {line} is torn", line - 2);
    assert_eq!(ending.note(), Some(note));
}

/// What mutated lines get put in.
const PIECES: [&str; 12] = [
    "",
    "\"",
    "{",
    "}",
    "[",
    "\\u0000",
    "99999999999999999999999",
    "-1",
    "1e400",
    "null",
    "/",
    "~0",
];

/// The steps of lines, or where and what is wrong.
fn said(lines: &[String]) -> Result<Vec<Step>, (u64, String)> {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let read = read(&with_lines(&lines));
    read.map(|(trace, _)| trace.steps).map_err(|error| (error.line, error.what))
}

/// The same lines as no writer spells them.
fn spaced(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| line.replacen('{', "{ ", 1)).collect()
}

/// The lines of steps, without header and end.
fn step_lines(steps: &[Step]) -> Vec<String> {
    let text = String::from_utf8(written(steps)).expect("UTF-8");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1..lines.len() - 1].to_vec()
}

proptest! {
    #![proptest_config(samples())]

    /// A space makes the reader leave a line to serde.
    #[test]
    fn a_line_says_the_same_however_it_is_spelled(steps in super::facts::any_steps()) {
        let lines = step_lines(&steps);
        prop_assert_eq!(said(&lines), Ok(steps));
        prop_assert_eq!(said(&spaced(&lines)), said(&lines));
    }

    #[test]
    fn a_damaged_line_is_as_wrong_however_it_is_spelled(
        (steps, line) in (super::facts::any_steps(), any::<prop::sample::Index>()),
        places in vec((any::<prop::sample::Index>(), 0..4_usize, 0..PIECES.len()), 1..3),
    ) {
        let lines = step_lines(&steps);
        prop_assume!(!lines.is_empty());
        let mut bytes = lines[line.index(lines.len())].clone().into_bytes();
        for (place, n_removed, piece) in places {
            let start = place.index(bytes.len() + 1);
            let end = (start + n_removed).min(bytes.len());
            bytes.splice(start..end, PIECES[piece].bytes());
        }
        let damaged = [String::from_utf8_lossy(&bytes).into_owned()];
        prop_assume!(damaged[0].starts_with('{'));
        prop_assert_eq!(said(&spaced(&damaged)), said(&damaged));
    }

    #[test]
    fn random_bytes_are_errors(bytes in vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
        let lines = with_lines(&[&String::from_utf8_lossy(&bytes)]);
        if let Err(error) = read(&lines) {
            prop_assert!(error.line >= 2);
        }
    }

    #[test]
    fn lines_with_random_pieces_in_them_are_read_or_are_errors(
        places in vec((any::<prop::sample::Index>(), 0..4_usize, 0..PIECES.len()), 1..4),
    ) {
        let mut bytes = written(&sample_trace());
        for (place, n_removed, piece) in places {
            let start = place.index(bytes.len());
            let end = (start + n_removed).min(bytes.len());
            bytes.splice(start..end, PIECES[piece].bytes());
        }
        // A cut end, or a piece that says the same, is all that passes.
        if let Ok((_, Ending::Complete)) = read(&bytes) {
            prop_assert_eq!(bytes, written(&sample_trace()));
        }
    }
}
