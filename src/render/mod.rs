//! Pictures of a run: functions of (trace, step).

pub mod text;

mod animation;
mod chart;
mod contacts;
mod families;
mod font;
mod frame;
mod gantt;
mod graph;
mod scene;
mod sheet;
mod spacetime;
mod symbols;
mod timeline;

pub use animation::Animation;
pub use chart::{
    Landmark, Measure, Points, Quantity, SweepCurve, SweepFigure, SweepPlot, chart, sweep_chart,
};
pub use contacts::contact_sheet;
pub use families::families as split_families;
pub use font::{Font, Weight};
pub use frame::{Frames, Shows};
pub use gantt::{
    CheckpointHistory, GanttScale, duration, gantt, gantt_along, gantt_of, gantt_scales,
};
pub use graph::{graph, graph_dot, graph_mermaid};
pub use scene::{
    Anchor, Colouring, FAMILIES, Ink, Item, Mark, PIXELS_MAX, Painter, Pixels, Rect, SIZE_MIN,
    Scene, Segment, Stroke, Style, Theme, Words, svg, svg_items, variables,
};
pub use spacetime::{LIFELINES, Range, STEPS_DRAWN_MAX, sequence, spacetime, spacetime_in_both};
pub use text::Place;
pub use timeline::timeline;
