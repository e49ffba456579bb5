//! What barriers are called where it matters how they behave.

use super::names::Names;
use crate::model::{
    AlignmentType, Barrier, ChannelIndex, CheckpointId, Language, Partitioner, SubtaskIndex,
};

impl Names<'_> {
    /// "unaligned barrier 2"; "aligned barrier 2" where the checkpoint is
    /// unaligned and the edge is not; else "barrier 2".
    #[must_use]
    pub fn kind_of_barrier(&self, alignment: AlignmentType, checkpoint: CheckpointId) -> String {
        let bare = self.barrier(checkpoint);
        match (alignment, self.language) {
            (AlignmentType::Unaligned, Language::En) => format!("unaligned {bare}"),
            (AlignmentType::Unaligned, Language::Zh) => format!("非对齐{bare}"),
            (AlignmentType::ForcedAligned, Language::En) => format!("aligned {bare}"),
            (AlignmentType::ForcedAligned, Language::Zh) => format!("对齐{bare}"),
            (AlignmentType::Aligned | AlignmentType::AtLeastOnce, _) => bare,
        }
    }

    /// A channel's barrier by its sender and its kind: "yellow’s unaligned
    /// barrier 2".
    #[must_use]
    pub fn kind_of_barrier_of(&self, channel: ChannelIndex, barrier: &Barrier) -> String {
        let sender = self.of_task(self.scenario.graph.channels[channel.index()].from);
        let kind = self.kind_of_barrier(barrier.options.alignment, barrier.checkpoint);
        match self.language {
            Language::En => format!("{sender} {kind}"),
            Language::Zh => format!("{sender}{kind}"),
        }
    }

    /// Whose something is, of several: "blue’s and yellow’s".
    #[must_use]
    pub fn of_tasks(&self, tasks: &[SubtaskIndex]) -> String {
        match self.language {
            Language::En => {
                let owners: Vec<String> = tasks.iter().map(|task| self.of_task(*task)).collect();
                self.list(&owners)
            }
            Language::Zh => format!("{}的", self.tasks(tasks)),
        }
    }

    /// The edge of a channel by its partitioner: "a forward edge".
    #[must_use]
    pub fn kind_of_edge(&self, channel: ChannelIndex) -> String {
        let graph = &self.scenario.graph;
        let edge = &graph.job.edges[graph.channels[channel.index()].edge.index()];
        let word = match &edge.partitioner {
            Partitioner::Forward => "forward",
            Partitioner::Hash(_) => "hash",
            Partitioner::Rebalance => "rebalance",
            Partitioner::Broadcast => "broadcast",
            Partitioner::Modulo => match self.language {
                Language::En => "custom",
                Language::Zh => "自定义分区",
            },
        };
        match self.language {
            Language::En => format!("a {word} edge"),
            Language::Zh => format!("{word} 边"),
        }
    }
}
