//! A file -> the settings that stand in it, whatever kind of file it is, and
//! what is to be said of the file itself.

use super::format::Format;
use super::nested::{self, NestedWhat};
use super::source::{Entry, Source};
use super::tell::{Teller, line_list, say};
use super::template::{Masked, mask};
use super::wrappers::{self, Found, Inside};
use super::yaml::{self, Content, Node, What, YamlFlaw};
use super::{Release, flat, option_of, shell, sql};
use crate::load::diagnostic::Diagnostic;
use crate::load::words::clip;
use crate::model::Language;

/// What stands in a file.
#[derive(Debug)]
pub(super) struct Unwrapped {
    pub(super) format: Format,
    /// In the order in which they count: the later one wins.
    pub(super) entries: Vec<Entry>,
    /// The release that the file itself names.
    pub(super) release: Option<Release>,
}

/// Reads a file of any kind.
pub(super) fn unwrap(name: &str, text: &str, teller: &mut Teller<'_>) -> Unwrapped {
    let masked = mask(text);
    if !masked.actions.is_empty() {
        template(&masked, teller);
    }
    let mut reader = Unwrapper { name, file: &masked.text, teller, release: None };
    let (format, mut entries) = reader.file();
    let release = reader.release;
    // A key that a template makes is not known yet; a value is shown as it is.
    entries.retain(|entry| !masked.touches(&entry.key.range));
    for entry in &mut entries {
        if masked.touches(&entry.value.range) {
            entry.value.text = text[entry.value.range.clone()].to_owned();
        }
    }
    Unwrapped { format, entries, release }
}

/// A template that has not been filled in cannot be a configuration.
fn template(masked: &Masked, teller: &mut Teller<'_>) {
    let lines: Vec<usize> = masked.actions.iter().map(|action| teller.line(action.start)).collect();
    let lines = line_list(&lines, teller.language);
    let message = say!(
        teller.language,
        "the template is not rendered: {{{{ … }}}} on {lines}",
        "模板尚未渲染：{lines}有 {{{{ … }}}}"
    );
    let label = say!(teller.language, "Flink does not fill this in", "Flink 不会填写这里");
    let help = say!(
        teller.language,
        "render it first, for example: helm template … > rendered.yaml; what is plain in it is read",
        "请先渲染，例如：helm template … > rendered.yaml；其中没有模板的部分照常读取"
    );
    let problem = Diagnostic::error("template", message).at(masked.actions[0].clone(), label);
    teller.add(problem.help(help));
}

struct Unwrapper<'r, 't, 'p> {
    name: &'t str,
    file: &'t str,
    teller: &'r mut Teller<'p>,
    release: Option<Release>,
}

impl<'t> Unwrapper<'_, 't, '_> {
    fn file(&mut self) -> (Format, Vec<Entry>) {
        let source = Source::whole(self.file);
        let last = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        if last.starts_with("flink-conf.y") {
            return (Format::Flat, self.flat(&source));
        }
        if sql::is_sql(last, self.file) {
            return (Format::Sql, sql::read(self.file));
        }
        if shell::is_script(last, self.file) {
            return (Format::Shell, self.script());
        }
        let parsed = yaml::parse(self.file);
        if let Ok(documents) = &parsed
            && let Some(wrapper) = wrappers::find(documents)
        {
            self.of_operator(documents);
            return (wrapper.format, self.wrapped(&wrapper.found));
        }
        let is_yaml = (last.starts_with("config.y")).then_some(Format::Yaml);
        self.plain(&source, parsed, is_yaml)
    }

    /// A configuration by itself. Where either format would do, quotation
    /// marks around a value that matters speak for YAML: in the older format
    /// they would be part of the value.
    fn plain(
        &mut self,
        source: &Source<'_>,
        parsed: Result<Vec<Node>, YamlFlaw>,
        format: Option<Format>,
    ) -> (Format, Vec<Entry>) {
        let is_yaml = match (&parsed, format) {
            (_, Some(format)) => format == Format::Yaml,
            (Ok(documents), None) => {
                self.teller.release == Release::V2
                    || documents.iter().any(|document| is_nested(document) || is_quoted(document))
            }
            (Err(_), None) => looks_nested(source.text),
        };
        if is_yaml {
            return (Format::Yaml, self.yaml(source, parsed));
        }
        let entries = self.flat(source);
        if let Err(flaw) = &parsed {
            self.not_yaml(source, flaw);
        }
        (Format::Flat, entries)
    }

    fn flat(&mut self, source: &Source<'_>) -> Vec<Entry> {
        let flat = flat::read(source);
        self.teller.skipped(&flat.skipped);
        flat.entries
    }

    fn yaml(&mut self, source: &Source<'_>, parsed: Result<Vec<Node>, YamlFlaw>) -> Vec<Entry> {
        let documents = match parsed {
            Ok(documents) => documents,
            Err(flaw) => {
                self.teller.bad_yaml(source, &flaw);
                // What is wrong with the rest is worth knowing, too.
                return flat::read(source).entries;
            }
        };
        if let [_, second, ..] = documents.as_slice() {
            let at = source.place(second.range.clone());
            let language = self.teller.language;
            let message = say!(
                language,
                "Flink reads one YAML document, and here is another",
                "Flink 只读一个 YAML 文档，这里又有一个"
            );
            let label = say!(language, "the second begins here", "第二个从这里开始");
            self.teller.add(Diagnostic::error("syntax", message).at(at.start..at.start, label));
        }
        let mut entries = Vec::new();
        if let Some(root) = documents.first() {
            entries = self.nested(root, source);
        }
        entries
    }

    fn nested(&mut self, root: &Node, source: &Source<'_>) -> Vec<Entry> {
        let (entries, flaws) = nested::read(root, source);
        for flaw in flaws {
            let language = self.teller.language;
            let (code, message) = match &flaw.what {
                NestedWhat::NoMap => (
                    "syntax",
                    say!(
                        language,
                        "a configuration is made of `key: value`",
                        "配置由 `键: 值` 组成"
                    ),
                ),
                NestedWhat::NoValue(key) => {
                    let key = clip(key);
                    (
                        "no-value",
                        say!(
                            language,
                            "`{key}` has no value, and Flink refuses the whole file",
                            "`{key}` 没有值，Flink 会拒绝整个文件"
                        ),
                    )
                }
                NestedWhat::Key => {
                    ("syntax", say!(language, "a key must be a text", "键必须是文本"))
                }
                NestedWhat::Scalar => (
                    "syntax",
                    say!(language, "the value is not what it says it is", "值与其标签不符"),
                ),
            };
            let label = say!(language, "here", "在这里");
            self.teller.add(Diagnostic::error(code, message).at(flaw.range, label));
        }
        entries
    }

    /// A text inside of another file, of which one does not know more.
    fn inside(&mut self, text: &str, node: &Node, format: Option<Format>) -> Vec<Entry> {
        let source = Source::inside(text, self.file, node.range.clone());
        if format == Some(Format::Flat) {
            return self.flat(&source);
        }
        let parsed = yaml::parse(text);
        self.plain(&source, parsed, format).1
    }

    fn wrapped(&mut self, found: &[Found<'_>]) -> Vec<Entry> {
        let mut groups: Vec<(Option<&str>, Vec<Entry>)> = Vec::new();
        for one in found {
            let entries = match one.what {
                Inside::Map(node) => {
                    let source = Source::whole(self.file);
                    self.unquoted(node);
                    self.nested(node, &source)
                }
                Inside::Text { node, skip, format } => {
                    let text = node.text().unwrap_or_default();
                    self.inside(&text[skip..], node, format)
                }
                Inside::Arguments(node) => self.arguments(node),
            };
            match groups.iter_mut().find(|(service, _)| *service == one.service) {
                Some((_, all)) => all.extend(entries),
                None => groups.push((one.service, entries)),
            }
        }
        groups.retain(|(_, entries)| !entries.is_empty());
        self.teller.services(groups)
    }

    fn arguments(&mut self, node: &Node) -> Vec<Entry> {
        // Words of a list are whole; those of a text are the shell's.
        shell::read(&self.file[node.range.clone()])
            .entries
            .into_iter()
            .map(|mut entry| {
                for written in [&mut entry.key, &mut entry.value] {
                    written.range.start += node.range.start;
                    written.range.end += node.range.start;
                }
                let stray = |sign: char| matches!(sign, ',' | ']' | '"' | '\'');
                entry.value.text.truncate(entry.value.text.trim_end_matches(stray).len());
                entry
            })
            .collect()
    }

    fn script(&mut self) -> Vec<Entry> {
        let script = shell::read(self.file);
        let mut entries = Vec::new();
        for word in &script.properties {
            for mut entry in self.flat(&Source::whole(&word.text)) {
                entry.key.range = word.place(entry.key.range);
                entry.value.range = word.place(entry.value.range);
                entries.push(entry);
            }
        }
        // What stands behind -D overrides the file.
        entries.extend(script.entries);
        entries
    }

    /// What the operator's resource says beside the configuration.
    fn of_operator(&mut self, documents: &[Node]) {
        let specs = documents.iter().filter_map(|document| document.get("spec"));
        for spec in specs {
            if let Some(version) = spec.get("flinkVersion").and_then(Node::text) {
                self.release = Release::of(version);
            }
            let mode = spec.get("job").and_then(|job| job.get("upgradeMode"));
            if let Some(node) = mode
                && let Some(mode) = node.text()
            {
                self.teller.upgrade_mode(mode, node.range.clone());
            }
        }
    }

    /// Older versions of the operator take nothing but texts.
    fn unquoted(&mut self, node: &Node) {
        let Content::Map(pairs) = &node.content else { return };
        let bare = pairs.iter().find(|(_, value)| {
            matches!(&value.content, Content::Scalar { text, is_plain: true, tag: None }
                if !text.contains("${") && (text.parse::<f64>().is_ok() || matches!(text.as_str(), "true" | "false")))
        });
        if let Some((_, value)) = bare {
            let language = self.teller.language;
            let message = say!(
                language,
                "numbers and true or false stand without quotation marks: older versions of the operator refuse that",
                "数字与 true、false 没有加引号：旧版 Operator 会拒绝"
            );
            let label = say!(language, "the first of them", "第一处");
            self.teller.add(Diagnostic::note("unquoted", message).at(value.range.clone(), label));
        }
    }

    /// The flat format takes more than YAML does.
    fn not_yaml(&mut self, source: &Source<'_>, flaw: &YamlFlaw) {
        let language = self.teller.language;
        let why = flaw.what.words(language);
        let message = say!(
            language,
            "as flink-conf.yaml this is read; as config.yaml (since 1.19, and all there is in 2.x) Flink would refuse it: {why}",
            "作为 flink-conf.yaml 可以读取；作为 config.yaml（1.19 起，2.x 只有它）Flink 会拒绝：{why}"
        );
        let at = source.place(flaw.range.clone());
        let label = say!(language, "not YAML from here on", "从这里起不是 YAML");
        self.teller.add(Diagnostic::note("not-yaml", message).at(at, label));
    }
}

/// Whether a document has maps inside of maps, or lists.
fn is_nested(document: &Node) -> bool {
    let Content::Map(pairs) = &document.content else { return false };
    pairs.iter().any(|(_, value)| match &value.content {
        Content::Map(inner) => !inner.is_empty(),
        Content::List(_) | Content::Scalar { .. } => false,
    })
}

/// Whether a value that checkdam looks at stands in quotation marks.
fn is_quoted(document: &Node) -> bool {
    let Content::Map(pairs) = &document.content else { return false };
    pairs.iter().any(|(key, value)| {
        let quoted = matches!(&value.content, Content::Scalar { is_plain: false, .. });
        quoted && key.text().is_some_and(|key| option_of(key).is_some())
    })
}

/// Whether a text that is not YAML was meant to be: a key without a value has
/// something further in below it.
fn looks_nested(text: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines: Vec<&str> = text.lines().filter(is_said).collect();
    lines.windows(2).any(|pair| {
        let head = pair[0].split(" #").next().unwrap_or_default().trim_end();
        head.ends_with(':') && indent(pair[1]) > indent(pair[0])
    })
}

impl What {
    /// The complaint in a few words.
    pub(super) fn words(&self, language: Language) -> String {
        match self {
            Self::Syntax(complaint) => clip(complaint),
            Self::Twice(key, _) => {
                let key = clip(key);
                say!(language, "`{key}` stands twice", "`{key}` 出现两次")
            }
            Self::Tag => say!(language, "a tag of one's own", "自定义标签"),
            Self::Anchor => say!(language, "an alias of nothing", "别名没有对应的锚点"),
            Self::Tab => {
                say!(
                    language,
                    "YAML takes no tabs here, only blanks",
                    "YAML 在这里不接受制表符，只接受空格"
                )
            }
            Self::TooMuch => say!(language, "too many levels or values", "层次或值太多"),
        }
    }
}
