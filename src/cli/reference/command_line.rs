//! The command line, made from what clap knows of it.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::super::args::Arguments;
use super::{cell, head, prose};
use crate::cli::words::pick;
use crate::model::Language;

/// The page.
pub(super) fn page(language: Language) -> String {
    let mut page = head(
        language,
        [
            [
                "The command line",
                "What can be typed, and what does each word of it do?",
                "This page is what `checkdam reference command-line` prints: it is made from the program’s own table of arguments. `checkdam help COMMAND` prints the same on a terminal. Exit status: 0 all is well, 1 something is not as it should be, 2 the input is wrong, 3 it cannot be told.",
            ],
            [
                "命令行",
                "可以输入什么，每个词起什么作用？",
                "本页由 `checkdam reference command-line --lang zh` 打印，取自程序自己的参数表；终端上用 `checkdam help COMMAND` 可看到同样的内容。参数说明只有英文，本页照录。退出状态：0 一切正常，1 有不对的地方，2 输入有误，3 无法判断。",
            ],
        ],
    );
    let mut root = Arguments::command();
    root.build();
    let _ = write!(page, "\n## {}\n\n", pick(language, "For every command", "所有命令通用"));
    table(&mut page, root.get_arguments().filter(|own| own.is_global_set()), language);
    for command in
        root.get_subcommands().filter(|own| !own.is_hide_set() && own.get_name() != "help")
    {
        section(&mut page, "checkdam", command, language);
    }
    page
}

fn section(page: &mut String, above: &str, command: &Command, language: Language) {
    let name = format!("{above} {}", command.get_name());
    let subcommands: Vec<&Command> =
        command.get_subcommands().filter(|own| own.get_name() != "help").collect();
    if !subcommands.is_empty() {
        subcommands.into_iter().for_each(|own| section(page, &name, own, language));
        return;
    }
    let about = command.get_long_about().or(command.get_about());
    let about = about.map_or(String::new(), |text| paragraphs(&text.to_string()));
    let _ = write!(page, "\n## {name}\n\n{about}\n\n```text\n{name}{}\n```\n", usage(command));
    let own = || command.get_arguments().filter(|own| !own.is_global_set() && is_told(own));
    if own().next().is_some() {
        page.push('\n');
        table(page, own(), language);
    }
}

/// The words after a command’s name.
fn usage(command: &Command) -> String {
    let mut words = String::new();
    for own in command.get_positionals() {
        let name = value(own);
        let _ = match own.is_required_set() {
            true => write!(words, " {name}"),
            false => write!(words, " [{name}]"),
        };
    }
    if command.get_opts().any(|own| !own.is_global_set()) {
        words.push_str(" [OPTIONS]");
    }
    words
}

/// Lines that belong together as one.
fn paragraphs(text: &str) -> String {
    let parts = text.split("\n\n").map(|part| prose(&part.replace('\n', " ")));
    let parts = parts.map(|part| match part.ends_with(['.', '。', ':']) {
        true => part,
        false => format!("{part}."),
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn is_told(own: &Arg) -> bool {
    !own.is_hide_set() && !matches!(own.get_id().as_str(), "help" | "version")
}

fn value(own: &Arg) -> String {
    let names = own.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    match names.is_empty() {
        true => own.get_id().as_str().to_uppercase(),
        false => names.join(" "),
    }
}

fn table<'a>(page: &mut String, own: impl Iterator<Item = &'a Arg>, language: Language) {
    let heads = [
        pick(language, "argument", "参数"),
        pick(language, "what it does", "作用"),
        pick(language, "values", "取值"),
    ];
    let _ = write!(page, "| {} |\n| --- | --- | --- |\n", heads.join(" | "));
    for own in own.filter(|own| is_told(own)) {
        let help = own.get_long_help().or(own.get_help());
        let help = help.map_or(String::new(), |text| cell(&text.to_string()));
        let _ = writeln!(page, "| {} | {help} | {} |", called(own), values(own, language));
    }
}

/// `--seed N`, `-o FILE`, `SCENARIO`.
fn called(own: &Arg) -> String {
    let takes_value = matches!(own.get_action(), ArgAction::Set | ArgAction::Append);
    let value = if takes_value { value(own) } else { String::new() };
    let names = [
        own.get_short().map(|short| format!("-{short}")),
        own.get_long().map(|long| format!("--{long}")),
    ];
    let names: Vec<String> = names.into_iter().flatten().collect();
    let name = match (names.is_empty(), value.is_empty()) {
        (true, _) => value,
        (_, true) => names.join(", "),
        _ => format!("{} {value}", names.join(", ")),
    };
    format!("`{}`", name.replace('|', "\\|"))
}

/// What may stand there, each with its meaning, and what stands there by itself.
fn values(own: &Arg, language: Language) -> String {
    let is_bool = !matches!(own.get_action(), ArgAction::Set | ArgAction::Append);
    let mut parts: Vec<String> = Vec::new();
    if !is_bool {
        for value in own.get_possible_values() {
            let help = value.get_help().map(|text| format!(" {}", cell(&text.to_string())));
            parts.push(format!("`{}`{}", value.get_name(), help.unwrap_or_default()));
        }
        let defaults: Vec<String> =
            own.get_default_values().iter().map(|own| own.to_string_lossy().into_owned()).collect();
        if !defaults.is_empty() {
            parts.push(format!(
                "{} `{}`",
                pick(language, "default:", "默认："),
                defaults.join(" ")
            ));
        }
    }
    parts.join("<br>")
}
