//! The schema of a job: operators, and the edges between them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::{AlwaysTrue, ByteSize, KeyNames, Letter, Whole};
use super::delays::{DelayFile, EachFile};
use crate::load::limits::{KEY_GROUPS_MAX, MODULUS_MAX, RECORDS_MAX, SUBTASKS_MAX};

macro_rules! operators {
    ($($(#[$doc:meta])* $kind:ident $struct:ident {
        $(#[$key_doc:meta])* $key:literal $field:ident: $value:ty
        $(, $(#[$more_doc:meta])* $more:ident: $more_type:ty)*
    })*) => {
        /// An operator: one key says what it does.
        #[derive(Deserialize, JsonSchema)]
        #[serde(untagged)]
        pub(super) enum OperatorFile { $($(#[$doc])* $kind($struct)),* }

        $(
            $(#[$doc])*
            #[derive(Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields, rename_all = "kebab-case")]
            pub(super) struct $struct {
                $(#[$key_doc])*
                #[serde(rename = $key)]
                $field: $value,
                $($(#[$more_doc])* $more: Option<$more_type>,)*
                /// How many subtasks it has. Default: 1; a source has one for
                /// each split.
                parallelism: Option<Whole<1, SUBTASKS_MAX>>,
                /// A name for each subtask. Default: 0, 1, and so on; a source
                /// with a subtask for each named split takes their names.
                names: Option<Vec<String>>,
                /// How long it works on one record: for all subtasks, or by
                /// subtask. Default: 0, for sources 1 ms.
                service: Option<EachFile>,
                /// How long a snapshot takes. Default: no time.
                snapshot: Option<SnapshotFile>,
                /// The number of key groups. Default: Flink's formula.
                max_parallelism: Option<Whole<1, KEY_GROUPS_MAX>>,
                /// What its state is found by in a savepoint. Default: its name.
                uid: Option<String>,
            }
        )*
    };
}

operators! {
    /// A source: reads splits.
    Source SourceFile {
        /// Values: one split. A list of values: several. An object: splits by
        /// name. The names are unique in the whole job.
        "source" source: SplitsFile,
        /// Whether reading can start again at a stored offset; a socket
        /// cannot. Default: true.
        replayable: bool,
        /// How the offsets come to the subtasks when the job starts from a
        /// savepoint. Default: even-split.
        redistribution: RedistributionFile,
        /// How many of its first records, in all splits together, are old: it
        /// reports a backlog until it has read them. Default: none.
        backlog: Whole<1, 4294967295>
    }
    /// A map: changes each value.
    Map MapFile {
        /// How.
        "map" map: MapFunctionFile
    }
    /// A filter: lets some records pass.
    Filter FilterFile {
        /// Which.
        "filter" filter: PredicateFile
    }
    /// A keyed sum: keeps a sum per key and emits its new value for each
    /// record.
    Sum SumFile {
        /// By which key.
        "sum" sum: KeyFile,
        /// Size of a key with its value. Default: 16 bytes.
        bytes_per_key: ByteSize
    }
    /// A keyed count: counts the records of each key and emits the new count.
    Count CountFile {
        /// By which key.
        "count" count: KeyFile,
        /// Size of a key with its value. Default: 16 bytes.
        bytes_per_key: ByteSize
    }
    /// A keyed maximum: keeps the largest value per key and emits it for each
    /// record.
    Max MaxFile {
        /// By which key.
        "max" max: KeyFile,
        /// Size of a key with its value. Default: 16 bytes.
        bytes_per_key: ByteSize
    }
    /// A union: passes on what comes from any input.
    Union UnionFile {
        /// Always true.
        "union" union: AlwaysTrue
    }
    /// A join of two inputs: keeps the newest value of each side per key, and
    /// emits their sum.
    Join JoinFile {
        /// By which key.
        "join" join: KeyFile,
        /// Size of a key with its value. Default: 16 bytes.
        bytes_per_key: ByteSize
    }
    /// A broadcast process: keeps the newest value of its broadcast inputs per
    /// key, and adds it to each record of its other inputs.
    BroadcastProcess BroadcastProcessFile {
        /// By which key.
        "broadcast-process" broadcast_process: KeyFile
    }
    /// A sink: writes to the outside.
    Sink SinkFile {
        /// At once, with the checkpoint (two-phase commit), or at once and
        /// overwriting what is there under the same key.
        "sink" sink: SinkKindFile
    }
}

/// The splits of a source.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum SplitsFile {
    /// One split, called as its source.
    One(ValuesFile),
    /// Several, called 0, 1, and so on.
    Numbered(Vec<ValuesFile>),
    /// Several by name.
    Named(BTreeMap<String, ValuesFile>),
}

/// The values of a split.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ValuesFile {
    /// Whole numbers.
    Numbers(Vec<i64>),
    /// Letters, one a text.
    Letters(Vec<Letter>),
    /// Letters in one text.
    Text(String),
    /// Whole numbers, one after the other.
    Range(RangeFile),
    /// Whole numbers drawn from the run's seed.
    Drawn(DrawnFile),
}

/// Whole numbers, one after the other.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeFile {
    /// The first.
    from: i64,
    /// The last.
    to: i64,
}

/// Whole numbers drawn from the run's seed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DrawnFile {
    /// How many.
    random: Whole<0, RECORDS_MAX>,
    /// Each is at least 0 and less than this.
    below: Whole<1, { u32::MAX as u64 }>,
}

/// How long the two parts of a snapshot take.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SnapshotFile {
    /// Copying the state, during which the task stands still. Default: no
    /// time.
    sync: Option<DelayFile>,
    /// Storing the copy, during which it works. Default: no time.
    r#async: Option<DelayFile>,
}

/// The function of a map; letters count as their place in the alphabet.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MapFunctionFile {
    /// value + n.
    Add(i64),
    /// value * n.
    Multiply(i64),
}

/// The condition of a filter.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PredicateFile {
    /// Divisible by 2.
    Even,
    /// Not divisible by 2.
    Odd,
    /// Greater than n.
    Above(i64),
    /// Less than n.
    Below(i64),
}

/// How a record gets its key.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeyFile {
    /// Odd or even, as a boolean.
    Parity,
    /// The value itself.
    Value,
    /// The remainder by a number.
    Modulo(Whole<1, MODULUS_MAX>),
    /// The name at the place "value modulo number of names".
    Names(KeyNames),
}

/// How a list of offsets is handed out.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RedistributionFile {
    /// Each offset to one subtask, in slices as equal as can be.
    EvenSplit,
    /// All offsets to every subtask (union list state); each keeps those of its
    /// own splits.
    Union,
}

/// What a sink promises.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SinkKindFile {
    /// Every record is visible at once.
    Publish,
    /// Records become visible when their checkpoint is complete.
    Transactional,
    /// Every record overwrites at once what is there under its key.
    Idempotent,
}
