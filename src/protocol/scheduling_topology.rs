//! Which task takes its input from which: all that the JobManager has to know
//! of a job to plan a checkpoint or a restart.
//!
//! Source: Flink `SchedulingTopology`.

use std::ops::Range;

use crate::model::{ExecutionGraph, SubtaskIndex};

/// Tasks by vertex, and what each of them consumes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SchedulingTopology {
    vertices: Vec<Vertex>,
    /// By task.
    inputs: Vec<Vec<Consumed>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Vertex {
    first: u32,
    parallelism: u32,
    state: OperatorStateKind,
}

/// What a task consumes of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Consumed {
    /// Whose result.
    pub from: SubtaskIndex,
    /// How it comes.
    pub exchange: Exchange,
}

/// How a result comes to its consumers.
///
/// Source: Flink `ResultPartitionType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exchange {
    /// Record by record, while it is produced.
    Pipelined,
    /// As a whole, which is kept after it is complete.
    Blocking,
}

/// Which subtasks of two vertices are connected.
///
/// Source: Flink `DistributionPattern`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DistributionPattern {
    /// Every one with every one.
    AllToAll,
    /// Each with the nearest.
    Pointwise,
}

/// What kind of operator state a vertex keeps, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperatorStateKind {
    /// None that every subtask needs in full.
    #[default]
    Ordinary,
    /// A list of which every subtask gets everything at a restore.
    UnionList,
}

impl SchedulingTopology {
    /// Vertices with so many tasks each, not yet connected.
    #[must_use]
    pub fn new(parallelisms: &[u32]) -> Self {
        let mut topology = Self::default();
        for parallelism in parallelisms {
            let first = topology.inputs.len() as u32;
            let state = OperatorStateKind::Ordinary;
            topology.vertices.push(Vertex { first, parallelism: *parallelism, state });
            topology.inputs.extend((0..*parallelism).map(|_| Vec::new()));
        }
        topology
    }

    /// The topology of a job as the simulator runs it: every channel is
    /// pipelined.
    #[must_use]
    pub fn of(graph: &ExecutionGraph) -> Self {
        let operators = graph.job.operators.iter();
        let mut topology = Self::new(&operators.map(|o| o.parallelism).collect::<Vec<_>>());
        for (vertex, operator) in topology.vertices.iter_mut().zip(&graph.job.operators) {
            if operator.kind.has_union_list() {
                vertex.state = OperatorStateKind::UnionList;
            }
        }
        for channel in &graph.channels {
            let consumed = Consumed { from: channel.from, exchange: Exchange::Pipelined };
            topology.inputs[channel.to.index()].push(consumed);
        }
        topology
    }

    /// Connects two vertices.
    ///
    /// # Panics
    /// When there is no such vertex.
    // Flink 1.20: VertexInputInfoComputationUtils.computeVertexInputInfoForPointwise.
    pub fn connect(
        &mut self,
        vertices: (usize, usize),
        pattern: DistributionPattern,
        exchange: Exchange,
    ) {
        let (from, to) = (self.vertices[vertices.0], self.vertices[vertices.1]);
        let (n_from, n_to) = (u64::from(from.parallelism), u64::from(to.parallelism));
        for receiver in 0..n_to {
            let senders = match pattern {
                DistributionPattern::AllToAll => 0..n_from,
                DistributionPattern::Pointwise if n_from >= n_to => {
                    receiver * n_from / n_to..(receiver + 1) * n_from / n_to
                }
                DistributionPattern::Pointwise => {
                    let sender = receiver * n_from / n_to;
                    sender..sender + 1
                }
            };
            let inputs = &mut self.inputs[to.first as usize + receiver as usize];
            inputs.extend(senders.map(|sender| Consumed {
                from: SubtaskIndex(from.first + sender as u32),
                exchange,
            }));
        }
    }

    /// Says what kind of state a vertex keeps.
    ///
    /// # Panics
    /// When there is no such vertex.
    pub fn set_state(&mut self, vertex: usize, state: OperatorStateKind) {
        self.vertices[vertex].state = state;
    }

    /// How many tasks there are.
    #[must_use]
    pub fn n_tasks(&self) -> usize {
        self.inputs.len()
    }

    /// Every task, vertex by vertex.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = SubtaskIndex> + use<> {
        (0..self.inputs.len()).map(SubtaskIndex::at)
    }

    /// What a task consumes.
    #[must_use]
    pub fn inputs(&self, task: SubtaskIndex) -> &[Consumed] {
        &self.inputs[task.index()]
    }

    /// The tasks of each vertex, with the kind of state that it keeps.
    pub fn vertices(&self) -> impl Iterator<Item = (Range<usize>, OperatorStateKind)> + use<'_> {
        self.vertices.iter().map(|vertex| {
            let first = vertex.first as usize;
            (first..first + vertex.parallelism as usize, vertex.state)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flink's rule: a contiguous share of the senders each, or one sender for
    /// a contiguous share of the receivers.
    #[test]
    fn pointwise_edges_connect_neighbours_evenly() {
        let cases: [(u32, u32, &[&[u32]]); 4] = [
            (2, 2, &[&[0], &[1]]),
            (4, 2, &[&[0, 1], &[2, 3]]),
            (2, 4, &[&[0], &[0], &[1], &[1]]),
            (3, 2, &[&[0], &[1, 2]]),
        ];
        for (n_from, n_to, expected) in cases {
            let mut topology = SchedulingTopology::new(&[n_from, n_to]);
            topology.connect((0, 1), DistributionPattern::Pointwise, Exchange::Pipelined);
            for (receiver, senders) in expected.iter().enumerate() {
                let inputs = topology.inputs(SubtaskIndex(n_from + receiver as u32));
                let inputs: Vec<_> = inputs.iter().map(|consumed| consumed.from.0).collect();
                assert_eq!(inputs, *senders, "{n_from} to {n_to}, receiver {receiver}");
            }
        }
    }
}
