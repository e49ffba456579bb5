//! Colours by what they mean, in light and in dark.
//!
//! Orange is spent on one idea: the barrier and what it causes. The four
//! families of splits keep apart for every kind of colour blindness, and each
//! has a shape of its own besides. Texts reach 4.5:1 on what they stand on,
//! edges and bars 3:1; a test holds that.

use std::fmt;

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ink {
    /// The page.
    Page,
    /// A quiet box.
    Panel,
    /// A hairline.
    Line,
    /// The edge of a box, a wire, an RPC.
    Edge,
    /// Text, the outline of a change.
    Text,
    /// Quiet text.
    Quiet,
    /// The body of a split's record; splits from the fifth on begin again.
    Body(u32),
    /// Text on such a body.
    OnBody(u32),
    /// What was read, ghosts.
    Tint(u32),
    /// The edge of both.
    Rim(u32),
    /// A barrier, a snapshot, a cut.
    Barrier,
    /// The number on a barrier.
    OnBarrier,
    /// The past of a cut.
    Past,
    /// Acknowledged, complete.
    Done,
    /// The stripes of what is blocked.
    Hatch,
    /// The synchronous part of a snapshot.
    Sync,
    /// Its asynchronous part.
    Async,
}

/// The two sets of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    /// On white.
    Light,
    /// On black.
    Dark,
}

impl Ink {
    /// Every colour.
    pub const ALL: [Self; 29] = {
        use Ink::*;
        [
            Page,
            Panel,
            Line,
            Edge,
            Text,
            Quiet,
            Barrier,
            OnBarrier,
            Past,
            Done,
            Hatch,
            Sync,
            Async,
            Body(0),
            OnBody(0),
            Tint(0),
            Rim(0),
            Body(1),
            OnBody(1),
            Tint(1),
            Rim(1),
            Body(2),
            OnBody(2),
            Tint(2),
            Rim(2),
            Body(3),
            OnBody(3),
            Tint(3),
            Rim(3),
        ]
    };

    /// The value in a theme, as 0xRRGGBB.
    #[must_use]
    pub fn value(self, theme: Theme) -> u32 {
        let (light, dark) = match self {
            Self::Page => (0xff_ff_ff, 0x11_16_1d),
            Self::Panel => (0xf5_f7_f9, 0x1b_23_2d),
            Self::Line => (0xcf_d6_dd, 0x36_41_4e),
            Self::Edge => (0x7c_88_94, 0x7f_8c_9a),
            Self::Text => (0x16_20_2b, 0xe9_ee_f3),
            Self::Quiet => (0x55_60_6c, 0xa7_b3_c0),
            Self::Barrier => (0xbf_4c_00, 0xf0_81_3a),
            Self::OnBarrier => (0xff_ff_ff, 0x1d_0c_00),
            Self::Past => (0xfb_e3_d3, 0x47_2a_17),
            Self::Done => (0x00_73_5a, 0x43_c5_9e),
            Self::Hatch => (0xa9_b3_bd, 0x5c_68_76),
            Self::Sync => (0x16_20_2b, 0xe9_ee_f3),
            Self::Async => (0x6b_94_8a, 0x5e_8f_84),
            Self::Body(split) => [
                (0x00_72_b2, 0x25_77_b8),
                (0xf5_c3_2c, 0xf2_c3_3d),
                (0xcc_79_a7, 0xcc_79_a7),
                (0x5c_c2_9f, 0x4f_b8_93),
            ][split as usize % 4],
            Self::OnBody(split) => [
                (0xff_ff_ff, 0xff_ff_ff),
                (0x22_19_00, 0x1d_15_00),
                (0x22_00_14, 0x1d_00_10),
                (0x00_1d_12, 0x00_1a_10),
            ][split as usize % 4],
            Self::Tint(split) => [
                (0xd9_ea_f6, 0x17_34_4c),
                (0xfd_f0_c4, 0x43_38_0f),
                (0xf8_e4_ee, 0x46_22_3a),
                (0xda_f2_e8, 0x12_3c_2e),
            ][split as usize % 4],
            Self::Rim(split) => [
                (0x00_5a_8d, 0x6f_b6_ea),
                (0x8a_65_00, 0xf2_c3_3d),
                (0x8f_3b_6b, 0xe6_a6_c9),
                (0x0b_6b_50, 0x7f_dc_bb),
            ][split as usize % 4],
        };
        match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }
}

/// The name of its CSS variable, without the dashes.
impl fmt::Display for Ink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Page => "page",
            Self::Panel => "panel",
            Self::Line => "line",
            Self::Edge => "edge",
            Self::Text => "text",
            Self::Quiet => "quiet",
            Self::Barrier => "barrier",
            Self::OnBarrier => "on-barrier",
            Self::Past => "past",
            Self::Done => "done",
            Self::Hatch => "hatch",
            Self::Sync => "sync",
            Self::Async => "async",
            Self::Body(split) => return write!(f, "body{}", split % 4),
            Self::OnBody(split) => return write!(f, "on-body{}", split % 4),
            Self::Tint(split) => return write!(f, "tint{}", split % 4),
            Self::Rim(split) => return write!(f, "rim{}", split % 4),
        };
        f.write_str(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance. Source: WCAG 2.2.
    fn luminance(value: u32) -> f64 {
        let part = |shift: u32| {
            let part = f64::from(value >> shift & 255) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
    }

    fn contrast(a: Ink, b: Ink, theme: Theme) -> f64 {
        let (a, b) = (luminance(a.value(theme)), luminance(b.value(theme)));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn texts_and_edges_are_told_from_what_they_stand_on() {
        for theme in [Theme::Light, Theme::Dark] {
            let mut texts = vec![(Ink::OnBarrier, Ink::Barrier), (Ink::Barrier, Ink::Panel)];
            texts.extend([
                (Ink::Done, Ink::Panel),
                (Ink::Text, Ink::Past),
                (Ink::Quiet, Ink::Panel),
            ]);
            for page in [Ink::Page, Ink::Panel] {
                texts.extend([Ink::Text, Ink::Quiet, Ink::Done].map(|ink| (ink, page)));
            }
            texts.push((Ink::Barrier, Ink::Page));
            let mut edges = vec![(Ink::Edge, Ink::Page), (Ink::Edge, Ink::Panel)];
            edges.extend([(Ink::Barrier, Ink::Page), (Ink::Async, Ink::Page)]);
            for split in 0..4 {
                texts.push((Ink::OnBody(split), Ink::Body(split)));
                texts.push((Ink::Text, Ink::Tint(split)));
                edges.extend([(Ink::Rim(split), Ink::Page), (Ink::Rim(split), Ink::Panel)]);
            }
            for (ink, on) in texts {
                assert!(contrast(ink, on, theme) >= 4.5, "{ink:?} on {on:?} in {theme:?}");
            }
            for (ink, on) in edges {
                assert!(contrast(ink, on, theme) >= 3.0, "{ink:?} on {on:?} in {theme:?}");
            }
        }
    }
}
