//! The file of a savepoint: what it holds, and what is wrong with one that is
//! damaged, cut, foreign or newer.

use checkdam::model::{
    KeyGroupSnapshot, KeyedEntry, SavedKey, SavedState, SavedValue, SplitOffset, SubtaskState,
};
use checkdam::savepoint::{Saved, SavepointError, read_savepoint, savepoint_schema};

use super::{changed, last_savepoint};

fn text() -> String {
    Saved::of(last_savepoint(&changed("stop-with-savepoint", &[]))).text()
}

fn error(text: &str) -> SavepointError {
    read_savepoint(text.as_bytes()).expect_err("it is no savepoint")
}

/// What the lecture's sum holds after 1 to 4, under the key groups that Flink
/// 1.20.3 gives to the booleans true (odd) and false (even).
#[test]
fn a_savepoint_holds_offsets_state_by_key_group_and_transactions() {
    let savepoint = last_savepoint(&changed("stop-with-savepoint", &[]));
    let states: Vec<&SubtaskState> =
        savepoint.operators.iter().map(|operator| &operator.subtasks[0].state).collect();
    let split = SplitOffset { split: "numbers".to_owned(), offset: 4 };
    assert_eq!(*states[0], SubtaskState::Splits(vec![split]));
    let group = |group, odd, sum| KeyGroupSnapshot {
        group,
        entries: vec![KeyedEntry {
            key: SavedKey::Boolean(odd),
            value: SavedState::Value(SavedValue::Number(sum)),
        }],
    };
    // false hashes to 1237 and true to 1231: groups 3 and 77 of 128.
    assert_eq!(*states[1], SubtaskState::Keyed(vec![group(3, false, 6), group(77, true, 4)]));
    let SubtaskState::Transactions(prepared) = states[2] else { panic!("{:?}", states[2]) };
    let values: Vec<_> = prepared[0].records.iter().map(|record| record.value).collect();
    assert_eq!(values, [SavedValue::Number(4), SavedValue::Number(6)]);
}

#[test]
fn a_savepoint_that_is_written_and_read_is_the_same() {
    let savepoint = last_savepoint(&changed("savepoint", &[]));
    let saved = Saved::of(savepoint);
    assert_eq!(read_savepoint(saved.text().as_bytes()), Ok(saved.clone()));
    assert_eq!(read_savepoint(saved.line().as_bytes()), Ok(saved.clone()));
    // White space may be another; then it is still the same savepoint.
    let airy = saved.text().replace('\n', "\r\n\t");
    assert_eq!(read_savepoint(airy.as_bytes()), Ok(saved));
}

#[test]
fn a_savepoint_fits_its_published_schema() {
    let schema = jsonschema::validator_for(&savepoint_schema()).expect("it is a schema");
    for name in ["savepoint", "stop-with-savepoint"] {
        let text = Saved::of(last_savepoint(&changed(name, &[]))).text();
        let value = serde_json::from_str(&text).expect("it is JSON");
        let wrong: Vec<String> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(wrong, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_published_schema_is_current() {
    let published = include_str!("../../schemas/savepoint.schema.json");
    let current = format!("{:#}\n", savepoint_schema());
    assert!(published == current, "run: checkdam schema savepoint > schemas/savepoint.schema.json");
}

/// Wherever a file is cut, it is noticed, with a place in it.
#[test]
fn a_savepoint_that_is_cut_is_noticed() {
    let text = text();
    let end = text.trim_end().len();
    for cut in (0..end).filter(|cut| text.is_char_boundary(*cut)) {
        let error = error(&text[..cut]);
        let n_lines = text[..cut].matches('\n').count() + 1;
        assert!(error.line <= n_lines && error.column > 0, "cut at {cut}: {error:?}");
        assert!(!error.remedy.is_empty(), "cut at {cut}");
    }
    assert_eq!(error(&text[..end / 2]).what, "the savepoint is cut here");
}

/// Whatever sign is another one, it is noticed.
#[test]
fn a_savepoint_that_is_changed_is_noticed() {
    let text = text();
    for (place, sign) in text.char_indices().filter(|(_, sign)| !sign.is_whitespace()) {
        let other = match sign {
            '0'..='8' => char::from(sign as u8 + 1),
            '9' => '0',
            'z' => 'a',
            _ => 'z',
        };
        let changed = format!("{}{other}{}", &text[..place], &text[place + sign.len_utf8()..]);
        let read = read_savepoint(changed.as_bytes());
        assert!(read.is_err(), "{sign} made {other} at {place}");
    }
    let error = error(&text.replace("\"offset\": 4", "\"offset\": 5"));
    assert!(error.what.starts_with("the checksum does not match"), "{error:?}");
    assert_eq!(error.line, text.lines().count() - 1, "the line with the checksum");
}

#[test]
fn what_is_no_savepoint_is_said_to_be_none() {
    for foreign in ["hello", "[]", "{}", "{\"checkdam\": \"scenario\"}", "7"] {
        let error = error(foreign);
        assert_eq!((error.line, error.what.as_str()), (1, "this is not a savepoint"), "{foreign}");
    }
    let trace = "{\"checkdam\":\"trace\",\"format\":1}";
    assert_eq!(error(trace).what, "this is a trace, and a savepoint is wanted here");
    assert_eq!(error("").what, "the file is empty");
    assert_eq!(read_savepoint(b"{\"checkdam\": \"\xff").unwrap_err().what, "not valid UTF-8");
}

#[test]
fn a_savepoint_of_a_newer_program_is_told_from_a_damaged_one() {
    let newer = text().replace("\"format\": 1", "\"format\": 2").replace("0.1.0", "9.0.0");
    let error = error(&newer);
    assert_eq!(error.what, "the savepoint has format 2, and this program knows format 1");
    assert_eq!(error.remedy, "start from it with checkdam 9.0.0, which wrote it");
    assert_eq!(error.line, 3);
}

/// A file with a right checksum and an impossible content: somebody has made it.
#[test]
fn what_no_job_can_have_stored_is_refused() {
    let savepoint = last_savepoint(&changed("stop-with-savepoint", &[]));
    let wrong = |change: &dyn Fn(&mut checkdam::model::Savepoint), what: &str| {
        let mut other = savepoint.clone();
        change(&mut other);
        let error = error(&Saved::of(other).text());
        assert!(error.what.contains(what), "{error:?}");
    };
    wrong(&|own| own.operators[1].parallelism = 2, "2 subtasks, and 1 entries");
    wrong(&|own| own.operators[1].parallelism = 0, "0 subtasks");
    wrong(&|own| own.operators[1].max_parallelism = 50, "key group 77 of 50");
    wrong(&|own| own.operators[1].keys = None, "no type of keys");
    wrong(&|own| own.operators[1].uid = "numbers".to_owned(), "two have this id");
}
