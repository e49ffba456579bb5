//! "What changed" of messages between the JobManager and the tasks.

use super::changed::Teller;
use crate::trace::{Fact, RpcMessage};

/// Whether a fact tells of a message that is lost or late.
pub(super) fn is_mishap(fact: &Fact) -> bool {
    matches!(fact, Fact::MessageLost { .. } | Fact::MessageDelayed { .. })
}

impl Teller<'_> {
    /// Messages of a step that are lost or late: told behind what they say.
    pub(super) fn mishaps(&self, clauses: &mut Vec<String>) {
        let mishaps = self.digest.job.iter().filter(|fact| is_mishap(fact));
        clauses.extend(mishaps.map(|fact| self.mishap(fact)));
    }

    /// A message that is lost or late.
    pub(super) fn mishap(&self, fact: &Fact) -> String {
        let names = self.names;
        let (task, message, by) = match fact {
            Fact::MessageLost { task, message } => (task, message, None),
            Fact::MessageDelayed { task, message, by } => (task, message, Some(by)),
            _ => return String::new(),
        };
        let (who, what) = (names.task(*task), self.message(*message));
        let from_task = matches!(
            message,
            RpcMessage::Acknowledge(_)
                | RpcMessage::Decline(_)
                | RpcMessage::EndOfData
                | RpcMessage::Backlog(_)
                | RpcMessage::Failure
        );
        let whose = match from_task {
            true => self.say(|| format!("a message of {who}"), || format!("{who}的消息")),
            false => self.say(|| format!("a message to {who}"), || format!("发给{who}的消息")),
        };
        match by {
            None => {
                self.say(|| format!("{whose} is lost: {what}"), || format!("{whose}丢失：{what}"))
            }
            Some(by) => self.say(
                || format!("{whose} is {by} late: {what}"),
                || format!("{whose}晚到 {by}：{what}"),
            ),
        }
    }

    /// What a message says, as a noun.
    pub(super) fn message(&self, message: RpcMessage) -> String {
        let names = self.names;
        match message {
            RpcMessage::Trigger(id) => {
                let which = names.checkpoint(id);
                self.say(|| format!("the trigger of {which}"), || format!("{which}的触发消息"))
            }
            RpcMessage::Acknowledge(id) => {
                let which = names.checkpoint(id);
                self.say(|| format!("the acknowledgement of {which}"), || format!("{which}的确认"))
            }
            RpcMessage::Decline(id) => {
                let which = names.checkpoint(id);
                self.say(|| format!("the refusal of {which}"), || format!("{which}的拒绝消息"))
            }
            RpcMessage::Abort(id) => {
                let which = names.checkpoint(id);
                self.say(
                    || format!("the notice that {which} was given up"),
                    || format!("{which}的放弃通知"),
                )
            }
            RpcMessage::Notify(id) => {
                let which = names.checkpoint(id);
                self.say(
                    || format!("the notice that {which} is complete"),
                    || format!("{which}的完成通知"),
                )
            }
            RpcMessage::Backlog(_) => {
                names.pick("the report on its backlog", "积压报告").to_owned()
            }
            RpcMessage::EndOfData => {
                names.pick("the report of the end of data", "数据结束报告").to_owned()
            }
            RpcMessage::Failure => names.pick("the report of a failure", "失败报告").to_owned(),
        }
    }
}
