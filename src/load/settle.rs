//! From drafts to the job: splits get their names, joins their sides.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::EdgeDraft;
use super::kinds::KindDraft;
use super::labels::Labels;
use super::names::{NameOf, Names};
use super::operators::OperatorDraft;
use super::problems::Problems;
use super::splits::SplitsDraft;
use super::vocabulary::KindKey;
use crate::model::{
    Edge, JobGraph, JoinSide, Operator, OperatorIndex, OperatorKind, Partitioner, Split,
    SubtaskSpec, Text,
};

/// A split of the job.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitPlace {
    /// Counts all splits of the job from 0.
    pub(super) number: u32,
    /// Position of its source.
    pub(super) operator: usize,
    /// Position among its source's splits.
    position: u32,
    /// How many records it has, if that is known.
    pub(super) n_records: Option<u32>,
}

impl SplitPlace {
    /// The position of the subtask that reads it.
    pub(super) fn reader(&self, operators: &[OperatorDraft]) -> Option<u32> {
        operators[self.operator].parallelism.map(|n| self.position % n)
    }
}

/// The names of every operator's splits, in order. A split without a name is
/// called after its source if it is alone, else by its number, and by source
/// and number if the number is taken.
pub(super) fn split_names(operators: &[OperatorDraft]) -> Vec<Vec<String>> {
    let mut n_users: BTreeMap<String, u32> = BTreeMap::new();
    let mut use_name = |name: String| *n_users.entry(name).or_default() += 1;
    for (operator, splits) in sources(operators) {
        match splits {
            SplitsDraft::One(_) => use_name(operator.name.clone()),
            SplitsDraft::Named(splits) => {
                splits.iter().filter_map(|split| split.name.clone()).for_each(&mut use_name);
            }
            SplitsDraft::Numbered(splits) => {
                (0..splits.len()).for_each(|number| use_name(number.to_string()));
            }
        }
    }
    operators
        .iter()
        .map(|operator| match &operator.kind {
            Some(KindDraft::Source { splits, .. }) => match splits {
                SplitsDraft::One(_) => vec![operator.name.clone()],
                SplitsDraft::Named(splits) => {
                    splits.iter().map(|split| split.name.clone().unwrap_or_default()).collect()
                }
                SplitsDraft::Numbered(splits) => {
                    let numbers = || (0..splits.len()).map(|number| number.to_string());
                    if numbers().all(|number| n_users[&number] == 1) {
                        numbers().collect()
                    } else {
                        numbers().map(|number| format!("{}-{number}", operator.name)).collect()
                    }
                }
            },
            _ => Vec::new(),
        })
        .collect()
}

fn sources(operators: &[OperatorDraft]) -> impl Iterator<Item = (&OperatorDraft, &SplitsDraft)> {
    operators.iter().filter_map(|operator| match &operator.kind {
        Some(KindDraft::Source { splits, .. }) => Some((operator, splits)),
        _ => None,
    })
}

/// Every split by name; tells names that stand for two.
pub(super) fn split_places(
    operators: &[OperatorDraft],
    split_names: &[Vec<String>],
    problems: &mut Problems,
) -> BTreeMap<String, SplitPlace> {
    let mut taken = Names::new(NameOf::Split);
    let (mut places, mut number) = (BTreeMap::new(), 0);
    let mut within = BTreeSet::new();
    for (operator, names) in split_names.iter().enumerate() {
        let Some(KindDraft::Source { splits, .. }) = &operators[operator].kind else { continue };
        within.clear();
        for ((split, name), position) in splits.all().iter().zip(names).zip(0..) {
            let n_records = split.values.as_ref().map(|values| values.len());
            // A split without a name of its own has it from its source.
            let at = match split.name {
                Some(_) => split.range.clone(),
                None => operators[operator].range.clone(),
            };
            // Two of one name in one source are told as a duplicate key.
            if within.insert(name) && taken.claim(name, at, problems) {
                let place = SplitPlace { number, operator, position, n_records };
                places.insert(name.clone(), place);
            }
            number += 1;
        }
    }
    places
}

/// How many records of each source are old when the job begins.
pub(super) fn backlogs(operators: &[OperatorDraft]) -> Vec<(OperatorIndex, u64)> {
    let sources =
        operators.iter().enumerate().filter_map(|(place, operator)| match operator.kind {
            Some(KindDraft::Source { backlog, .. }) => Some((OperatorIndex::at(place), backlog)),
            _ => None,
        });
    sources.filter(|(_, backlog)| *backlog > 0).collect()
}

/// The job, once nothing is wrong with it.
pub(super) fn job_graph(
    operators: &[OperatorDraft],
    edges: &[EdgeDraft],
    split_names: &[Vec<String>],
    labels: &Labels,
) -> JobGraph {
    JobGraph {
        operators: operators
            .iter()
            .zip(split_names)
            .map(|(operator, split_names)| settled(operator, split_names, labels))
            .collect(),
        edges: settled_edges(operators, edges),
    }
}

/// What every draft holds once nothing is wrong.
const SOUND: &str = "a job without problems is complete";

fn settled(operator: &OperatorDraft, split_names: &[String], labels: &Labels) -> Operator {
    let kind = match operator.kind.as_ref().expect(SOUND) {
        KindDraft::Settled(kind) => kind.clone(),
        KindDraft::Source { splits, replayable, redistribution, .. } => OperatorKind::Source {
            splits: splits
                .all()
                .iter()
                .zip(split_names)
                .map(|(split, name)| Split {
                    name: name.clone(),
                    label: labels.text(name).unwrap_or_else(|| Text::same(name)),
                    values: split.values.clone().expect(SOUND),
                })
                .collect(),
            replayable: *replayable,
            redistribution: *redistribution,
        },
    };
    let subtasks = operator.subtasks.as_deref().expect(SOUND);
    Operator {
        name: operator.name.clone(),
        uid: operator.uid.clone(),
        label: labels.text(&operator.name).unwrap_or_else(|| Text::same(&operator.name)),
        kind,
        parallelism: operator.parallelism.expect(SOUND),
        max_parallelism: operator.max_parallelism,
        max_parallelism_origin: operator.max_parallelism_origin,
        bytes_per_key: operator.bytes_per_key,
        subtasks: subtasks
            .iter()
            .zip(0..)
            .map(|(name, position)| SubtaskSpec {
                name: name.clone(),
                label: labels.full(operator, position),
                short: labels.short(operator, position),
                service: operator.service[position as usize].clone(),
                sync: operator.sync.clone(),
                store: operator.store.clone(),
            })
            .collect(),
    }
}

fn settled_edges(operators: &[OperatorDraft], edges: &[EdgeDraft]) -> Vec<Edge> {
    // The side that an edge into a join leaves open is the one that is free;
    // of two such edges the first in the file is left.
    let mut free: BTreeMap<usize, Vec<JoinSide>> = BTreeMap::new();
    for edge in edges {
        let to = edge.to.expect(SOUND);
        let sides = free.entry(to).or_insert_with(|| vec![JoinSide::Right, JoinSide::Left]);
        if let Some((side, _)) = edge.input {
            sides.retain(|free| *free != side);
        }
    }
    let mut side = |edge: &EdgeDraft| {
        let to = edge.to.expect(SOUND);
        if operators[to].kind_key == Some(KindKey::BroadcastProcess)
            && edge.partitioner == Some(Partitioner::Broadcast)
        {
            return JoinSide::Right;
        }
        if operators[to].kind_key != Some(KindKey::Join) {
            return JoinSide::Left;
        }
        let open = || free.get_mut(&to).and_then(Vec::pop).expect("a join has two inputs");
        edge.input.as_ref().map_or_else(open, |(side, _)| *side)
    };
    edges
        .iter()
        .map(|edge| Edge {
            from: OperatorIndex::at(edge.from.expect(SOUND)),
            to: OperatorIndex::at(edge.to.expect(SOUND)),
            input: side(edge),
            partitioner: edge.partitioner.clone().expect(SOUND),
            kind: edge.kind,
            latency: edge.latency.clone(),
            channel_latency: edge.channel_latency.clone(),
            credits: edge.capacity.credits,
            output_buffers: edge.capacity.buffers,
        })
        .collect()
}
