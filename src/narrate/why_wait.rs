//! Why records and barriers wait where they wait.

use super::digest::element;
use super::why::{Why, record_of};
use super::why_align;
use crate::model::{ChannelIndex, ChannelKind, StreamElement, SubtaskIndex};
use crate::trace::{Rule, TaskStatus};

impl Why<'_> {
    /// Why something waits in the output buffer.
    pub(super) fn waits_at_sender(
        &self,
        channel: ChannelIndex,
        element: &StreamElement,
    ) -> (String, Rule) {
        let names = self.names;
        let (what, places) = (names.element(element), &self.after.channels[channel.index()]);
        let to = names.task(names.scenario.graph.channels[channel.index()].to);
        if let Some((checkpoint, missing)) = why_align::held_by(self, channel) {
            let missing = why_align::whose_barriers(self, &missing, checkpoint);
            let text = self.say(
                || {
                    format!(
                        "{what} comes after the barrier, and {missing} not reached {to} yet: \
                    it is held back, here still at its sender"
                    )
                },
                || format!("{what}在屏障之后，而{missing}还没到{to}：它被扣住，此刻还在发送方"),
            );
            return (text, Rule::AlignHoldBack);
        }
        if let Some(told) = self.stopped_sender(channel) {
            return told;
        }
        if places.buffer.len() > 1 {
            let text = self.say(
                || format!("others wait there before {what}, and a channel keeps its order"),
                || format!("{what}前面还有别的在等，通道保持先后顺序"),
            );
            return (text, Rule::ChannelFifo);
        }
        if names.scenario.graph.channels[channel.index()].kind == ChannelKind::Local {
            let text = self.say(
                || {
                    format!(
                        "a local channel has no receive queue: {to} takes {what} right from here"
                    )
                },
                || format!("本地通道没有接收队列：{to}直接从这里取{what}"),
            );
            return (text, Rule::ChannelFifo);
        }
        let text = self.say(
            || {
                format!(
                    "the channel has no credit left, since {to} has not taken what was sent \
                before: backpressure"
                )
            },
            || format!("通道的信用已用完，因为{to}还没取走之前发来的记录：这就是反压"),
        );
        (text, Rule::ChannelCredit)
    }

    /// Why a sender hands nothing out, if something that it has sent stops it.
    fn stopped_sender(&self, channel: ChannelIndex) -> Option<(String, Rule)> {
        let places = &self.after.channels[channel.index()];
        let mut ahead = places.queue.iter().chain(&places.wire);
        let ahead = ahead.find(|message| message.element.blocks_upstream())?;
        let to = self.names.task(self.names.scenario.graph.channels[channel.index()].to);
        if ahead.element == StreamElement::EndOfChannelState {
            let text = self.say(
                || {
                    format!(
                        "what the snapshot held in flight comes first: the sender goes on when \
                         {to} has all of it, from every channel"
                    )
                },
                || format!("快照里的在途数据先走：等{to}从所有通道都取回，发送方才继续"),
            );
            return Some((text, Rule::RecoveryRestore));
        }
        let barrier = self.names.element(&ahead.element);
        let text = self.say(
            || {
                format!(
                    "{barrier} is ahead on this channel, and behind a barrier the sender stops \
                     until {to} has aligned"
                )
            },
            || format!("这条通道上{barrier}走在前面；发出屏障后，发送方要等{to}对齐完才继续发"),
        );
        Some((text, Rule::AlignHoldBack))
    }

    /// Why something that has arrived is not taken at once.
    pub(super) fn waits(&self, channel: ChannelIndex, number: u64) -> (String, Rule) {
        let names = self.names;
        let task = names.scenario.graph.channels[channel.index()].to;
        let who = names.task(task);
        let element = element(self.before, self.step.facts.iter(), channel, number);
        let what = element
            .map_or_else(|| names.pick("it", "它").to_owned(), |element| names.element(&element));
        if let Some((checkpoint, missing)) = why_align::held_by(self, channel) {
            return why_align::hold_back(self, &what, channel, checkpoint, &missing);
        }
        let view = &self.after.tasks[task.index()];
        if view.status == TaskStatus::Initializing {
            let text = self.say(
                || format!("{who} is still reading its state, and takes nothing before"),
                || format!("{who}还在读取状态，此前什么都不处理"),
            );
            return (text, Rule::RecoveryRestore);
        }
        if view.status != TaskStatus::Running {
            let text = self.say(
                || format!("{who} no longer runs, and what is in its channels goes with it"),
                || format!("{who}已不再运行，它通道里的东西也随之丢弃"),
            );
            return (text, Rule::JobFail);
        }
        let places = &self.after.channels[channel.index()];
        let overtook = places.queue.len() > 1
            && places.queue.iter().take(places.queue_priority).any(|m| m.number == number);
        if overtook {
            let text = self.say(
                || {
                    format!(
                        "{what} overtakes the records that wait in the queue; {who} takes it as \
                         soon as it can"
                    )
                },
                || format!("{what}越过队列中等待的记录；{who}一有空就先取它"),
            );
            return (text, Rule::UnalignedOvertake);
        }
        if let Some(checkpoint) = view.copying {
            let which = names.checkpoint(checkpoint);
            let text = self.say(
                || format!("{who} copies its state for {which} and processes nothing meanwhile"),
                || format!("{who}正在为{which}复制状态，其间不处理任何记录"),
            );
            return (text, Rule::SnapshotStore);
        }
        if let Some((_, Some(record))) = view.in_hand.map(|(from, m)| (from, record_of(&m.element)))
        {
            let busy = names.record(&record);
            let text = self.say(
                || format!("{who} still works on {busy}, and it does one thing at a time"),
                || format!("{who}还在处理{busy}，它一次只做一件事"),
            );
            return (text, Rule::TaskOneAtATime);
        }
        if places.queue.len() > 1 {
            let text = if names.scenario.config.unaligned {
                self.say(
                    || {
                        format!(
                            "a channel keeps its order: only an unaligned barrier overtakes, and \
                             others stand before {what}"
                        )
                    },
                    || format!("通道保持先后顺序，只有非对齐屏障可以超车；{what}前面还有别的"),
                )
            } else {
                self.say(
                    || {
                        format!(
                            "a channel keeps its order: nothing overtakes, not even a barrier, \
                             and others stand before {what}"
                        )
                    },
                    || format!("通道保持先后顺序，谁也不能超车，屏障也不行；{what}前面还有别的"),
                )
            };
            return (text, Rule::ChannelFifo);
        }
        if self.output_full(task) {
            let text = self.say(
                || format!("an output buffer of {who} is full, so it takes nothing: backpressure"),
                || format!("{who}的一个输出缓冲已满，所以它不再取新的记录：这就是反压"),
            );
            return (text, Rule::ChannelCredit);
        }
        let text = self
            .say(|| format!("{what} waits until {who} takes it"), || format!("{what}等{who}来取"));
        (text, Rule::ChannelFifo)
    }

    fn output_full(&self, task: SubtaskIndex) -> bool {
        let graph = &self.names.scenario.graph;
        graph.subtasks[task.index()].outputs.iter().flat_map(|output| &output.channels).any(
            |channel| {
                let buffer = &self.after.channels[channel.index()].buffer;
                let records = buffer.iter().filter(|m| record_of(&m.element).is_some()).count();
                records >= graph.channels[channel.index()].output_buffers as usize
            },
        )
    }
}
