//! The formats of scenario files and traces, made from their published schemas.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::{cell, head, prose};
use crate::cli::words::pick;
use crate::model::Language;

/// The page about scenario files.
pub(super) fn scenario(language: Language) -> String {
    let schema = crate::load::scenario_schema();
    let mut page = head(
        language,
        [
            [
                "The format of scenario files",
                "Which keys does a scenario file have, and what may stand under each?",
                "This page is what `checkdam reference scenario-format` prints, made from the JSON Schema that `checkdam schema scenario` prints and that editors complete from. [A scenario of your own](scenario.md) begins with an example. What a file gets wrong is told by every command that reads it, each mistake with its place.",
            ],
            [
                "场景文件的格式",
                "场景文件有哪些键，每个键下面可以写什么？",
                "本页由 `checkdam reference scenario-format --lang zh` 打印，取自 `checkdam schema scenario` 输出的 JSON Schema，编辑器的补全也用它。键名和说明在 Schema 里只有英文，本页照录。[自己写场景](scenario.md)从一个例子讲起。文件里有错时，每条读它的命令都会指出每个错误的位置。",
            ],
        ],
    );
    let _ = write!(page, "\n## {}\n\n", pick(language, "The file", "文件"));
    properties(&mut page, &schema, language);
    definitions(&mut page, &schema, language, &[]);
    page
}

/// The page about the facts of a trace.
pub(super) fn facts(language: Language) -> String {
    let schema = crate::trace::trace_schema();
    let mut page = head(
        language,
        [
            [
                "The facts of a trace",
                "What can happen in a run, and what does a line of the trace say about it?",
                "This page is what `checkdam reference facts` prints, made from the JSON Schema that `checkdam schema trace` prints. A step of [the trace](trace.md) is a line with a list of facts, in the order in which they happened; each is an object with one field, whose name says what. Everything that checkdam shows, draws, judges and asks is made from them.",
            ],
            [
                "轨迹中的事实",
                "一次运行里会发生什么，轨迹的一行怎样记下来？",
                "本页由 `checkdam reference facts --lang zh` 打印，取自 `checkdam schema trace` 输出的 JSON Schema。字段名和说明在 Schema 里只有英文，本页照录。[轨迹](trace.md)的一步是一行，里面按发生的顺序列出事实；每个事实是只有一个字段的对象，字段名说明发生了什么。checkdam 显示、绘制、裁判、提问的一切都由它们得来。",
            ],
        ],
    );
    let _ = write!(page, "\n## {} {{#fact}}\n", pick(language, "Facts", "事实"));
    for fact in list(&schema["$defs"]["FactLine"], "oneOf") {
        let (name, body) = fact_of(fact);
        let _ = write!(page, "\n### {name}\n\n");
        paragraph(&mut page, fact);
        if let Some(body) = body {
            properties(&mut page, body, language);
        }
    }
    let _ = write!(page, "\n## {}\n", pick(language, "Lines and parts", "行与组成部分"));
    definitions(&mut page, &schema, language, &["FactLine"]);
    page
}

fn fact_of(fact: &Json) -> (&str, Option<&Json>) {
    match fact["properties"].as_object().and_then(|own| own.iter().next()) {
        Some((name, body)) => (name, Some(body)),
        None => (fact["const"].as_str().unwrap_or_default(), None),
    }
}

/// Each definition with a heading of its own.
fn definitions(page: &mut String, schema: &Json, language: Language, left_out: &[&str]) {
    let none = Map::new();
    let all = schema["$defs"].as_object().unwrap_or(&none);
    for (name, own) in all.iter().filter(|(name, _)| !left_out.contains(&name.as_str())) {
        let _ = write!(page, "\n### {}\n\n", called(name));
        paragraph(page, own);
        if own["properties"].is_object() {
            properties(page, own, language);
            continue;
        }
        let choices = [list(own, "oneOf"), list(own, "anyOf")].concat();
        if choices.is_empty() {
            let _ = writeln!(page, "{}", kind(own));
        }
        for choice in choices {
            let text = choice["description"].as_str().map(cell);
            let text = text.map_or(String::new(), |text| format!(": {text}"));
            let _ = writeln!(page, "- {}{text}", kind(choice));
            if choice["properties"].is_object() {
                fields(page, choice);
            }
        }
    }
}

/// The fields of an object inside of a list.
fn fields(page: &mut String, own: &Json) {
    let none = Map::new();
    for (name, field) in own["properties"].as_object().unwrap_or(&none) {
        let text =
            field["description"].as_str().map_or(String::new(), |text| format!(": {}", cell(text)));
        let _ = writeln!(page, "  - `{name}` {}{text}", kind(field));
    }
}

fn paragraph(page: &mut String, own: &Json) {
    if let Some(text) = own["description"].as_str() {
        let parts: Vec<String> =
            text.split("\n\n").map(|part| prose(&part.replace('\n', " "))).collect();
        let _ = write!(page, "{}\n\n", parts.join("\n\n"));
    }
}

/// A table of keys.
fn properties(page: &mut String, own: &Json, language: Language) {
    let none = Map::new();
    let all = own["properties"].as_object().unwrap_or(&none);
    if all.is_empty() {
        let _ = writeln!(page, "{}", kind(own));
        return;
    }
    let required: Vec<&str> = list(own, "required").iter().filter_map(|own| own.as_str()).collect();
    let heads = [
        pick(language, "key", "键"),
        pick(language, "what may stand there", "可以写什么"),
        pick(language, "what it means", "含义"),
    ];
    let _ = write!(page, "| {} |\n| --- | --- | --- |\n", heads.join(" | "));
    for (name, field) in all {
        let mark = if required.contains(&name.as_str()) {
            pick(language, " (needed)", "（必需）")
        } else {
            ""
        };
        let text = field["description"].as_str().map_or(String::new(), cell);
        let _ = writeln!(page, "| `{name}`{mark} | {} | {text} |", kind(field).replace('|', "\\|"));
    }
}

fn list<'j>(own: &'j Json, key: &str) -> Vec<&'j Json> {
    own[key].as_array().map(|list| list.iter().collect()).unwrap_or_default()
}

/// What may stand somewhere, in a few words.
fn kind(own: &Json) -> String {
    if let Some(name) = own["$ref"].as_str() {
        let name = called(name.rsplit('/').next().unwrap_or_default());
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if !own["const"].is_null() {
        return format!("`{}`", own["const"]);
    }
    let words = list(own, "enum");
    if !words.is_empty() {
        return words.iter().map(|own| format!("`{own}`")).collect::<Vec<_>>().join(", ");
    }
    let choices = [list(own, "oneOf"), list(own, "anyOf")].concat();
    if !choices.is_empty() {
        return choices.into_iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &own["type"] {
        Json::String(name) => match name.as_str() {
            "array" if own["items"].is_object() => format!("a list of {}", kind(&own["items"])),
            "array" => {
                let items = list(own, "prefixItems").into_iter().map(kind).collect::<Vec<_>>();
                format!("a list [{}]", items.join(", "))
            }
            "object" if own["additionalProperties"].is_object() => {
                format!("an object, each entry {}", kind(&own["additionalProperties"]))
            }
            "object" => "an object".to_owned(),
            "integer" => whole_number(own),
            "boolean" => "`true` or `false`".to_owned(),
            "string" => "a text".to_owned(),
            other => other.to_owned(),
        },
        Json::Array(names) => {
            let one = |name: &Json| kind(&serde_json::json!({ "type": name }));
            names.iter().map(one).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value".to_owned(),
    }
}

fn whole_number(own: &Json) -> String {
    match (own["minimum"].as_i64(), own["maximum"].as_i64()) {
        (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
        (Some(least), None) => format!("a whole number, at least {least}"),
        _ => "a whole number".to_owned(),
    }
}

/// A definition's name, without what says that it stands in a file.
fn called(name: &str) -> &str {
    let short = name.strip_suffix("File").or_else(|| name.strip_suffix("Line"));
    short.filter(|short| !short.is_empty()).unwrap_or(name)
}
