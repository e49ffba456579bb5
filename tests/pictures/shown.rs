//! Every figure of the README and the books is what the program draws: the
//! commands stand beside the figures, and are carried out here.
//!
//! With `INSTA_UPDATE=always` the figures are drawn anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::book::{root, writes_anew};

#[expect(clippy::disallowed_methods, reason = "it reads the project's own files")]
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn pages(language: &str) -> Vec<PathBuf> {
    let folder = root().join("book").join(language).join("src");
    let entries = std::fs::read_dir(folder).expect("a book has pages");
    let mut pages: Vec<PathBuf> =
        entries.map(|entry| entry.expect("it is listed").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    if language == "en" {
        pages.push(root().join("README.md"));
    }
    pages.sort();
    pages
}

/// Commands that draw a figure, each with the figure's name.
fn commands(language: &str) -> BTreeSet<(String, String)> {
    let texts =
        pages(language).into_iter().map(|page| String::from_utf8(read(&page)).expect("text"));
    let mut commands = BTreeSet::new();
    for text in texts {
        let draws = ["checkdam draw ", "checkdam sweep "];
        let draws = |line: &&str| draws.iter().any(|begins| line.starts_with(begins));
        let lines = text.lines().filter(draws);
        commands.extend(lines.filter_map(|line| {
            let (arguments, name) = line.split_once(" -o ")?;
            Some((arguments.to_owned(), name.trim().to_owned()))
        }));
    }
    commands
}

#[test]
fn every_figure_is_what_its_command_draws() {
    for language in ["en", "zh"] {
        let folder = root().join("book").join(language).join("src/pictures");
        let commands = commands(language);
        assert!(commands.len() >= 6, "{commands:?}");
        for (arguments, name) in &commands {
            let kept = folder.join(name);
            let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{language}-{name}"));
            let out = if writes_anew() { &kept } else { &drawn };
            let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
            command.env("LC_ALL", "C").args(arguments.split(' ').skip(1)).arg("-o").arg(out);
            let done = command.output().expect("it can be started");
            assert!(
                done.status.success(),
                "{arguments}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
            assert!(
                read(&kept) == read(out),
                "{} is not what `{arguments}` draws; INSTA_UPDATE=always draws it anew",
                kept.display()
            );
        }
        let files = std::fs::read_dir(&folder).expect("the figures are there");
        let files: BTreeSet<String> = files
            .map(|entry| entry.expect("it is listed").file_name().into_string().expect("plain"))
            .collect();
        let named: BTreeSet<String> = commands.into_iter().map(|(_, name)| name).collect();
        assert_eq!(files, named, "book/{language}: figures, and the commands that draw them");
    }
}

#[test]
fn every_figure_that_is_shown_is_there() {
    for language in ["en", "zh"] {
        for page in pages(language) {
            let text = String::from_utf8(read(&page)).expect("text");
            for piece in text.split("](").skip(1) {
                let target = piece.split(')').next().unwrap_or_default();
                if target.ends_with(".svg") {
                    let path = page.parent().expect("it is in a folder").join(target);
                    assert!(path.exists(), "{}: {target}", page.display());
                }
            }
        }
    }
}
