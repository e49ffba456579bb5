//! The README and both books say what the program says: every console block
//! is executed and compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use checkdam::model::Language;

#[test]
fn every_console_block_of_the_readme_and_the_books_is_what_the_program_says() {
    trycmd::TestCases::new()
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .case("README.md")
        .case("book/*/src/*.md");
}

/// The page of differences has a row for each place that deviates knowingly.
#[test]
fn every_knowing_deviation_has_a_row_in_both_books() {
    let marked = files(&root().join("src"), "rs").into_iter().filter_map(|path| {
        let places = read(&path).matches("// Differs:").count();
        let name = path.strip_prefix(root().join("src")).expect("it is in src");
        (places > 0).then(|| (name.display().to_string(), places))
    });
    let marked: BTreeSet<_> = marked.collect();
    for language in ["en", "zh"] {
        let page = read(&root().join("book").join(language).join("src/differences.md"));
        let rows =
            |file: &str| page.lines().filter(|row| row.contains(&format!("`{file}`"))).count();
        let told: BTreeSet<_> = marked.iter().map(|(file, _)| (file.clone(), rows(file))).collect();
        assert_eq!(marked, told, "book/{language}/src/differences.md");
    }
}

/// The reference of settings is what the program prints of its own table.
#[test]
fn the_reference_of_settings_is_current_in_both_books() {
    for language in [Language::En, Language::Zh] {
        let folder = match language {
            Language::En => "en",
            Language::Zh => "zh",
        };
        let page = read(&root().join("book").join(folder).join("src/configuration.md"));
        let start = page.find("\n| ").expect("it has a table") + 1;
        let printed = checkdam::load::flink::reference(language);
        assert!(
            page[start..] == printed,
            "book/{folder}/src/configuration.md is to end as `checkdam config --options --lang \
             {folder}` prints"
        );
    }
}

/// Both books have the same chapters, with the same blocks.
#[test]
fn both_books_show_the_same_runs() {
    let blocks = |language: &str| {
        let folder = root().join("book").join(language).join("src");
        let chapters = files(&folder, "md").into_iter().map(|path| {
            let name = path.file_name().expect("it has a name").to_owned();
            let commands = read(&path).lines().filter(|line| line.starts_with("$ ")).count();
            (name, commands)
        });
        chapters.collect::<Vec<_>>()
    };
    assert_eq!(blocks("en"), blocks("zh"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

#[expect(clippy::disallowed_methods, reason = "it reads the project's own files")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
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
