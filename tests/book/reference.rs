//! The pages of the reference are what the program prints of itself.

use super::{LANGUAGES, folder, printed, read, write, writes_anew};

/// Pages that are printed whole, with what is typed for each.
const PRINTED: [(&str, &str); 5] = [
    ("command-line.md", "command-line"),
    ("scenario-format.md", "scenario-format"),
    ("facts.md", "facts"),
    ("mutations.md", "mutations"),
    ("scenarios.md", "scenarios"),
];

fn current(page: &str, language: &str) -> String {
    let book = format!("book/{language}/src");
    let mut arguments = vec!["reference", page, "--lang", language];
    if page == "scenarios" {
        arguments.extend(["--book", &book]);
    }
    printed(&arguments)
}

#[test]
fn the_pages_of_the_reference_are_current_in_both_books() {
    for language in LANGUAGES {
        for (file, page) in PRINTED {
            let (path, current) = (folder(language).join(file), current(page, language));
            if writes_anew() {
                write(&path, &current);
            }
            assert!(
                read(&path) == current,
                "{} is not what `checkdam reference {page}` prints; INSTA_UPDATE=always writes it anew",
                path.display()
            );
        }
    }
}

/// The reference of settings ends as the program prints its own table.
#[test]
fn the_reference_of_settings_is_current_in_both_books() {
    for language in LANGUAGES {
        let path = folder(language).join("configuration.md");
        let page = read(&path);
        let start = page.find("\n| ").expect("it has a table") + 1;
        let table = printed(&["config", "--options", "--lang", language]);
        if writes_anew() {
            write(&path, &format!("{}{table}", &page[..start]));
        }
        let page = read(&path);
        assert!(
            page[start..] == table,
            "{} is to end as `checkdam config --options --lang {language}` prints",
            path.display()
        );
    }
}

/// Every scenario that is shipped has its place in the book, with commands that
/// run it.
#[test]
fn every_shipped_scenario_is_in_the_gallery_of_both_books() {
    for language in LANGUAGES {
        let page = read(&folder(language).join("scenarios.md"));
        for own in checkdam::load::builtin() {
            let name = own.name;
            let commands = format!("checkdam run {name}\ncheckdam walk {name}\n");
            assert!(page.contains(&format!("\n## {name}\n")), "book/{language}: {name}");
            assert!(page.contains(&commands), "book/{language}: {name}");
        }
    }
}

/// Every command that a person sees is in the reference, and every kind of
/// fact.
#[test]
fn the_reference_leaves_nothing_out() {
    let help = printed(&["--help"]);
    let commands = help.split("Commands:").nth(1).expect("it lists commands");
    let commands = commands.split("\n\n").next().expect("a list");
    let names = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{names:?}");
    let page = read(&folder("en").join("command-line.md"));
    for name in names.into_iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!("\n## checkdam {name}")), "{name}");
    }
    let facts = checkdam::trace::trace_schema();
    let facts = facts["$defs"]["FactLine"]["oneOf"].as_array().expect("facts").clone();
    let page = read(&folder("en").join("facts.md"));
    assert!(facts.len() > 50, "{}", facts.len());
    for fact in facts {
        let name = match fact["properties"].as_object() {
            Some(own) => own.keys().next().expect("one field").clone(),
            None => fact["const"].as_str().expect("a word").to_owned(),
        };
        assert!(page.contains(&format!("\n### {name}\n")), "{name}");
    }
}
