//! What a layout has to make room for: the longest texts and the fullest
//! queues of a whole run.

use crate::model::{ChannelIndex, Language, StreamElement};
use crate::narrate::Story;
use crate::render::font::{Font, Weight};
use crate::trace::{Fact, View};

/// What of a run decides about places.
#[derive(Clone, Debug)]
pub(super) struct Measures {
    /// How wide a record is.
    pub(super) chip: f64,
    /// By channel: the most elements in output buffer, wire and receive queue,
    /// each at most [`COUNTED_MAX`].
    pub(super) fullest: Vec<[usize; 3]>,
    /// Whether any checkpoint holds records in flight.
    pub(super) keeps_in_flight: bool,
}

/// More elements than this are never drawn of one compartment.
const COUNTED_MAX: usize = 6;
/// How wide a record is at least, and at most.
const CHIP: (f64, f64) = (56.0, 132.0);

impl Measures {
    pub(super) fn of(story: &Story, language: Language, font: &Font) -> Self {
        let graph = &story.scenario.graph;
        let mut view = View::start(graph);
        let mut fullest = vec![[0; 3]; graph.channels.len()];
        let (mut widest, mut keeps_in_flight) = (0.0_f64, false);
        for step in &story.trace.steps {
            view.apply_step(graph, step).expect("the story has read it");
            for fact in &step.facts {
                let channel = match fact {
                    Fact::Emitted { channel, element, .. } => {
                        widest = widest.max(needed(element, language, font));
                        *channel
                    }
                    Fact::ChannelStateRestored { channel, input, output } => {
                        let end = StreamElement::EndOfChannelState;
                        widest = widest.max(needed(&end, language, font));
                        for record in input.iter().chain(output) {
                            let element = StreamElement::Record(*record);
                            widest = widest.max(needed(&element, language, font));
                        }
                        *channel
                    }
                    Fact::ChannelStateSaved { channel, .. } => {
                        keeps_in_flight = true;
                        *channel
                    }
                    Fact::Departed { channel, .. } | Fact::Arrived { channel, .. } => *channel,
                    _ => continue,
                };
                let places = &view.channels[channel.index()];
                let now = [places.buffer.len(), places.wire.len(), places.queue.len()];
                for (most, now) in fullest[channel.index()].iter_mut().zip(now) {
                    *most = (*most).max(now).min(COUNTED_MAX);
                }
            }
        }
        Self { chip: (widest + 10.0).ceil().clamp(CHIP.0, CHIP.1), fullest, keeps_in_flight }
    }

    /// The fullest that any of some channels gets: buffer, wire, queue.
    pub(super) fn of_channels(&self, channels: &[ChannelIndex]) -> [usize; 3] {
        let mut most = [0; 3];
        for channel in channels {
            for (most, own) in most.iter_mut().zip(self.fullest[channel.index()]) {
                *most = (*most).max(own);
            }
        }
        most
    }
}

/// The width of an element's text at the smallest size.
fn needed(element: &StreamElement, language: Language, font: &Font) -> f64 {
    let size = crate::render::scene::SIZE_MIN;
    match element {
        StreamElement::Record(record) => {
            font.width(&record.value.to_string(), size, Weight::SemiBold)
        }
        StreamElement::Barrier(_) => 0.0,
        other => font.width(token(other, language), size, Weight::Medium),
    }
}

/// What is written on an element that is neither record nor barrier.
pub(super) fn token(element: &StreamElement, language: Language) -> &'static str {
    let (en, zh) = match element {
        StreamElement::EndOfData => ("end", "结束"),
        StreamElement::EndOfPartition => ("close", "关闭"),
        StreamElement::EndOfChannelState => ("state", "状态"),
        StreamElement::Record(_) | StreamElement::Barrier(_) | StreamElement::CancelMarker(_) => {
            ("", "")
        }
    };
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}
