//! Any change to a trace is noticed, and its place named.

use checkdam::trace::{Ending, Step};

use super::{read, sample_trace, written};

/// A short trace, so that every place in it can be tried.
fn short_trace() -> Vec<Step> {
    sample_trace().into_iter().take(6).collect()
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = written(&short_trace());
    let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    for place in 0..bytes.len() {
        let before = bytes[place];
        let others = [before ^ 1, before ^ 0x20, b'\n', b' ', b'0', b'"', 0, 0xff];
        for other in others.into_iter().filter(|other| *other != before) {
            let mut changed = bytes.clone();
            changed[place] = other;
            let error = match read(&changed) {
                Err(error) => error,
                Ok(_) => panic!("byte {place} became {other}, and nobody noticed"),
            };
            let line = bytes[..place].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            assert!((line..=n_lines).contains(&error.line), "byte {place} is in {line}: {error}");
        }
    }
}

#[test]
fn every_removed_doubled_or_swapped_line_is_noticed() {
    let bytes = written(&short_trace());
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let end = lines.len() - 1;
    for place in 0..lines.len() {
        let mut removed = lines.clone();
        removed.remove(place);
        let mut doubled = lines.clone();
        doubled.insert(place, lines[place]);
        let mut swapped = lines.clone();
        swapped.swap(place, (place + 1) % lines.len());
        for (what, lines) in [("removed", removed), ("doubled", doubled), ("swapped", swapped)] {
            match read(&lines.concat()) {
                Ok((_, Ending::Cut { line, torn_bytes: 0 })) => {
                    assert_eq!((what, place, line), ("removed", end, end as u64 + 1));
                }
                Ok(_) => panic!("line {place} was {what}, and nobody noticed"),
                Err(error) => assert!(error.line >= 1 && error.line <= lines.len() as u64 + 1),
            }
        }
    }
}

#[test]
fn every_cut_end_is_noticed_and_what_is_there_can_be_read() {
    let steps = short_trace();
    let bytes = written(&steps);
    let header = bytes.iter().position(|byte| *byte == b'\n').expect("a header") + 1;
    for end in 0..bytes.len() {
        let n_lines = bytes[..end].iter().filter(|byte| **byte == b'\n').count();
        match read(&bytes[..end]) {
            Err(error) => assert!(end < header && error.line == 1, "cut at {end}: {error}"),
            Ok((trace, ending)) => {
                assert!(end >= header);
                assert_eq!(trace.steps, steps[..n_lines - 1]);
                let torn = bytes[..end].iter().rev().take_while(|byte| **byte != b'\n').count();
                let cut = Ending::Cut { line: n_lines as u64 + 1, torn_bytes: torn };
                assert_eq!((ending, trace.complete), (cut, false), "cut at {end}");
            }
        }
    }
    assert_eq!(read(&bytes).expect("nothing is cut").1, Ending::Complete);
}

#[test]
fn whatever_stands_behind_the_end_is_noticed() {
    for tail in ["\n", " ", "x", "{\"step\":7,\"at\":9000,\"facts\":[]}\n"] {
        let mut bytes = written(&short_trace());
        let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        bytes.extend_from_slice(tail.as_bytes());
        let error = read(&bytes).expect_err("the end is the end");
        assert_eq!(error.what, "there is something behind the end");
        assert_eq!(error.line, n_lines + 1);
    }
}

#[test]
fn the_end_says_which_of_its_two_parts_is_wrong() {
    let text = String::from_utf8(written(&short_trace())).expect("UTF-8");
    let fewer = text.replace(r#""records":6"#, r#""records":5"#);
    let error = read(fewer.as_bytes()).expect_err("6 is not 5");
    assert_eq!((error.line, error.column), (8, 19));
    assert_eq!(error.what, "the end counts 5 steps, and there are 6");
    let other = text.replace(r#""name":"sample""#, r#""name":"Sample""#);
    let error = read(other.as_bytes()).expect_err("the name was changed");
    assert!(error.what.starts_with("the digest of all lines before does not match"));
    let spaced = text.replace(r#"{"end":{"#, r#"{"end": {"#);
    let error = read(spaced.as_bytes()).expect_err("a space too many");
    assert_eq!((error.column, error.what.as_str()), (8, "the end is not spelled as it is written"));
}
