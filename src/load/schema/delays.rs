//! The schema of delays.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::Duration;

/// How long something takes: always the same, any time between two bounds, or
/// a list with one for each use, of which the last is repeated.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum DelayFile {
    /// Always the same.
    Fixed(Duration),
    /// Between two bounds, equally likely.
    Uniform(UniformFile),
    /// One for each use.
    List(#[schemars(length(min = 1))] Vec<Duration>),
}

/// Any time between two bounds, equally likely.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UniformFile {
    /// The shortest.
    min: Duration,
    /// The longest.
    max: Duration,
}

/// A delay for all, or one for each by name.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum EachFile {
    /// For all.
    All(DelayFile),
    /// By name.
    Each(BTreeMap<String, DelayFile>),
}
