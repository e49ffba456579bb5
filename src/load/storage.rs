//! How fast the checkpoint storage is, and who sees it: a profile by name, or
//! one with changes.

use jsonc_parser::ast::{Object, Value};

use super::diagnostic::Diagnostic;
use super::flink::{MemoryFlaw, memory_size};
use super::problems::Problems;
use super::text::range_of;
use super::tree::Fields;
use super::vocabulary::{DEVICE, STORAGE};
use super::words::{clip, names};
use crate::model::{Device, Micros, Reach, StorageSpec};

/// Round numbers for kinds of storage: no measurement of any product.
const PROFILES: [(&str, Device); 4] = [
    ("instant", Device::INSTANT),
    ("local", device(1, 500)),
    ("hdfs", device(10, 200)),
    ("s3", device(100, 100)),
];

/// The disk of a TaskManager, where the storage is not instant.
const DISK: Device = device(1, 500);

const fn device(latency_ms: u64, mb_per_second: u64) -> Device {
    Device { latency: Micros::from_ms(latency_ms), bytes_per_second: Some(mb_per_second << 20) }
}

/// Reads what stands under `storage`.
pub(super) fn read(value: Option<&Value<'_>>, problems: &mut Problems) -> StorageSpec {
    match value {
        None => StorageSpec::INSTANT,
        Some(Value::Object(object)) => of_object(object, problems),
        Some(value) => match problems.profile(value) {
            Some(checkpoints) => spec(checkpoints),
            None => StorageSpec::INSTANT,
        },
    }
}

fn spec(checkpoints: Device) -> StorageSpec {
    let disk = if checkpoints == Device::INSTANT { Device::INSTANT } else { DISK };
    StorageSpec { checkpoints, disk, reach: Reach::EveryMachine }
}

fn of_object(object: &Object<'_>, problems: &mut Problems) -> StorageSpec {
    let fields = problems.fields(object, "`storage`".into(), STORAGE);
    let profile = fields.value("profile").and_then(|value| problems.profile(value));
    let mut checkpoints = profile.unwrap_or(Device::INSTANT);
    problems.device(&fields, &mut checkpoints);
    let mut spec = spec(checkpoints);
    if let Some(value) = fields.value("disk") {
        let expected = "an object as { \"latency\": \"1 ms\", \"bandwidth\": \"500 mb\" }";
        if let Some(object) = problems.object(value, "`disk`", expected) {
            let fields = problems.fields(object, "`disk`".into(), DEVICE);
            problems.device(&fields, &mut spec.disk);
        }
    }
    match fields.value("shared") {
        None => {}
        Some(Value::BooleanLit(literal)) if literal.value => {}
        Some(Value::BooleanLit(_)) => spec.reach = Reach::OneMachine,
        Some(other) => problems.wrong_type(other, "`shared`", "true or false"),
    }
    spec
}

impl Problems {
    fn profile(&mut self, value: &Value<'_>) -> Option<Device> {
        let expected = "the name of a profile as \"hdfs\", or an object";
        let word = self.string(value, "`storage`", expected)?;
        let found = PROFILES.iter().find(|(name, _)| *name == word.text);
        if found.is_none() {
            let all = || PROFILES.iter().map(|(name, _)| *name);
            let near = self.nearest(word.text, all());
            let message = format!("there is no storage profile `{}`", clip(word.text));
            let problem = Diagnostic::error("unknown-profile", message).at(word.range, "unknown");
            let help = format!("the profiles: {}", names(all()));
            self.add(problem.did_you_mean(near).help(help));
        }
        found.map(|(_, device)| *device)
    }

    fn device(&mut self, fields: &Fields<'_, '_>, device: &mut Device) {
        if let Some(value) = fields.value("latency")
            && let Some(latency) = self.duration(value, "`latency`")
        {
            device.latency = latency;
        }
        if let Some(value) = fields.value("bandwidth")
            && let Some(bytes) = self.size(value, "`bandwidth`")
        {
            if bytes == 0 {
                let problem = Diagnostic::error("no-bandwidth", "nothing would ever be written");
                self.add(problem.at(range_of(value), "more than 0 bytes a second"));
            }
            device.bytes_per_second = Some(bytes);
        }
    }

    /// A number of bytes, or a size as Flink writes it.
    pub(super) fn size(&mut self, value: &Value<'_>, what: &str) -> Option<u64> {
        let text = match value {
            Value::NumberLit(literal) => literal.value.to_owned(),
            Value::StringLit(literal) => literal.value.to_string(),
            other => {
                self.wrong_type(other, what, "a size as \"20 kb\", or a number of bytes");
                return None;
            }
        };
        let flaw = match memory_size(&text) {
            Ok(bytes) => return Some(bytes),
            Err(flaw) => flaw,
        };
        let (message, label) = match flaw {
            MemoryFlaw::NoNumber => (format!("{what} is no size"), "a whole number is missing"),
            MemoryFlaw::Unit(_) => (format!("{what} has an unknown unit"), "not a size"),
            MemoryFlaw::TooLarge => (format!("{what} is too large"), "beyond 2^63 bytes"),
        };
        self.add(
            Diagnostic::error("bad-size", message)
                .at(range_of(value), label)
                .help("a whole number and one of b, kb, mb, gb, tb: \"20 kb\""),
        );
        None
    }
}
