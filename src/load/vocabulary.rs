//! Every key that a scenario file can have, object by object. The walker
//! accepts these and no others; a test holds them equal to the schema's.

/// Keys of the whole scenario.
pub(super) const SCENARIO: &[&str] = &[
    "title",
    "notes",
    "job",
    "edges",
    "config",
    "network",
    "rpc",
    "storage",
    "from",
    "initial-delay",
    "checkpoints",
    "savepoints",
    "cancel",
    "taskmanagers",
    "faults",
    "labels",
    "moments",
    "break",
    "steps",
    "$schema",
];
/// Keys of a text for people, and of labels.
pub(super) const LANGUAGES: &[&str] = &["en", "zh"];
/// Keys of an edge's options.
pub(super) const EDGE: &[&str] = &["latency", "capacity", "input", "local"];
/// Keys of an operator's snapshots.
pub(super) const SNAPSHOT: &[&str] = &["sync", "async"];
/// Keys of a capacity with two parts.
pub(super) const CAPACITY: &[&str] = &["credits", "buffers"];
/// Keys of the network.
pub(super) const NETWORK: &[&str] = &["latency", "capacity"];
/// Keys of the latencies between JobManager and tasks.
pub(super) const RPC: &[&str] = &["trigger", "acknowledge", "notify"];
/// Keys of the checkpoint storage.
pub(super) const STORAGE: &[&str] = &["profile", "latency", "bandwidth", "disk", "shared"];
/// Keys of a disk.
pub(super) const DEVICE: &[&str] = &["latency", "bandwidth"];
/// Keys of a delay between two bounds.
pub(super) const UNIFORM: &[&str] = &["min", "max"];
/// Keys of the run whose savepoint the job starts from.
pub(super) const FROM: &[&str] = &["scenario", "savepoint"];
/// Keys of a checkpoint that the scenario asks for.
pub(super) const CHECKPOINT: &[&str] = &["at", "when", "nth", "after"];
/// Keys of a savepoint that the user asks for.
pub(super) const SAVEPOINT: &[&str] = &["at", "when", "nth", "after", "stop", "format"];
/// Keys of the cancelling of the job.
pub(super) const CANCEL: &[&str] = &["at", "when", "nth", "after"];
/// Keys of a crash.
pub(super) const CRASH: &[&str] = &["crash", "at", "when", "nth", "after", "mean-time-between"];
/// Keys of a crash of the JobManager.
pub(super) const JOB_MANAGER_CRASH: &[&str] = &["crash", "for", "at", "when", "nth", "after"];
/// Keys of a slowness.
pub(super) const SLOW: &[&str] = &["slow", "times", "for", "at", "when", "nth", "after"];
/// Keys of what happens to the checkpoint storage.
pub(super) const STORAGE_FAULT: &[&str] =
    &["storage", "times", "for", "at", "when", "nth", "after"];
/// Keys of a stall.
pub(super) const STALL: &[&str] = &["stall", "for", "at", "when", "nth", "after"];
/// Keys of a lost message.
pub(super) const LOSE: &[&str] = &["lose", "of", "to", "checkpoint"];
/// Keys of a message that is held up.
pub(super) const DELAY: &[&str] = &["delay", "of", "to", "checkpoint", "by"];
/// Keys of the deletion of a checkpoint by hand.
pub(super) const DISPOSE: &[&str] = &["dispose", "at", "when", "nth", "after"];
/// The keys of faults that say what breaks.
pub(super) const FAULTS: [&str; 7] =
    ["crash", "slow", "stall", "storage", "dispose", "lose", "delay"];
/// Keys of a moment.
pub(super) const MOMENT: &[&str] = &["name", "title", "note", "when", "until"];
/// Keys of the values of a split that is a range.
pub(super) const RANGE: &[&str] = &["from", "to"];
/// Keys of the values of a split that are drawn.
pub(super) const DRAWN: &[&str] = &["random", "below"];

/// What an operator can do. The name is the key that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KindKey {
    Source,
    Map,
    Filter,
    Sum,
    Count,
    Max,
    Union,
    Join,
    BroadcastProcess,
    Sink,
}

impl KindKey {
    /// Every kind.
    pub(super) const ALL: [Self; 10] = [
        Self::Source,
        Self::Map,
        Self::Filter,
        Self::Sum,
        Self::Count,
        Self::Max,
        Self::Union,
        Self::Join,
        Self::BroadcastProcess,
        Self::Sink,
    ];

    /// Its key.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Map => "map",
            Self::Filter => "filter",
            Self::Sum => "sum",
            Self::Count => "count",
            Self::Max => "max",
            Self::Union => "union",
            Self::Join => "join",
            Self::BroadcastProcess => "broadcast-process",
            Self::Sink => "sink",
        }
    }

    /// "`total` is …".
    pub(super) fn article(self) -> &'static str {
        match self {
            Self::Source => "a source",
            Self::Map => "a map",
            Self::Filter => "a filter",
            Self::Sum => "a keyed sum",
            Self::Count => "a keyed count",
            Self::Max => "a keyed maximum",
            Self::Union => "a union",
            Self::Join => "a join",
            Self::BroadcastProcess => "a broadcast process",
            Self::Sink => "a sink",
        }
    }

    /// Whether it keeps state by key.
    pub(super) fn is_keyed(self) -> bool {
        matches!(self, Self::Sum | Self::Count | Self::Max | Self::Join)
    }

    /// Keys of such an operator.
    pub(super) fn keys(self) -> &'static [&'static str] {
        const SOURCE: &[&str] = &[
            "source",
            "parallelism",
            "names",
            "service",
            "snapshot",
            "max-parallelism",
            "uid",
            "replayable",
            "redistribution",
            "backlog",
        ];
        match self {
            Self::Source => SOURCE,
            Self::Map => {
                &["map", "parallelism", "names", "service", "snapshot", "max-parallelism", "uid"]
            }
            Self::Filter => {
                &["filter", "parallelism", "names", "service", "snapshot", "max-parallelism", "uid"]
            }
            Self::Sum => &[
                "sum",
                "parallelism",
                "names",
                "service",
                "snapshot",
                "max-parallelism",
                "uid",
                "bytes-per-key",
            ],
            Self::Count => &[
                "count",
                "parallelism",
                "names",
                "service",
                "snapshot",
                "max-parallelism",
                "uid",
                "bytes-per-key",
            ],
            Self::Max => &[
                "max",
                "parallelism",
                "names",
                "service",
                "snapshot",
                "max-parallelism",
                "uid",
                "bytes-per-key",
            ],
            Self::Union => {
                &["union", "parallelism", "names", "service", "snapshot", "max-parallelism", "uid"]
            }
            Self::Join => &[
                "join",
                "parallelism",
                "names",
                "service",
                "snapshot",
                "max-parallelism",
                "uid",
                "bytes-per-key",
            ],
            Self::BroadcastProcess => &[
                "broadcast-process",
                "parallelism",
                "names",
                "service",
                "snapshot",
                "max-parallelism",
                "uid",
            ],
            Self::Sink => {
                &["sink", "parallelism", "names", "service", "snapshot", "max-parallelism", "uid"]
            }
        }
    }
}
