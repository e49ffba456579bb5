//! What a job needs for a mistake to matter.

use serde_json::{Value, json};

use super::files::with_files;
use super::job::job;
use super::mode::Mode;
use crate::model::Mutation;

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
}

impl Needs {
    /// Every need.
    pub const ALL: [Self; 5] =
        [Self::Aligned, Self::Unaligned, Self::SharedFiles, Self::Timeouts, Self::FewCheckpoints];

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
            | Mutation::CountAnyBarrier => Self::Timeouts,
            Mutation::ForgetChannelState
            | Mutation::ForgetOutputBuffers
            | Mutation::SaveFirstInputOnly
            | Mutation::RestoreInFlightLast
            | Mutation::RestoreAtBothEnds
            | Mutation::LogPastBarrier
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
        _ => Mode::Aligned,
    };
    let mut document = job(number, mode);
    match needs {
        Needs::Aligned | Needs::Unaligned => {}
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
