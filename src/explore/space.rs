//! Where the search moves: a state is a row of numbers, and a lane leads from
//! one row to another.
//!
//! Most of two neighbouring states is the same. So each part of a cluster is
//! kept once, and a row has its number. What a lane's head does depends on a
//! few parts only: it is worked out once for each combination of these that is
//! met, by the very cluster that the simulator runs, and looked up from then
//! on.

use super::choices::{Choices, Find};
use super::fingerprint::{Bytes, Row};
use super::index::{Entered, Index};
use super::schedule::{late, takes_time};
use crate::cluster::{
    Cluster, Concerned, Detail, Lane, Lanes, Outcome, Outlook, Part, Pending, Places,
};
use crate::model::{Scenario, Time, mix};
use crate::trace::{Fact, JobStatus};

/// A scenario with every part of its cluster that has been met.
pub(super) struct Space<'a> {
    scenario: &'a Scenario,
    choices: Choices,
    /// How many of the faults are the scenario's own.
    n_own_faults: u32,
    lanes: Lanes,
    places: Places,
    /// By place.
    kept: Vec<Kept>,
    /// By lane: the parts that its head looks at.
    concerned: Vec<Concerned>,
    /// By lane and the parts that it concerns: what happens.
    moves: Index,
    changes: Vec<Change>,
    /// A cluster to let things happen in, and which parts it is made of.
    cluster: Cluster,
    loaded: Vec<u32>,
    outcome: Outcome,
    bytes: Bytes,
    numbers: Row,
    /// How far time moves when a timer fires that is not due otherwise.
    late: u64,
    /// How often a cluster really had to move.
    pub(super) n_applied: u64,
}

/// The longest row.
const ROW_MAX: usize = 511;

/// In place of a change: it changes more parts than it looks at otherwise.
const WIDE: u32 = u32::MAX;

/// The parts that have been met at one place.
#[derive(Debug, Default)]
struct Kept {
    parts: Vec<Part>,
    /// By part: what the JobManager sees of a task.
    summaries: Vec<u32>,
    outlooks: Vec<Outlook>,
    index: Index,
}

/// What the head of a lane changes.
#[derive(Clone, Debug)]
struct Change {
    parts: Vec<(u16, u32)>,
    pending: Vec<(u16, Count)>,
    notes: Notes,
}

/// What becomes of the number of events in a lane.
#[derive(Clone, Copy, Debug)]
enum Count {
    More,
    Fewer,
    None,
}

/// What is worth a look in a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// A checkpoint has become complete, or an attempt has started from one:
    /// the fingerprint of what it holds.
    pub(super) snapshot: Option<u128>,
    /// What is looked for has been met.
    pub(super) found: bool,
}

/// How often what can happen only so often has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spent {
    crashes: u8,
    intervals: u8,
    expiries: u8,
    lates: u8,
}

impl Spent {
    fn from_word(word: u32) -> Self {
        let [crashes, intervals, expiries, lates] = word.to_le_bytes();
        Self { crashes, intervals, expiries, lates }
    }

    fn word(self) -> u32 {
        u32::from_le_bytes([self.crashes, self.intervals, self.expiries, self.lates])
    }
}

/// Why a scenario cannot be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there is too much of.
    pub what: &'static str,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        scenario: &'a Scenario,
        choices: Choices,
        n_own_faults: u32,
    ) -> Result<(Self, Vec<u32>), TooLarge> {
        let (lanes, places) = (Lanes::of(scenario), Places::of(&scenario.graph));
        let mut outcome = Outcome::new(Detail::All);
        let cluster = Cluster::start(scenario, 0, &mut outcome);
        let concerned =
            (0..lanes.count()).map(|lane| places.concerned(&scenario.graph, lanes.lane(lane)));
        let mut space = Self {
            scenario,
            choices,
            n_own_faults,
            lanes,
            places,
            kept: (0..places.count()).map(|_| Kept::default()).collect(),
            concerned: concerned.collect(),
            moves: Index::new(),
            changes: Vec::new(),
            cluster,
            loaded: Vec::new(),
            outcome,
            bytes: Bytes::default(),
            numbers: Row::default(),
            late: late(scenario),
            n_applied: 0,
        };
        if space.row_len() > ROW_MAX {
            return Err(TooLarge { what: "tasks and channels" });
        }
        for place in 0..places.count() {
            let id = space.keep(place);
            space.loaded.push(id);
        }
        let mut row = space.loaded.clone();
        row.resize(space.row_len(), 0);
        for (lane, what) in space.pending() {
            count(&mut row[places.count()..], lane.into(), what)?;
        }
        Ok((space, row))
    }

    /// The length of a row: the parts, four lanes a word, and what is spent.
    pub(super) fn row_len(&self) -> usize {
        self.places.count() + (self.lanes.count() as usize).div_ceil(4) + 1
    }

    /// Numbers the part that the loaded cluster has at a place.
    fn keep(&mut self, place: usize) -> u32 {
        let part = self.cluster.part(self.places, place);
        let key = self.bytes.fingerprint(&part);
        let kept = &mut self.kept[place];
        let next = kept.parts.len() as u32;
        match kept.index.enter(key, next) {
            Entered::Known(id) => id,
            Entered::New => {
                kept.summaries.push(self.bytes.fingerprint(&part.summary()) as u32);
                kept.outlooks.push(part.outlook());
                kept.parts.push(part);
                next
            }
        }
    }

    /// The lanes whose head may happen in a state.
    pub(super) fn open<'b>(&'b self, row: &'b [u32]) -> impl Iterator<Item = u32> + 'b {
        let n_parts = self.places.count();
        let words = &row[n_parts..row.len() - 1];
        let spent = Spent::from_word(row[row.len() - 1]);
        let lanes = words.iter().zip(0u32..).filter(|(word, _)| **word != 0);
        lanes
            .flat_map(|(word, place)| {
                let bytes = word.to_le_bytes();
                (0..4)
                    .filter(move |byte| bytes[*byte as usize] != 0)
                    .map(move |byte| 4 * place + byte)
            })
            .filter(move |lane| self.may_happen(*lane, spent))
    }

    fn may_happen(&self, lane: u32, spent: Spent) -> bool {
        match self.lanes.lane(lane) {
            Lane::Fault(fault) => fault < self.n_own_faults || spent.crashes < self.choices.crashes,
            Lane::Interval => spent.intervals < self.choices.intervals,
            Lane::Expiry => spent.expiries < self.choices.expiries,
            _ => true,
        }
    }

    /// Whether the coordinator's interval would begin a checkpoint if it were
    /// allowed once more: none is pending that would have to be over first.
    pub(super) fn waits_for_interval(&self, row: &[u32]) -> bool {
        let lane = self.lanes.number(Lane::Interval) as usize;
        let word = row[self.places.count() + lane / 4];
        let is_pending = !self.outlook(row, self.places.rest()).pending.is_empty();
        word.to_le_bytes()[lane % 4] > 0 && !is_pending
    }

    /// Lets the head of a lane happen in a state, and gives the next one.
    ///
    /// # Errors
    /// When more events stand in a lane than a row has room for.
    pub(super) fn step(
        &mut self,
        row: &[u32],
        lane: u32,
        next: &mut Vec<u32>,
    ) -> Result<Notes, TooLarge> {
        next.clear();
        next.extend_from_slice(row);
        let n_parts = self.places.count();
        count(&mut next[n_parts..], lane, Count::Fewer)?;
        let spent = self.spend(row, lane);
        *next.last_mut().expect("a row has what is spent") = spent.word();
        let key = self.key(row, lane, spent);
        let applied;
        let change = match key.and_then(|key| self.moves.get(key)) {
            Some(known) if known != WIDE => &self.changes[known as usize],
            known => {
                applied = self.apply(row, lane, spent);
                if let (Some(key), None) = (key, known) {
                    let is_wide = applied
                        .parts
                        .iter()
                        .any(|(place, _)| !self.looks_at(lane, (*place).into()));
                    let number = if is_wide { WIDE } else { self.changes.len() as u32 };
                    self.moves.enter(key, number);
                    if !is_wide {
                        self.changes.push(applied.clone());
                    }
                }
                &applied
            }
        };
        for (place, id) in &change.parts {
            next[*place as usize] = *id;
        }
        for (lane, what) in &change.pending {
            count(&mut next[n_parts..], (*lane).into(), *what)?;
        }
        Ok(change.notes)
    }

    /// What is spent when the head of a lane has happened.
    fn spend(&self, row: &[u32], lane: u32) -> Spent {
        let mut spent = Spent::from_word(row[row.len() - 1]);
        match self.lanes.lane(lane) {
            Lane::Fault(fault) if fault >= self.n_own_faults => spent.crashes += 1,
            Lane::Interval => spent.intervals += 1,
            Lane::Expiry => spent.expiries += 1,
            timer if takes_time(timer) => spent.lates = spent.lates.saturating_add(1),
            _ => {}
        }
        spent
    }

    /// All that decides what the head of a lane does, as a fingerprint; none
    /// if that is the whole state.
    fn key(&mut self, row: &[u32], lane: u32, spent: Spent) -> Option<u128> {
        let (parts, n_tasks) = match &self.concerned[lane as usize] {
            Concerned::Task(parts) => (parts, 0),
            Concerned::JobManager(parts) => (parts, self.scenario.graph.subtasks.len()),
            Concerned::All => return None,
        };
        let n_max = 2 + parts.len() + n_tasks;
        let numbers = [lane, spent.lates.into()].into_iter();
        let numbers = numbers.chain(parts.iter().map(|place| row[*place]));
        let summary = |task: usize| self.kept[task].summaries[row[task] as usize];
        let numbers = numbers.chain((0..n_tasks).map(summary));
        Some(self.numbers.fingerprint(numbers, n_max, 1))
    }

    fn looks_at(&self, lane: u32, place: usize) -> bool {
        match &self.concerned[lane as usize] {
            Concerned::Task(parts) | Concerned::JobManager(parts) => parts.contains(&place),
            Concerned::All => true,
        }
    }

    /// Lets the cluster of a state move.
    fn apply(&mut self, row: &[u32], lane: u32, spent: Spent) -> Change {
        self.load(row);
        self.n_applied += 1;
        let now = Time(self.late * u64::from(spent.lates));
        self.outcome.clear();
        let lane = self.lanes.lane(lane);
        self.cluster.apply(self.scenario, (now, lane), &mut self.outcome);
        let mut parts = Vec::new();
        for place in 0..self.places.count() {
            let before = self.loaded[place];
            let part = &self.kept[place].parts[before as usize];
            if self.cluster.has_part(self.places, place, part) {
                continue;
            }
            let id = self.keep(place);
            self.loaded[place] = id;
            parts.push((place as u16, id));
        }
        let (pending, notes) = (self.pending(), self.notes(&parts));
        Change { parts, pending, notes }
    }

    /// Makes the cluster that of a state.
    fn load(&mut self, row: &[u32]) {
        for (place, id) in row[..self.places.count()].iter().enumerate() {
            if self.loaded[place] != *id {
                let part = &self.kept[place].parts[*id as usize];
                self.cluster.set_part(self.places, place, part);
                self.loaded[place] = *id;
            }
        }
    }

    /// The cluster of a state.
    pub(super) fn cluster(&mut self, row: &[u32]) -> &Cluster {
        self.load(row);
        &self.cluster
    }

    /// What the newest event has announced, for lanes.
    fn pending(&self) -> Vec<(u16, Count)> {
        let events = self.outcome.pending.iter().filter_map(|pending| match pending {
            Pending::Event { lane, .. } => Some((self.lanes.number(*lane) as u16, Count::More)),
            Pending::Cleared { lane } => {
                self.lanes.has(*lane).then(|| (self.lanes.number(*lane) as u16, Count::None))
            }
            // Time is left out.
            Pending::Held { .. } => None,
        });
        events.collect()
    }

    fn notes(&mut self, changed: &[(u16, u32)]) -> Notes {
        let mut snapshot = None;
        for fact in &self.outcome.facts {
            match fact {
                Fact::CheckpointCompleted { checkpoint } => {
                    let held = self.cluster.checkpoint(*checkpoint);
                    snapshot = Some(self.bytes.fingerprint(&held));
                }
                Fact::AttemptStarted { .. } | Fact::TransactionCommitted { .. } => {
                    snapshot = Some(self.bytes.fingerprint(&self.outcome.facts));
                }
                _ => {}
            }
        }
        let found = self.choices.find.is_some_and(|find| self.shows(find, changed));
        Notes { snapshot, found }
    }

    /// Whether the newest event, which has changed these parts, shows what is
    /// looked for.
    fn shows(&self, find: Find, changed: &[(u16, u32)]) -> bool {
        let mut facts = self.outcome.facts.iter();
        match find {
            Find::HeldBack => changed.iter().any(|(place, id)| {
                self.kept[usize::from(*place)].parts[*id as usize].holds_records_back()
            }),
            Find::ChannelState => facts.any(|fact| {
                matches!(fact, Fact::ChannelStateSaved { records, .. } if !records.is_empty())
            }),
            Find::Overtaken => facts.any(|fact| {
                let Fact::CheckpointCompleted { checkpoint } = fact else { return false };
                self.cluster.has_newer_checkpoint(*checkpoint)
            }),
            Find::RestartFromCheckpoint => {
                facts.any(|fact| matches!(fact, Fact::AttemptStarted { checkpoint: Some(_), .. }))
            }
            Find::AbortedTransaction => {
                facts.any(|fact| matches!(fact, Fact::TransactionAborted { .. }))
            }
        }
    }

    /// What is known of the part at a place in a state.
    pub(super) fn outlook(&self, row: &[u32], place: usize) -> &Outlook {
        &self.kept[place].outlooks[row[place] as usize]
    }

    /// How the job is in a state.
    pub(super) fn status(&self, row: &[u32]) -> JobStatus {
        let rest = self.places.rest();
        let part = &self.kept[rest].parts[row[rest] as usize];
        part.job_status().expect("the rest knows")
    }

    /// About how many bytes of memory the parts and moves take.
    pub(super) fn bytes(&self) -> u64 {
        // A part is some small boxes, a move some short lists.
        const PART: u64 = 600;
        const MOVE: u64 = 150;
        let parts =
            self.kept.iter().map(|kept| kept.parts.len() as u64 * PART + kept.index.bytes());
        parts.sum::<u64>() + self.changes.len() as u64 * MOVE + self.moves.bytes()
    }
}

/// Changes the number of events in a lane, in the words behind the parts.
fn count(words: &mut [u32], lane: u32, what: Count) -> Result<(), TooLarge> {
    let word = &mut words[lane as usize / 4];
    let mut bytes = word.to_le_bytes();
    let byte = &mut bytes[lane as usize % 4];
    *byte = match what {
        Count::More => byte.checked_add(1).ok_or(TooLarge { what: "events in one lane" })?,
        Count::Fewer => *byte - 1,
        Count::None => 0,
    };
    *word = u32::from_le_bytes(bytes);
    Ok(())
}

/// Walks through a scenario at random and compares every move with that of the
/// whole cluster, as if nothing could be looked up; gives how many moves were
/// compared.
///
/// # Errors
/// As [`super::explore`].
///
/// # Panics
/// When a move is not what it should be: what its lane looks at has been
/// foreseen wrongly.
pub fn compare_moves(scenario: &Scenario, choices: Choices, n_walks: u64) -> Result<u64, TooLarge> {
    let (mut space, start) = Space::new(scenario, choices, 0)?;
    let mut n_compared = 0;
    for walk in 0..n_walks {
        let (mut row, mut next) = (start.clone(), Vec::new());
        for turn in 0..400 {
            let open: Vec<u32> = space.open(&row).collect();
            let is_over = matches!(space.status(&row), JobStatus::Finished | JobStatus::Failed);
            if open.is_empty() || is_over {
                break;
            }
            let lane = open[(mix(walk << 32 | turn) % open.len() as u64) as usize];
            space.step(&row, lane, &mut next)?;
            let spent = space.spend(&row, lane);
            let change = space.apply(&row, lane, spent);
            let mut parts = row[..space.places.count()].to_vec();
            for (place, id) in change.parts {
                parts[usize::from(place)] = id;
            }
            assert_eq!(next[..parts.len()], parts, "lane {lane}, walk {walk}, turn {turn}");
            std::mem::swap(&mut row, &mut next);
            n_compared += 1;
        }
    }
    Ok(n_compared)
}
