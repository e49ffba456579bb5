//! The job as it runs: every subtask and every channel by number, with the
//! names that files, traces and people use.
//!
//! Source of the words: Flink `ExecutionGraph`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ids::{ChannelIndex, EdgeIndex, OperatorIndex, SplitIndex, SubtaskIndex};
use super::job::{Edge, JobGraph, JoinSide, OperatorKind, Partitioner, Split};
use super::key::{Key, KeySelector, key_group, key_group_owner};
use super::time::Delay;
use super::value::Record;

/// Subtasks and channels of a job, in dense tables.
///
/// Subtasks are numbered operator by operator; channels edge by edge, then by
/// sender, then by receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExecutionGraph {
    /// The job that it is an expansion of.
    pub job: JobGraph,
    /// Every parallel instance of every operator.
    pub subtasks: Vec<Subtask>,
    /// Every connection.
    pub channels: Vec<Channel>,
    /// Every split of every source.
    pub splits: Vec<SplitPlace>,
}

/// One parallel instance of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subtask {
    /// The operator.
    pub operator: OperatorIndex,
    /// Its position among the operator's subtasks, from 0.
    pub position: u32,
    /// Its name in files and traces: `sum[odd]`, `sum[0]`, or just `sum` when
    /// it is the only one.
    pub name: String,
    /// Incoming channels in the order of the edges, then of the senders. The
    /// position here is Flink's channel index at the gate.
    pub inputs: Vec<ChannelIndex>,
    /// Outgoing edges in the order of the scenario file.
    pub outputs: Vec<Output>,
    /// Splits that a source subtask reads, in turn.
    pub splits: Vec<SplitIndex>,
}

/// One outgoing edge of a subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// The edge.
    pub edge: EdgeIndex,
    /// Which of its channels a record takes.
    pub partitioner: Partitioner,
    /// Whether unaligned barriers may travel on it.
    pub supports_unaligned: bool,
    /// Its channels, by receiving subtask. A forward edge has one.
    pub channels: Vec<ChannelIndex>,
    /// For a hash edge with bounded keys, the receiver of each key by
    /// [`KeySelector::position`]; else empty. One table for the whole edge.
    pub receivers: Arc<[u32]>,
}

/// The position, among the receivers of a hash edge, of the owner of a key.
fn owner(selector: &KeySelector, key: Key, parallelism: u32, max_parallelism: u32) -> u32 {
    let group = key_group(selector.hash_code(key), max_parallelism);
    key_group_owner(group, parallelism, max_parallelism)
}

/// One FIFO connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// The edge that it belongs to.
    pub edge: EdgeIndex,
    /// Sender.
    pub from: SubtaskIndex,
    /// Receiver.
    pub to: SubtaskIndex,
    /// Which input of a join it feeds.
    pub input: JoinSide,
    /// Its position among the receiver's inputs.
    pub input_position: u32,
    /// Its name in files and traces: `numbers[blue]->sum[odd]`; a second
    /// connection between the same two carries `#2`.
    pub name: String,
    /// Whether there is a network in between.
    pub kind: ChannelKind,
    /// How long an element is on the wire.
    pub latency: Delay,
    /// Records on the wire and in the receive queue, at most.
    pub credits: u32,
    /// Records in the sender's output buffer, at most, before the sender
    /// stops working.
    pub output_buffers: u32,
}

/// What lies between a sender and its receiver.
///
/// Source: Flink `RemoteInputChannel`, `LocalInputChannel`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelKind {
    /// A network: elements are on a wire for a while, and wait in a queue at
    /// the receiver.
    #[default]
    Remote,
    /// Nothing: the receiver takes straight from the sender's output buffer.
    Local,
}

/// A split, and where it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SplitPlace {
    /// The source.
    pub operator: OperatorIndex,
    /// The subtask that reads it.
    pub subtask: SubtaskIndex,
    /// Its position in the source's list.
    pub position: u32,
}

impl ExecutionGraph {
    /// Expands a job into subtasks and channels.
    ///
    /// # Panics
    /// When the job breaks a rule of [`JobGraph`]; the loader never lets such
    /// a job through.
    #[must_use]
    pub fn expand(job: JobGraph) -> Self {
        let mut graph = Self::default();
        let mut first_subtask = Vec::new();
        for (operator, spec) in job.operators.iter().enumerate() {
            first_subtask.push(graph.subtasks.len());
            for (position, subtask) in spec.subtasks.iter().enumerate() {
                let name = if spec.parallelism == 1 && subtask.name == "0" {
                    spec.name.clone()
                } else {
                    format!("{}[{}]", spec.name, subtask.name)
                };
                graph.subtasks.push(Subtask {
                    operator: OperatorIndex::at(operator),
                    position: position as u32,
                    name,
                    inputs: Vec::new(),
                    outputs: Vec::new(),
                    splits: Vec::new(),
                });
            }
        }
        graph.job = job;
        graph.place_splits(&first_subtask);
        for edge in 0..graph.job.edges.len() {
            graph.connect(EdgeIndex::at(edge), &first_subtask);
        }
        graph
    }

    fn place_splits(&mut self, first_subtask: &[usize]) {
        for (operator, spec) in self.job.operators.iter().enumerate() {
            let OperatorKind::Source { splits, .. } = &spec.kind else { continue };
            for position in 0..splits.len() {
                let subtask = first_subtask[operator] + position % spec.parallelism as usize;
                self.subtasks[subtask].splits.push(SplitIndex::at(self.splits.len()));
                self.splits.push(SplitPlace {
                    operator: OperatorIndex::at(operator),
                    subtask: SubtaskIndex::at(subtask),
                    position: position as u32,
                });
            }
        }
    }

    /// Lets the subtasks of sources read other splits: each subtask those of
    /// its list, in turn. What a list does not name stays where it is.
    pub fn reassign_splits(&mut self, readers: &BTreeMap<SubtaskIndex, Vec<SplitIndex>>) {
        for (subtask, splits) in readers {
            self.subtasks[subtask.index()].splits.clone_from(splits);
            for split in splits {
                self.splits[split.index()].subtask = *subtask;
            }
        }
    }

    fn connect(&mut self, edge: EdgeIndex, first_subtask: &[usize]) {
        let spec = self.job.edges[edge.index()].clone();
        let n_from = self.job.operators[spec.from.index()].parallelism as usize;
        // Of two latencies for one channel, the later one wins.
        let own_latency: BTreeMap<(u32, u32), &Delay> =
            spec.channel_latency.iter().map(|(s, r, own)| ((*s, *r), own)).collect();
        let receiver = &self.job.operators[spec.to.index()];
        let (n_to, max_parallelism) = (receiver.parallelism as usize, receiver.max_parallelism);
        let receivers_of_keys: Arc<[u32]> = match &spec.partitioner {
            Partitioner::Hash(selector) => (0..selector.n_keys().unwrap_or(0))
                .map(|place| owner(selector, selector.key_at(place), n_to as u32, max_parallelism))
                .collect(),
            _ => Arc::default(),
        };
        // Flink 1.20: StreamingJobGraphGenerator: if one input of a node cannot
        // carry unaligned barriers, none does.
        let supports_unaligned = {
            let mut inputs = self.job.edges.iter().filter(|edge| edge.to == spec.to);
            inputs.all(|edge| edge.partitioner.supports_unaligned())
        };
        for sender in 0..n_from {
            let receivers = match spec.partitioner {
                Partitioner::Forward => sender..sender + 1,
                _ => 0..n_to,
            };
            let from = SubtaskIndex::at(first_subtask[spec.from.index()] + sender);
            let mut channels = Vec::new();
            for receiver in receivers {
                let to = SubtaskIndex::at(first_subtask[spec.to.index()] + receiver);
                let channel = ChannelIndex::at(self.channels.len());
                let own_latency = own_latency.get(&(sender as u32, receiver as u32));
                let latency = own_latency.map_or(&spec.latency, |own| *own).clone();
                self.channels.push(Channel {
                    edge,
                    from,
                    to,
                    input: spec.input,
                    input_position: self.subtasks[to.index()].inputs.len() as u32,
                    name: self.channel_name(from, to),
                    kind: spec.kind,
                    latency,
                    credits: spec.credits,
                    output_buffers: spec.output_buffers,
                });
                self.subtasks[to.index()].inputs.push(channel);
                channels.push(channel);
            }
            self.subtasks[from.index()].outputs.push(Output {
                edge,
                partitioner: spec.partitioner.clone(),
                supports_unaligned,
                channels,
                receivers: receivers_of_keys.clone(),
            });
        }
    }

    fn channel_name(&self, from: SubtaskIndex, to: SubtaskIndex) -> String {
        let pair =
            format!("{}->{}", self.subtasks[from.index()].name, self.subtasks[to.index()].name);
        let channels =
            self.subtasks[to.index()].inputs.iter().map(|input| &self.channels[input.index()]);
        let before = channels.filter(|channel| channel.from == from).count();
        if before == 0 { pair } else { format!("{pair}#{}", before + 1) }
    }

    /// The operator of a subtask.
    #[inline(always)]
    #[must_use]
    pub fn operator(&self, subtask: SubtaskIndex) -> &super::job::Operator {
        &self.job.operators[self.subtasks[subtask.index()].operator.index()]
    }

    /// What the author says of a subtask.
    #[inline]
    #[must_use]
    pub fn spec(&self, subtask: SubtaskIndex) -> &super::job::SubtaskSpec {
        let place = &self.subtasks[subtask.index()];
        &self.job.operators[place.operator.index()].subtasks[place.position as usize]
    }

    /// A split by number.
    #[inline]
    #[must_use]
    pub fn split(&self, split: SplitIndex) -> &Split {
        let place = &self.splits[split.index()];
        match &self.job.operators[place.operator.index()].kind {
            OperatorKind::Source { splits, .. } => &splits[place.position as usize],
            _ => unreachable!("only sources have splits"),
        }
    }

    /// Every subtask, in order.
    pub fn subtask_indices(&self) -> impl DoubleEndedIterator<Item = SubtaskIndex> + use<> {
        (0..self.subtasks.len()).map(SubtaskIndex::at)
    }

    /// Every channel, in order.
    pub fn channel_indices(&self) -> impl DoubleEndedIterator<Item = ChannelIndex> + use<> {
        (0..self.channels.len()).map(ChannelIndex::at)
    }

    /// Whether a subtask needs time to copy its state for a snapshot.
    #[must_use]
    pub fn takes_sync_time(&self, subtask: SubtaskIndex) -> bool {
        !self.spec(subtask).sync.is_none()
    }

    /// Whether a subtask is one of a source.
    #[must_use]
    pub fn is_source(&self, subtask: SubtaskIndex) -> bool {
        matches!(self.operator(subtask).kind, OperatorKind::Source { .. })
    }

    /// The selector by which the keys that a record carries were made: that of
    /// the nearest keyed operator upstream of (or at) an operator.
    #[must_use]
    pub fn keys_of(&self, operator: OperatorIndex) -> Option<&KeySelector> {
        let kind = &self.job.operators[operator.index()].kind;
        // The records of a broadcast process keep the keys that they came with.
        if kind.has_keyed_state() {
            return kind.key_selector();
        }
        let is_upstream = |edge: &&Edge| edge.to == operator && edge.input == JoinSide::Left;
        let upstream = self.job.edges.iter().find(is_upstream)?;
        self.keys_of(upstream.from)
    }

    /// The receivers of a record on an outgoing edge of a subtask, in order:
    /// one, or all on a broadcast edge.
    ///
    /// `n_sent` is the number of records that the subtask has sent on the edge
    /// in this attempt, which is what a rebalance goes by.
    #[inline(always)]
    #[must_use]
    pub fn route(&self, output: &Output, sender: u32, record: &Record, n_sent: u64) -> Route {
        let n = output.channels.len() as u64;
        match &output.partitioner {
            Partitioner::Forward => Route::One(0),
            Partitioner::Hash(selector) => match selector.place(record.value) {
                Some(place) => Route::One(output.receivers[place]),
                None => {
                    let to = self.job.edges[output.edge.index()].to;
                    let max_parallelism = self.job.operators[to.index()].max_parallelism;
                    let key = selector.key(record.value);
                    Route::One(owner(selector, key, n as u32, max_parallelism))
                }
            },
            Partitioner::Rebalance => Route::One(((u64::from(sender) + n_sent) % n) as u32),
            Partitioner::Broadcast => Route::All,
            Partitioner::Modulo => Route::One(record.value.number().rem_euclid(n as i64) as u32),
        }
    }
}

/// Who gets a record, by position in [`Output::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// One receiver.
    One(u32),
    /// Every receiver.
    All,
}
