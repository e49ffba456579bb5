//! How fast figures are drawn, against plotters' bitmap backend drawing the
//! same shapes and texts in the same run.
//!
//! The figure is the lecture's frame at the moment of alignment, 1920 × 1080.
//! Plotters fills, strokes and writes as much as we do, in the same colours,
//! sizes and font, into pixels of the same size; curves are lines of eight
//! pieces there. A PNG is packed by the same encoder on both sides. Times are
//! processor time, the best of some repetitions taken in turns; quote the
//! ratios. `--quick` is smaller and says so.

mod peer;

use std::hint::black_box;

use checkdam::load;
use checkdam::model::Language;
use checkdam::narrate::Story;
use checkdam::render::{Colouring, Font, Frames, Item, Painter, Place, Scene, Shows, Theme, svg};
use checkdam::sim::simulate;
use cpu_time::ProcessTime;

/// What is measured, by the side that does it.
const WAYS: [&str; 6] = [
    "layout of a frame",
    "SVG, layout included",
    "pixels",
    "PNG",
    "plotters, pixels",
    "plotters, PNG",
];

fn main() {
    let quick = std::env::args().any(|word| word == "--quick");
    let (n, repetitions) = if quick { (10, 2) } else { (60, 5) };
    let story = lecture();
    let frames = Frames::new(&story, Language::En, Shows::default());
    let scene = frames.frame(Place::Moment(3));
    let (n_shapes, n_texts) = count(&scene);
    println!("{n} frames, best of {repetitions}, processor time");
    println!("a frame has {n_shapes} fills and strokes, and {n_texts} texts");
    peer::register_font();
    let (mut painter, font) = (Painter::new(), Font::new());
    assert!(scene.unknown_signs(&font).is_empty());
    let drawn = peer::draw(&scene);
    assert_eq!(
        (drawn.n_shapes, drawn.n_texts),
        (n_shapes, n_texts),
        "plotters draws as much as we do"
    );
    let mut best = [f64::MAX; 6];
    for _ in 0..repetitions {
        let mut runs: [&mut dyn FnMut(); 6] = [
            &mut || drop(black_box(frames.frame(Place::Moment(3)))),
            &mut || {
                let scene = frames.frame(Place::Moment(3));
                black_box(svg(&scene, Colouring::Variables));
            },
            &mut || {
                black_box(Painter::paint(&mut painter, &scene, Theme::Light, 1.0));
            },
            &mut || {
                let pixels = Painter::new().paint(&scene, Theme::Light, 1.0);
                black_box(pixels.expect("it is not too large").png());
            },
            &mut || {
                black_box(peer::draw(&scene));
            },
            &mut || {
                black_box(peer::png(&peer::draw(&scene)));
            },
        ];
        for (best, run) in best.iter_mut().zip(&mut runs) {
            let start = ProcessTime::now();
            (0..n).for_each(|_| run());
            *best = best.min(start.elapsed().as_secs_f64() / f64::from(n));
        }
    }
    for (name, seconds) in WAYS.iter().zip(best) {
        println!("  {name:<22} {:8.2} ms {:9.1} a second", seconds * 1e3, 1.0 / seconds);
    }
    println!("pixels: plotters takes {:.2} times as long", best[4] / best[2]);
    println!("PNG:    plotters takes {:.2} times as long", best[5] / best[3]);
}

fn lecture() -> Story {
    let own = load::builtin().iter().find(|own| own.name == "lecture").expect("it is built in");
    let scenario = load::scenario(own.name, own.text.as_bytes()).expect("it is valid").scenario;
    let (trace, _) = simulate(&scenario, 1);
    Story::new(scenario, trace)
}

/// How often something is filled or stroked, and how many texts there are.
fn count(scene: &Scene) -> (usize, usize) {
    let parts = |item: &Item| match item {
        Item::Mark(mark) => usize::from(mark.fill.is_some()) + usize::from(mark.stroke.is_some()),
        Item::Words(_) => 0,
    };
    (scene.items.iter().map(parts).sum(), scene.words().count())
}
