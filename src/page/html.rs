//! The file around the data: style, markup and script, all in one.

use super::pack::packed;
use crate::model::Language;
use crate::render::{FAMILIES, Theme, variables};

const MARKUP: &str = include_str!("assets/page.html");
const STYLES: [&str; 5] = [
    include_str!("assets/base.css"),
    include_str!("assets/player.css"),
    include_str!("assets/lookup.css"),
    include_str!("assets/dialogs.css"),
    include_str!("assets/media.css"),
];
const SCRIPTS: [&str; 14] = [
    include_str!("assets/words.js"),
    include_str!("assets/unpack.js"),
    include_str!("assets/runs.js"),
    include_str!("assets/stage.js"),
    include_str!("assets/events.js"),
    include_str!("assets/slider.js"),
    include_str!("assets/diagrams.js"),
    include_str!("assets/lookup.js"),
    include_str!("assets/whatif.js"),
    include_str!("assets/compare.js"),
    include_str!("assets/predict.js"),
    include_str!("assets/paper.js"),
    include_str!("assets/keys.js"),
    include_str!("assets/main.js"),
];

/// The page.
pub(super) fn page(data: &str, title: &[String; 2], first: Language) -> String {
    let (light, dark) = (variables(Theme::Light), variables(Theme::Dark));
    let colours = format!(
        ":root{{{light}--families:{FAMILIES}}}\n:root.dark{{{dark}}}\n\
         @media print{{:root.dark{{{light}}}}}\n"
    );
    let (language, title) = match first {
        Language::En => ("en", &title[0]),
        Language::Zh => ("zh-Hans", &title[1]),
    };
    let data = packed(&of_the_first_plane(data));
    let parts = [
        ("{{language}}", language.to_owned()),
        ("{{title}}", escaped(title)),
        ("{{style}}", format!("{colours}{}", STYLES.concat())),
        ("{{data}}", data),
        ("{{script}}", SCRIPTS.concat()),
    ];
    let mut page = String::new();
    let mut rest = MARKUP;
    for (mark, part) in &parts {
        let (before, after) = rest.split_once(mark).expect("the markup has each mark, in order");
        page.push_str(before);
        page.push_str(part);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// JSON in signs that the packing can count and that end no script: the sign
/// that stands for "<" is put back by the script, what lies beyond the first
/// plane is written as JSON escapes it.
fn of_the_first_plane(json: &str) -> String {
    const LESS_THAN: char = '\u{e000}';
    let mut out = String::with_capacity(json.len());
    for sign in json.chars() {
        match sign {
            '<' => out.push(LESS_THAN),
            LESS_THAN => out.push_str("\\ue000"),
            sign if sign.len_utf16() == 1 => out.push(sign),
            sign => {
                let mut units = [0; 2];
                for unit in sign.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
