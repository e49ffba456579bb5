//! How much room the pictures of a run need: the fullest queues and the longest
//! texts of the whole run, so that no picture of a part of it is laid out
//! differently.

use std::collections::BTreeSet;

use crate::model::{ExecutionGraph, Record, StreamElement, Value};
use crate::trace::{Fact, Step, View};

/// What of a run decides about places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// By channel: the most elements in output buffer, wire and receive queue.
    pub fullest: Vec<[usize; 3]>,
    /// Texts of records, one for each width that there can be: figures are
    /// equally wide, so a zero stands for each.
    pub values: BTreeSet<String>,
    /// Elements that are neither records nor barriers, each kind once.
    pub tokens: Vec<StreamElement>,
    /// Whether any checkpoint holds records in flight.
    pub keeps_in_flight: bool,
}

impl Extent {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self { fullest: vec![[0; 3]; graph.channels.len()], ..Self::default() }
    }

    /// Takes a step in; `view` is the view after it.
    pub fn observe(&mut self, view: &View, step: &Step) {
        for fact in &step.facts {
            let channel = match fact {
                Fact::Emitted { channel, element, .. } => {
                    self.element(element);
                    *channel
                }
                Fact::ChannelStateRestored { channel, input, output } => {
                    self.element(&StreamElement::EndOfChannelState);
                    input.iter().chain(output).for_each(|record| self.record(record));
                    *channel
                }
                Fact::ChannelStateSaved { channel, .. } => {
                    self.keeps_in_flight = true;
                    *channel
                }
                Fact::Departed { channel, .. } | Fact::Arrived { channel, .. } => *channel,
                _ => continue,
            };
            let places = &view.channels[channel.index()];
            let now = [places.buffer.len(), places.wire.len(), places.queue.len()];
            for (most, now) in self.fullest[channel.index()].iter_mut().zip(now) {
                *most = (*most).max(now);
            }
        }
    }

    fn element(&mut self, element: &StreamElement) {
        match element {
            StreamElement::Record(record) => self.record(record),
            StreamElement::Barrier(_) | StreamElement::CancelMarker(_) => {}
            token if self.tokens.contains(token) => {}
            token => self.tokens.push(*token),
        }
    }

    fn record(&mut self, record: &Record) {
        let digits = match record.value {
            Value::Letter(letter) if !letter.is_ascii_digit() => {
                let text = letter.to_string();
                if !self.values.contains(&text) {
                    self.values.insert(text);
                }
                return;
            }
            Value::Letter(_) => (false, 1),
            Value::Number(number) => {
                let n = number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
                (number < 0, n)
            }
        };
        const ZEROS: &str = "-00000000000000000000";
        let text = if digits.0 { &ZEROS[..=digits.1] } else { &ZEROS[1..=digits.1] };
        if !self.values.contains(text) {
            self.values.insert(text.to_owned());
        }
    }
}
