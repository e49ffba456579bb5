//! Questions about a job that starts from a savepoint.

use super::{Choice, Question, Run, both, choice};
use crate::model::{Record, RecordId, SnapshotState};
use crate::trace::{Driver, Fact, Rule};

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    resumes(run).into_iter().collect()
}

/// Which record does a source read first?
fn resumes(run: &Run<'_>) -> Option<Question> {
    let scenario = &run.story.scenario;
    let start = scenario.start.as_ref()?;
    let graph = &scenario.graph;
    let id = run.facts().find_map(|(_, fact)| match fact {
        Fact::SavepointRestored { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    })?;
    let mut states = graph.subtask_indices().zip(&start.states);
    let (source, split, offset) = states.find_map(|(task, state)| match state {
        Some(SnapshotState::Offsets(offsets)) => {
            let own = offsets.iter().find(|(_, offset)| *offset > 0)?;
            Some((task, own.0, own.1))
        }
        _ => None,
    })?;
    let seed = match run.story.trace.driver {
        Driver::Seed(seed) => scenario.seed_of_values(seed),
        Driver::Schedule(_) => scenario.seed_of_values(0),
    };
    let record = |n_read: u32| {
        let value = graph.split(split).values.next(n_read, split.0, seed)?;
        let id = RecordId { split, offset: n_read + 1, path: Default::default() };
        Some(Record { id, value, key: None })
    };
    let name = |record: Record| {
        choice(run.both(|names| names.record(&record), |names| names.record(&record)))
    };
    let nothing = || choice(both("nothing: it has read everything", "什么也不读：已经读完了"));
    let mut what: Vec<Choice> = vec![record(offset).map_or_else(nothing, name)];
    for other in [record(offset - 1), record(0)].into_iter().flatten().map(name) {
        if what.iter().all(|own| own.text != other.text) {
            what.push(other);
        }
    }
    let because = vec![
        both(
            "the savepoint holds its offset, and the state of the same cut",
            "保存点里有它的偏移量，以及同一切面的状态",
        ),
        both("the last record may not have arrived", "最后一条可能还没送到"),
        both("a new job reads its sources from the beginning", "新作业从头读源"),
    ];
    let job = start.savepoint.job.clone();
    let ask = run.both(
        |names| {
            format!(
                "The job starts from {} of {job}. What does {} read first?",
                names.checkpoint(id),
                names.task(source)
            )
        },
        |names| {
            format!("作业从 {job} 的{}启动。{}先读什么？", names.checkpoint(id), names.task(source))
        },
    );
    let answer = run.both(
        |names| {
            format!(
                "The savepoint holds offset {offset} of {}: so many records are in its state.",
                names.split(split)
            )
        },
        |names| {
            format!("保存点里{}的偏移量是 {offset}：这么多条已在它的状态里。", names.split(split))
        },
    );
    let id = format!("resumes-{}", run.slug(source));
    Some(Question { id, at: 0, shows: 1, ask, what, because, answer, rule: Rule::RecoveryRestore })
}
