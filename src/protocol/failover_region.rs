//! Which tasks are restarted together.
//!
//! Source: Flink `RestartPipelinedRegionFailoverStrategy`,
//! `SchedulingPipelinedRegionComputeUtil`.

use std::collections::BTreeSet;

use super::scheduling_topology::{Exchange, SchedulingTopology};
use crate::model::SubtaskIndex;

/// The pipelined regions of a job: tasks that exchange records while they are
/// produced, and so can only run together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailoverRegions {
    /// By task: the first task of its region.
    region: Vec<SubtaskIndex>,
    /// Regions that take a whole result from another: producer, consumer.
    blocking: BTreeSet<(SubtaskIndex, SubtaskIndex)>,
    /// Consumer's region and producing task of such results.
    consumed: BTreeSet<(SubtaskIndex, SubtaskIndex)>,
}

impl FailoverRegions {
    /// The regions of a topology.
    #[must_use]
    pub fn of(topology: &SchedulingTopology) -> Self {
        let mut region: Vec<_> = topology.tasks().collect();
        for task in topology.tasks() {
            for consumed in topology.inputs(task) {
                if consumed.exchange == Exchange::Pipelined {
                    let one = region[task.index()];
                    let other = region[consumed.from.index()];
                    let (first, last) = (one.min(other), one.max(other));
                    region.iter_mut().filter(|r| **r == last).for_each(|r| *r = first);
                }
            }
        }
        let mut regions = Self { region, blocking: BTreeSet::new(), consumed: BTreeSet::new() };
        for task in topology.tasks() {
            let inputs = topology.inputs(task).iter();
            for input in inputs.filter(|input| input.exchange == Exchange::Blocking) {
                let (from, to) = (regions.region_of(input.from), regions.region_of(task));
                regions.blocking.insert((from, to));
                regions.consumed.insert((to, input.from));
            }
        }
        regions
    }

    /// The tasks to restart after a failure of one, in order: its region, the
    /// regions after it, and a region before it of which a task's whole result
    /// is lost.
    // Flink 1.20: RestartPipelinedRegionFailoverStrategy.getTasksNeedingRestart.
    #[must_use]
    pub fn tasks_to_restart(
        &self,
        failed: SubtaskIndex,
        lost: &BTreeSet<SubtaskIndex>,
    ) -> Vec<SubtaskIndex> {
        let mut restarted = BTreeSet::new();
        let mut open = vec![self.region_of(failed)];
        while let Some(region) = open.pop() {
            if !restarted.insert(region) {
                continue;
            }
            let after = self.blocking.iter().filter(|(from, _)| *from == region);
            open.extend(after.map(|(_, to)| *to));
            let before =
                self.consumed.iter().filter(|(to, from)| *to == region && lost.contains(from));
            open.extend(before.map(|(_, from)| self.region_of(*from)));
        }
        let tasks = (0..self.region.len()).map(SubtaskIndex::at);
        tasks.filter(|task| restarted.contains(&self.region_of(*task))).collect()
    }

    fn region_of(&self, task: SubtaskIndex) -> SubtaskIndex {
        self.region[task.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::DistributionPattern;

    /// Flink's rule: a result that is lost has to be produced again.
    #[test]
    fn a_lost_result_takes_its_producer_along() {
        let mut topology = SchedulingTopology::new(&[1, 1, 1]);
        topology.connect((0, 1), DistributionPattern::Pointwise, Exchange::Blocking);
        topology.connect((1, 2), DistributionPattern::Pointwise, Exchange::Blocking);
        let regions = FailoverRegions::of(&topology);
        let (a, b, c) = (SubtaskIndex(0), SubtaskIndex(1), SubtaskIndex(2));
        assert_eq!(regions.tasks_to_restart(b, &BTreeSet::new()), [b, c]);
        assert_eq!(regions.tasks_to_restart(b, &BTreeSet::from([a])), [a, b, c]);
        assert_eq!(regions.tasks_to_restart(c, &BTreeSet::new()), [c]);
    }
}
