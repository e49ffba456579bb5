//! Orders that come to the same, left out.
//!
//! Of the lanes whose head may happen, a part that nothing else can interfere
//! with is enough (an *ample set*): everything else happens afterwards just as
//! well. In a job whose graph has no cycle,
//!
//! - an acknowledgement that is not the last one only counts;
//! - a task that is no sink learns of a complete checkpoint, and does nothing;
//! - what a source does depends on nobody downstream, as long as nothing is
//!   backed up: so sources go first, in every order among each other and with
//!   the requests for checkpoints;
//! - then a task whose senders have nothing to do any more.
//!
//! Crashes are never left out: each is tried in every state that is looked at.
//! That no verdict and no outcome gets lost is not proven here but compared, on
//! small jobs of every kind, with the search that leaves nothing out
//! (`tests/explore`).
//!
//! Source: Peled, "All from one, one for all" (CAV 1993), for the idea.

use crate::cluster::{Lane, Lanes, Outlook, Places};
use crate::model::{ExecutionGraph, OperatorKind, Scenario, SubtaskIndex};

/// Who may go first.
pub(super) struct Reduction {
    lanes: Lanes,
    places: Places,
    /// By task.
    tasks: Vec<Neighbourhood>,
    /// By channel: the task at its end.
    receivers: Vec<SubtaskIndex>,
    /// Tasks that are no sources, with those before them in front.
    downstream: Vec<SubtaskIndex>,
}

/// What matters of a task.
struct Neighbourhood {
    role: Role,
    senders: Vec<SubtaskIndex>,
    /// Where its letters are.
    letters: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Source,
    Operator,
    Sink,
}

impl Reduction {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let graph = &scenario.graph;
        let places = Places::of(graph);
        let tasks = graph.subtask_indices().map(|task| Neighbourhood {
            role: match graph.operator(task).kind {
                OperatorKind::Source { .. } => Role::Source,
                OperatorKind::Sink(_) => Role::Sink,
                _ => Role::Operator,
            },
            senders: senders(graph, task),
            letters: places.letters(task),
        });
        let tasks: Vec<Neighbourhood> = tasks.collect();
        let mut downstream: Vec<SubtaskIndex> = Vec::new();
        let waiting = || graph.subtask_indices().filter(|t| tasks[t.index()].role != Role::Source);
        while downstream.len() < waiting().count() {
            let next = waiting().find(|task| {
                let known = |sender: &SubtaskIndex| {
                    downstream.contains(sender) || tasks[sender.index()].role == Role::Source
                };
                !downstream.contains(task) && senders(graph, *task).iter().all(known)
            });
            downstream.push(next.expect("a job's graph has no cycle"));
        }
        let receivers = graph.channels.iter().map(|channel| channel.to).collect();
        Self { lanes: Lanes::of(scenario), places, tasks, receivers, downstream }
    }

    fn is_backed_up<'a>(&self, outlook: &impl Fn(usize) -> &'a Outlook) -> bool {
        (0..self.tasks.len() + self.receivers.len()).any(|place| outlook(place).is_backed_up)
    }

    /// Leaves lanes out of those that may happen; `outlook` says what is known
    /// of a part.
    pub(super) fn reduce<'a>(&self, open: &mut Vec<u32>, outlook: impl Fn(usize) -> &'a Outlook) {
        let keep: Option<Vec<u32>> = self
            .harmless_letter(open, &outlook)
            .map(|lane| vec![lane])
            .or_else(|| self.sources(open, &outlook))
            .or_else(|| self.settled_task(open, &outlook));
        if let Some(keep) = keep {
            open.retain(|lane| {
                keep.contains(lane) || matches!(self.lanes.lane(*lane), Lane::Fault(_))
            });
        }
    }

    /// A letter that changes nothing but a count.
    fn harmless_letter<'a>(
        &self,
        open: &[u32],
        outlook: &impl Fn(usize) -> &'a Outlook,
    ) -> Option<u32> {
        open.iter().copied().find(|lane| match self.lanes.lane(*lane) {
            Lane::ToTask(task) => {
                let own = &self.tasks[task.index()];
                own.role == Role::Operator && outlook(own.letters).notifies
            }
            Lane::ToJobManager(task) => {
                let acknowledged = outlook(self.tasks[task.index()].letters).acknowledges;
                let pending = &outlook(self.places.rest()).pending;
                let is_pending = |id| pending.iter().any(|(own, n)| *own == id && *n > 1);
                acknowledged.is_some_and(is_pending)
            }
            _ => false,
        })
    }

    /// The sources, with whatever asks for a checkpoint.
    fn sources<'a>(
        &self,
        open: &[u32],
        outlook: &impl Fn(usize) -> &'a Outlook,
    ) -> Option<Vec<u32>> {
        if self.is_backed_up(outlook) {
            return None;
        }
        let rest = outlook(self.places.rest());
        let (mut n_requests, mut kept, mut source_acts) = (0, Vec::new(), false);
        for lane in open {
            match self.lanes.lane(*lane) {
                Lane::Trigger(_) | Lane::Interval => {
                    n_requests += 1;
                    kept.push(*lane);
                }
                Lane::Expiry | Lane::Cancel | Lane::Restart | Lane::Restore(_) => return None,
                Lane::Subtask(task) | Lane::ToTask(task) | Lane::Sync(task) | Lane::Store(task)
                    if self.tasks[task.index()].role == Role::Source =>
                {
                    source_acts = true;
                    kept.push(*lane);
                }
                _ => {}
            }
        }
        // A request that has to wait for another checkpoint depends on what comes
        // of that one.
        let waits = n_requests > 0 && !rest.pending.is_empty() || n_requests > 1;
        (source_acts && !waits && rest.n_queued == 0).then_some(kept)
    }

    /// A task that is no sink, and to which nothing comes that is not there.
    fn settled_task<'a>(
        &self,
        open: &[u32],
        outlook: &impl Fn(usize) -> &'a Outlook,
    ) -> Option<Vec<u32>> {
        if self.is_backed_up(outlook) {
            return None;
        }
        let lanes: Vec<(u32, Lane)> =
            open.iter().map(|lane| (*lane, self.lanes.lane(*lane))).collect();
        let interferes = |lane: &Lane| {
            matches!(
                lane,
                Lane::Trigger(_)
                    | Lane::Interval
                    | Lane::Expiry
                    | Lane::Cancel
                    | Lane::Restart
                    | Lane::Restore(_)
            )
        };
        if lanes.iter().any(|(_, lane)| interferes(lane)) {
            return None;
        }
        let of = |task: SubtaskIndex| {
            lanes.iter().filter(move |(_, lane)| self.doer(*lane) == Some(task))
        };
        let operators = self.downstream.iter().copied();
        let mut operators =
            operators.filter(|task| self.tasks[task.index()].role == Role::Operator);
        let first = operators.find(|task| of(*task).next().is_some())?;
        let is_quiet = |sender: &SubtaskIndex| of(*sender).next().is_none();
        let all_quiet = self.tasks[first.index()].senders.iter().all(is_quiet);
        all_quiet.then(|| of(first).map(|(lane, _)| *lane).collect())
    }

    /// Whose step the head of a lane is.
    fn doer(&self, lane: Lane) -> Option<SubtaskIndex> {
        match lane {
            Lane::Channel(channel) => Some(self.receivers[channel.index()]),
            Lane::Subtask(task)
            | Lane::InputTimer(task)
            | Lane::OutputTimer(task)
            | Lane::Sync(task)
            | Lane::Store(task)
            | Lane::ToTask(task) => Some(task),
            _ => None,
        }
    }
}

fn senders(graph: &ExecutionGraph, task: SubtaskIndex) -> Vec<SubtaskIndex> {
    let inputs = &graph.subtasks[task.index()].inputs;
    inputs.iter().map(|channel| graph.channels[channel.index()].from).collect()
}
