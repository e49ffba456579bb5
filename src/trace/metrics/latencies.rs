//! How long records take from the source to the outside: of some of them, so
//! that the room does not grow with the run.
//!
//! The time counts from the first time that a record is read, so what a
//! failure costs is in it, until its first result is published: at once at
//! most sinks, with the commit at a transactional one.
//!
//! Source of the idea: Flink's `LatencyMarker`.

use std::collections::BTreeMap;

use crate::model::{
    Attempt, ExecutionGraph, Micros, OperatorKind, Record, SinkKind, SplitIndex, SubtaskIndex,
    Time, TransactionId,
};
use crate::trace::Fact;

/// A record of the input.
type Input = (SplitIndex, u32);

/// Follows some records through the job.
#[derive(Clone, Debug)]
pub(super) struct Latencies {
    /// Of each split every so-manieth record is followed.
    every: u32,
    /// Those on their way: when they were read, and whether a sink has them.
    read: BTreeMap<Input, (Time, bool)>,
    /// By transaction: those written into it.
    written: BTreeMap<TransactionId, Vec<Input>>,
    /// By subtask: the open transaction of a sink.
    open: Vec<TransactionId>,
}

/// How long a record took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Latency {
    /// To its sink.
    Written(Micros),
    /// To the outside.
    Published(Micros),
}

impl Latencies {
    /// The most records that are followed at the same time.
    const FOLLOWED_MAX: usize = 4096;

    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let first = |subtask| TransactionId { subtask, attempt: Attempt(1), number: 1 };
        Self {
            every: 1,
            read: BTreeMap::new(),
            written: BTreeMap::new(),
            open: graph.subtask_indices().map(first).collect(),
        }
    }

    /// Takes a fact in, and tells of each record that is through.
    pub(super) fn observe(
        &mut self,
        (graph, at): (&ExecutionGraph, Time),
        fact: &Fact,
        tell: &mut dyn FnMut(Latency),
    ) {
        match fact {
            Fact::Read { record, .. } if record.id.offset.is_multiple_of(self.every) => {
                self.read.entry(input(record)).or_insert((at, false));
                while self.read.len() > Self::FOLLOWED_MAX {
                    self.thin();
                }
            }
            Fact::Processed { task, record, .. } => {
                let OperatorKind::Sink(kind) = graph.operator(*task).kind else { return };
                let Some((since, is_written)) = self.read.get_mut(&input(record)) else { return };
                let latency = Micros(at.0 - since.0);
                if !std::mem::replace(is_written, true) {
                    tell(Latency::Written(latency));
                }
                if kind == SinkKind::Transactional {
                    let open = self.open[task.index()];
                    self.written.entry(open).or_default().push(input(record));
                } else {
                    tell(Latency::Published(latency));
                    self.read.remove(&input(record));
                }
            }
            Fact::TransactionBegun { transaction } => {
                self.open[transaction.subtask.index()] = *transaction;
            }
            Fact::TransactionCommitted { transaction, .. } => {
                for input in self.written.remove(transaction).unwrap_or_default() {
                    if let Some((since, _)) = self.read.remove(&input) {
                        tell(Latency::Published(Micros(at.0 - since.0)));
                    }
                }
            }
            Fact::TransactionAborted { transaction, .. } => {
                self.written.remove(transaction);
            }
            Fact::Crashed { tasks } => tasks.iter().for_each(|task| self.forget_open(*task)),
            _ => {}
        }
    }

    /// What was written into a transaction that is gone is not published.
    fn forget_open(&mut self, task: SubtaskIndex) {
        let open = self.open[task.index()];
        self.written.remove(&open);
    }

    /// Follows half as many from now on.
    fn thin(&mut self) {
        self.every *= 2;
        let every = self.every;
        let is_followed = |input: &Input| input.1.is_multiple_of(every);
        self.read.retain(|input, _| is_followed(input));
        self.written.values_mut().for_each(|inputs| inputs.retain(is_followed));
    }
}

fn input(record: &Record) -> Input {
    (record.id.split, record.id.offset)
}
