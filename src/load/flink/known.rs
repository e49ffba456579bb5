//! Which keys are Flink's, those that have nothing to do with checkpoints
//! included.

use super::options::options;
use crate::load::problems::Problems;

/// Every key of every option class of Flink 1.20.3, older spellings included,
/// one a line, in order.
const KEYS: &str = include_str!("keys.txt");

/// Beginnings behind which file systems, reporters, security and other parts
/// have keys that are not listed anywhere.
const OPEN: [&str; 47] = [
    "akka.",
    "azure.",
    "classloader.",
    "containerized.",
    "dfs.",
    "env.",
    "execution.target",
    "external-resource.",
    "flink.hadoop.",
    "flink.yarn.",
    "fs.",
    "gs.",
    "hadoop.",
    "high-availability.",
    "hive.",
    "io.",
    "job.autoscaler.",
    "jobmanager.archive.",
    "jobmanager.scheduler.",
    "kubernetes.",
    "log.",
    "log4j.",
    "logger.level",
    "metrics.",
    "mesos.",
    "oss.",
    "pekko.",
    "pipeline.global-job-parameters.",
    "plugin.",
    "presto.",
    "python.",
    "rest.",
    "s3.",
    "s3a.",
    "s3n.",
    "security.",
    "sql-gateway.",
    "sql-client.",
    "state.backend.forst.",
    "state.backend.rocksdb.",
    "state.uploading.",
    "statefun.",
    "table.",
    "traces.",
    "user.",
    "web.",
    "zookeeper.",
];

/// First parts of keys that belong to Flink's core, where a key that is not
/// known is a slip of the pen.
const ROOMS: [&str; 21] = [
    "blob",
    "checkpoint",
    "checkpointing",
    "client",
    "cluster",
    "execution",
    "flink",
    "heartbeat",
    "historyserver",
    "jobmanager",
    "jobstore",
    "parallelism",
    "pipeline",
    "restart-strategy",
    "savepoint",
    "savepoints",
    "slot",
    "slotmanager",
    "state",
    "task",
    "taskmanager",
];

/// Whether Flink has a key, or a part of it may have.
pub(in crate::load) fn is_known(key: &str) -> bool {
    is_listed(key)
        || OPEN.iter().any(|open| key.starts_with(open))
        || options().any(|option| option.keys().any(|known| known == key))
}

/// Whether a key looks like one of Flink's core.
pub(super) fn is_flinks_room(key: &str) -> bool {
    let room = key.split('.').next().unwrap_or_default();
    ROOMS.iter().any(|known| known.eq_ignore_ascii_case(room))
        || ["checkpoint", "restart-strategy", "savepoint"].iter().any(|word| key.contains(word))
}

fn is_listed(key: &str) -> bool {
    let keys = || KEYS.lines();
    keys().any(|known| known == key)
}

/// The key that was probably meant.
pub(in crate::load) fn nearest(key: &str, problems: &mut Problems) -> Option<String> {
    // A key that is much longer or shorter cannot be near.
    let may_be_near = |known: &&str| {
        known.len().abs_diff(key.len()) <= how_near(key, known) || known.starts_with(key)
    };
    let own = options().flat_map(|option| option.keys()).filter(may_be_near);
    let near = problems.nearest_within(key, own, how_near);
    // Of the many others, those that begin alike.
    let room = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    let others = || KEYS.lines().filter(|known| room(known) == room(key)).filter(may_be_near);
    near.or_else(|| begins_alike(key))
        .or_else(|| problems.nearest_within(key, others(), how_near))
        .or_else(|| same_last_part(key))
}

/// How many changes to a key are still near. Keys are long and have much in
/// common, so that their last parts decide.
fn how_near(wanted: &str, candidate: &str) -> usize {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().len();
    let same_end = wanted.rsplit('.').next() == candidate.rsplit('.').next();
    let by_end = last(wanted).max(last(candidate)) / 3;
    if same_end { (wanted.len() / 4).max(by_end) } else { by_end }
}

/// A key that goes on where one of the options ends, or the other way round:
/// `min-pause-between-checkpoints` for `min-pause`. The longest counts.
fn begins_alike(wanted: &str) -> Option<String> {
    let with_more = |option: &&str| {
        let rest = wanted.strip_prefix(*option);
        rest.is_some_and(|rest| rest.starts_with(['-', '.'])) && option.contains('.')
    };
    let all = options().map(|option| option.key).filter(with_more);
    all.max_by_key(|key| key.len()).map(str::to_owned)
}

/// The one key that ends as the wanted one does; if there are several, the one
/// about checkpointing.
fn same_last_part(wanted: &str) -> Option<String> {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let same = || options().map(|option| option.key).filter(|key| last(key) == last(wanted));
    let only = |keys: Vec<&str>| match keys.as_slice() {
        [one] => Some((*one).to_owned()),
        _ => None,
    };
    let own = |key: &&str| key.starts_with("execution.checkpointing.");
    only(same().collect()).or_else(|| only(same().filter(own).collect()))
}
