//! The books: what they show is what the program does, their chapters have one
//! form, and nothing in them leads nowhere.
//!
//! `INSTA_UPDATE=always` writes questions and reference pages anew;
//! `TRYCMD=overwrite` does so with console blocks.

mod chapters;
mod documentation;
mod lab;
mod lessons;
mod links;
mod questions;
mod reference;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Both books, by their folders and the language on the command line.
pub(crate) const LANGUAGES: [&str; 2] = ["en", "zh"];

/// A page of a book.
pub(crate) struct Page {
    /// The file's name: `crash.md`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Where the project is; a test binary that was built elsewhere is told so.
#[expect(clippy::disallowed_methods, reason = "cargo says where the project is")]
pub(crate) fn root() -> PathBuf {
    let told = std::env::var_os("CARGO_MANIFEST_DIR");
    told.map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).to_owned(), PathBuf::from)
}

/// The folder of a book's pages.
pub(crate) fn folder(language: &str) -> PathBuf {
    root().join("book").join(language).join("src")
}

/// The pages of a book by name.
pub(crate) fn pages(language: &str) -> Vec<Page> {
    let page = |path: PathBuf| Page {
        name: path.file_name().expect("it has a name").to_string_lossy().into_owned(),
        text: read(&path),
        path,
    };
    files(&folder(language), "md").into_iter().map(page).collect()
}

/// Whether what is not current is to be written anew.
#[expect(clippy::disallowed_methods, reason = "it asks whether to write pages anew")]
pub(crate) fn writes_anew() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}

/// What the program prints.
pub(crate) fn printed(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.env("LC_ALL", "C").env("NO_COLOR", "1").current_dir(root()).args(arguments);
    let done = command.output().expect("it can be started");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "checkdam {}: {said}", arguments.join(" "));
    String::from_utf8(done.stdout).expect("it prints text")
}

#[expect(clippy::disallowed_methods, reason = "it reads the project's own files")]
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[expect(clippy::disallowed_methods, reason = "it writes pages anew when it is told to")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}
