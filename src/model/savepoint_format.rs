//! How the state of a savepoint is written, and who can start from it.
//!
//! It knows no state: what is written is the same, and so is its size.
//!
//! Source: Flink's documentation, "Checkpoints vs. Savepoints", the table of
//! capabilities and limitations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::StateBackend;

/// How the user wants the state of a savepoint written.
///
/// Source: Flink `SavepointFormatType`.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SavepointFormatType {
    /// The same whatever the state backend.
    #[default]
    Canonical,
    /// As the state backend writes its checkpoints, all of it in files of the
    /// savepoint's own.
    Native,
}

/// How the state of a snapshot is written.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SavepointFormat {
    /// The same whatever the state backend: a job with another backend can
    /// start from it.
    #[default]
    Canonical,
    /// As the HashMap backend writes it for itself.
    NativeHashMap,
    /// As RocksDB writes it for itself.
    NativeRocksDb,
}

impl SavepointFormat {
    /// The own format of a state backend. A checkpoint always has it.
    #[must_use]
    pub fn native(backend: StateBackend) -> Self {
        match backend {
            StateBackend::HashMap => Self::NativeHashMap,
            StateBackend::RocksDb => Self::NativeRocksDb,
        }
    }

    /// What a job with a state backend writes for a savepoint.
    #[must_use]
    pub fn of(wanted: SavepointFormatType, backend: StateBackend) -> Self {
        match wanted {
            SavepointFormatType::Canonical => Self::Canonical,
            SavepointFormatType::Native => Self::native(backend),
        }
    }

    /// Whether a job with a state backend can start from it: with another
    /// number of subtasks in any case, with another backend only if the format
    /// is nobody's own.
    #[must_use]
    pub fn fits(self, backend: StateBackend) -> bool {
        self == Self::Canonical || self == Self::native(backend)
    }
}
