//! Orders that come to the same, left out.
//!
//! Of the heads that may happen, a part is enough that nothing else can get in
//! the way of, whatever happens before it (a *persistent set*): everything else
//! happens afterwards just as well. Two events are independent if they touch no
//! channel, no task and no letter in common, other than one of them adding to
//! the end of a queue from whose front the other takes. So the heads of a task
//! are enough, as soon as
//!
//! - something is there on each of its inputs, or can only come through a task
//!   whose heads are taken in as well, or the input is blocked or over;
//! - no letter is to come from the JobManager that would matter to it: sources
//!   wait for requests, everyone else is only told what it need not know;
//! - it does not wait for room.
//!
//! And of the letters to the JobManager, an acknowledgement that is not the
//! last one only counts; that data has ended somewhere only counts as well, unless
//! a last checkpoint is asked for then.
//!
//! A crash wipes out whatever is in the tasks and channels; what is left of the
//! moment is what the JobManager knows, what is stored, and what the outside has
//! seen. So while a crash may come, a part must not show in these, and a crash
//! before it comes to the same as the crash after it. Whoever crashes, the whole
//! job restarts: one task is enough. Its news goes first: what happens in the
//! meantime can happen before. Where a rule is broken, or a crash would restart
//! a region only, crashes are tried in every state that is looked at.
//!
//! That no verdict and no outcome gets lost is not proven here but compared, on
//! small jobs of every kind, with the search that leaves nothing out
//! (`tests/explore`).
//!
//! Source: Godefroid, "Partial-Order Methods for the Verification of Concurrent
//! Systems" (1996), chapter 4; Valmari, "Stubborn sets for reduced state space
//! generation" (1991).

use crate::cluster::{Head, Lane, Lanes, Outlook, Places};
use crate::model::{
    ChannelIndex, ChannelKind, ExecutionGraph, FailoverStrategy, OperatorKind, Scenario, SinkKind,
    SnapshotType, SubtaskIndex,
};
use crate::trace::TaskStatus;

/// Who may go first.
pub(super) struct Reduction {
    lanes: Lanes,
    places: Places,
    /// By task.
    tasks: Vec<Neighbourhood>,
    /// By channel: the task at its end.
    receivers: Vec<usize>,
    /// How many requests for checkpoints the scenario has.
    n_requests: u32,
    /// How many of the faults are the scenario's own.
    n_own_faults: u32,
    /// Whether a crash comes to the same whoever crashes, and leaves nothing of
    /// tasks and channels.
    wipes_out: bool,
    /// Whether a timer decides what a barrier does.
    is_timed: bool,
    /// Whether the JobManager asks for a last checkpoint when data ends.
    asks_at_end: bool,
}

/// What matters of a task.
struct Neighbourhood {
    role: Role,
    inputs: Vec<Input>,
    /// Where its letters are.
    letters: usize,
}

/// A channel that leads to a task.
struct Input {
    lane: u32,
    place: usize,
    sender: usize,
    is_local: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Whether what it has read is gone.
    Source {
        replayable: bool,
    },
    Operator,
    /// Whether the outside sees at once what it gets.
    Sink {
        at_once: bool,
    },
}

/// A state: which heads may happen, and what is known of its parts.
struct Sight<'s, F> {
    /// In ascending order.
    open: &'s [u32],
    outlook: F,
    /// By task: its heads.
    heads: Vec<Vec<u32>>,
    /// The requests for a checkpoint.
    requests: Vec<u32>,
    /// Whether a source may still be asked for a checkpoint.
    may_ask: bool,
    /// Whether a checkpoint is pending, or a request waits: what is asked next, and
    /// whether that one completes, hangs on letters that are to come.
    waits_to_ask: bool,
}

/// Tasks whose heads are enough.
struct Closure {
    tasks: Vec<usize>,
    with_requests: bool,
}

impl Reduction {
    pub(super) fn new(scenario: &Scenario, n_own_faults: u32) -> Self {
        let graph = &scenario.graph;
        let (lanes, places) = (Lanes::of(scenario), Places::of(graph));
        let input = |channel: &ChannelIndex| Input {
            lane: lanes.number(Lane::Channel(*channel)),
            place: places.channel(*channel),
            sender: graph.channels[channel.index()].from.index(),
            is_local: graph.channels[channel.index()].kind == ChannelKind::Local,
        };
        let tasks = graph.subtask_indices().map(|task| Neighbourhood {
            role: match &graph.operator(task).kind {
                OperatorKind::Source { replayable, .. } => Role::Source { replayable: *replayable },
                OperatorKind::Sink(kind) => {
                    Role::Sink { at_once: *kind != SinkKind::Transactional }
                }
                _ => Role::Operator,
            },
            inputs: graph.subtasks[task.index()].inputs.iter().map(input).collect(),
            letters: places.letters(task),
        });
        let options = scenario.config.checkpoint_options(SnapshotType::Checkpoint);
        let restarts_all = scenario.config.failover == FailoverStrategy::Full || is_joined(graph);
        Self {
            lanes,
            places,
            tasks: tasks.collect(),
            receivers: graph.channels.iter().map(|channel| channel.to.index()).collect(),
            n_requests: scenario.triggers.len() as u32,
            n_own_faults,
            wipes_out: restarts_all && scenario.broken.is_empty(),
            is_timed: options.timeout().is_some(),
            asks_at_end: scenario.config.checkpoints_after_tasks_finish,
        }
    }

    /// Leaves lanes out of those that may happen, given in ascending order;
    /// `outlook` says what is known of a part.
    pub(super) fn reduce<'a>(&self, open: &mut Vec<u32>, outlook: impl Fn(usize) -> &'a Outlook) {
        self.take_one_request(open);
        if let Some(news) = self.news_of_a_death(open, &outlook) {
            open.retain(|lane| *lane == news || self.is_fault(*lane));
            return;
        }
        if self.wipes_out {
            self.take_one_crash(open, &outlook);
        }
        let interferes = |lane: &u32| {
            let lane = self.lanes.lane(*lane);
            matches!(lane, Lane::Expiry | Lane::Cancel | Lane::Restart | Lane::Restore(_))
        };
        if open.iter().any(interferes) {
            return;
        }
        let Some((enough, shows)) = self.enough(open, outlook) else { return };
        let hides_crash = self.wipes_out && !shows;
        open.retain(|lane| match self.lanes.lane(*lane) {
            Lane::Fault(fault) => fault < self.n_own_faults || !hides_crash,
            _ => enough.contains(lane),
        });
    }

    fn is_fault(&self, lane: u32) -> bool {
        matches!(self.lanes.lane(lane), Lane::Fault(fault) if fault < self.n_own_faults)
    }

    /// Of the scenario's requests for checkpoints, which are all alike, the first.
    fn take_one_request(&self, open: &mut Vec<u32>) {
        let mut has_one = false;
        open.retain(|lane| match self.lanes.lane(*lane) {
            Lane::Trigger(request) if request < self.n_requests => {
                !std::mem::replace(&mut has_one, true)
            }
            _ => true,
        });
    }

    /// The letters of a task that is dead.
    fn news_of_a_death<'a>(
        &self,
        open: &[u32],
        outlook: &impl Fn(usize) -> &'a Outlook,
    ) -> Option<u32> {
        if !self.wipes_out {
            return None;
        }
        open.iter().copied().find(|lane| match self.lanes.lane(*lane) {
            Lane::ToJobManager(task) => outlook(self.tasks[task.index()].letters).fails,
            _ => false,
        })
    }

    /// Of the crashes one: of a task that runs and has nothing more to say, if
    /// there is one.
    fn take_one_crash<'a>(&self, open: &mut Vec<u32>, outlook: &impl Fn(usize) -> &'a Outlook) {
        let crashed = |lane: &u32| match self.lanes.lane(*lane) {
            Lane::Fault(fault) => fault.checked_sub(self.n_own_faults).map(|task| task as usize),
            _ => None,
        };
        let running = open.iter().filter_map(crashed);
        let running = running.filter(|task| outlook(*task).status == Some(TaskStatus::Running));
        let n_letters = |task: &usize| outlook(self.tasks[*task].letters).n_to_job_manager;
        if let Some(one) = running.min_by_key(n_letters) {
            open.retain(|lane| crashed(lane).is_none_or(|task| task == one));
        }
    }

    /// The fewest heads that are enough, and whether they show in what a crash
    /// leaves; none: no fewer than all.
    fn enough<'a, F: Fn(usize) -> &'a Outlook>(
        &self,
        open: &[u32],
        outlook: F,
    ) -> Option<(Vec<u32>, bool)> {
        let sight = self.sight(open, outlook);
        if let Some(letter) = self.harmless_letter(&sight) {
            return Some((vec![letter], false));
        }
        let may_fail = open.iter().any(|lane| matches!(self.lanes.lane(*lane), Lane::Fault(_)));
        let mut best: Option<(Vec<u32>, bool)> = None;
        for task in (0..self.tasks.len()).filter(|task| !sight.heads[*task].is_empty()) {
            let Some(closure) = self.closure(&sight, task) else { continue };
            let mut lanes: Vec<u32> =
                closure.tasks.iter().flat_map(|task| &sight.heads[*task]).copied().collect();
            let mut shows = closure.tasks.iter().any(|task| self.shows(&sight, *task));
            if closure.with_requests {
                lanes.extend(&sight.requests);
                shows |= !sight.requests.is_empty();
            }
            if may_fail && shows && self.wipes_out {
                continue;
            }
            if best.as_ref().is_none_or(|(best, _)| lanes.len() < best.len()) {
                best = Some((lanes, shows));
            }
        }
        best
    }

    fn sight<'s, 'a, F: Fn(usize) -> &'a Outlook>(
        &self,
        open: &'s [u32],
        outlook: F,
    ) -> Sight<'s, F> {
        let (mut heads, mut requests) = (vec![Vec::new(); self.tasks.len()], Vec::new());
        for lane in open {
            match self.lanes.lane(*lane) {
                Lane::Trigger(_) | Lane::Interval => requests.push(*lane),
                own => {
                    if let Some(task) = self.doer(own) {
                        heads[task].push(*lane);
                    }
                }
            }
        }
        let rest = outlook(self.places.rest());
        let is_asking = !rest.pending.is_empty() || rest.n_queued > 0;
        Sight {
            open,
            heads,
            may_ask: !requests.is_empty() || rest.n_queued > 0,
            waits_to_ask: is_asking,
            requests,
            outlook,
        }
    }

    /// A letter that changes nothing but a count.
    fn harmless_letter<'a, F: Fn(usize) -> &'a Outlook>(
        &self,
        sight: &Sight<'_, F>,
    ) -> Option<u32> {
        sight.open.iter().copied().find(|lane| match self.lanes.lane(*lane) {
            Lane::ToTask(task) => {
                let own = &self.tasks[task.index()];
                let minds = match own.role {
                    Role::Source { .. } => {
                        self.asks_at_end || (sight.outlook)(task.index()).has_ended
                    }
                    Role::Operator => false,
                    Role::Sink { at_once } => self.asks_at_end || !at_once,
                };
                !minds && (sight.outlook)(own.letters).notifies
            }
            Lane::ToJobManager(task) => {
                let letters = (sight.outlook)(self.tasks[task.index()].letters);
                let pending = &(sight.outlook)(self.places.rest()).pending;
                let is_pending = |id| pending.iter().any(|(own, n)| *own == id && *n > 1);
                letters.acknowledges.is_some_and(is_pending)
                    || letters.reports_end && !self.asks_at_end
            }
            _ => false,
        })
    }

    /// A task with all those that could still get in its way; none if the
    /// JobManager could.
    fn closure<'a, F: Fn(usize) -> &'a Outlook>(
        &self,
        sight: &Sight<'_, F>,
        task: usize,
    ) -> Option<Closure> {
        let mut closure = Closure { tasks: vec![task], with_requests: false };
        let mut n_done = 0;
        while n_done < closure.tasks.len() {
            let task = closure.tasks[n_done];
            n_done += 1;
            let own = &self.tasks[task];
            let state = (sight.outlook)(task);
            if state.is_backed_up || self.is_timed && !self.is_timeless(sight, task) {
                return None;
            }
            if let Role::Source { .. } = own.role {
                let is_asked =
                    sight.has(self.lanes.number(Lane::ToTask(SubtaskIndex(task as u32))));
                if !is_asked && sight.may_ask {
                    if sight.waits_to_ask {
                        return None;
                    }
                    closure.with_requests = true;
                    // Who is done need not be asked: a request comes before or
                    // after that.
                    for source in self.sources() {
                        let state = (sight.outlook)(source);
                        if state.has_ended {
                            return None;
                        }
                        if !closure.tasks.contains(&source) {
                            closure.tasks.push(source);
                        }
                    }
                }
                continue;
            }
            // Who is done by then need not be asked, does not commit, and when all
            // are, no letter counts any more.
            let minds_letters = || {
                let mut others = (0..self.tasks.len()).filter(|other| *other != task);
                own.role == Role::Sink { at_once: false }
                    || others.all(|other| self.is_done(sight, other))
            };
            let minds_requests = sight.may_ask || self.asks_at_end;
            if (minds_requests || sight.waits_to_ask && minds_letters())
                && self.may_finish(sight, task)
            {
                return None;
            }
            for input in &own.inputs {
                let channel = (sight.outlook)(input.place);
                let is_there = !input.is_local && sight.has(input.lane);
                let is_over = self.is_done(sight, input.sender);
                if !is_there
                    && !channel.is_blocked
                    && !is_over
                    && !closure.tasks.contains(&input.sender)
                {
                    closure.tasks.push(input.sender);
                }
            }
        }
        Some(closure)
    }

    fn is_done<'a, F: Fn(usize) -> &'a Outlook>(&self, sight: &Sight<'_, F>, task: usize) -> bool {
        (sight.outlook)(task).status == Some(TaskStatus::Finished)
    }

    fn sources(&self) -> impl Iterator<Item = usize> {
        let is_source = |task: &usize| matches!(self.tasks[*task].role, Role::Source { .. });
        (0..self.tasks.len()).filter(is_source)
    }

    /// Whether the time decides nothing of what a task does next.
    fn is_timeless<'a, F: Fn(usize) -> &'a Outlook>(
        &self,
        sight: &Sight<'_, F>,
        task: usize,
    ) -> bool {
        let is_source = matches!(self.tasks[task].role, Role::Source { .. });
        sight.heads[task].iter().all(|lane| match self.lanes.lane(*lane) {
            Lane::Channel(channel) => {
                (sight.outlook)(self.places.channel(channel)).head == Some(Head::Record)
            }
            Lane::Subtask(_) => is_source,
            _ => false,
        })
    }

    /// Whether a task that is no source may be done after its next step.
    fn may_finish<'a, F: Fn(usize) -> &'a Outlook>(
        &self,
        sight: &Sight<'_, F>,
        task: usize,
    ) -> bool {
        sight.heads[task].iter().any(|lane| match self.lanes.lane(*lane) {
            Lane::Channel(channel) => {
                (sight.outlook)(self.places.channel(channel)).head == Some(Head::End)
            }
            _ => (sight.outlook)(task).has_ended,
        })
    }

    /// Whether a crash leaves something of what a task does next.
    fn shows<'a, F: Fn(usize) -> &'a Outlook>(&self, sight: &Sight<'_, F>, task: usize) -> bool {
        match self.tasks[task].role {
            Role::Source { replayable } => !replayable,
            Role::Operator => false,
            Role::Sink { at_once } => {
                sight.heads[task].iter().any(|lane| match self.lanes.lane(*lane) {
                    Lane::Channel(channel) => {
                        match (sight.outlook)(self.places.channel(channel)).head {
                            Some(Head::Record) => at_once,
                            Some(Head::Barrier) => false,
                            Some(Head::End) | None => true,
                        }
                    }
                    Lane::Sync(_) | Lane::Store(_) => false,
                    _ => true,
                })
            }
        }
    }

    /// Whose step the head of a lane is.
    fn doer(&self, lane: Lane) -> Option<usize> {
        match lane {
            Lane::Channel(channel) => Some(self.receivers[channel.index()]),
            Lane::Subtask(task)
            | Lane::InputTimer(task)
            | Lane::OutputTimer(task)
            | Lane::Sync(task)
            | Lane::Store(task)
            | Lane::ToTask(task) => Some(task.index()),
            _ => None,
        }
    }
}

impl<F> Sight<'_, F> {
    fn has(&self, lane: u32) -> bool {
        self.open.binary_search(&lane).is_ok()
    }
}

/// Whether each task is joined to each other by channels, in whatever direction.
fn is_joined(graph: &ExecutionGraph) -> bool {
    let mut joined: Vec<usize> = (0..graph.subtasks.len()).collect();
    for channel in &graph.channels {
        let (one, other) = (joined[channel.from.index()], joined[channel.to.index()]);
        joined.iter_mut().filter(|own| **own == other).for_each(|own| *own = one);
    }
    joined.windows(2).all(|pair| pair[0] == pair[1])
}
