//! The pictures of a page: every shape and text once, in both languages side by
//! side; parts made of those, and frames made of parts.
//!
//! A frame is a function of its number alone: whichever way the reader came,
//! the same number is the same bytes.

use super::table::{Numbers, Table};
use crate::render::{Scene, svg_items};

/// All pictures so far.
pub(super) struct Pictures {
    /// SVG elements.
    elements: Table<String>,
    /// An element in English and the one in its place in Chinese.
    pairs: Table<(u32, u32)>,
    parts: Table<Vec<u32>>,
    frames: Table<Vec<u32>>,
    /// By frame: the one before it in the run in which it first came.
    bases: Vec<u32>,
}

impl Pictures {
    pub(super) fn new() -> Self {
        Self {
            elements: Table::new(),
            pairs: Table::new(),
            parts: Table::new(),
            frames: Table::new(),
            bases: Vec::new(),
        }
    }

    /// The number of a frame; `near` is one that is likely to be similar.
    pub(super) fn frame(&mut self, [en, zh]: [&Scene; 2], near: u32) -> u32 {
        assert_eq!(en.parts.len(), zh.parts.len(), "both languages have the same parts");
        let items = [en, zh].map(svg_items);
        let end = |scene: &Scene, part: usize| {
            scene.parts.get(part + 1).copied().unwrap_or(scene.items.len())
        };
        let part = |part: usize| {
            let own = [en, zh].map(|scene| scene.parts[part]..end(scene, part));
            self.part([&items[0][own[0].clone()], &items[1][own[1].clone()]])
        };
        let parts: Vec<u32> = (0..en.parts.len()).map(part).collect();
        let number = self.frames.number(parts);
        if number as usize == self.bases.len() {
            self.bases.push(near.min(number));
        }
        number
    }

    /// The number of a whole drawing, as one part.
    pub(super) fn drawing(&mut self, [en, zh]: [&Scene; 2]) -> u32 {
        let items = [en, zh].map(svg_items);
        self.part([&items[0], &items[1]])
    }

    fn part(&mut self, [en, zh]: [&[String]; 2]) -> u32 {
        let mut pair = |en: String, zh: String| {
            let own = (self.elements.number(en), self.elements.number(zh));
            self.pairs.number(own)
        };
        // Where the languages differ in the number of lines, all is one element.
        let pairs = match en.len() == zh.len() {
            true => en.iter().zip(zh).map(|(en, zh)| pair(en.clone(), zh.clone())).collect(),
            false => vec![pair(en.concat(), zh.concat())],
        };
        self.parts.number(pairs)
    }

    pub(super) fn elements(&self) -> &[String] {
        self.elements.values()
    }

    /// The Chinese one as a distance from the English one.
    pub(super) fn pairs(&self) -> Numbers {
        let mut numbers = Numbers::default();
        for (en, zh) in self.pairs.values() {
            numbers.push(u64::from(*en));
            numbers.push_signed(i64::from(*zh) - i64::from(*en));
        }
        numbers
    }

    pub(super) fn parts(&self) -> Numbers {
        let mut numbers = Numbers::default();
        self.parts.values().iter().for_each(|part| numbers.push_list(part));
        numbers
    }

    /// Each frame by what differs from another one: how far back that is, how
    /// many parts there are, and slot and part of each that differs.
    pub(super) fn frames(&self) -> Numbers {
        let frames = self.frames.values();
        let mut numbers = Numbers::default();
        for (number, (frame, base)) in frames.iter().zip(&self.bases).enumerate() {
            let base = *base as usize;
            let known: &[u32] = if base < number { &frames[base] } else { &[] };
            let differs = |slot: &usize| known.get(*slot) != Some(&frame[*slot]);
            let slots: Vec<usize> = (0..frame.len()).filter(differs).collect();
            numbers.push((number - base) as u64);
            numbers.push(frame.len() as u64);
            numbers.push(slots.len() as u64);
            for slot in slots {
                numbers.push(slot as u64);
                numbers.push(u64::from(frame[slot]));
            }
        }
        numbers
    }
}
