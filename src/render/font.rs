//! The fonts that every picture is measured and painted with: four cuts of
//! Inter for Latin, two of Noto Sans CJK SC for Chinese, so that a layout is
//! the same everywhere and a bitmap needs no font of the machine.
//!
//! Glyphs stand side by side, without kerning; figures are tabular. What both
//! lack is a box. How the subsets were made: `fonts/make.py`.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// How heavy a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Said quietly.
    #[default]
    Regular,
    /// A little louder.
    Medium,
    /// Said.
    SemiBold,
    /// Digits on a barrier.
    Bold,
}

impl Weight {
    /// The number that CSS has for it.
    #[must_use]
    pub fn css(self) -> u32 {
        match self {
            Self::Regular => 400,
            Self::Medium => 500,
            Self::SemiBold => 600,
            Self::Bold => 700,
        }
    }
}

/// The six cuts.
pub struct Font {
    /// By [`Weight`], then the regular and the bold Chinese cut.
    faces: [Face<'static>; 6],
}

/// A glyph: which cut, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Glyph {
    face: usize,
    id: u16,
}

impl Default for Font {
    fn default() -> Self {
        Self::new()
    }
}

impl Font {
    /// Opens the embedded fonts.
    #[must_use]
    pub fn new() -> Self {
        let files: [&'static [u8]; 6] = [
            include_bytes!("fonts/latin-400.otf"),
            include_bytes!("fonts/latin-500.otf"),
            include_bytes!("fonts/latin-600.otf"),
            include_bytes!("fonts/latin-700.otf"),
            include_bytes!("fonts/chinese-400.otf"),
            include_bytes!("fonts/chinese-700.otf"),
        ];
        Self { faces: files.map(|file| Face::parse(file, 0).expect("the fonts are sound")) }
    }

    /// Whether a sign has a glyph, and not just a box.
    #[must_use]
    pub fn knows(&self, sign: char) -> bool {
        self.find(sign, Weight::Regular).is_some()
    }

    /// How wide a text is, in units of its size's unit.
    #[must_use]
    pub fn width(&self, text: &str, size: f64, weight: Weight) -> f64 {
        text.chars().map(|sign| self.advance(self.glyph(sign, weight))).sum::<f64>() * size
    }

    pub(super) fn glyph(&self, sign: char, weight: Weight) -> Glyph {
        self.find(sign, weight).unwrap_or(Glyph { face: 4, id: 0 })
    }

    /// In parts of the size.
    pub(super) fn advance(&self, glyph: Glyph) -> f64 {
        let face = &self.faces[glyph.face];
        let advance = face.glyph_hor_advance(GlyphId(glyph.id)).unwrap_or(0);
        f64::from(advance) / self.units(glyph)
    }

    /// Units of the outline that make the size.
    pub(super) fn units(&self, glyph: Glyph) -> f64 {
        f64::from(self.faces[glyph.face].units_per_em())
    }

    /// The outline, y upwards; nothing for a blank.
    pub(super) fn outline(&self, glyph: Glyph, builder: &mut dyn OutlineBuilder) {
        self.faces[glyph.face].outline_glyph(GlyphId(glyph.id), builder);
    }

    fn find(&self, sign: char, weight: Weight) -> Option<Glyph> {
        let chinese = if weight >= Weight::SemiBold { 5 } else { 4 };
        [weight as usize, chinese].into_iter().find_map(|face| {
            self.faces[face].glyph_index(sign).map(|GlyphId(id)| Glyph { face, id })
        })
    }
}

/// The text cut to a width, with "…" where something is missing.
pub(super) fn cut(font: &Font, text: &str, (size, weight): (f64, Weight), room: f64) -> String {
    if font.width(text, size, weight) <= room {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() {
        let candidate = format!("{}…", short.trim_end());
        if font.width(&candidate, size, weight) <= room {
            return candidate;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_equally_wide_in_every_weight() {
        let font = Font::new();
        for weight in [Weight::Regular, Weight::Medium, Weight::SemiBold, Weight::Bold] {
            let one = font.width("1", 100.0, weight);
            assert!(one > 50.0);
            for figure in "023456789".chars() {
                let own = font.width(&figure.to_string(), 100.0, weight);
                assert!((own - one).abs() < 0.2, "{figure}: {own}, not {one}");
            }
        }
    }

    #[test]
    fn chinese_signs_are_square_and_unknown_ones_are_told() {
        let font = Font::new();
        assert_eq!(font.width("检查点", 20.0, Weight::Regular), 60.0);
        assert_eq!(font.width("屏障", 20.0, Weight::Bold), 40.0);
        assert!(font.knows('，') && font.knows('a') && font.knows('–') && !font.knows('龘'));
    }

    #[test]
    fn a_cut_text_fits_and_says_so() {
        let font = Font::new();
        let style = (20.0, Weight::Regular);
        assert_eq!(cut(&font, "sum(even)", style, 200.0), "sum(even)");
        let short = cut(&font, "sum(even)", style, 60.0);
        assert!(short.ends_with('…') && font.width(&short, 20.0, Weight::Regular) <= 60.0);
        assert_eq!(cut(&font, "sum(even)", style, 2.0), "");
    }
}
