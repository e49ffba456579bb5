//! What a job needs for a mistake to matter.

use serde_json::{Value, json};

use super::files::with_files;
use super::job::job;
use super::mishaps::tasks;
use super::mode::Mode;
use crate::model::{Mutation, mix};

/// What a job needs for a mistake to matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Aligned checkpoints.
    Aligned,
    /// Unaligned checkpoints.
    Unaligned,
    /// Files, of which several checkpoints use the same.
    SharedFiles,
    /// Checkpoints that are given up while others go on.
    Timeouts,
    /// The same, with a few checkpoints only: what is stuck is seen to be.
    FewCheckpoints,
    /// Barriers that may time out, and edges that cannot carry unaligned ones.
    ForcedAlignment,
    /// Acknowledgements that come when their attempt has failed.
    LateAcknowledgements,
    /// A JobManager that counts checkpoints from 1 again.
    OldIds,
}

impl Needs {
    /// Every need.
    pub const ALL: [Self; 8] = [
        Self::Aligned,
        Self::Unaligned,
        Self::SharedFiles,
        Self::Timeouts,
        Self::FewCheckpoints,
        Self::ForcedAlignment,
        Self::LateAcknowledgements,
        Self::OldIds,
    ];

    /// What a mistake needs.
    #[must_use]
    pub fn of(mutation: Mutation) -> Self {
        match mutation {
            Mutation::BarrierToOneOutput
            | Mutation::LoseNotifications
            | Mutation::AbortLeavesBlocked
            | Mutation::ExpectFinishedTasks => Self::FewCheckpoints,
            Mutation::CommitExactCheckpoint
            | Mutation::AbortDropsPrepared
            | Mutation::MergeAborted
            | Mutation::CountAnyBarrier => Self::Timeouts,
            Mutation::ForcedBarrierTimesOut => Self::ForcedAlignment,
            Mutation::StaleAcknowledgementCounts => Self::LateAcknowledgements,
            Mutation::SkipCommittedIds => Self::OldIds,
            Mutation::ForgetChannelState
            | Mutation::ForgetOutputBuffers
            | Mutation::SaveFirstInputOnly
            | Mutation::RestoreInFlightLast
            | Mutation::RestoreAtBothEnds
            | Mutation::LogPastBarrier
            | Mutation::OvertakeOnBroadcast
            | Mutation::BarrierInMidRecord => Self::Unaligned,
            Mutation::DeleteSharedFiles => Self::SharedFiles,
            _ => Self::Aligned,
        }
    }
}

/// The random job of a number with what a mistake needs.
///
/// # Panics
/// Never: it is a random job.
#[must_use]
pub fn job_that_needs(number: u64, needs: Needs) -> Value {
    let mode = match needs {
        Needs::Unaligned => Mode::Unaligned,
        Needs::ForcedAlignment => Mode::Timeout,
        // What counts twice is allowed here, and ids that come again repeat it.
        Needs::OldIds => Mode::AtLeastOnce,
        _ => Mode::Aligned,
    };
    let mut document = job(number, mode);
    match needs {
        Needs::Aligned | Needs::Unaligned | Needs::ForcedAlignment => {}
        Needs::LateAcknowledgements => late_acknowledgements(number, &mut document),
        Needs::OldIds => {
            let config = document["config"].as_object_mut().expect("it has settings");
            config.insert("high-availability.type".into(), json!("NONE"));
            let crash = json!({
                "crash": "jobmanager", "for": 1 + number % 20, "at": 40 + number % 150,
            });
            document["faults"] = json!([crash]);
        }
        Needs::SharedFiles => document = with_files(number, &document),
        Needs::Timeouts | Needs::FewCheckpoints => {
            let config = document["config"].as_object_mut().expect("it has settings");
            let mut set = |key: &str, value: Value| {
                config.insert(format!("execution.checkpointing.{key}"), value);
            };
            set("interval", json!(10));
            set("max-concurrent-checkpoints", json!(3));
            set("timeout", json!(20 + number % 30));
            set("tolerable-failed-checkpoints", json!(1_000));
            if needs == Needs::FewCheckpoints {
                config.remove("execution.checkpointing.interval");
                config.remove("execution.checkpointing.timeout");
                let at = |ms: u64| json!({ "at": ms });
                document["checkpoints"] = [10, 13, 16, 40, 43].map(at).to_vec().into();
            }
        }
    }
    // A run that is stuck need not be long for that.
    document["steps"] = json!(20_000);
    document
}

/// A task takes a snapshot, another one fails then, and the acknowledgement comes
/// when the job has been restarted and takes the next checkpoint.
fn late_acknowledgements(number: u64, document: &mut Value) {
    let draw = |turn: u64, n: u64| mix(number.wrapping_shl(16) | turn) % n;
    let tasks = tasks(document);
    let one = |place: u64| &tasks[place as usize % tasks.len()];
    let (late, dead) = (one(draw(1, 1 << 20)), one(draw(2, 1 << 20)));
    let checkpoint = 1 + draw(3, 3);
    let taken = format!("{late} has taken snapshot {checkpoint}");
    document["faults"] = json!([
        { "delay": "acknowledgement", "of": late, "checkpoint": checkpoint, "by": 15 + draw(4, 60) },
        { "crash": dead, "when": taken, "after": 1 + draw(5, 10) },
    ]);
    let config = document["config"].as_object_mut().expect("it has settings");
    config.insert("restart-strategy.fixed-delay.delay".into(), json!(draw(6, 5)));
    config.insert("execution.checkpointing.interval".into(), json!(10 + draw(7, 10)));
}
