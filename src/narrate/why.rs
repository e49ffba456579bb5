//! "Why": of all facts of a scene the decisive one, and a sentence that gives
//! its reason.

use super::names::Names;
use super::story::Scene;
use super::{
    files, why_align, why_declined, why_recovery, why_savepoint, why_snapshot, why_unaligned_facts,
};
use crate::model::{Language, Record, SnapshotState, SnapshotType, StreamElement};
use crate::trace::{CheckpointView, Fact, Rejection, Rule, Step, TriggerCause, View};

/// The reason for the decisive fact of a scene, and its rule.
pub(super) fn why(scene: &Scene<'_>, names: Names<'_>) -> (String, Option<Rule>) {
    let Some((place, fact)) = decisive(scene) else {
        let text = if scene.steps.is_empty() {
            names.pick(
                "every source stands before its first record, and every channel is empty",
                "所有源都在第一条记录之前，所有通道都是空的",
            )
        } else {
            // Timers that find their barrier gone, tasks that copy their state.
            names.pick(
                "a timer ran out or a task’s turn came, and there was nothing to do",
                "某个定时器到点，或轮到某个任务，但无事可做",
            )
        };
        return (text.to_owned(), None);
    };
    let mut before = scene.before.clone();
    let mut memory = scene.memory.clone();
    for step in &scene.steps[..place] {
        memory.apply(&scene.scenario.graph, &before, step);
        before.apply_step(&scene.scenario.graph, step).expect("the scene's steps have happened");
    }
    let step = &scene.steps[place];
    let mut after = before.clone();
    after.apply_step(&scene.scenario.graph, step).expect("the scene's steps have happened");
    let teller = Why { names, before: &before, after: &after, step, memory: &memory };
    let (text, rule) = teller.reason(fact);
    (text, Some(rule))
}

/// The reason for a fact of a scene of one step.
pub(super) fn reason(scene: &Scene<'_>, fact: &Fact, names: Names<'_>) -> (String, Rule) {
    let Scene { before, after, memory, steps, .. } = scene;
    let step = steps.first().expect("the fact is one of a step");
    Why { names, before, after, step, memory }.reason(fact)
}

/// The weightiest fact; of several, the first of its step, and of a moment the
/// last of its steps.
fn decisive<'a>(scene: &Scene<'a>) -> Option<(usize, &'a Fact)> {
    const HELD_BACK: u8 = 60;
    let mut best: Option<(u8, usize, &Fact)> = None;
    let mut memory = scene.memory.clone();
    for (place, step) in scene.steps.iter().enumerate() {
        for fact in &step.facts {
            let weight = match fact {
                Fact::Processed { channel, number, .. }
                    if memory.held_back(*channel, *number).is_some() =>
                {
                    HELD_BACK
                }
                _ => weight(fact),
            };
            let wins = best.is_none_or(|(heaviest, at, _)| {
                weight > heaviest || weight == heaviest && at < place
            });
            if wins {
                best = Some((weight, place, fact));
            }
        }
        // Only a restart changes what was held back in a moment's steps, but
        // for what is released there; so the view at their start is enough.
        memory.apply(&scene.scenario.graph, &scene.before, step);
    }
    best.map(|(_, place, fact)| (place, fact))
}

/// How much a fact matters beside others of its step.
fn weight(fact: &Fact) -> u8 {
    match fact {
        Fact::JobFinished | Fact::JobCanceled => 100,
        Fact::CheckpointCompleted { .. } => 98,
        Fact::AttemptStarted { .. } => 97,
        Fact::SavepointRestored { .. } => 101,
        Fact::StateAssigned { .. } => 17,
        Fact::ChannelStateAssigned { .. } => 16,
        Fact::JobFailed { .. } | Fact::JobManagerCrashed { .. } => 96,
        Fact::JobManagerStarted { .. } => 93,
        Fact::Crashed { .. } => 95,
        Fact::SnapshotTaken { .. } => 90,
        Fact::RestoreFailed { .. } => 99,
        Fact::WriteFailed { .. } => 93,
        Fact::RestoreStarted { .. } => 41,
        Fact::StateWritten { .. } => 57,
        Fact::CheckpointDisposed { .. } => 94,
        Fact::FilesDeleted { .. } => 31,
        Fact::MetadataWritten { .. } => 9,
        Fact::AlignmentTimedOut { .. } => 92,
        Fact::AlignmentTimerDue { .. } => 77,
        Fact::Declined { .. } => 88,
        Fact::BarrierReceived { .. } => 85,
        Fact::OutputTimedOut { .. } | Fact::CancelMarkerReceived { .. } => 83,
        Fact::ChannelStateReceived { .. } => 60,
        Fact::DeclineReceived { .. } => 69,
        Fact::AbortNotified { .. } => 67,
        Fact::SyncEnded { .. } => 64,
        Fact::FinishedTaskIncluded { .. } => 36,
        Fact::ChannelStateSaved { .. } => 58,
        Fact::Announced { .. } => 57,
        Fact::SnapshotStored { .. } => 56,
        Fact::PartitionEnded { .. } => 39,
        Fact::Prioritized { .. } => 13,
        Fact::ChannelStateRestored { .. } => 11,
        Fact::EndCounted { .. } => 84,
        Fact::CheckpointTriggered { .. } => 80,
        Fact::TriggerRejected { .. } => 79,
        Fact::Slowed { .. } | Fact::SlownessEnded { .. } => 78,
        Fact::MessageLost { .. } | Fact::MessageDelayed { .. } => 94,
        Fact::TransactionCommitted { .. } => 75,
        Fact::TaskFinished { .. } => 72,
        Fact::Notified { .. } | Fact::Acknowledged { .. } => 70,
        Fact::CheckpointAborted { .. } => 68,
        Fact::CheckpointRetained { .. } => 67,
        Fact::CheckpointDiscarded { .. } => 66,
        Fact::MessageIgnored { .. } => 65,
        Fact::Emitted { element: StreamElement::Record(_), buffered: true, .. } => 55,
        Fact::Processed { .. } => 50,
        Fact::Read { .. } => 45,
        Fact::EndOfData { .. } => 40,
        Fact::EndReceived { .. } => 38,
        Fact::EndReported { .. } => 37,
        Fact::BacklogReported { .. } => 76,
        Fact::TriggerReceived { .. } => 35,
        Fact::Started { .. } => 30,
        Fact::Arrived { .. } => 25,
        Fact::Departed { .. } => 20,
        Fact::TransactionPrepared { .. } | Fact::TransactionAborted { .. } => 15,
        Fact::TransactionBegun { .. } => 14,
        Fact::Blocked { .. } | Fact::Resumed { .. } => 12,
        Fact::StateRestored { .. } => 11,
        Fact::Emitted { .. } => 10,
    }
}

/// One step, from just before it to just after it.
pub(super) struct Why<'a> {
    pub(super) names: Names<'a>,
    pub(super) before: &'a View,
    pub(super) after: &'a View,
    pub(super) step: &'a Step,
    pub(super) memory: &'a super::Memory,
}

impl Why<'_> {
    /// One of two texts that are made only when they are wanted.
    pub(super) fn say(&self, en: impl FnOnce() -> String, zh: impl FnOnce() -> String) -> String {
        match self.names.language {
            Language::En => en(),
            Language::Zh => zh(),
        }
    }

    /// The reason for the step's processed record, if it has to do with
    /// barriers.
    fn aligned(&self) -> Option<(String, Rule)> {
        self.step.facts.iter().find_map(|fact| match fact {
            Fact::Processed { task, channel, number, record, .. } => {
                why_align::processed(self, *task, (*channel, *number), record)
            }
            _ => None,
        })
    }

    fn reason(&self, fact: &Fact) -> (String, Rule) {
        let rule = fact.rule();
        let text = match fact {
            Fact::Read { record, .. } => return self.routed(record),
            Fact::Emitted { channel, element, buffered: true, .. } => {
                // Where alignment decides, it matters more than a full channel.
                return self.aligned().unwrap_or_else(|| self.waits_at_sender(*channel, element));
            }
            Fact::Emitted { channel, element, .. } => self.sent(*channel, element),
            Fact::Departed { channel, .. } => self.departed(*channel),
            Fact::Arrived { channel, number } => return self.waits(*channel, *number),
            Fact::Started { task, channel, number } => self.started(*task, *channel, *number),
            Fact::Processed { task, channel, number, record, .. } => {
                let aligned = why_align::processed(self, *task, (*channel, *number), record);
                return aligned.unwrap_or_else(|| self.processed(*task, record));
            }
            Fact::BarrierReceived { .. } | Fact::Blocked { .. } | Fact::Resumed { .. } => {
                return why_align::barrier(self, fact);
            }
            Fact::SnapshotTaken { task, checkpoint, state } => match state {
                SnapshotState::Offsets(_) => {
                    return why_snapshot::source_snapshot(self, *task, *checkpoint);
                }
                _ => return why_snapshot::snapshot(self, *task, *checkpoint),
            },
            Fact::EndReceived { .. }
            | Fact::EndCounted { .. }
            | Fact::EndOfData { .. }
            | Fact::EndReported { .. }
            | Fact::TaskFinished { .. }
            | Fact::JobFinished => self.end(fact),
            Fact::CheckpointTriggered { snapshot, format, cause, .. } => match snapshot {
                SnapshotType::Checkpoint => self.triggered(*cause),
                savepoint => why_savepoint::triggered(self.names, (*savepoint, *format)),
            },
            Fact::TriggerRejected { reason: Rejection::NoSavepointDirectory, .. } => self
                .names
                .pick(
                    "nobody said where it is to go: execution.checkpointing.savepoint-dir is not \
                     set",
                    "没有说明放在哪里：未设置 execution.checkpointing.savepoint-dir",
                )
                .to_owned(),
            Fact::TriggerRejected { .. } => self
                .names
                .pick(
                    "a checkpoint needs every task, and not every task runs now",
                    "检查点需要所有任务参与，而现在并非所有任务都在运行",
                )
                .to_owned(),
            Fact::TriggerReceived { task, checkpoint } => {
                let (who, which) = (self.names.task(*task), self.names.checkpoint(*checkpoint));
                self.say(
                    || format!("the JobManager starts {which} at the sources, and {who} is one"),
                    || format!("JobManager 从源开始{which}，{who}就是一个源"),
                )
            }
            _ => {
                let text = why_unaligned_facts::reason(self, fact);
                let text = text.or_else(|| files::reason(self, fact));
                match text.or_else(|| why_declined::reason(self, fact)) {
                    Some(text) => text,
                    None => return why_recovery::reason(self, fact),
                }
            }
        };
        (text, rule)
    }

    fn triggered(&self, cause: TriggerCause) -> String {
        let names = self.names;
        let is_same = names.scenario.config.interval_during_backlog.is_none();
        match (cause, names.scenario.config.interval.filter(|_| is_same)) {
            (TriggerCause::Periodic, Some(interval)) => self.say(
                || {
                    format!(
                        "the interval of {interval} is over: the JobManager sends each \
                    source the checkpoint’s id, and nothing downstream waits"
                    )
                },
                || {
                    format!(
                        "间隔 {interval}已到：JobManager 把检查点编号发给每个源，下游什么都\
                    不用等"
                    )
                },
            ),
            (TriggerCause::EndOfData, _) => names
                .pick(
                    "every task is at its end: one last checkpoint lets the sinks commit what \
                        they hold",
                    "所有任务的数据都已结束：最后一个检查点让汇提交手里的事务",
                )
                .to_owned(),
            _ => names
                .pick(
                    "the JobManager sends each source the checkpoint’s id; nothing downstream \
                        waits meanwhile",
                    "JobManager 把检查点编号发给每个源；这期间下游照常工作",
                )
                .to_owned(),
        }
    }

    fn end(&self, fact: &Fact) -> String {
        let names = self.names;
        let waits = names.scenario.config.checkpoints_after_tasks_finish
            && (names.scenario.config.interval.is_some() || !names.scenario.triggers.is_empty());
        match fact {
            Fact::EndCounted { task, checkpoint, n_received, n_needed } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                self.say(
                    || {
                        format!(
                            "the sender has finished and sends no barrier any more, so {who} \
                             counts its end as the barrier of {which} ({n_received} of {n_needed})"
                        )
                    },
                    || {
                        format!(
                            "发送端已经结束，不会再发屏障，所以{who}把它的结束算作{which}的屏障\
                             （{n_received}/{n_needed}）"
                        )
                    },
                )
            }
            Fact::EndReceived { task, .. } => {
                let who = names.task(*task);
                self.say(
                    || format!("nothing more comes on this channel; {who} goes on with the others"),
                    || format!("这条通道不会再有数据；{who}继续处理其他通道"),
                )
            }
            Fact::EndOfData { task } => {
                let who = names.task(*task);
                let is_stop = |view: &&CheckpointView| view.snapshot.stops_job() && !view.completed;
                if let Some(savepoint) = self.after.checkpoints.iter().find(is_stop)
                    && names.scenario.graph.is_source(*task)
                {
                    let which = names.checkpoint(savepoint.id);
                    return self.say(
                        || format!("the job stops with {which}: {who} reads no more"),
                        || format!("作业要随{which}停下：{who}不再读取"),
                    );
                }
                if names.scenario.graph.is_source(*task) {
                    self.say(
                        || {
                            format!(
                                "{who} has read everything there is, and says so to everyone \
                            downstream"
                            )
                        },
                        || format!("{who}已读完全部数据，并告知所有下游"),
                    )
                } else {
                    self.say(
                        || format!("every input of {who} is at its end, so no record can follow"),
                        || format!("{who}的所有输入都已结束，不会再有记录"),
                    )
                }
            }
            Fact::EndReported { .. } => names
                .pick(
                    "when every task is at its end, the JobManager can end the job",
                    "等所有任务都到达数据末尾，JobManager 才能结束作业",
                )
                .to_owned(),
            Fact::TaskFinished { task } if waits => {
                let who = names.task(*task);
                self.say(
                    || {
                        format!(
                            "a checkpoint with all of its work in it is complete, so {who} has \
                             nothing left to do"
                        )
                    },
                    || format!("包含它全部工作的检查点已完成，{who}没有事可做了"),
                )
            }
            Fact::TaskFinished { task } => {
                let who = names.task(*task);
                self.say(
                    || {
                        format!(
                            "no record can come any more, and no last checkpoint is waited \
                        for, so {who} ends"
                        )
                    },
                    || format!("不会再有记录，也不必等最后一个检查点，{who}结束"),
                )
            }
            _ => names.pick("every task is done", "所有任务都已结束").to_owned(),
        }
    }
}

/// The record that an element is, if it is one.
pub(super) fn record_of(element: &StreamElement) -> Option<Record> {
    match element {
        StreamElement::Record(record) => Some(*record),
        _ => None,
    }
}
