//! Why records go where they go, and do what they do.

use super::why::Why;
use crate::model::{
    ChannelIndex, OperatorKind, Partitioner, Record, SinkKind, StreamElement, SubtaskIndex,
};
use crate::trace::{Fact, Rule};

impl Why<'_> {
    /// Where a record that a source has read goes, and why there.
    pub(super) fn routed(&self, record: &Record) -> (String, Rule) {
        let names = self.names;
        let sent = self.step.facts.iter().find_map(|fact| match fact {
            Fact::Emitted { channel, element: StreamElement::Record(own), .. }
                if own.id.offset == record.id.offset && own.id.split == record.id.split =>
            {
                Some(*channel)
            }
            _ => None,
        });
        let what = names.record(record);
        let Some(channel) = sent else {
            let text = self.say(
                || format!("a source reads its splits in turn, and {what} was next"),
                || format!("源轮流读取各个分片，轮到{what}"),
            );
            return (text, Rule::SourceRead);
        };
        let graph = &names.scenario.graph;
        let to = names.task(graph.channels[channel.index()].to);
        let edge = &graph.job.edges[graph.channels[channel.index()].edge.index()];
        let text = match &edge.partitioner {
            Partitioner::Forward => self.say(
                || {
                    format!(
                        "a forward edge joins each subtask to the one of its own number, here {to}"
                    )
                },
                || format!("forward 边把每个子任务连到同号的子任务，这里是{to}"),
            ),
            Partitioner::Hash(selector) => {
                let key = names.key(edge.to, selector.key(record.value));
                self.say(
                    || {
                        format!(
                            "the key of {what} is {key}, and the key group of {key} belongs to {to}"
                        )
                    },
                    || format!("{what}的键是{key}，{key}所在的键组归{to}"),
                )
            }
            Partitioner::Rebalance => self.say(
                || format!("a rebalance edge serves its receivers in turn, and {to} was next"),
                || format!("rebalance 边轮流发给各个接收方，这次轮到{to}"),
            ),
            Partitioner::Broadcast => names
                .pick(
                    "a broadcast edge sends a copy to every receiver",
                    "broadcast 边给每个接收方各发一份",
                )
                .to_owned(),
            Partitioner::Modulo => self.say(
                || {
                    format!(
                        "the custom partitioner sends {what} to the subtask of its remainder, {to}"
                    )
                },
                || format!("自定义分区器按余数把{what}发给{to}"),
            ),
        };
        (text, Rule::ChannelRoute)
    }

    pub(super) fn sent(&self, channel: ChannelIndex, element: &StreamElement) -> String {
        let to = self.names.task(self.names.scenario.graph.channels[channel.index()].to);
        let what = self.names.element(element);
        self.say(
            || format!("{what} goes to {to}, as the partitioner of the edge says"),
            || format!("按边的分区器，{what}发往{to}"),
        )
    }

    pub(super) fn departed(&self, channel: ChannelIndex) -> String {
        let to = self.names.task(self.names.scenario.graph.channels[channel.index()].to);
        self.say(
            || format!("{to} has room again, so what waited first may go first"),
            || format!("{to}又有了空位，先等的先走"),
        )
    }

    pub(super) fn started(&self, task: SubtaskIndex, channel: ChannelIndex, number: u64) -> String {
        let who = self.names.task(task);
        let held = self.memory.held_back(channel, number);
        match held {
            Some(checkpoint) => {
                let barrier = self.names.barrier(checkpoint);
                self.say(
                    || {
                        format!(
                            "it was held back at {barrier}, and what waited longest comes first"
                        )
                    },
                    || format!("它在{barrier}处被扣住，等得最久的先处理"),
                )
            }
            None => self.say(
                || format!("{who} does one thing at a time and was free; the work takes some time"),
                || format!("{who}一次只做一件事，刚好空闲；处理需要一些时间"),
            ),
        }
    }

    /// A record that has had its effect, with nothing to do with barriers.
    pub(super) fn processed(&self, task: SubtaskIndex, record: &Record) -> (String, Rule) {
        let names = self.names;
        let (who, what) = (names.task(task), names.record(record));
        let text = match &names.scenario.graph.operator(task).kind {
            OperatorKind::Sink(kind) => return self.written(task, *kind, record),
            OperatorKind::Sum(_) => self.say(
                || {
                    format!(
                        "{who} adds {what} to the sum of its key and at once sends the new sum on"
                    )
                },
                || format!("{who}把{what}加到它的键的和上，随即发出新的和"),
            ),
            OperatorKind::Count(_) => self.say(
                || format!("{who} counts {what} under its key and at once sends the new count on"),
                || format!("{who}在{what}的键下计数加一，随即发出新的计数"),
            ),
            OperatorKind::Max(_) => self.say(
                || {
                    format!(
                        "{who} keeps the largest value of each key and sends it on for every record"
                    )
                },
                || format!("{who}为每个键保留最大值，每来一条记录就发出一次"),
            ),
            OperatorKind::Join(_) => {
                let sent = self.step.facts.iter().any(|fact| {
                    matches!(fact, Fact::Emitted { element: StreamElement::Record(_), .. })
                });
                if sent {
                    self.say(
                        || {
                            format!(
                                "the other side has a value under the same key, so {who} \
                            sends the two on together"
                            )
                        },
                        || format!("另一侧在同一个键下已有值，所以{who}把两者合起来发出"),
                    )
                } else {
                    self.say(
                        || {
                            format!(
                                "the other side has no value under this key yet, so {who} \
                            only keeps {what}"
                            )
                        },
                        || format!("另一侧在这个键下还没有值，所以{who}只存下{what}"),
                    )
                }
            }
            OperatorKind::BroadcastProcess(_) => self.with_rules(who, &what),
            OperatorKind::Filter(_) => self.say(
                || format!("{who} lets pass what meets its condition, and nothing else"),
                || format!("{who}只放行满足条件的记录"),
            ),
            OperatorKind::Map(_) => self.say(
                || format!("{who} changes each value and keeps nothing"),
                || format!("{who}逐条转换，不保存状态"),
            ),
            OperatorKind::Union | OperatorKind::Source { .. } => self.say(
                || format!("{who} passes on what comes from any of its inputs"),
                || format!("{who}把任一输入来的记录原样传下去"),
            ),
        };
        (text, Rule::TaskProcess)
    }

    /// A rule that every subtask gets, or a record that is changed by them.
    fn with_rules(&self, who: &str, what: &str) -> String {
        let is_rule = self
            .step
            .facts
            .iter()
            .any(|fact| matches!(fact, Fact::Processed { state: Some(_), .. }));
        match is_rule {
            true => self.say(
                || {
                    format!(
                        "{what} came on the broadcast input: {who} keeps it in its broadcast \
                         state, in place of what was there under its key, as every subtask does"
                    )
                },
                || {
                    format!(
                        "{what}来自广播输入：{who}把它存入广播状态，取代同一个键下原有的值，\
                         每个子任务都这样做"
                    )
                },
            ),
            false => self.say(
                || {
                    format!(
                        "{who} adds to {what} what its broadcast state has under its key, and \
                         changes nothing there"
                    )
                },
                || format!("{who}把广播状态中同一个键下的值加到{what}上，不改动状态"),
            ),
        }
    }

    /// A record that a sink has written.
    fn written(&self, task: SubtaskIndex, kind: SinkKind, record: &Record) -> (String, Rule) {
        let names = self.names;
        let (who, what) = (names.task(task), names.record(record));
        let text = match kind {
            SinkKind::Publish => {
                let written = self.before.tasks[task.index()].sink.as_ref();
                let again = written
                    .is_some_and(|sink| sink.published.last.iter().any(|own| own.id == record.id));
                if again {
                    self.say(
                        || {
                            "what this record caused had been published before the \
                            failure and cannot be taken back: a sink that publishes at once \
                            publishes it twice"
                                .to_owned()
                        },
                        || {
                            "这条记录的结果在故障前已经发布过，收不回来：立即发布的汇会重复发布\
                            它"
                            .to_owned()
                        },
                    )
                } else {
                    self.say(
                        || {
                            format!(
                                "{who} publishes at once: {what} is visible outside, \
                            whatever becomes of the next checkpoint"
                            )
                        },
                        || format!("{who}立即发布：无论下一个检查点成败，{what}都已对外可见"),
                    )
                }
            }
            SinkKind::Transactional => self.say(
                || {
                    format!(
                        "nobody outside sees {what} before the checkpoint is complete that \
                    its transaction is prepared for"
                    )
                },
                || format!("要等事务预提交所属的检查点完成后，外界才能看到{what}"),
            ),
            SinkKind::Idempotent => self.say(
                || {
                    format!(
                        "{what} overwrites what stands under its key, so that writing it \
                    again does no harm"
                    )
                },
                || format!("{what}覆盖同一个键下的旧值，重复写也无妨"),
            ),
        };
        (text, Rule::SinkPublish)
    }
}
