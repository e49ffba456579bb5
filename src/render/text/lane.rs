//! One channel on one line: what waits in the sender's output buffer, what is
//! on the wire, what waits at the receiver.
//!
//! `blue (6)├──(5)─(4)┤[3] ▸`: the wire runs between `├` and `┤`, the buffer
//! lies before it and the queue behind it; the first to be taken is at the
//! right. A blocked channel is hatched, and all that it holds back stands at
//! its end, wherever it really waits. `┃2»` is a barrier that overtakes, and
//! what it has overtaken stands behind it; `[4]*` is a record of which a
//! pending checkpoint keeps a copy. A local channel is dotted: there is nothing
//! between its output buffer and its receiver.

use std::collections::{BTreeMap, VecDeque};

use super::canvas::{Canvas, cut_name, width};
use super::paint::{Paint, brackets};
use super::plan::Extent;
use crate::model::{ChannelKind, Message, Record, StreamElement};
use crate::narrate::Names;
use crate::trace::ChannelView;

/// What is drawn of one channel.
pub(super) struct Lane<'a> {
    pub(super) names: Names<'a>,
    /// The sender's name; none for a lane that begins at its sender's box.
    pub(super) sender: Option<&'a str>,
    pub(super) kind: ChannelKind,
    pub(super) now: &'a ChannelView,
    pub(super) before: &'a ChannelView,
    /// Records of which pending checkpoints keep copies.
    pub(super) kept: Vec<Record>,
}

/// One thing in a channel, with the column before it.
struct Item {
    text: String,
    paint: Paint,
    is_barrier: bool,
    is_new: bool,
    is_kept: bool,
}

impl Item {
    fn width(&self) -> usize {
        width(&self.text) + usize::from(self.is_kept)
    }
}

/// The elements of a compartment, and how many of the first have overtaken
/// the rest.
type Compartment<'m> = (&'m VecDeque<Message>, usize);

/// How many of a compartment's items are drawn; the others are counted.
#[derive(Clone, Copy)]
struct Shown {
    items: usize,
    total: usize,
}

/// A record as it looks everywhere in the picture.
pub(super) fn record_text(record: &Record) -> String {
    let (open, close) = brackets(record.id.split.0);
    format!("{open}{}{close}", record.value)
}

/// A barrier as it looks everywhere in the picture.
pub(super) fn barrier_text(checkpoint: crate::model::CheckpointId) -> String {
    format!("┃{checkpoint}┃")
}

/// A barrier that overtakes.
pub(super) fn overtaking_text(checkpoint: crate::model::CheckpointId) -> String {
    format!("┃{checkpoint}»")
}

impl Lane<'_> {
    /// Draws it, its arrow ending at the extent's end.
    pub(super) fn draw(&self, canvas: &mut Canvas, place: Extent, y: usize) {
        let end = place.x + place.width;
        let sender = self.sender.map(|sender| cut_name(sender, (place.width * 2 / 5).max(6)));
        let label = sender.as_ref().map_or(0, |sender| width(sender) + 1);
        if self.is_held() {
            // The word matters more than the name, which its place tells too.
            let word = format!(" {} ", self.names.pick("blocked", "已阻塞"));
            let label = if self.hatch(place.width - label) > width(&word) { label } else { 0 };
            if let (Some(sender), 1..) = (&sender, label) {
                canvas.put(place.x, y, sender, Paint::Dim);
            }
            self.draw_blocked(canvas, (place.x + label, end), (y, &word));
        } else {
            if let Some(sender) = &sender {
                canvas.put(place.x, y, sender, Paint::Dim);
            }
            self.draw_open(canvas, (place.x + label, end), y);
        }
    }

    /// Whether everything in the channel is held back. Records that a barrier
    /// has overtaken in the receive queue are not, although their channel counts
    /// as blocked.
    fn is_held(&self) -> bool {
        self.now.blocked.is_some() && self.now.queue_priority == 0 && !self.has_overtaken()
    }

    /// Whether records are still to be processed that came before the barrier
    /// that blocks the channel.
    fn has_overtaken(&self) -> bool {
        self.now.queue.iter().any(|message| matches!(message.element, StreamElement::Record(_)))
    }

    /// The length of the hatch of a blocked channel that is drawn so long.
    fn hatch(&self, columns: usize) -> usize {
        let items = self.held();
        let room = columns.saturating_sub(3);
        let shown = choose([&Vec::new(), &Vec::new(), &items], room)[2];
        (columns - 2).saturating_sub(compartment_width(&items, shown))
    }

    /// All that a blocked channel holds back.
    fn held(&self) -> Vec<Item> {
        let all: VecDeque<Message> = self.now.in_flight().copied().collect();
        let known: VecDeque<Message> = self.before.in_flight().copied().collect();
        self.items((&all, 0), (&known, 0))
    }

    fn draw_open(&self, canvas: &mut Canvas, (start, end): (usize, usize), y: usize) {
        let (now, before) = (self.now, self.before);
        let buffer = self
            .items((&now.buffer, now.buffer_priority), (&before.buffer, before.buffer_priority));
        let wire = self.items((&now.wire, 0), (&before.wire, 0));
        let queue =
            self.items((&now.queue, now.queue_priority), (&before.queue, before.queue_priority));
        let line = match self.kind {
            ChannelKind::Remote => '─',
            ChannelKind::Local => '╌',
        };
        // Two for the arrow, one for the least of an empty wire.
        let room = (end - start).saturating_sub(2 + usize::from(wire.is_empty()));
        let shown = choose([&buffer, &wire, &queue], room);
        canvas.put(end - 1, y, "▸", Paint::Dim);
        let mut x = end - 2;
        if queue.is_empty() {
            canvas.put(x, y, line.encode_utf8(&mut [0; 4]), Paint::Dim);
        }
        x = self.draw_items(canvas, (x, y), (&queue, shown[2]), ' ');
        if !queue.is_empty() {
            // The mark of something new gives way to the end of the wire.
            canvas.put(x, y, "┤", Paint::Dim);
        }
        x = self.draw_items(canvas, (x, y), (&wire, shown[1]), '─');
        let mut left = start;
        if !buffer.is_empty() {
            // From the left: the newest is at the sender, right after its name.
            let from = start - usize::from(self.sender.is_some());
            let end = from + compartment_width(&buffer, shown[0]);
            self.draw_items(canvas, (end, y), (&buffer, shown[0]), ' ');
            // A blocked sender lets nothing out.
            let (gate, paint) = match now.blocked {
                Some(_) => ("╣", Paint::Blocked),
                None => ("├", Paint::Dim),
            };
            canvas.put(end, y, gate, paint);
            left = end + 1;
        }
        canvas.fill(left..x, y, line, Paint::Dim);
    }

    fn draw_blocked(
        &self,
        canvas: &mut Canvas,
        (start, end): (usize, usize),
        (y, word): (usize, &str),
    ) {
        let items = self.held();
        let room = (end - start).saturating_sub(3);
        let none = Vec::new();
        let shown = choose([&none, &none, &items], room);
        canvas.put(end - 1, y, "╣", Paint::Blocked);
        let x = self.draw_items(canvas, (end - 2, y), (&items, shown[2]), ' ');
        canvas.fill(start..x, y, '░', Paint::Dim);
        if start + width(word) < x {
            canvas.put(start + 1, y, word, Paint::Bold);
        }
    }

    /// Draws items to the left of a column, the first at the right, and gives
    /// the column before the last one drawn.
    fn draw_items(
        &self,
        canvas: &mut Canvas,
        (end, y): (usize, usize),
        (items, shown): (&[Item], Shown),
        between: char,
    ) -> usize {
        let mut x = end;
        for item in &items[..shown.items] {
            x -= item.width();
            let after = canvas.put(x, y, &item.text, item.paint);
            if item.is_kept {
                canvas.put(after, y, "*", Paint::Barrier);
            }
            x -= 1;
            if item.is_new {
                canvas.put(x, y, "›", Paint::Changed);
            } else {
                canvas.put(x, y, between.encode_utf8(&mut [0; 4]), Paint::Dim);
            }
        }
        let hidden = &items[shown.items..];
        if !hidden.is_empty() {
            let text = hidden_text(hidden);
            x -= width(&text);
            canvas.put(x, y, &text, Paint::Dim);
            x -= 1;
            canvas.put(x, y, between.encode_utf8(&mut [0; 4]), Paint::Dim);
        }
        x
    }

    fn items(&self, (now, n_first): Compartment<'_>, before: Compartment<'_>) -> Vec<Item> {
        // An element that has overtaken others since is new at its place.
        let (known, n_known_first) = before;
        let known: BTreeMap<u64, bool> =
            (0..).zip(known).map(|(place, m)| (m.number, place < n_known_first)).collect();
        let item = |(place, message): (usize, &Message)| {
            let has_overtaken = place < n_first;
            let (text, paint) = match &message.element {
                StreamElement::Record(record) => {
                    (record_text(record), Paint::Split(record.id.split.0))
                }
                StreamElement::Barrier(barrier)
                    if has_overtaken || barrier.options.is_unaligned() =>
                {
                    (overtaking_text(barrier.checkpoint), Paint::Barrier)
                }
                StreamElement::Barrier(barrier) => {
                    (barrier_text(barrier.checkpoint), Paint::Barrier)
                }
                StreamElement::CancelMarker(checkpoint) => {
                    (format!("✗{checkpoint}"), Paint::Barrier)
                }
                StreamElement::EndOfPartition => {
                    (self.names.pick("closed", "关闭").to_owned(), Paint::Bold)
                }
                StreamElement::EndOfChannelState => {
                    (self.names.pick("restored", "恢复完").to_owned(), Paint::Bold)
                }
                StreamElement::EndOfData => {
                    (self.names.pick("end", "结束").to_owned(), Paint::Bold)
                }
            };
            Item {
                text,
                paint,
                is_barrier: matches!(message.element, StreamElement::Barrier(_)),
                is_new: known.get(&message.number).is_none_or(|had| !had && has_overtaken),
                is_kept: matches!(&message.element, StreamElement::Record(own)
                    if self.kept.contains(own)),
            }
        };
        (0..).zip(now).map(item).collect()
    }
}

/// What stands for items that are not drawn: their number, and a bar for each
/// barrier among them, for no barrier may hide.
fn hidden_text(items: &[Item]) -> String {
    let n_barriers = items.iter().filter(|item| item.is_barrier).count();
    let barriers: String = items
        .iter()
        .rev()
        .filter(|item| item.is_barrier)
        .take(2)
        .map(|item| item.text.as_str())
        .collect();
    match items.len() - n_barriers {
        0 => barriers,
        n => format!("+{n}{barriers}"),
    }
}

fn compartment_width(items: &[Item], shown: Shown) -> usize {
    let drawn: usize = items[..shown.items].iter().map(|item| 1 + item.width()).sum();
    let hidden = &items[shown.items..];
    drawn + if hidden.is_empty() { 0 } else { 1 + width(&hidden_text(hidden)) }
}

/// How much of buffer, wire and queue is drawn: everything if it fits, else
/// less of the fullest, of several the one nearest to the sender.
fn choose(compartments: [&Vec<Item>; 3], room: usize) -> [Shown; 3] {
    let mut shown = compartments.map(|items| Shown { items: items.len(), total: items.len() });
    let needed = |shown: &[Shown; 3]| -> usize {
        let items: usize =
            (0..3).map(|place| compartment_width(compartments[place], shown[place])).sum();
        items + usize::from(shown[0].total > 0)
    };
    while needed(&shown) > room {
        let fullest =
            (0..3).rev().max_by_key(|place| shown[*place].items).expect("there are three");
        if shown[fullest].items == 0 {
            break;
        }
        shown[fullest].items -= 1;
    }
    shown
}
