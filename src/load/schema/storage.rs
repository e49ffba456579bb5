//! The schema of the checkpoint storage.

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::{ByteSize, Duration};

/// The file system that checkpoints go to.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum StorageFile {
    /// A profile.
    Profile(ProfileFile),
    /// A profile with changes.
    Options(StorageOptionsFile),
}

/// Round numbers for a kind of storage: instant needs no time, local has 1 ms
/// and 500 MB/s, hdfs 10 ms and 200 MB/s, s3 100 ms and 100 MB/s.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProfileFile {
    Instant,
    Local,
    Hdfs,
    S3,
}

/// A profile with changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StorageOptionsFile {
    /// What to begin with. Default: instant.
    profile: Option<ProfileFile>,
    /// Time for each file.
    latency: Option<Duration>,
    /// Bytes in a second.
    bandwidth: Option<ByteSize>,
    /// The own disk of each TaskManager, for local recovery. Default: 1 ms and
    /// 500 MB/s; with instant storage no time.
    disk: Option<DeviceFile>,
    /// Whether every machine sees the same files, as Flink demands. Default:
    /// true.
    shared: Option<bool>,
}

/// A disk.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeviceFile {
    /// Time for each file.
    latency: Option<Duration>,
    /// Bytes in a second.
    bandwidth: Option<ByteSize>,
}
