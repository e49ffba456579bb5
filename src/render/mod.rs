//! Pictures of a run: functions of (trace, step).

pub mod text;

mod families;
mod font;
mod frame;
mod gantt;
mod scene;
mod sheet;
mod symbols;

pub use font::{Font, Weight};
pub use frame::{Frames, Shows};
pub use gantt::{checkpoint_ids, gantt};
pub use scene::{
    Anchor, Colouring, Ink, Item, Mark, PIXELS_MAX, Painter, Pixels, Rect, SIZE_MIN, Scene,
    Segment, Stroke, Style, Theme, Words, svg,
};
pub use text::Place;
