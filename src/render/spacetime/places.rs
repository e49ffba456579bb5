//! Where each step stands: time runs to the right, in the order of the steps;
//! distances follow the time where there is room, and never let two things on
//! a lifeline meet or a message run straight down.

use std::collections::BTreeMap;

use super::events::{Band, Events, Kind, PhaseKind, Sighting, What};
use crate::model::Time;
use crate::render::font::{Font, Weight};

/// Where things stand.
pub(super) struct Places {
    /// By step: its place, if anything is seen of it.
    at: BTreeMap<u64, f64>,
    /// By position of a sighting: how much further right it stands than its
    /// step.
    pub(super) offset: Vec<f64>,
    /// The last step that has a place.
    pub(super) last: u64,
    /// Whether every step has one.
    pub(super) is_whole: bool,
}

/// How wide a record is on a lifeline at least, and how high.
pub(super) const CHIP: (f64, f64) = (32.0, 30.0);
/// Half the width of a snapshot's diamond.
pub(super) const DIAMOND: f64 = 17.0;

/// The width of a record's chip.
pub(super) fn chip_width(text: &str, font: &Font) -> f64 {
    (font.width(text, 18.0, Weight::SemiBold) + 10.0).max(CHIP.0)
}

/// How far something reaches to the left and to the right of its place.
pub(super) type Reach = (f64, f64);

/// How far the things on the lifelines reach: by position of the sighting.
pub(super) fn reaches(events: &Events, font: &Font) -> Vec<Reach> {
    events.sightings.iter().map(|own| reach(&own.what, font)).collect()
}

fn reach(what: &What, font: &Font) -> Reach {
    match what {
        What::Chip { record, after, .. } => {
            let half = chip_width(&record.value.to_string(), font) / 2.0;
            let text = font.width(after, 20.0, Weight::SemiBold);
            (half, half + if after.is_empty() { 4.0 } else { 12.0 + text })
        }
        What::Held(record) => {
            let half = chip_width(&record.value.to_string(), font) / 2.0;
            (half, half + 4.0)
        }
        What::Snapshot(_) => (DIAMOND, DIAMOND),
        What::Word(text, _) => {
            let half = font.width(text, 20.0, Weight::SemiBold) / 2.0;
            (half, half + 6.0)
        }
        What::Restored(text) => (0.0, font.width(text, 20.0, Weight::Bold).min(120.0) + 22.0),
        What::Crash => (24.0, 24.0),
    }
}

impl Places {
    /// Places of the steps from `first` on, as many as fit between `left` and
    /// `right`; `pitch` is the distance of two lifelines.
    pub(super) fn new(
        (events, reaches): (&Events, &[Reach]),
        times: &BTreeMap<u64, Time>,
        (left, right): (f64, f64),
        pitch: f64,
    ) -> Self {
        // How much of the width the time itself may take: less and less.
        // At last messages may run steeper.
        let pitch = pitch.min(78.0);
        for (share, pitch) in [(0.45, pitch), (0.2, pitch), (0.08, pitch), (0.0, pitch * 0.6)] {
            let places = Self::with_share((events, reaches), times, (left, right), (pitch, share));
            if places.is_whole {
                return places.stretched((left, right));
            }
        }
        Self::with_share((events, reaches), times, (left, right), (pitch * 0.6, 0.0))
    }

    fn with_share(
        (events, reaches): (&Events, &[Reach]),
        times: &BTreeMap<u64, Time>,
        (left, right): (f64, f64),
        (pitch, share): (f64, f64),
    ) -> Self {
        let span = match (times.values().next(), times.values().next_back()) {
            (Some(first), Some(last)) => (last.0 - first.0).max(1) as f64,
            _ => 1.0,
        };
        let mut sightings: BTreeMap<u64, Vec<(usize, &Sighting)>> = BTreeMap::new();
        for (place, sighting) in events.sightings.iter().enumerate() {
            sightings.entry(sighting.step).or_default().push((place, sighting));
        }
        let mut arrivals: BTreeMap<u64, Vec<(u64, Band, Band, Kind)>> = BTreeMap::new();
        for message in events.messages.iter().filter(|message| !message.lost) {
            let (from, to) = (message.from, message.to);
            arrivals.entry(to.0).or_default().push((from.0, from.1, to.1, message.kind));
        }
        // What begins to fill a lifeline stands right of what was there before.
        let mut begins: BTreeMap<u64, Vec<Band>> = BTreeMap::new();
        for phase in events.phases.iter().filter(|phase| phase.what == PhaseKind::Align) {
            begins.entry(phase.from).or_default().push(phase.band);
        }
        let mut free: BTreeMap<Band, f64> = BTreeMap::new();
        let mut at: BTreeMap<u64, f64> = BTreeMap::new();
        let mut offset = vec![0.0; events.sightings.len()];
        let (mut cursor, mut before) = (left, None);
        let mut last = times.keys().next().copied().unwrap_or(0);
        for (&step, time) in times {
            let passed = before.map_or(0, |before: Time| time.0 - before.0);
            let gap = passed as f64 / span * (right - left) * share;
            let mut x = cursor + if passed > 0 { gap.max(3.0) } else { 0.0 };
            for band in begins.get(&step).map_or(&[][..], Vec::as_slice) {
                x = x.max(free.get(band).copied().unwrap_or(left) + 4.0);
            }
            let own = sightings.get(&step).map_or(&[][..], Vec::as_slice);
            for (place, sighting) in own {
                let (to_left, _) = reaches[*place];
                let start = free.get(&sighting.band).copied().unwrap_or(left - 24.0);
                x = x.max(start + to_left + 6.0);
            }
            for (from, start, goal, kind) in arrivals.get(&step).map_or(&[][..], Vec::as_slice) {
                if let Some(sent) = at.get(from) {
                    let slope = if *kind == Kind::Rpc { 0.12 } else { 0.3 };
                    let distance = start.abs_diff(*goal) as f64 * pitch;
                    x = x.max(sent + (distance * slope).clamp(16.0, 90.0));
                }
            }
            let mut reached = x;
            for (place, sighting) in own {
                let (to_left, to_right) = reaches[*place];
                let start = free.get(&sighting.band).copied().unwrap_or(left - 24.0);
                let own_x = x.max(start + to_left + 6.0);
                offset[*place] = own_x - x;
                free.insert(sighting.band, own_x + to_right);
                reached = reached.max(own_x + to_right);
            }
            if reached > right {
                break;
            }
            at.insert(step, x);
            (cursor, before, last) = (x, Some(*time), step);
        }
        let is_whole = times.keys().next_back().is_none_or(|newest| *newest == last);
        Self { at, offset, last, is_whole }
    }

    /// Uses the whole width.
    fn stretched(mut self, (left, right): (f64, f64)) -> Self {
        const GROWTH_MAX: f64 = 1.8;
        const REACH: f64 = 90.0;
        let Some(widest) = self.at.values().copied().reduce(f64::max) else { return self };
        let factor = ((right - REACH - left) / (widest - left).max(1.0)).clamp(1.0, GROWTH_MAX);
        for x in self.at.values_mut() {
            *x = left + (*x - left) * factor;
        }
        self
    }

    /// The same to whole units: what is drawn of several runs is then more often
    /// the same.
    pub(super) fn rounded(mut self) -> Self {
        for own in self.at.values_mut().chain(&mut self.offset) {
            *own = own.round();
        }
        self
    }

    /// The place of a step; of one of which nothing is seen, that of the one
    /// before it.
    pub(super) fn x(&self, step: u64) -> Option<f64> {
        if step > self.last {
            return None;
        }
        self.at.range(..=step).next_back().map(|(_, x)| *x)
    }
}
