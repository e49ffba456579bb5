//! "What changed": the facts of a scene as short clauses, in an order that
//! reads well. One step is told in full; of a moment, what it comes to.

use super::changed_messages::is_mishap;
use super::digest::Digest;
use super::failure;
use super::names::Names;
use super::starts;
use super::story::Scene;
use crate::model::{Backlog, CheckpointFailureReason, FaultKind, Language, SubtaskIndex};
use crate::trace::{Fact, Rejection};

/// The sentence "what changed" of a scene.
pub(super) fn changed(scene: &Scene<'_>, names: Names<'_>) -> String {
    if scene.steps.is_empty() {
        return names.pick("nothing has happened yet", "还什么都没有发生").to_owned();
    }
    let digest = Digest::of(&scene.before, scene.steps, &scene.scenario.graph);
    let teller = Teller { scene, names, digest: &digest };
    let mut clauses = teller.clauses();
    if clauses.is_empty() {
        return names.pick("nothing that can be seen", "看不出变化").to_owned();
    }
    // A moment of many things keeps the first, which are the weightier ones.
    const CLAUSES_MAX: usize = 7;
    if clauses.len() > CLAUSES_MAX {
        clauses.truncate(CLAUSES_MAX - 1);
        clauses.push("…".to_owned());
    }
    clauses.join(names.pick("; ", "；"))
}

/// A scene with its facts sorted: each group of methods makes the clauses of
/// one kind.
pub(super) struct Teller<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) names: Names<'a>,
    pub(super) digest: &'a Digest<'a>,
}

impl Teller<'_> {
    /// A step is told in the order in which it happened; of a moment, first
    /// what the algorithm did, then what it came to.
    fn clauses(&self) -> Vec<String> {
        let mut clauses = Vec::new();
        self.job(&mut clauses);
        self.checkpoints_begin(&mut clauses);
        if self.is_step() {
            self.sources(&mut clauses);
            self.operators(&mut clauses);
            self.turns(&mut clauses);
            self.barriers(&mut clauses);
            self.snapshots(&mut clauses);
            self.in_flight(&mut clauses);
            self.parts(&mut clauses);
            self.file_failures(&mut clauses);
            self.files(&mut clauses);
            self.markers(&mut clauses);
            self.sinks(&mut clauses);
            self.checkpoints_end(&mut clauses);
            self.mishaps(&mut clauses);
            self.ends(&mut clauses);
            self.moves(&mut clauses);
        } else {
            self.file_failures(&mut clauses);
            self.turns(&mut clauses);
            self.snapshots(&mut clauses);
            self.in_flight(&mut clauses);
            self.barriers(&mut clauses);
            self.parts(&mut clauses);
            self.files(&mut clauses);
            self.markers(&mut clauses);
            self.checkpoints_end(&mut clauses);
            self.operators(&mut clauses);
            self.sinks(&mut clauses);
            self.sources(&mut clauses);
            self.ends(&mut clauses);
        }
        clauses
    }

    pub(super) fn is_step(&self) -> bool {
        self.scene.moment.is_none()
    }

    fn zh(&self) -> bool {
        self.names.language == Language::Zh
    }

    /// One of two texts that are made only when they are wanted.
    pub(super) fn say(&self, en: impl FnOnce() -> String, zh: impl FnOnce() -> String) -> String {
        if self.zh() { zh() } else { en() }
    }

    fn job(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        if !self.digest.crashed.is_empty() {
            let tasks = names.tasks(&self.digest.crashed);
            clauses.push(self.say(|| format!("{tasks} crashed"), || format!("{tasks}崩溃")));
        }
        for fact in &self.digest.job {
            let is_told_later = match fact {
                Fact::JobFinished => true,
                // What is in the state is told when the task has it.
                Fact::StateAssigned { transactions, .. } => transactions.is_empty(),
                fact => self.is_step() && is_mishap(fact),
            };
            if !is_told_later {
                clauses.push(self.job_fact(fact));
            }
        }
        let restored: Vec<String> = self
            .digest
            .restored
            .iter()
            .filter_map(|(task, state)| names.stored(*task, state))
            .collect();
        if !restored.is_empty() {
            let list = names.list(&restored);
            clauses.push(self.say(|| format!("restored: {list}"), || format!("恢复：{list}")));
        }
    }

    fn job_fact(&self, fact: &Fact) -> String {
        let names = self.names;
        match fact {
            Fact::JobFailed { attempt, cause, region, restart_after } => {
                let cause = failure::cause(names, cause);
                let attempt = names.attempt(*attempt);
                match (restart_after, region) {
                    (Some(after), Some(region)) => {
                        let tasks = names.shorts(region);
                        self.say(
                            || {
                                format!(
                                    "{cause}, and its region failed: {attempt} of {tasks} is \
                                     over, the restart comes in {after}; the other tasks go on"
                                )
                            },
                            || {
                                format!(
                                    "{cause}，它所在的区域失败：{tasks}的{attempt}结束，{after}后\
                                     重启；其余任务继续运行"
                                )
                            },
                        )
                    }
                    (Some(after), None) => self.say(
                        || {
                            format!(
                                "the job failed, since {cause}: {attempt} is over, the restart \
                                 comes in {after}"
                            )
                        },
                        || format!("{cause}，作业失败：{attempt}结束，{after}后重启"),
                    ),
                    (None, _) => self.say(
                        || format!("the job failed for good, since {cause}"),
                        || format!("{cause}，作业彻底失败，不再重启"),
                    ),
                }
            }
            Fact::AttemptStarted { attempt, region, checkpoint } => {
                let mut attempt = names.attempt(*attempt);
                if let Some(region) = region {
                    let tasks = names.shorts(region);
                    attempt = self
                        .say(|| format!("{attempt} of {tasks}"), || format!("{tasks}的{attempt}"));
                }
                if let Some(checkpoint) = checkpoint {
                    let from = names.checkpoint(*checkpoint);
                    return self.say(
                        || format!("{attempt} started from {from}"),
                        || format!("{attempt}从{from}启动"),
                    );
                }
                self.say(
                    || format!("{attempt} started from the beginning"),
                    || format!("{attempt}从头启动"),
                )
            }
            Fact::SavepointRestored { .. }
            | Fact::StateAssigned { .. }
            | Fact::ChannelStateAssigned { .. } => starts::changed(names, fact),
            Fact::JobManagerCrashed { attempt } => {
                let attempt = names.attempt(*attempt);
                self.say(
                    || format!("the JobManager crashed: {attempt} is over"),
                    || format!("JobManager 崩溃：{attempt}结束"),
                )
            }
            Fact::JobManagerStarted { .. } => {
                names.pick("another JobManager took over", "另一个 JobManager 接管").to_owned()
            }
            Fact::JobCanceled => names.pick("the job was cancelled", "作业被取消").to_owned(),
            Fact::MessageLost { .. } | Fact::MessageDelayed { .. } => self.mishap(fact),
            Fact::BacklogReported { task, backlog } => {
                let who = names.task(*task);
                match backlog {
                    Backlog::Processing => self.say(
                        || format!("{who} has reported a backlog"),
                        || format!("{who}上报有积压"),
                    ),
                    Backlog::CaughtUp => self.say(
                        || format!("{who} has reported that it has caught up"),
                        || format!("{who}上报积压已处理完"),
                    ),
                }
            }
            Fact::Slowed { fault } => self.slowness(fault).0,
            Fact::SlownessEnded { fault } => self.slowness(fault).1,
            Fact::TriggerRejected { reason: Rejection::TasksNotRunning, .. } => names
                .pick("a checkpoint was asked for and not begun", "一次检查点请求被拒绝")
                .to_owned(),
            Fact::TriggerRejected { reason: Rejection::NoSavepointDirectory, .. } => names
                .pick("a savepoint was asked for and refused", "一次保存点请求被拒绝")
                .to_owned(),
            // It is told last.
            _ => String::new(),
        }
    }

    /// The sentence for the begin of a slowness and the one for its end.
    fn slowness(&self, fault: &FaultKind) -> (String, String) {
        let names = self.names;
        let (who, times, lasts) = match fault {
            FaultKind::StallChannel { channel, lasts } => {
                let who = names.channel(*channel);
                return (
                    self.say(
                        || format!("nothing arrives on {who} for {lasts}"),
                        || format!("{who}在 {lasts}内什么都不到达"),
                    ),
                    self.say(|| format!("{who} delivers again"), || format!("{who}恢复传送")),
                );
            }
            FaultKind::SlowSubtask { subtask, times, lasts } => {
                (names.task(*subtask).to_owned(), times, *lasts)
            }
            FaultKind::SlowChannel { channel, times, lasts } => {
                (names.channel(*channel), times, *lasts)
            }
            FaultKind::SlowStorage { times, lasts } => {
                (names.pick("the storage", "存储").to_owned(), times, *lasts)
            }
            FaultKind::StorageDown { lasts } => {
                return (
                    self.say(
                        || format!("the storage does not answer for {lasts}"),
                        || format!("存储失去响应，持续 {lasts}"),
                    ),
                    names.pick("the storage answers again", "存储恢复响应").to_owned(),
                );
            }
            // These are told by facts of their own.
            FaultKind::Dispose { .. }
            | FaultKind::CrashSubtask(_)
            | FaultKind::CrashTaskManager(_)
            | FaultKind::CrashJobManager { .. } => {
                return Default::default();
            }
        };
        (
            self.say(
                || format!("{who} is {times} times slower for {lasts}"),
                || format!("{who}变慢为原来的 {times}倍，持续 {lasts}"),
            ),
            self.say(|| format!("{who} is as fast as before"), || format!("{who}恢复原速")),
        )
    }

    fn checkpoints_begin(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for checkpoint in &self.digest.triggered {
            let checkpoint = names.checkpoint(*checkpoint);
            clauses.push(
                self.say(
                    || format!("{checkpoint} was triggered"),
                    || format!("{checkpoint}已触发"),
                ),
            );
        }
        if self.is_step() || self.digest.snapshots.is_empty() {
            let tasks: Vec<SubtaskIndex> =
                self.digest.trigger_received.iter().map(|(task, _)| *task).collect();
            if let Some((_, checkpoint)) = self.digest.trigger_received.first() {
                let (tasks, which) = (names.tasks(&tasks), names.checkpoint(*checkpoint));
                clauses.push(self.say(
                    || format!("{tasks} got the trigger of {which}"),
                    || format!("{tasks}收到{which}的触发消息"),
                ));
            }
        }
    }

    fn checkpoints_end(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        let n = self.scene.scenario.graph.subtasks.len();
        for (checkpoint, tasks) in &self.digest.acknowledged {
            let (list, which) = (names.shorts(tasks), names.checkpoint(*checkpoint));
            let seen = self.scene.after.checkpoints.iter().find(|view| view.id == *checkpoint);
            let n_acknowledged = seen.map_or(tasks.len(), |view| {
                view.acknowledged.iter().filter(|acknowledged| **acknowledged).count()
            });
            clauses.push(self.say(
                || format!("{list} acknowledged {which} ({n_acknowledged} of {n})"),
                || format!("{list}已确认{which}（{n_acknowledged}/{n}）"),
            ));
        }
        for checkpoint in &self.digest.completed {
            let which = names.checkpoint(*checkpoint);
            clauses.push(self.say(|| format!("{which} is complete"), || format!("{which}完成")));
        }
        for (checkpoint, reason) in &self.digest.aborted {
            let which = names.checkpoint(*checkpoint);
            clauses.push(match reason {
                CheckpointFailureReason::CheckpointExpired => {
                    self.say(|| format!("{which} has expired"), || format!("{which}超时"))
                }
                _ => self.say(|| format!("{which} was given up"), || format!("{which}被放弃")),
            });
        }
        if !self.has_ended() {
            self.discarded(clauses);
        }
        for (checkpoint, tasks) in &self.digest.notified {
            let which = names.checkpoint(*checkpoint);
            let who = if tasks.len() == n && n > 1 {
                self.say(|| format!("all {n}\u{a0}tasks"), || format!("全部 {n}个任务"))
            } else {
                names.tasks(tasks)
            };
            let verb = if tasks.len() == 1 { "knows" } else { "know" };
            clauses.push(self.say(
                || format!("{who} {verb} that {which} is complete"),
                || format!("{who}得知{which}已完成"),
            ));
        }
    }

    fn ends(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        if self.is_step() {
            for (task, channel) in &self.digest.ends_received {
                let who = names.task(*task);
                let from = self.scene.scenario.graph.channels[channel.index()].from;
                let from = names.task(from);
                clauses.push(self.say(
                    || format!("{who} got the end of data from {from}"),
                    || format!("{who}收到来自{from}的数据结束标记"),
                ));
            }
        }
        let groups: [(&[SubtaskIndex], &str, &str, &str); 3] = [
            (
                &self.digest.ended,
                "is at the end of its data",
                "are at the end of their data",
                "的数据已结束",
            ),
            (
                &self.digest.ends_reported,
                "has reported its end",
                "have reported their end",
                "已上报数据结束",
            ),
            (&self.digest.finished, "finished", "finished", "结束运行"),
        ];
        for (tasks, one, several, zh) in groups {
            if tasks.is_empty() {
                continue;
            }
            let list = names.tasks(tasks);
            let verb = if tasks.len() == 1 { one } else { several };
            clauses.push(self.say(|| format!("{list} {verb}"), || format!("{list}{zh}")));
        }
        if self.digest.job.contains(&&Fact::JobFinished) {
            clauses.push(names.pick("the job finished", "作业完成").to_owned());
        }
        self.left_behind(clauses);
        for (task, attempt, fact) in &self.digest.ignored {
            let (who, attempt) = (names.task(*task), names.attempt(*attempt));
            let Fact::MessageIgnored { message, .. } = fact else { continue };
            let what = self.message(*message);
            clauses.push(self.say(
                || format!("{what} of {who}, {attempt}, was ignored"),
                || format!("忽略{who}在{attempt}的{what}"),
            ));
        }
    }
}
