//! What a picture is drawn on: the scene, the font that its texts are measured
//! with, and the outlines of what has changed, which lie over everything.

use super::families::families;
use super::font::{Font, Weight};
use super::scene::{Anchor, Ink, Rect, Scene, Segment, Stroke, Style, rounded};
use crate::narrate::Names;

/// A scene that is being drawn.
pub(super) struct Sheet<'f> {
    pub(super) scene: Scene,
    pub(super) font: &'f Font,
    changes: Vec<(Rect, f64)>,
    families: Vec<u32>,
}

/// Text from its left end.
pub(super) const fn style(size: f64, weight: Weight, ink: Ink) -> Style {
    Style::new(size, weight, ink)
}

/// Text said quietly, from its left end.
pub(super) const fn quiet(size: f64) -> Style {
    Style::new(size, Weight::Regular, Ink::Quiet)
}

/// A hairline.
pub(super) const HAIRLINE: Stroke = Stroke::new(Ink::Line, 1.5);

impl<'f> Sheet<'f> {
    pub(super) fn new(font: &'f Font, (width, height): (f64, f64), names: Names<'_>) -> Self {
        Self {
            scene: Scene::new(width, height, names.language),
            font,
            changes: Vec::new(),
            families: families(&names.scenario.graph),
        }
    }

    /// Begins another part of the drawing.
    pub(super) fn part(&mut self) {
        self.scene.part();
    }

    /// The family of colour and shape of a split.
    pub(super) fn family(&self, split: u32) -> u32 {
        self.families[split as usize]
    }

    /// Puts a text down in a room so wide, and gives its width.
    pub(super) fn text(&mut self, text: &str, at: (f64, f64), style: Style, room: f64) -> f64 {
        self.scene.text(self.font, text, (at, style), room)
    }

    /// Puts a text into the middle of a rectangle.
    pub(super) fn label(&mut self, text: &str, rect: Rect, style: Style) {
        let (x, y) = rect.middle();
        // Capitals and figures are 0.73 of the size high.
        let fitting = self.fitting(text, style, rect.width);
        let style = Style { size: fitting, anchor: Anchor::Middle, ..style };
        self.text(text, (x, y + 0.364 * fitting), style, rect.width);
    }

    /// The size at which a text fits into a room, or the smallest.
    pub(super) fn fitting(&self, text: &str, style: Style, room: f64) -> f64 {
        let mut size = style.size;
        let smallest = super::scene::SIZE_MIN;
        while size > smallest && self.font.width(text, size, style.weight) > room {
            size = (size - 2.0).max(smallest);
        }
        size
    }

    pub(super) fn width(&self, text: &str, style: Style) -> f64 {
        self.font.width(text, style.size, style.weight)
    }

    /// A box with its edge.
    pub(super) fn framed(&mut self, rect: Rect, radius: f64, look: (Ink, Stroke)) {
        self.scene.mark(rounded(rect, radius), Some(look.0), Some(look.1));
    }

    /// A thing that has changed in this step: outlined when all else is drawn.
    pub(super) fn changed(&mut self, rect: Rect, radius: f64) {
        self.changes.push((rect, radius));
    }

    /// A line with a head at its end.
    pub(super) fn arrow(&mut self, from: (f64, f64), to: (f64, f64), line: Stroke) {
        let (head, half) = if line.width > 3.0 { (13.0, 6.0) } else { (11.0, 5.0) };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt();
        if length <= head {
            return self.scene.line(from, to, line);
        }
        let (ux, uy) = (dx / length, dy / length);
        let neck = (to.0 - ux * head, to.1 - uy * head);
        self.scene.line(from, neck, line);
        let tip = [
            Segment::Move(to.0, to.1),
            Segment::Line(neck.0 - uy * half, neck.1 + ux * half),
            Segment::Line(neck.0 + uy * half, neck.1 - ux * half),
            Segment::Close,
        ];
        self.scene.fill(tip.to_vec(), line.ink);
    }

    /// Draws the outlines of what has changed and gives the scene. A thing
    /// inside another one that has changed as a whole has no outline of its
    /// own.
    pub(super) fn finish(mut self, shows_changes: bool) -> Scene {
        const AROUND: f64 = 6.0;
        self.scene.fade(1.0);
        self.part();
        if shows_changes {
            let all = self.changes.clone();
            let inside = |a: &Rect, b: &Rect| {
                a != b
                    && a.x >= b.x
                    && a.y >= b.y
                    && a.right() <= b.right()
                    && a.bottom() <= b.bottom()
            };
            for (place, (rect, radius)) in all.iter().enumerate() {
                let again = all[..place].iter().any(|(other, _)| other == rect);
                if again || all.iter().any(|(other, _)| inside(rect, other)) {
                    continue;
                }
                let outline = rounded(rect.grown(AROUND), radius + 4.0);
                self.scene.stroke(outline, Stroke::new(Ink::Text, 3.5));
            }
        }
        self.scene
    }
}
