//! Jobs side by side: an A/B test from one savepoint.

use serde_json::{Value, json};

use super::command_line::{checkdam, folder, text};

/// Both begin with offset 4, odd 4 and even 6. A goes on with the sum: 4+5, 6+6,
/// 9+7, 12+8, 16+9; B takes the larger one: 5, 6, 7, 8, 9. What the job before
/// has prepared, 4 and 6, both commit.
#[test]
fn two_variants_from_one_savepoint_stand_side_by_side() {
    let folder = folder("compared");
    let run = checkdam(&folder, &["run", "stop-with-savepoint", "--savepoint-dir", "."]);
    assert!(run.status.success());
    let file = "stop-with-savepoint-savepoint-2.json";
    let by_name = ["compare", "variant-a", "variant-b", "--format", "json"];
    let by_file = [&by_name[..], &["--from", file]].concat();
    for arguments in [&by_name[..], &by_file] {
        let run = checkdam(&folder, arguments);
        assert!(run.status.success(), "{}", text(&run.stderr));
        let told: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
        for (job, name) in [(0, "variant-a"), (1, "variant-b")] {
            let job = &told["jobs"][job];
            assert_eq!(job["scenario"], name);
            assert_eq!(job["from"], json!({ "job": "stop-with-savepoint", "savepoint": 2 }));
            assert_eq!(job["records_read"], 9 - 4);
            assert_eq!(
                (&job["state_exactly_once"], &job["output_exactly_once"]),
                (&json!(true), &json!(true))
            );
        }
        let row = |of: &str, a: i64, b: i64| {
            let values = json!([[a.to_string()], [b.to_string()]]);
            json!({ "of": of, "values": values, "differs": a != b })
        };
        // 2+4+6+8 and the largest even number; 1+3+5+7+9 and the largest odd one.
        let state = [row("sum even", 20, 8), row("sum odd", 25, 9)];
        assert_eq!(told["state"], json!(state));
        let (mut sums, mut output) = ([6, 4], Vec::new());
        for n in 3..=9 {
            let sum = match n {
                3 => 4,
                4 => 6,
                _ => {
                    let sum = &mut sums[usize::from(n % 2 == 1)];
                    *sum += n;
                    *sum
                }
            };
            output.push(row(&format!("numbers {n}"), sum, if n < 5 { sum } else { n }));
        }
        assert_eq!(told["output"], json!(output));
    }
}

/// The same job on one subtask and on two makes the same of a savepoint.
#[test]
fn another_parallelism_makes_no_difference() {
    let folder = folder("compared-rescaled");
    let arguments = ["compare", "resumed", "moved-to-another-cluster", "--format", "json"];
    let run = checkdam(&folder, &arguments);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let told: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    for table in ["state", "output"] {
        let rows = told[table].as_array().expect("rows");
        assert!(!rows.is_empty() && rows.iter().all(|row| row["differs"] == false), "{told:#}");
    }
}

#[test]
fn one_job_alone_is_no_comparison() {
    let run = checkdam(&folder("compared-alone"), &["compare", "resumed"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("help"), "{}", text(&run.stderr));
}
