//! What the names of state backends and checkpoint storages stand for.
//!
//! Source: Flink `StateBackendLoader`, `CheckpointStorageLoader`, asked by
//! running them.

use super::Reading;
use super::keys;
use super::release::Release;
use super::value::Value;

/// A state backend under its name, with the class that Flink makes of it.
#[derive(Clone, Copy, Debug)]
struct Backend {
    name: &'static str,
    class: &'static str,
    /// The class that can be named instead.
    factory: &'static str,
    since: Release,
    /// Whether Flink 2 still knows it.
    stays: Stays,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stays {
    Yes,
    No,
}

const BACKENDS: [Backend; 5] = [
    Backend {
        name: "hashmap",
        class: "HashMapStateBackend",
        factory: "org.apache.flink.runtime.state.hashmap.HashMapStateBackendFactory",
        since: Release::V1,
        stays: Stays::Yes,
    },
    Backend {
        name: "rocksdb",
        class: "EmbeddedRocksDBStateBackend",
        factory: "org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackendFactory",
        since: Release::V1,
        stays: Stays::Yes,
    },
    Backend {
        name: "forst",
        class: "ForStStateBackend",
        factory: "org.apache.flink.state.forst.ForStStateBackendFactory",
        since: Release::V2,
        stays: Stays::Yes,
    },
    Backend {
        name: "jobmanager",
        class: "MemoryStateBackend",
        factory: "org.apache.flink.runtime.state.memory.MemoryStateBackendFactory",
        since: Release::V1,
        stays: Stays::No,
    },
    // The name makes another class than the factory of the same purpose.
    Backend {
        name: "filesystem",
        class: "HashMapStateBackend",
        factory: "org.apache.flink.runtime.state.hashmap.HashMapStateBackendFactory",
        since: Release::V1,
        stays: Stays::No,
    },
];

/// Factories that have no name of their own, and the classes they make: these
/// bring their storage with them, in the directory of checkpoints.
const OLD_FACTORIES: [(&str, &str); 2] = [
    ("org.apache.flink.runtime.state.filesystem.FsStateBackendFactory", "FsStateBackend"),
    ("org.apache.flink.contrib.streaming.state.RocksDBStateBackendFactory", "RocksDBStateBackend"),
];

/// The class that a release makes of a value of `state.backend.type`; nothing
/// if it would look for a class of that very name.
#[must_use]
pub fn backend_class(name: &str, release: Release) -> Option<&'static str> {
    let is_there = |backend: &&Backend| {
        backend.since <= release && (backend.stays == Stays::Yes || release == Release::V1)
    };
    let known = BACKENDS.iter().filter(is_there);
    let mut same =
        known.filter(|backend| backend.name.eq_ignore_ascii_case(name) || backend.factory == name);
    let found = same.next().map(|backend| backend.class);
    let old = OLD_FACTORIES.iter().find(|(factory, _)| *factory == name);
    found.or_else(|| old.filter(|_| release == Release::V1).map(|(_, class)| *class))
}

impl Reading {
    /// The class of the state backend; nothing if Flink makes none of what is
    /// set.
    #[must_use]
    pub fn backend_class(&self) -> Option<&'static str> {
        let class = backend_class(self.text(keys::BACKEND)?, self.release)?;
        let needs_dir = OLD_FACTORIES.iter().any(|(_, old)| *old == class);
        (!needs_dir || self.has_dir()).then_some(class)
    }

    /// The class of the checkpoint storage; nothing if Flink makes none of
    /// what is set.
    // Flink 1.20: CheckpointStorageLoader.load
    #[must_use]
    pub fn storage_class(&self) -> Option<&'static str> {
        let backend = self.backend_class()?;
        let brings_storage =
            backend == "MemoryStateBackend" || OLD_FACTORIES.iter().any(|(_, old)| *old == backend);
        if brings_storage {
            return Some(backend);
        }
        let storage = self.text(keys::STORAGE)?;
        if storage.eq_ignore_ascii_case("jobmanager") {
            Some("JobManagerCheckpointStorage")
        } else if storage.eq_ignore_ascii_case("filesystem") && self.has_dir() {
            Some("FileSystemCheckpointStorage")
        } else {
            None
        }
    }

    fn has_dir(&self) -> bool {
        self.value(keys::DIR).is_some()
    }

    fn text(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}
