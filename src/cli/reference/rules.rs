//! The mistakes that can be made on purpose, and the properties that catch
//! them.

use std::fmt::Write as _;

use super::{cell, head};
use crate::cli::explain::sentence;
use crate::cli::mutations;
use crate::cli::words::pick;
use crate::lab::CAUGHT_BY;
use crate::model::{Language, Mutation, Place};
use crate::verify::Property;

/// The page.
pub(super) fn page(language: Language) -> String {
    let mut page = head(
        language,
        [
            [
                "Mutations and properties",
                "Which rules can a scenario break on purpose, and by which property is each mistake caught?",
                "This page is what `checkdam reference mutations` prints. A scenario breaks a rule with `\"break\": [\"NAME\"]`, a random run with `checkdam fuzz --break NAME`. [The gallery](gallery.md) tells a small story of each mistake, and the tests make sure that each is caught by every property in its row.",
            ],
            [
                "突变与性质",
                "场景可以故意违反哪些规则，每个错误由哪条性质抓住？",
                "本页由 `checkdam reference mutations --lang zh` 打印。场景用 `\"break\": [\"NAME\"]` 违反规则，随机运行用 `checkdam fuzz --break NAME`。[错误展览](gallery.md)为每个错误讲一个小故事；测试保证每个错误都被同一行的每条性质抓住。",
            ],
        ],
    );
    let _ = write!(page, "\n## {}\n\n", pick(language, "Mistakes", "错误"));
    let heads = [
        pick(language, "mistake", "错误"),
        pick(language, "what becomes of it", "会怎样"),
        pick(language, "where it matters", "在哪里起作用"),
        pick(language, "caught by", "由谁抓住"),
    ];
    let _ = write!(page, "| {} |\n| --- | --- | --- | --- |\n", heads.join(" | "));
    for mutation in Mutation::ALL {
        let own = CAUGHT_BY.iter().find(|(own, _)| *own == mutation);
        let properties = own.map(|(_, properties)| *properties).unwrap_or_default();
        let links: Vec<String> =
            properties.iter().map(|own| format!("[`{}`](#{})", own.name(), own.name())).collect();
        let _ = writeln!(
            page,
            "| [`{name}`](gallery.md#{name}) | {} | {} | {} |",
            cell(mutations::text(mutation, language)),
            place(mutation.place(), language),
            links.join(pick(language, ", ", "、")),
            name = mutation.name(),
        );
    }
    let _ = write!(
        page,
        "\n## {}\n\n",
        pick(language, "What only looks like a mistake", "看起来像错误的")
    );
    page.push_str(pick(
        language,
        "These can be switched on as well, and the judge must be silent about them.\n\n",
        "这些也能打开，而裁判必须保持沉默。\n\n",
    ));
    for mutation in Mutation::HARMLESS {
        let text = mutations::text(mutation, language);
        let _ = writeln!(page, "- `{}`: {text}", mutation.name());
    }
    let _ = write!(page, "\n## {}\n", pick(language, "Properties", "性质"));
    for property in Property::ALL {
        let stop = pick(language, ".", "。");
        let _ = write!(
            page,
            "\n### {}\n\n{}{stop}\n",
            property.name(),
            capital(sentence(property, language))
        );
        let caught = CAUGHT_BY.iter().filter(|(_, properties)| properties.contains(&property));
        let caught: Vec<String> = caught
            .map(|(own, _)| format!("[`{name}`](gallery.md#{name})", name = own.name()))
            .collect();
        if !caught.is_empty() {
            let word = pick(language, "Catches: ", "抓住：");
            let _ = write!(page, "\n{word}{}\n", caught.join(pick(language, ", ", "、")));
        }
    }
    page
}

fn place(place: Place, language: Language) -> &'static str {
    match place {
        Place::Anywhere => pick(language, "anywhere", "任何作业"),
        Place::Alignment => pick(language, "where tasks align", "任务对齐时"),
        Place::HeldBack => {
            pick(language, "where records wait behind a barrier", "有记录等在屏障后面时")
        }
        Place::Overtaking => pick(language, "where barriers overtake", "屏障越过记录时"),
    }
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    let first = signs.next().map(|sign| sign.to_uppercase().to_string());
    first.unwrap_or_default() + signs.as_str()
}
