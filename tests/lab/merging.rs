//! Results of shards merge into those of the whole batch, and what does not
//! belong together is refused.

use checkdam::lab::{Batch, ResultFile, ResultWriter, Shard, merge, read_results};
use proptest::prelude::*;
use serde_json::json;

fn batch(seed: u64, cases: u64) -> Batch {
    Batch { what: "fuzz".to_owned(), seed, cases, settings: json!({ "break": [] }) }
}

/// A file as a run of a shard writes it.
fn file(batch: &Batch, shard: Shard) -> String {
    let lines = shard.cases(batch.cases).map(|case| (case, line(batch, case)));
    written(batch, shard, lines)
}

fn line(batch: &Batch, case: u64) -> String {
    format!("{{\"case\":{case},\"value\":{}}}", batch.seed_of(case) % 1000)
}

fn written(batch: &Batch, shard: Shard, lines: impl Iterator<Item = (u64, String)>) -> String {
    let mut writer = ResultWriter::new(Vec::new(), batch, shard).expect("memory takes it");
    for (_, line) in lines {
        writer.case(&line).expect("memory takes it");
    }
    String::from_utf8(writer.finish().expect("memory takes it")).expect("it is text")
}

fn read(name: &str, text: &str) -> ResultFile {
    read_results(name, text).expect("it is a file of results")
}

fn shard(text: &str) -> Shard {
    text.parse().expect("it is a shard")
}

proptest! {
    /// Any division, in any order, each shard any number of times, and shards
    /// of another division between them.
    #[test]
    fn merged_shards_are_the_whole_byte_for_byte(
        n_cases in 0_u64..60,
        divisions in proptest::collection::vec(1_u32..7, 1..3),
        order in any::<u64>(),
    ) {
        let batch = batch(5, n_cases);
        let mut shards: Vec<Shard> = divisions
            .iter()
            .flat_map(|of| Shard::new(0, *of).expect("it is one").all())
            .collect();
        shards.extend(shards.clone().into_iter().step_by(2));
        let by = |shard: &Shard| {
            let bits = u64::from(shard.index()) << 32 | u64::from(shard.of());
            checkdam::model::mix(bits ^ order)
        };
        shards.sort_by_key(by);
        let files: Vec<ResultFile> =
            shards.iter().map(|own| read(&own.to_string(), &file(&batch, *own))).collect();
        let merged = merge(&files).expect("they belong together");
        prop_assert_eq!(&merged.missing, &[]);
        let whole = written(&merged.batch, Shard::WHOLE, merged.cases.into_iter());
        prop_assert_eq!(whole, file(&batch, Shard::WHOLE));
    }

    /// Whatever byte is changed or wherever the file ends: its cases are not
    /// taken for good.
    #[test]
    fn a_changed_or_cut_file_is_never_taken_for_whole(at in any::<u32>(), bits in 1_u8..=255) {
        let text = file(&batch(5, 40), shard("1/2"));
        let at = at as usize % text.len();
        let mut changed = text.clone().into_bytes();
        changed[at] ^= bits;
        if let Ok(changed) = String::from_utf8(changed) {
            let is_taken = read_results("changed", &changed).is_ok_and(|file| file.is_whole);
            prop_assert!(!is_taken, "byte {at}");
        }
        let is_taken = read_results("cut", &text[..at]).is_ok_and(|file| file.is_whole);
        prop_assert!(!is_taken, "cut at {at}");
    }
}

#[test]
fn missing_shards_are_named_with_their_cases() {
    let batch = batch(5, 10);
    let cut = file(&batch, shard("2/4"));
    let cut = &cut[..cut.len() - 20];
    let files = [
        read("a", &file(&batch, shard("0/4"))),
        read("b", cut),
        read("c", &file(&batch, shard("3/4"))),
    ];
    let merged = merge(&files).expect("they belong together");
    let missing: Vec<_> = merged
        .missing
        .iter()
        .map(|own| (own.shard.to_string(), own.n_cases, own.first, own.cut.as_deref()))
        .collect();
    assert_eq!(missing, [("1/4".to_owned(), 3, 1, None), ("2/4".to_owned(), 2, 2, Some("b"))]);
    assert_eq!(merged.cases.len(), 5);
}

#[test]
fn what_does_not_belong_together_is_refused_with_the_reason() {
    let own = read("own", &file(&batch(5, 10), shard("0/2")));
    let refused = |other: ResultFile| {
        let error = merge(&[own.clone(), other]).expect_err("it is refused");
        assert_eq!(error.file, "other");
        error.what
    };
    let other = |batch: &Batch| read("other", &file(batch, shard("1/2")));
    assert!(refused(other(&batch(6, 10))).contains("seed 5 there, seed 6 here"));
    assert!(refused(other(&batch(5, 11))).contains("10 cases there, 11 here"));
    let broken = Batch { settings: json!({ "break": ["count-any-barrier"] }), ..batch(5, 10) };
    assert!(refused(other(&broken)).contains("count-any-barrier"));
    let sweep = Batch { what: "sweep".to_owned(), ..batch(5, 10) };
    assert!(refused(other(&sweep)).contains("sweep here"));
    let lines = shard("0/2").cases(10).map(|case| (case, format!("{{\"case\":{case}}}")));
    let liar = read("other", &written(&batch(5, 10), shard("0/2"), lines));
    assert!(refused(liar).contains("does not agree with own on case 0"));
}

#[test]
fn other_versions_and_other_files_are_refused() {
    let text = file(&batch(5, 10), Shard::WHOLE);
    let refused = |text: &str| read_results("x", text).expect_err("it is refused").what;
    assert!(refused(&text.replacen("\"format\":1", "\"format\":2", 1)).contains("format 2"));
    assert!(refused(&text.replacen("\"engine\":1", "\"engine\":99", 1)).contains("engine 99"));
    assert!(refused("").contains("no file of results"));
    assert!(refused("{\"checkdam\":\"trace\",\"format\":1}\n").contains("trace"));
    assert!(refused(&format!("{text}{{}}\n")).contains("behind the end"));
    let doubled: String = text.lines().map(|line| format!("{line}\n")).take(3).collect();
    let doubled = format!("{doubled}{}\n", text.lines().nth(2).expect("it has cases"));
    assert!(refused(&doubled).contains("no line of a case"));
}
