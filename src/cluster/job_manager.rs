//! The death of the JobManager, and the one that takes over.

use super::outcome::Wait;
use super::starts::Adoption;
use super::turn::Turn;
use super::{Lane, User};
use crate::model::{HighAvailability, Micros};
use crate::protocol::{RestartStrategyMachine, SharedStateRegistry};
use crate::trace::{Fact, JobStatus};

impl Turn<'_> {
    /// The JobManager dies, and with it everything that only it knows. Of a
    /// job that has ended, or has none anyway, nobody notices.
    // Differs: in Flink the tasks go on until they notice that their JobManager
    // is gone; here they stop at once. And its successor counts attempts from
    // 1, while here the number goes on, and tells the messages of the old
    // JobManager from those of the new one.
    #[cold]
    pub(super) fn crash_job_manager(&mut self, fault: u32, lasts: Micros) {
        match self.cluster.status {
            JobStatus::Running | JobStatus::Restarting => {}
            JobStatus::Suspended
            | JobStatus::Failed
            | JobStatus::Finished
            | JobStatus::Canceled => return,
        }
        self.out.fact(Fact::JobManagerCrashed { attempt: self.cluster.attempt });
        self.cancel_tasks(&None);
        for lane in [Lane::Interval, Lane::Expiry, Lane::Restart] {
            self.out.clear_lane(lane);
        }
        let cluster = &mut *self.cluster;
        cluster.expiries.clear();
        cluster.storage.retain(|stored| stored.completed);
        cluster.files.forget_all_but(cluster.storage.iter().map(|stored| stored.id));
        cluster.coordinator = cluster.coordinator.successor(self.scenario.config.high_availability);
        cluster.restart = RestartStrategyMachine::new(self.scenario.config.restart);
        cluster.restarts.clear();
        cluster.status = JobStatus::Suspended;
        self.out.event(Lane::Fault(fault), Wait::After(lasts));
    }

    /// Another JobManager takes the job over. Without high availability the
    /// files of earlier checkpoints are still there, but nobody knows of them.
    // Flink 1.20: an application cluster submits its job anew;
    // DefaultCompletedCheckpointStoreUtils.retrieveCompletedCheckpoints.
    #[cold]
    pub(super) fn start_job_manager(&mut self) {
        let high_availability = self.scenario.config.high_availability;
        self.out.fact(Fact::JobManagerStarted { high_availability });
        if high_availability == HighAvailability::Off {
            self.cluster.storage.clear();
            self.cluster.completed.clear();
            self.drop_copies();
            self.cluster.files.abandon();
            self.cluster.shared = SharedStateRegistry::new();
        }
        self.tell_storage();
        if high_availability == HighAvailability::Off
            && let Some(start) = &self.scenario.start
        {
            // The job is submitted anew as it was submitted first.
            self.adopt(start, Adoption::Again);
        }
        self.start_attempt(None);
        if std::mem::replace(&mut self.cluster.user, User::Content) == User::Cancels {
            self.cancel();
        }
    }
}
