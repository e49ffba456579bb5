//! A scenario's document, to which something can be added.
//!
//! Everything else stays as it is written, the order of the keys above all: it
//! numbers operators, tasks and channels, and a trace's schedule its lanes.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON object as it is written: its keys in order, their values as text.
#[derive(Clone, Debug)]
pub struct Document {
    fields: Vec<(String, Box<RawValue>)>,
}

impl Document {
    /// Reads one; none if it is not an object.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Adds an item to the end of a list, which begins here if it is not there;
    /// none if there is something else in its place.
    ///
    /// # Examples
    /// ```
    /// use checkdam::model::Document;
    /// use serde_json::json;
    /// let text = r#"{"job":{"b":1.50,"a":2},"faults":[{"at":7}]}"#;
    /// let mut document = Document::parse(text).expect("it is an object");
    /// assert!(document.push("faults", &json!({ "at": 9 })).is_some());
    /// assert!(document.push("savepoints", &json!({ "at": 3 })).is_some());
    /// let text = r#"{"job":{"b":1.50,"a":2},"faults":[{"at":7},{"at":9}],"savepoints":[{"at":3}]}"#;
    /// assert_eq!(document.text(), text);
    /// assert!(document.push("job", &json!(4)).is_none());
    /// ```
    #[must_use]
    pub fn push(&mut self, list: &str, item: &Value) -> Option<()> {
        let field = self.field(list, "[]")?;
        let mut items: Vec<Box<RawValue>> = serde_json::from_str(field.get()).ok()?;
        items.push(raw(item)?);
        *field = raw(&items)?;
        Some(())
    }

    /// Sets a key of an object in the same way.
    #[must_use]
    pub fn set(&mut self, object: &str, key: &str, value: &Value) -> Option<()> {
        let field = self.field(object, "{}")?;
        let mut inner = Self::parse(field.get())?;
        *inner.field(key, "null")? = raw(value)?;
        *field = raw(&inner)?;
        Some(())
    }

    /// The field of a name; at the end, if there is none yet.
    fn field(&mut self, name: &str, otherwise: &str) -> Option<&mut Box<RawValue>> {
        let place = self.fields.iter().position(|(own, _)| own == name);
        let place = match place {
            Some(place) => place,
            None => {
                let value = RawValue::from_string(otherwise.to_owned()).ok()?;
                self.fields.push((name.to_owned(), value));
                self.fields.len() - 1
            }
        };
        Some(&mut self.fields[place].1)
    }

    /// The document as text. It has one line if it had one.
    ///
    /// # Panics
    /// Never: what has been read can be written.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("what has been read can be written")
    }
}

fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    RawValue::from_string(serde_json::to_string(value).ok()?).ok()
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(String, Box<RawValue>)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }

        Ok(Self { fields: deserializer.deserialize_map(Fields)? })
    }
}
