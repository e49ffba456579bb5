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
        let pairs = aligned(en, zh).map(|[en, zh]| pair(en.to_owned(), zh.to_owned()));
        let pairs = pairs.collect();
        self.parts.number(pairs)
    }

    pub(super) fn elements(&self) -> &[String] {
        self.elements.values()
    }

    /// The English one as a distance back from the first that has not come yet,
    /// which it is most often; the Chinese one as a distance from the English one.
    pub(super) fn pairs(&self) -> Numbers {
        let mut numbers = Numbers::default();
        let mut next = 0;
        for (en, zh) in self.pairs.values() {
            numbers.push_signed(i64::from(next) - i64::from(*en));
            numbers.push_signed(i64::from(*zh) - i64::from(*en));
            next = next.max(en + 1).max(zh + 1);
        }
        numbers
    }

    /// Each part as a length and its pairs, each by its distance from the one
    /// before it.
    pub(super) fn parts(&self) -> Numbers {
        let mut numbers = Numbers::default();
        for part in self.parts.values() {
            numbers.push(part.len() as u64);
            let mut before = 0;
            for pair in part {
                numbers.push_signed(i64::from(*pair) - before);
                before = i64::from(*pair);
            }
        }
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

/// The elements of both languages side by side. Where one has more lines of text,
/// nothing stands beside those.
fn aligned<'e>(en: &'e [String], zh: &'e [String]) -> impl Iterator<Item = [&'e str; 2]> {
    const AHEAD_MAX: usize = 8;
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < en.len() || j < zh.len() {
        let alike = |i: usize, j: usize| {
            en.get(i).zip(zh.get(j)).is_some_and(|(en, zh)| outside(en) == outside(zh))
        };
        let ahead = if en.len() == zh.len() { 0 } else { AHEAD_MAX };
        let more = (1..=ahead).find(|n| alike(i + n, j) || alike(i, j + n));
        let more = if alike(i, j) { None } else { more };
        match more {
            Some(n) if alike(i + n, j) => {
                pairs.extend(en[i..i + n].iter().map(|own| [own.as_str(), ""]));
                i += n;
            }
            Some(n) => {
                pairs.extend(zh[j..j + n].iter().map(|own| ["", own.as_str()]));
                j += n;
            }
            None => {
                let own = |list: &'e [String], at: usize| list.get(at).map_or("", String::as_str);
                pairs.push([own(en, i), own(zh, j)]);
                (i, j) = ((i + 1).min(en.len()), (j + 1).min(zh.len()));
            }
        }
    }
    pairs.into_iter()
}

/// An element without its text.
fn outside(element: &str) -> &str {
    element.split_once('>').map_or(element, |(outside, _)| outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_more_in_one_language_stands_alone() {
        let list = |own: &[&str]| own.iter().map(|own| (*own).to_owned()).collect::<Vec<_>>();
        let en = list(&["<a>one</a>", "<b>two</b>", "<c>three</c>", "<d/>"]);
        let zh = list(&["<a>一</a>", "<c>三</c>", "<d/>"]);
        let expected =
            [["<a>one</a>", "<a>一</a>"], ["<b>two</b>", ""], ["<c>three</c>", "<c>三</c>"]];
        let pairs: Vec<[&str; 2]> = aligned(&en, &zh).collect();
        assert_eq!(pairs[..3], expected);
        assert_eq!(pairs[3], ["<d/>", "<d/>"]);
        let turned: Vec<[&str; 2]> = aligned(&zh, &en).collect();
        assert_eq!(turned, pairs.iter().map(|[en, zh]| [*zh, *en]).collect::<Vec<_>>());
    }
}
