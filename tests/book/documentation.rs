//! The README and both books say what the program says: every console block
//! is executed and compared.

use std::collections::BTreeSet;

use super::{LANGUAGES, files, folder as folder_of, pages, printed, read, root};

#[test]
fn every_console_block_of_the_readme_and_the_books_is_what_the_program_says() {
    trycmd::TestCases::new()
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .case("README.md")
        .case("book/*/src/*.md");
}

/// What the page of the trace shows of one is in one.
#[test]
fn every_line_of_a_trace_in_the_books_is_in_the_trace_of_the_lecture() {
    let folder = std::env::temp_dir().join(format!("checkdam-lines-{}", std::process::id()));
    printed(&["run", "lecture", "--trace", &folder.display().to_string()]);
    let trace = read(&folder);
    std::fs::remove_file(&folder).expect("it was just written");
    for language in LANGUAGES {
        let page = read(&folder_of(language).join("trace.md"));
        let shown: Vec<&str> = page.lines().filter(|line| line.starts_with("{\"step\"")).collect();
        assert!(shown.len() > 1, "{language}");
        for line in shown {
            assert!(trace.lines().any(|own| own == line), "{language}: {line}");
        }
    }
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

/// Both books have the same pages, with the same blocks, figures and questions.
#[test]
fn both_books_show_the_same_runs() {
    let shown = |language: &str| {
        let counted = pages(language).into_iter().map(|page| {
            let begins =
                |what: &str| page.text.lines().filter(|line| line.starts_with(what)).count();
            let figures = page.text.matches("](pictures/").count();
            let questions: Vec<String> = page
                .text
                .lines()
                .filter(|line| line.starts_with("<!-- questions "))
                .map(str::to_owned)
                .collect();
            (page.name, begins("$ "), begins("checkdam draw "), figures, questions)
        });
        counted.collect::<Vec<_>>()
    };
    for (en, zh) in shown("en").into_iter().zip(shown("zh")) {
        assert_eq!(en, zh);
    }
    assert_eq!(shown("en").len(), shown("zh").len());
}
