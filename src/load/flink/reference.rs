//! The table of options as a page of the book.

use super::{API, Effect, FlinkOption, Kind, Release, api_of, options};
use crate::load::flink::option::Releases;
use crate::model::Language;

/// The reference of options in Markdown, one row an option.
#[must_use]
pub fn reference(language: Language) -> String {
    let heads = match language {
        Language::En => [
            "key",
            "older names",
            "type",
            "default",
            "what it is for",
            "in the simulator",
            "set in code by",
        ],
        Language::Zh => ["键", "旧名", "类型", "默认值", "用途", "在模拟器中", "代码中的设置方法"],
    };
    let mut page = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    for option in options() {
        page.push_str(&row(option, language));
    }
    page
}

fn row(option: &FlinkOption, language: Language) -> String {
    let code = |text: &str| format!("`{text}`");
    let listed = |items: Vec<String>| items.join(", ");
    let older = option.fallback_keys.iter().chain(option.old_keys).map(|key| code(key)).collect();
    let kind = match option.kind {
        Kind::Enum(kind) => kind.words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", "),
        kind => kind.java_type(Release::V1).to_owned(),
    };
    let default = option.default.map_or("–".to_owned(), code);
    let gone = match (option.releases, language) {
        (Releases::Both, _) => "",
        (Releases::GoneIn2, Language::En) => " (gone in 2.x)",
        (Releases::GoneIn2, Language::Zh) => "（2.x 中已无）",
    };
    let here = option.here.of(language);
    let here = match (option.effect, language) {
        (Effect::Followed, _) => here.to_owned(),
        (Effect::Nothing, _) => here.to_owned(),
        (Effect::NotSimulated, Language::En) => format!("*not simulated:* {here}"),
        (Effect::NotSimulated, Language::Zh) => format!("*未模拟：* {here}"),
    };
    let methods = api_of(option.key).map(|method| {
        let note = match (method.standing.word(Release::V1), language) {
            ("present", _) => "",
            (_, Language::En) => " (deprecated)",
            (_, Language::Zh) => "（已弃用）",
        };
        format!("{}{note}", code(method.name))
    });
    debug_assert!(API.iter().all(|method| options().any(|option| option.key == method.key)));
    let cells = [
        code(option.key),
        listed(older),
        kind,
        default,
        format!("{}{gone}", option.meaning.of(language)),
        here,
        listed(methods.collect()),
    ];
    format!("| {} |\n", cells.join(" | "))
}
