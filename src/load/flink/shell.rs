//! `-Dkey=value` on a command line.

use super::shell_words::{Word, words};
use super::source::{Entry, Written};

/// What a script sets.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// What stands behind `-D`.
    pub(super) entries: Vec<Entry>,
    /// What it puts into `FLINK_PROPERTIES`.
    pub(super) properties: Vec<Word>,
}

/// Reads what a script gives to Flink's commands.
// Flink 1.20: DynamicPropertiesUtil, ConfigurationUtils
pub(super) fn read(text: &str) -> Script {
    let mut script = Script::default();
    let mut takes_next = false;
    for word in words(text) {
        let attached = ["-yD", "-D"].into_iter().find(|flag| word.text.starts_with(flag));
        match attached {
            _ if takes_next => {
                takes_next = false;
                script.entries.extend(entry(&word, 0));
            }
            Some(flag) if word.text.len() == flag.len() => takes_next = true,
            Some(flag) => script.entries.extend(entry(&word, flag.len())),
            None => {
                if let Some(at) = word.text.find(PROPERTIES)
                    && (at == 0 || word.text[..at].ends_with('='))
                {
                    script.properties.push(Word {
                        text: word.text[at + PROPERTIES.len()..].to_owned(),
                        places: word.places[at + PROPERTIES.len()..].to_vec(),
                    });
                }
            }
        }
    }
    script
}

const PROPERTIES: &str = "FLINK_PROPERTIES=";

/// `key=value`; a key alone is set to true.
fn entry(word: &Word, from: usize) -> Option<Entry> {
    let body = &word.text[from..];
    let (key, value) = match body.find('=') {
        Some(sign) => (from..from + sign, from + sign + 1..word.text.len()),
        None => (from..word.text.len(), from..from),
    };
    if key.is_empty() || !word.text[key.clone()].contains(['.', '-']) {
        return None;
    }
    let is_alone = value.start == from;
    let text = if is_alone { "true".to_owned() } else { word.text[value.clone()].to_owned() };
    let range = if is_alone { word.place(key.clone()) } else { word.place(value) };
    Some(Entry {
        key: Written { text: word.text[key.clone()].to_owned(), range: word.place(key) },
        value: Written { text, range },
    })
}

/// Whether a text is a script: it says so, or its first line is a command.
pub(super) fn is_script(name: &str, text: &str) -> bool {
    if [".sh", ".bash", ".bat", ".cmd"].iter().any(|ending| name.ends_with(ending))
        || text.starts_with("#!")
    {
        return true;
    }
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    let is_setting = first.contains(": ")
        || first.ends_with(':')
        || first.starts_with('-') && !first.starts_with("-D");
    !is_setting && words(text).iter().any(|word| word.text.starts_with("-D"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_properties_stand_behind_the_flag_or_apart() {
        let text = "flink run -D a.b=1 -Dc.d='2 s' -yDe.f=3 -Dg.h x.jar -d\n";
        let script = read(text);
        let all: Vec<_> =
            script.entries.iter().map(|e| (e.key.text.as_str(), e.value.text.as_str())).collect();
        assert_eq!(all, [("a.b", "1"), ("c.d", "2 s"), ("e.f", "3"), ("g.h", "true")]);
        assert_eq!(&text[script.entries[1].value.range.clone()], "2 s");
        let script = read("docker run -e FLINK_PROPERTIES=\"a.b: 1\" x");
        assert_eq!(script.properties[0].text, "a.b: 1");
    }
}
