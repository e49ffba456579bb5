//! A channel delivers what was sent, once and in order; only unaligned barriers
//! overtake.
//!
//! Follows every element from the sender's output buffer over the wire into the
//! receive queue. Where something is not as it should be it goes on with what
//! the trace says, so that one mistake does not look like many.

use std::collections::VecDeque;

use super::breach::{ConductJudgement, Wrong};
use crate::model::{
    Barrier, ChannelEnd, ChannelIndex, ChannelKind, ExecutionGraph, InFlight, Message, Partitioner,
    Record, StreamElement,
};

/// Follows every channel of the running attempt.
#[derive(Debug)]
pub(super) struct Delivery {
    channels: Vec<Line>,
    /// By channel: whether barriers may overtake on it.
    may_overtake: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
struct Line {
    n_sent: u64,
    buffer: Queue,
    wire: Queue,
    queue: Queue,
    /// Taken by a task that needs time for it.
    in_hand: Option<Message>,
}

/// Elements in order, with those in front that have overtaken the others.
#[derive(Clone, Debug, Default)]
struct Queue {
    elements: VecDeque<Message>,
    n_priority: usize,
}

impl Queue {
    fn put(&mut self, message: Message) {
        if message.element.has_priority() {
            self.elements.insert(self.n_priority, message);
            self.n_priority += 1;
        } else {
            self.elements.push_back(message);
        }
    }

    fn place(&self, number: u64) -> Option<usize> {
        match self.elements.front() {
            Some(first) if first.number == number => Some(0),
            _ => self.elements.iter().position(|message| message.number == number),
        }
    }

    fn remove(&mut self, place: usize) -> Option<Message> {
        if place < self.n_priority {
            self.n_priority -= 1;
        }
        self.elements.remove(place)
    }
}

impl Delivery {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self {
            channels: vec![Line::default(); graph.channels.len()],
            may_overtake: may_overtake(graph),
        }
    }

    /// A new attempt begins with an empty channel.
    pub(super) fn restarted(&mut self, channel: ChannelIndex) {
        self.channels[channel.index()] = Line::default();
    }

    /// A channel has records back; the end of the channel state follows them.
    pub(super) fn restored(&mut self, channel: ChannelIndex, input: &[Record], output: &[Record]) {
        let line = &mut self.channels[channel.index()];
        let mut put = |queue: fn(&mut Line) -> &mut Queue, element: StreamElement| {
            line.n_sent += 1;
            let number = line.n_sent;
            queue(line).put(Message { number, element });
        };
        for record in input {
            put(|line| &mut line.queue, StreamElement::Record(*record));
        }
        for record in output {
            put(|line| &mut line.buffer, StreamElement::Record(*record));
        }
        put(|line| &mut line.buffer, StreamElement::EndOfChannelState);
    }

    /// An element is sent; whether it waits in the output buffer.
    pub(super) fn sent(
        &mut self,
        (channel, message): (ChannelIndex, Message),
        waits: bool,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let line = &mut self.channels[channel.index()];
        let next = line.n_sent + 1;
        if message.number != next {
            let number = message.number;
            found.push(step, None, Wrong::Misnumbered { channel, number, next });
        }
        line.n_sent = message.number;
        if let StreamElement::Barrier(barrier) = message.element
            && (barrier.options.is_unaligned() || barrier.options.timeout().is_some())
            && !self.may_overtake[channel.index()]
        {
            let checkpoint = barrier.checkpoint;
            found.push(step, None, Wrong::OvertakesWhereNone { channel, checkpoint });
        }
        if waits {
            line.buffer.put(message);
            return;
        }
        // A barrier with priority overtakes what waits.
        let waiting = line.buffer.elements.front().map(|first| first.number);
        if let Some(first) = waiting.filter(|_| !message.element.has_priority()) {
            let number = message.number;
            found.push(step, None, Wrong::OutOfTurn { channel, number, first });
        }
        line.wire.elements.push_back(message);
    }

    /// An element leaves the output buffer.
    pub(super) fn departed(
        &mut self,
        (channel, number): (ChannelIndex, u64),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let line = &mut self.channels[channel.index()];
        if let Some(message) = first(&mut line.buffer, (channel, number), step, found) {
            line.wire.elements.push_back(message);
        }
    }

    /// An element arrives and waits.
    pub(super) fn arrived(
        &mut self,
        (channel, number): (ChannelIndex, u64),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let line = &mut self.channels[channel.index()];
        if let Some(message) = first(&mut line.wire, (channel, number), step, found) {
            line.queue.put(message);
        }
    }

    /// An announced barrier moves to the front of the receive queue.
    pub(super) fn prioritized(
        &mut self,
        (channel, number): (ChannelIndex, u64),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let queue = &mut self.channels[channel.index()].queue;
        match queue.place(number).and_then(|place| queue.remove(place)) {
            Some(message) => {
                if !matches!(message.element, StreamElement::Barrier(_)) {
                    found.push(step, None, Wrong::AnotherThanSent { channel, number });
                }
                queue.elements.insert(queue.n_priority, message);
                queue.n_priority += 1;
            }
            None => found.push(step, None, Wrong::NotThere { channel, number }),
        }
    }

    /// A barrier that waits in the output buffer becomes unaligned and moves to
    /// the front of it.
    pub(super) fn output_timed_out(
        &mut self,
        (channel, number): (ChannelIndex, u64),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let buffer = &mut self.channels[channel.index()].buffer;
        let Some(mut message) = buffer.place(number).and_then(|place| buffer.remove(place)) else {
            found.push(step, None, Wrong::NotThere { channel, number });
            return;
        };
        match &mut message.element {
            StreamElement::Barrier(barrier) if barrier.options.timeout().is_some() => {
                *barrier = barrier.as_unaligned();
            }
            _ => found.push(step, None, Wrong::AnotherThanSent { channel, number }),
        }
        buffer.elements.insert(buffer.n_priority, message);
        buffer.n_priority += 1;
    }

    /// Records in flight become part of a snapshot: they must be there, in
    /// their order.
    pub(super) fn saved(
        &self,
        graph: &ExecutionGraph,
        (channel, end): (ChannelIndex, ChannelEnd),
        records: &[InFlight],
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let line = &self.channels[channel.index()];
        // What a local channel hands out comes right from the sender's buffer.
        let places: &[&Queue] = match (end, graph.channels[channel.index()].kind) {
            (ChannelEnd::Output, _) => &[&line.buffer],
            (ChannelEnd::Input, ChannelKind::Remote) => &[&line.queue, &line.wire],
            (ChannelEnd::Input, ChannelKind::Local) => &[&line.queue, &line.wire, &line.buffer],
        };
        let mut there = places.iter().flat_map(|place| &place.elements);
        for InFlight { number, record } in records {
            match there.find(|message| message.number == *number) {
                Some(message) if message.element == StreamElement::Record(*record) => {}
                Some(_) => {
                    found.push(step, None, Wrong::AnotherThanSent { channel, number: *number });
                }
                None => {
                    found.push(step, None, Wrong::NotThere { channel, number: *number });
                    return;
                }
            }
        }
    }

    /// A task takes a record that it will need time for.
    pub(super) fn started(
        &mut self,
        graph: &ExecutionGraph,
        (channel, number): (ChannelIndex, u64),
        (step, found): (u64, &mut ConductJudgement),
    ) -> Option<Record> {
        let message = self.take(graph, (channel, number), (step, &mut *found))?;
        let StreamElement::Record(record) = message.element else {
            found.push(step, None, Wrong::AnotherThanSent { channel, number });
            return None;
        };
        self.channels[channel.index()].in_hand = Some(message);
        Some(record)
    }

    /// A record has its effect: it was in the task's hand, or is taken now;
    /// says whether it is taken now.
    pub(super) fn processed(
        &mut self,
        graph: &ExecutionGraph,
        (channel, number, record): (ChannelIndex, u64, &Record),
        (step, found): (u64, &mut ConductJudgement),
    ) -> bool {
        let line = &mut self.channels[channel.index()];
        let in_hand = line.in_hand.take_if(|message| message.number == number);
        let (message, is_taken_now) = match in_hand {
            Some(message) => (Some(message), false),
            None => (self.take(graph, (channel, number), (step, &mut *found)), true),
        };
        let receiver = graph.channels[channel.index()].to;
        if is_taken_now != graph.spec(receiver).service.is_none() {
            found.push(step, None, Wrong::NotInHand { channel, number });
        }
        if let Some(message) = message
            && message.element != StreamElement::Record(*record)
        {
            found.push(step, None, Wrong::AnotherThanSent { channel, number });
        }
        is_taken_now
    }

    /// A task takes something that is no record: it must be what is said.
    pub(super) fn taken(
        &mut self,
        graph: &ExecutionGraph,
        (channel, number): (ChannelIndex, u64),
        is_it: impl Fn(&StreamElement) -> bool,
        (step, found): (u64, &mut ConductJudgement),
    ) -> Option<Barrier> {
        let message = self.take(graph, (channel, number), (step, &mut *found))?;
        if !is_it(&message.element) {
            found.push(step, None, Wrong::AnotherThanSent { channel, number });
        }
        match message.element {
            StreamElement::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }

    /// Takes an element out of the receive queue, or off the wire if nothing
    /// waits there; of a local channel, out of the sender's buffer.
    fn take(
        &mut self,
        graph: &ExecutionGraph,
        (channel, number): (ChannelIndex, u64),
        (step, found): (u64, &mut ConductJudgement),
    ) -> Option<Message> {
        let line = &mut self.channels[channel.index()];
        let place = match graph.channels[channel.index()].kind {
            _ if !line.queue.elements.is_empty() => &mut line.queue,
            ChannelKind::Remote => &mut line.wire,
            ChannelKind::Local => &mut line.buffer,
        };
        first(place, (channel, number), step, found)
    }
}

/// By channel: whether barriers may overtake on it. Where one input of an operator
/// cannot carry them, none of its inputs does.
///
/// Source: Flink `StreamingJobGraphGenerator`: no unaligned barriers on pointwise
/// and on broadcast connections.
fn may_overtake(graph: &ExecutionGraph) -> Vec<bool> {
    let edges = &graph.job.edges;
    let carries = |partitioner: &Partitioner| {
        !matches!(partitioner, Partitioner::Forward | Partitioner::Broadcast)
    };
    let channels = graph.channels.iter().map(|channel| {
        let receiver = edges[channel.edge.index()].to;
        let mut inputs = edges.iter().filter(|edge| edge.to == receiver);
        inputs.all(|edge| carries(&edge.partitioner))
    });
    channels.collect()
}

/// Takes an element that must be the first of a queue.
fn first(
    queue: &mut Queue,
    (channel, number): (ChannelIndex, u64),
    step: u64,
    found: &mut ConductJudgement,
) -> Option<Message> {
    match queue.place(number) {
        Some(0) => queue.remove(0),
        Some(place) => {
            let first = queue.elements[0].number;
            found.push(step, None, Wrong::OutOfTurn { channel, number, first });
            queue.remove(place)
        }
        None => {
            found.push(step, None, Wrong::NotThere { channel, number });
            None
        }
    }
}
