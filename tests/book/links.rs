//! No link, anchor or image of the books leads nowhere.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{LANGUAGES, Page, folder, pages, read, root};

/// What a page offers, and where it leads.
#[derive(Debug, Default)]
struct Marks {
    anchors: BTreeSet<String>,
    targets: Vec<String>,
}

/// Reads a page as mdBook does.
fn marks(text: &str) -> Marks {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut marks = Marks::default();
    let mut heading: Option<(String, Option<String>)> = None;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { id, .. }) => {
                heading = Some((String::new(), id.map(|id| id.to_string())));
            }
            Event::End(TagEnd::Heading(_)) => {
                let (text, id) = heading.take().expect("a heading begins before it ends");
                let id = id.unwrap_or_else(|| anchor(&text));
                let n = seen.entry(id.clone()).or_insert(0);
                marks.anchors.insert(if *n == 0 { id } else { format!("{id}-{n}") });
                *n += 1;
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((own, _)) = &mut heading {
                    own.push_str(&text);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                marks.targets.push(dest_url.to_string());
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                for attribute in ["src=\"", "href=\""] {
                    let own = html.split(attribute).skip(1);
                    marks
                        .targets
                        .extend(own.filter_map(|own| own.split('"').next()).map(str::to_owned));
                }
                let ids = html.split(" id=\"").skip(1);
                marks
                    .anchors
                    .extend(ids.filter_map(|own| own.split('"').next()).map(str::to_owned));
            }
            _ => {}
        }
    }
    marks
}

/// The anchor that mdBook makes of a heading.
fn anchor(heading: &str) -> String {
    let signs = heading.trim().chars().filter_map(|sign| match sign {
        sign if sign.is_alphanumeric() || matches!(sign, '_' | '-') => {
            Some(sign.to_ascii_lowercase())
        }
        sign if sign.is_whitespace() => Some('-'),
        _ => None,
    });
    signs.collect()
}

/// Where links of some pages lead nowhere.
fn dead(pages: &[Page], has_file: impl Fn(&str) -> bool) -> Vec<String> {
    let marks: BTreeMap<&str, Marks> =
        pages.iter().map(|page| (page.name.as_str(), marks(&page.text))).collect();
    let mut dead = Vec::new();
    for (name, own) in &marks {
        for target in &own.targets {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = file.split('?').next().unwrap_or_default();
            let file = if file.is_empty() { *name } else { file };
            let there = match marks.get(file) {
                Some(page) => anchor.is_empty() || page.anchors.contains(anchor),
                None => has_file(file),
            };
            if !there {
                dead.push(format!("{name}: {target}"));
            }
        }
    }
    dead
}

/// Pages that `.ci/book` makes before it builds a book: the commands stand in
/// the chapters.
fn made(pages: &[Page]) -> BTreeSet<String> {
    let lines = pages.iter().flat_map(|page| page.text.lines());
    let commands = lines.filter(|line| line.starts_with("checkdam page "));
    commands
        .filter_map(|line| line.split_once(" -o ").map(|(_, out)| out.trim().to_owned()))
        .collect()
}

#[test]
fn every_link_anchor_and_image_of_both_books_is_there() {
    for language in LANGUAGES {
        let pages = pages(language);
        let made = made(&pages);
        let dead = dead(&pages, |file| folder(language).join(file).exists() || made.contains(file));
        assert!(dead.is_empty(), "book/{language}: links that lead nowhere:\n{}", dead.join("\n"));
    }
}

#[test]
fn every_link_of_the_project_s_own_pages_is_there() {
    for name in ["README.md", "ARCHITECTURE.md"] {
        let page =
            Page { name: name.to_owned(), path: root().join(name), text: read(&root().join(name)) };
        let dead = dead(&[page], |file| root().join(file).exists());
        assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
    }
}

/// A page that is shown inside of a chapter is made by a command in it, of a
/// scenario that is there.
#[test]
fn every_page_that_is_embedded_is_made_by_a_command_of_the_same_book() {
    for language in LANGUAGES {
        let pages = pages(language);
        for line in pages.iter().flat_map(|page| page.text.lines()) {
            let Some(rest) = line.strip_prefix("checkdam page ") else { continue };
            if !rest.contains(" -o pages/") {
                continue;
            }
            let name = rest.split_whitespace().next().expect("a scenario");
            let is_shipped = checkdam::load::builtin().iter().any(|own| own.name == name);
            assert!(is_shipped || root().join(name).exists(), "book/{language}: {line}");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = |name: &str, text: &str| Page {
        name: name.to_owned(),
        path: root(),
        text: text.to_owned(),
    };
    let pages = [
        page(
            "a.md",
            "# A `b` 检查点\n\n[x](b.md#two) [y](b.md#none) [z](#a-b-检查点)\n\n![p](pictures/no.svg)\n",
        ),
        page(
            "b.md",
            "## Two\n\n## Two\n\n[w](c.md) <iframe src=\"pages/x.html?embed=1#step-1\"></iframe> [v](#two-1)\n",
        ),
    ];
    let dead = dead(&pages, |file| file == "pages/x.html");
    assert_eq!(dead, ["a.md: b.md#none", "a.md: pictures/no.svg", "b.md: c.md"]);
}
