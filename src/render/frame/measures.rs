//! What a layout has to make room for: the longest texts and the fullest
//! queues of a whole run.

use super::plan::Shape;
use crate::model::{ChannelIndex, Language, StreamElement};
use crate::narrate::Story;
use crate::render::font::{Font, Weight};

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
/// How wide it is at least where there is little room.
const CHIP_NARROW: f64 = 46.0;

impl Measures {
    pub(super) fn of(story: &Story, language: Language, (font, shape): (&Font, Shape)) -> Self {
        let extent = &story.extent;
        let size = crate::render::scene::SIZE_MIN;
        let values = extent.values.iter().map(|text| font.width(text, size, Weight::SemiBold));
        let tokens = extent.tokens.iter();
        let tokens = tokens.map(|own| font.width(token(own, language), size, Weight::Medium));
        let widest = values.chain(tokens).fold(0.0, f64::max);
        let counted = |own: &[usize; 3]| own.map(|most| most.min(COUNTED_MAX));
        let least = if shape == Shape::Tall { CHIP_NARROW } else { CHIP.0 };
        Self {
            chip: (widest + 10.0).ceil().clamp(least, CHIP.1),
            fullest: extent.fullest.iter().map(counted).collect(),
            keeps_in_flight: extent.keeps_in_flight,
        }
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
