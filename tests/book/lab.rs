//! The lab grades itself: what the book prints of the grader is what it says.

use std::process::Command;

use super::{LANGUAGES, folder, read, root};

/// What the grader says of a file, and whether all is caught.
fn graded(file: &str) -> (String, bool) {
    let mut command = Command::new("sh");
    command.arg("book/lab/grade").arg(format!("book/lab/{file}")).current_dir(root());
    command.env("CHECKDAM", env!("CARGO_BIN_EXE_checkdam"));
    let done = command.output().expect("there is a shell");
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.success())
}

#[test]
fn the_grader_says_of_the_start_what_the_book_prints() {
    let (said, is_good) = graded("start.json");
    assert!(!is_good);
    for language in LANGUAGES {
        let page = read(&folder(language).join("lab.md"));
        assert!(page.contains(&format!("```text\n{said}```")), "book/{language}: {said}");
        assert!(
            page.contains(&format!("```json\n{}```", read(&root().join("book/lab/start.json"))))
        );
    }
}

#[test]
fn the_key_of_the_lab_catches_every_bug() {
    let (said, is_good) = graded("solution.json");
    assert!(is_good, "{said}");
    assert_eq!(said.matches("caught").count(), 4, "{said}");
    for language in LANGUAGES {
        let page = read(&folder(language).join("lab.md"));
        let key = page.rsplit("```json\n").next().and_then(|rest| rest.split("```").next());
        let key = key.expect("the page shows the key");
        assert!(
            read(&root().join("book/lab/solution.json")).contains(key),
            "book/{language}: {key}"
        );
    }
}

/// The first checkpoint alone catches two bugs, the crash right behind it a
/// third: what the page asks on the way.
#[test]
fn a_test_without_the_late_crash_misses_one_bug() {
    let whole = read(&root().join("book/lab/solution.json"));
    let late = whole.lines().find(|line| line.contains("attempt 2 starts")).expect("it is there");
    let early = whole.replace(&format!(",\n{late}"), "");
    let name = "lab-early.json";
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    super::write(&path, &early);
    let mut command = Command::new("sh");
    command.arg(root().join("book/lab/grade")).arg(&path);
    command.env("CHECKDAM", env!("CARGO_BIN_EXE_checkdam"));
    let done = command.output().expect("there is a shell");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("✗ not caught: keep-state-on-restart"), "{said}");
    assert!(said.ends_with("3 of 4\n"), "{said}");
}
