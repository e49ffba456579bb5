//! The first difference between a recording and its replay.

use std::io::Write as _;

use checkdam::trace::{Comparison, Difference, Part, first_difference};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{sample_trace, samples, written};

fn compare(recorded: &[u8], replayed: &[u8]) -> Option<Difference> {
    first_difference(recorded, replayed).expect("memory can be read")
}

const RECORDED: &str = concat!(
    r#"{"checkdam":"trace","driver":{"seed":1}}"#,
    "\n",
    r#"{"step":1,"at":5,"facts":[{"read":{"record":"blue/1","value":1}},{"end-of-data":{}}]}"#,
    "\n",
    r#"{"step":2,"at":9,"facts":[]}"#,
    "\n",
    r#"{"end":{"records":2,"digest":"00"}}"#,
    "\n",
);

#[test]
fn the_field_that_differs_is_named_with_both_texts() {
    let cases = [
        (
            r#""value":1"#,
            r#""value":2"#,
            "step 1 (line 2) differs in facts[0].read.value: recorded 1, replayed 2",
        ),
        (
            r#""seed":1"#,
            r#""seed":2"#,
            "the header (line 1) differs in driver.seed: recorded 1, replayed 2",
        ),
        (
            r#""digest":"00""#,
            r#""digest":"ff""#,
            "the end (line 4) differs in end.digest: recorded \"00\", replayed \"ff\"",
        ),
        (
            r#",{"end-of-data":{}}"#,
            "",
            "step 1 (line 2) differs in facts[1]: recorded {\"end-of-data\":{}}, replayed nothing",
        ),
        (
            r#""at":9,"#,
            r#""at": 9,"#,
            "step 2 (line 3) differs: recorded {\"step\":2,\"at\":9,\"facts\":[]}\\n, replayed {\"step\":2,\"at\": 9,\"facts\":[]}\\n",
        ),
        (
            "{\"end\":{\"records\":2,\"digest\":\"00\"}}\n",
            "",
            "the end (line 4) differs: recorded {\"end\":{\"records\":2,\"digest\":\"00\"}}\\n, replayed nothing",
        ),
        (
            "\"00\"}}\n",
            "\"00\"}}",
            "the end (line 4) differs: recorded …s\":2,\"digest\":\"00\"}}\\n, replayed …s\":2,\"digest\":\"00\"}}",
        ),
    ];
    for (recorded, replayed, text) in cases {
        let replayed = RECORDED.replace(recorded, replayed);
        let difference = compare(RECORDED.as_bytes(), replayed.as_bytes()).expect(text);
        assert_eq!(difference.to_string(), text);
    }
    assert_eq!(compare(RECORDED.as_bytes(), RECORDED.as_bytes()), None);
}

#[test]
fn a_recording_that_ends_first_is_a_difference() {
    let header = RECORDED.find('\n').expect("a header") + 1;
    let difference = compare(&RECORDED.as_bytes()[..header], RECORDED.as_bytes()).expect("cut");
    assert_eq!((difference.line, difference.part), (2, Part::Step(1)));
    assert_eq!(difference.recorded, "nothing");
}

#[test]
fn every_changed_byte_is_found_in_its_line() {
    let steps = sample_trace();
    let bytes = written(&steps[..6]);
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        let line = bytes[..place].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let difference = compare(&changed, &bytes).expect("a byte has changed");
        assert_eq!(difference.line, line, "byte {place}: {difference}");
    }
}

proptest! {
    #![proptest_config(samples())]

    #[test]
    fn it_does_not_matter_how_the_replay_is_handed_over(
        cuts in vec(any::<prop::sample::Index>(), 0..6),
        changed in any::<prop::sample::Index>(),
    ) {
        let recorded = written(&sample_trace());
        let mut replayed = recorded.clone();
        let place = changed.index(replayed.len());
        replayed[place] ^= 1;
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(replayed.len())).collect();
        cuts.extend([0, replayed.len()]);
        cuts.sort_unstable();
        let mut comparison = Comparison::new(&recorded[..]);
        for pair in cuts.windows(2) {
            comparison.write_all(&replayed[pair[0]..pair[1]])?;
        }
        prop_assert_eq!(comparison.finish()?, compare(&recorded, &replayed));
    }
}
