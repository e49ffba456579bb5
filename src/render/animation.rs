//! Frames one after the other, as a GIF that plays once and holds its last one.
//!
//! Figures have few colours, so one table of 256 serves all frames: the colours
//! that are there most often; every other one takes the nearest of them.

use std::collections::BTreeMap;

use gif::{Encoder, Frame};

use super::scene::Pixels;

/// Frames of an animation, in order.
#[derive(Default)]
pub struct Animation {
    /// Width, height, and a colour for each pixel as 0xRRGGBB.
    frames: Vec<(u32, u32, Vec<u32>)>,
}

/// How long a frame stays, in hundredths of a second.
const STAYS: u16 = 250;
/// The most colours of a GIF.
const COLOURS_MAX: usize = 256;

impl Animation {
    /// No frame yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One frame more.
    pub fn add(&mut self, pixels: &Pixels) {
        let colour = |pixel: &[u8]| {
            u32::from(pixel[0]) << 16 | u32::from(pixel[1]) << 8 | u32::from(pixel[2])
        };
        let colours = pixels.rgba().chunks_exact(4).map(colour).collect();
        self.frames.push((pixels.width(), pixels.height(), colours));
    }

    /// The GIF file; nothing without frames, or if they are too large or not
    /// of one size.
    ///
    /// # Panics
    /// Never: an animation in memory can be written into memory.
    #[must_use]
    pub fn gif(&self) -> Option<Vec<u8>> {
        let (width, height, _) = self.frames.first()?;
        if self.frames.iter().any(|(w, h, _)| (w, h) != (width, height)) {
            return None;
        }
        let (width, height) = (u16::try_from(*width).ok()?, u16::try_from(*height).ok()?);
        let table = self.table();
        let flat: Vec<u8> =
            table.iter().flat_map(|c| [(c >> 16) as u8, (c >> 8) as u8, *c as u8]).collect();
        let mut bytes = Vec::new();
        let mut encoder =
            Encoder::new(&mut bytes, width, height, &flat).expect("memory takes everything");
        let mut nearest: BTreeMap<u32, u8> = BTreeMap::new();
        for (.., colours) in &self.frames {
            let place =
                |colour: &u32| *nearest.entry(*colour).or_insert_with(|| closest(&table, *colour));
            let frame = Frame {
                width,
                height,
                delay: STAYS,
                buffer: colours.iter().map(place).collect::<Vec<u8>>().into(),
                ..Frame::default()
            };
            encoder.write_frame(&frame).expect("memory takes everything");
        }
        drop(encoder);
        Some(bytes)
    }

    /// The colours that are there most often; of equal ones the darkest first.
    fn table(&self) -> Vec<u32> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for colour in self.frames.iter().flat_map(|(.., colours)| colours) {
            *counts.entry(*colour).or_default() += 1;
        }
        let mut table: Vec<(u64, u32)> = counts.into_iter().map(|(c, n)| (n, c)).collect();
        table.sort_by_key(|(n, colour)| (std::cmp::Reverse(*n), *colour));
        table.truncate(COLOURS_MAX);
        table.into_iter().map(|(_, colour)| colour).collect()
    }
}

/// The place of the colour that differs least.
fn closest(table: &[u32], colour: u32) -> u8 {
    let differs = |other: &u32| -> u32 {
        [16, 8, 0]
            .iter()
            .map(|shift| (other >> shift & 255).abs_diff(colour >> shift & 255).pow(2))
            .sum()
    };
    let found = table.iter().enumerate().min_by_key(|(_, other)| differs(other));
    found.map_or(0, |(place, _)| place as u8)
}
