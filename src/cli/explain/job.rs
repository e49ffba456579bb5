//! Mistakes in the life of the job: who is dead, messages, transactions, ends,
//! and what survives.

use super::Explainer;
use crate::model::TransactionId;
use crate::trace::RpcMessage;
use crate::verify::Wrong;

impl Explainer<'_> {
    pub(super) fn about_the_job(&self, wrong: &Wrong, since: u64) -> Option<String> {
        self.about_lives(wrong, since)
            .or_else(|| self.about_transactions(wrong, since))
            .or_else(|| self.about_what_survives(wrong))
    }

    fn about_lives(&self, wrong: &Wrong, since: u64) -> Option<String> {
        let text = match wrong {
            Wrong::CheckpointNeverEnds { checkpoint, tasks } => {
                let (which, tasks) = (self.checkpoint(*checkpoint), self.names.tasks(tasks));
                self.pick(
                    format!(
                        "{which}, begun in step {since}, never ends: {tasks} did not acknowledge it"
                    ),
                    format!("第 {since} 步开始的{which}没有结束：{tasks}没有确认"),
                )
            }
            Wrong::StaysBlocked { channel, checkpoint } => {
                let (channel, barrier) = (self.channel(*channel), self.names.barrier(*checkpoint));
                self.pick(
                    format!("{channel} stays blocked by {barrier} since step {since}"),
                    format!("{channel} 自第 {since} 步起一直被{barrier}扣住"),
                )
            }
            Wrong::DoneEarly { tasks } => {
                let tasks = self.names.tasks(tasks);
                self.pick(
                    format!("something counts as finished although {tasks} had more to do"),
                    format!("{tasks}还没做完，就被算作结束"),
                )
            }
            Wrong::JobNeverEnds { tasks } => {
                let tasks = self.names.tasks(tasks);
                self.pick(
                    format!("stuck: nothing can happen any more, and {tasks} are not done"),
                    format!("卡住：再也没有事件可以发生，而{tasks}还没做完"),
                )
            }
            Wrong::DeadActs { task } => {
                let task = self.task(*task);
                self.pick(
                    format!("{task} does something, and has not been running since step {since}"),
                    format!("{task}还在做事，而它自第 {since} 步起就不在运行"),
                )
            }
            Wrong::StaleCounts { task, checkpoint } => {
                let (task, which) = (self.task(*task), self.checkpoint(*checkpoint));
                self.pick(
                    format!(
                        "an acknowledgement of {task} counts for {which}, which is not under way, \
                         has it already, or is not the one that it was sent for"
                    ),
                    format!(
                        "{task}的确认被算到{which}上，而该检查点不在进行中、已有其确认，或这个确认不是为它发的"
                    ),
                )
            }
            Wrong::AttemptMisnumbered { attempt, before } => {
                let (attempt, before) = (self.names.attempt(*attempt), self.names.attempt(*before));
                self.pick(
                    format!("{attempt} is named where {before} runs"),
                    format!("{before}在运行，却说是{attempt}"),
                )
            }
            Wrong::RestartedRunning { attempt } => {
                let attempt = self.names.attempt(*attempt);
                self.pick(
                    format!("{attempt} begins, and the one before it has not failed"),
                    format!("上一次尝试没有失败，{attempt}就开始了"),
                )
            }
            Wrong::FailsUncaused { checkpoint } => {
                let which = match checkpoint {
                    Some(id) => self.checkpoint(*id),
                    None => self.pick("a checkpoint".to_owned(), "某个检查点".to_owned()),
                };
                self.pick(
                    format!(
                        "the job fails because of {which}, which has not failed, or by another \
                         limit than its own"
                    ),
                    format!("作业因{which}失败，而它并没有失败，或所依的上限不是作业自己的"),
                )
            }
            Wrong::Undeclined { task, checkpoint } => {
                let (task, which) = (self.task(*task), self.checkpoint(*checkpoint));
                self.pick(
                    format!("{task} could not store its part of {which}, and does not decline it"),
                    format!("{task}没能存下它在{which}里的部分，却没有放弃"),
                )
            }
            Wrong::GoesOnAfterEnd => self.pick(
                "the job goes on although it does not run".to_owned(),
                "作业不在运行，却还在继续".to_owned(),
            ),
            Wrong::Unsent { task, message } => {
                let (task, message) = (self.task(*task), self.message(*message));
                self.pick(
                    format!("{message} comes from or to {task}, and nobody has sent it"),
                    format!("{task}的{message}到了，而没有谁发过"),
                )
            }
            _ => return None,
        };
        Some(text)
    }

    fn about_transactions(&self, wrong: &Wrong, since: u64) -> Option<String> {
        let text = match wrong {
            Wrong::EarlyPublish { transaction, checkpoint } => {
                let transaction = self.transaction(*transaction);
                match checkpoint {
                    Some(id) => {
                        let which = self.checkpoint(*id);
                        self.pick(
                            format!(
                                "early publish: {transaction}, prepared in step {since}, is \
                                 committed before {which} is complete"
                            ),
                            format!(
                                "过早发布：{which}还没完成，就提交了第 {since} 步预提交的{transaction}"
                            ),
                        )
                    }
                    None => self.pick(
                        format!("early publish: {transaction} is committed without being prepared"),
                        format!("过早发布：{transaction}没有预提交就提交了"),
                    ),
                }
            }
            Wrong::LostPublish { transaction, checkpoint } => {
                let (transaction, which) =
                    (self.transaction(*transaction), self.checkpoint(*checkpoint));
                self.pick(
                    format!(
                        "lost publish: {transaction}, prepared for {which}, is never committed, \
                         although since step {since} it must be"
                    ),
                    format!(
                        "丢失发布：为{which}预提交的{transaction}再也不会提交，而自第 {since} 步起它必须\
                         提交"
                    ),
                )
            }
            Wrong::DoublePublish { transaction } => {
                let transaction = self.transaction(*transaction);
                self.pick(
                    format!("double publish: {transaction} is committed again after step {since}"),
                    format!("重复发布：{transaction}在第 {since} 步提交过，又提交一次"),
                )
            }
            Wrong::GhostWriter { transaction, attempt } => {
                let (transaction, attempt) =
                    (self.transaction(*transaction), self.names.attempt(*attempt));
                self.pick(
                    format!(
                        "ghost writer: {transaction} is committed in {attempt} by a sink that is \
                         dead there"
                    ),
                    format!("幽灵写入：{attempt}里，已死的汇提交了{transaction}"),
                )
            }
            Wrong::CommittedOutOfOrder { transaction, older } => {
                let (transaction, older) =
                    (self.transaction(*transaction), self.transaction(*older));
                self.pick(
                    format!(
                        "{transaction} is committed while {older}, prepared in step {since}, waits"
                    ),
                    format!("第 {since} 步预提交的{older}还在等，{transaction}却先提交了"),
                )
            }
            Wrong::NoSuchTransaction { transaction } => {
                let transaction = self.transaction(*transaction);
                self.pick(
                    format!("something is done with {transaction}, which is not there or not open"),
                    format!("对并不存在或没有打开的{transaction}做了操作"),
                )
            }
            Wrong::WrittenNowhere { task, record } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!("{task} writes {record} with no transaction open: nobody sees it"),
                    format!("{task}没有打开的事务就写入了{record}：谁也看不到它"),
                )
            }
            Wrong::TransactionSize { transaction, n_records, n_written } => {
                let transaction = self.transaction(*transaction);
                self.pick(
                    format!(
                        "{transaction} is said to hold {n_records} records, and {n_written} were \
                         written into it"
                    ),
                    format!("{transaction}据称有 {n_records} 条记录，而写入了 {n_written} 条"),
                )
            }
            _ => return None,
        };
        Some(text)
    }

    fn about_what_survives(&self, wrong: &Wrong) -> Option<String> {
        let text = match wrong {
            Wrong::NotARun { task, record } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!(
                        "in what survives the failures, {record} cannot come to {task} there: no \
                         run without failures looks like this"
                    ),
                    format!(
                        "在故障之后留下的历史里，{record}不可能那时到{task}：没有故障的运行不会这样"
                    ),
                )
            }
            Wrong::EndsOtherwise { task } => {
                let task = self.task(*task);
                self.pick(
                    format!("a run without failures would leave another state in {task}"),
                    format!("没有故障的运行会在{task}留下别的状态"),
                )
            }
            Wrong::CommitsOtherwise { task, record } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!("{task} has committed {record} where what survives writes another"),
                    format!("{task}提交了{record}，而留下的历史在此处写的是别的"),
                )
            }
            Wrong::BeyondOrphans { record, task, n, explained } => {
                let (task, record) = (self.task(*task), self.record(record));
                self.pick(
                    format!(
                        "{record} counts {n} times too often in {task}, and the restored \
                         checkpoints explain {explained}"
                    ),
                    format!(
                        "{record}在{task}多计入 {n} 次，而所恢复的检查点只能解释 {explained} 次"
                    ),
                )
            }
            _ => return None,
        };
        Some(text)
    }

    /// "transaction 1.2 of sink(odd)": the second of attempt 1.
    fn transaction(&self, id: TransactionId) -> String {
        let (task, attempt, number) = (self.task(id.subtask), id.attempt, id.number);
        self.pick(
            format!("transaction {attempt}.{number} of {task}"),
            format!("{task}的事务 {attempt}.{number}"),
        )
    }

    fn message(&self, message: RpcMessage) -> String {
        match message {
            RpcMessage::Trigger(id) => {
                let which = self.checkpoint(id);
                self.pick(format!("the trigger of {which}"), format!("{which}的触发消息"))
            }
            RpcMessage::Acknowledge(id) => {
                let which = self.checkpoint(id);
                self.pick(format!("the acknowledgement of {which}"), format!("{which}的确认"))
            }
            RpcMessage::Decline(id) => {
                let which = self.checkpoint(id);
                self.pick(format!("the decline of {which}"), format!("{which}的放弃消息"))
            }
            RpcMessage::Abort(id) => {
                let which = self.checkpoint(id);
                self.pick(format!("the abort of {which}"), format!("{which}的中止通知"))
            }
            RpcMessage::Notify(id) => {
                let which = self.checkpoint(id);
                self.pick(
                    format!("the notification that {which} is complete"),
                    format!("{which}的完成通知"),
                )
            }
            RpcMessage::EndOfData => {
                self.pick("the report of its end".to_owned(), "数据结束的报告".to_owned())
            }
            RpcMessage::Backlog(_) => {
                self.pick("a report of old data".to_owned(), "积压报告".to_owned())
            }
            RpcMessage::Failure => {
                self.pick("the report of its failure".to_owned(), "失败的报告".to_owned())
            }
        }
    }
}
