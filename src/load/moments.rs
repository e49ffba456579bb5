//! The steps of the story that a scenario tells.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::names::{NameOf, Names};
use super::places::Places;
use super::problems::Problems;
use super::vocabulary::MOMENT;
use super::when::{Here, WhenReader};
use crate::model::{Moment, Text};

/// Reads what stands under `moments`.
pub(super) fn read(value: &Value<'_>, places: &Places<'_>, problems: &mut Problems) -> Vec<Moment> {
    let expected = "a list of moments";
    let Some(array) = problems.list(value, "`moments`", expected) else { return Vec::new() };
    let mut taken = Names::new(NameOf::Moment);
    let mut moments = Vec::new();
    for (element, position) in array.elements.iter().zip(0..) {
        let expected = "an object with `name` and `when`";
        let Some(object) = problems.object(element, "a moment", expected) else { continue };
        let fields = problems.fields(object, "a moment".into(), MOMENT);
        let name = problems
            .required(&fields, "a moment", "name")
            .and_then(|name| problems.string(name, "the name of a moment", "a text"));
        if let Some(name) = &name {
            problems.name(name, NameOf::Moment);
            taken.claim(name.text, name.range.clone(), problems);
        }
        let mut text = |key: &str| {
            let value = fields.value(key)?;
            problems.text(value, &format!("`{key}`"))
        };
        let (title, note) = (text("title"), text("note"));
        let mut reader = WhenReader { places, problems: &mut *problems, here: Here::Nobody };
        let begins = fields.value("when").map(|when| reader.fact(when, "`when`"));
        let ends = fields.value("until").map(|until| reader.fact(until, "`until`"));
        if begins.is_none() && position > 0 {
            problems.add(
                Diagnostic::error("missing-key", "only the first moment can begin at the start")
                    .at(fields.open(), "`when` is missing here")
                    .help("\"when\": \"checkpoint 1 is triggered\""),
            );
        }
        let name = name.map_or_else(String::new, |name| name.text.to_owned());
        moments.push(Moment {
            title: title.unwrap_or_else(|| Text::same(&name)),
            note: note.unwrap_or_default(),
            begins: begins.flatten(),
            ends: ends.flatten(),
            name,
        });
    }
    moments
}
