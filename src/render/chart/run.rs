//! The plots of a run: what of its numbers is shown how.

use super::axis::{Axis, Unit};
use super::canvas::{Pen, Texture};
use super::plot::{Backdrop, Curve, Plot, Shape};
use crate::model::{Language, OperatorKind};
use crate::narrate::Names;
use crate::render::scene::Ink;
use crate::trace::{Bucket, Buckets, Metrics};

/// What a plot shows over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// How long checkpoints take from trigger to completion.
    Duration,
    /// How long their longest alignment takes.
    Alignment,
    /// Bytes in flight, and those that checkpoints hold.
    InFlight,
    /// Records read and written in a second.
    Throughput,
    /// Records that wait in front of operators.
    Queues,
    /// How long records take from first read to publication.
    Latency,
}

impl Measure {
    /// Every one, in the order of the plots.
    pub const ALL: [Self; 6] = [
        Self::Duration,
        Self::Alignment,
        Self::InFlight,
        Self::Throughput,
        Self::Queues,
        Self::Latency,
    ];
}

/// More points than this are drawn as a line with a band.
const DOTS_MAX: usize = 64;
/// The most columns of a throughput.
const COLUMNS_MAX: usize = 64;
/// The most operators with a curve of their own.
const OPERATORS_MAX: usize = 4;
/// More checkpoints than this have no bars of their own.
const BARS_MAX: usize = 80;

/// The unit of the queues.
const QUEUES: (&str, &str) = ("records, the fullest subtask", "条，最满的子任务");

/// Makes plots of a run.
pub(super) struct Plotter<'a> {
    pub(super) names: Names<'a>,
    pub(super) metrics: &'a Metrics,
    /// The unit of the time.
    pub(super) time: Unit,
    /// How many numbers the axis of time has room for.
    pub(super) n_marks: usize,
}

impl Plotter<'_> {
    fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        match self.names.language {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    pub(super) fn plot(&self, measure: Measure) -> Plot {
        match measure {
            Measure::Duration => self.duration(),
            Measure::Alignment => self.alignment(),
            Measure::InFlight => self.in_flight(),
            Measure::Throughput => self.throughput(),
            Measure::Queues => self.queues(),
            Measure::Latency => self.latency(),
        }
    }

    fn duration(&self) -> Plot {
        let metrics = self.metrics;
        let most = metrics.duration.total().max.max(metrics.given_up.total().max);
        let unit = unit_of(most);
        let complete = self.pick("complete", "已完成").to_owned();
        let mut curves = vec![self.samples(&metrics.duration, unit, (Ink::Barrier, complete))];
        if metrics.given_up.total().n > 0 {
            let name = self.pick("given up after", "放弃，历时").to_owned();
            let given_up = self.samples(&metrics.given_up, unit, (Ink::Text, name));
            curves.push(Curve { shape: Shape::Crosses, band: Vec::new(), ..given_up });
        }
        let heading = self.pick("Checkpoint duration", "检查点用时");
        self.finish((heading, unit.name), curves, "no checkpoint has ended", "没有检查点结束")
    }

    fn alignment(&self) -> Plot {
        let alignment = &self.metrics.alignment;
        let unit = unit_of(alignment.total().max);
        let name = self.pick("the subtask that aligned longest", "对齐最久的子任务").to_owned();
        let curves = vec![self.samples(alignment, unit, (Ink::Barrier, name))];
        let heading = self.pick("Alignment", "对齐用时");
        self.finish((heading, unit.name), curves, "no checkpoint is complete", "没有完成的检查点")
    }

    fn in_flight(&self) -> Plot {
        let metrics = self.metrics;
        let most = metrics.in_flight.buckets.total().max.max(metrics.persisted.total().max);
        let unit = Unit::of_bytes(most as f64);
        let name = self.pick("in all channels", "所有通道中").to_owned();
        let mut curves = vec![self.gauge(&metrics.in_flight.buckets, unit.size, 0, name)];
        if metrics.persisted.total().max > 0 {
            let name = self.pick("stored with a checkpoint", "随检查点存储").to_owned();
            curves.push(self.samples(&metrics.persisted, unit, (Ink::Barrier, name)));
        }
        let heading = self.pick("In-flight data", "在途数据");
        self.finish((heading, unit.name), curves, "nothing was in flight", "没有在途数据")
    }

    fn throughput(&self) -> Plot {
        let until = self.metrics.ended_at;
        let curve = |buckets: &Buckets, (place, name): (usize, &str)| {
            let coarse = buckets.coarser(until, COLUMNS_MAX);
            let width = coarse.width().0 as f64;
            let mut points = Vec::new();
            for (from, slice) in coarse.slices() {
                let rate = slice.n as f64 * 1e6 / width;
                let ends = [from.0 as f64, (from.0 as f64 + width).min(until.0 as f64)];
                points.extend(ends.map(|at| (at / self.time.size, rate)));
            }
            Curve {
                name: Some(name.to_owned()),
                pen: pen(place),
                shape: Shape::Columns,
                points,
                band: Vec::new(),
            }
        };
        let curves = vec![
            curve(&self.metrics.read, (0, self.pick("read by sources", "源读取"))),
            curve(&self.metrics.written, (1, self.pick("come to sinks", "到达汇"))),
        ];
        let heading = (self.pick("Throughput", "吞吐量"), self.pick("records a second", "条/秒"));
        self.finish(heading, curves, "nothing was read", "没有读取记录")
    }

    /// The operators that records wait for most.
    fn queues(&self) -> Plot {
        let operators = &self.names.scenario.graph.job.operators;
        let has_inputs =
            |place: &usize| !matches!(operators[*place].kind, OperatorKind::Source { .. });
        let mut shown: Vec<usize> = (0..operators.len()).filter(has_inputs).collect();
        let most = |place: &usize| self.metrics.waiting[*place].buckets.total().max;
        shown.sort_by_key(|place| (std::cmp::Reverse(most(place)), *place));
        shown.truncate(OPERATORS_MAX);
        shown.sort_unstable();
        let curves = shown.iter().enumerate().map(|(place, operator)| {
            let buckets = &self.metrics.waiting[*operator].buckets;
            let name = operators[*operator].label.of(self.names.language).to_owned();
            let points = buckets.slices().flat_map(|(from, slice)| {
                let ends = [from.0 as f64, (from.0 + buckets.width().0) as f64];
                let until = self.metrics.ended_at.0 as f64;
                ends.map(|at| (at.min(until) / self.time.size, slice.max as f64))
            });
            Curve {
                name: Some(name),
                pen: pen(place),
                shape: Shape::Line,
                points: points.collect(),
                band: Vec::new(),
            }
        });
        let heading = (
            self.pick("Queue in front of each operator", "各算子前的队列"),
            self.pick(QUEUES.0, QUEUES.1),
        );
        let curves = curves.collect();
        self.finish(heading, curves, "nothing ever waited", "从未排队")
    }

    fn latency(&self) -> Plot {
        let metrics = self.metrics;
        let unit = unit_of(metrics.latency.total().max);
        let published = self.pick("until it is published", "到发布").to_owned();
        let mut curves = vec![self.samples(&metrics.latency, unit, (Ink::Rim(0), published))];
        if metrics.latency != metrics.latency_to_sink {
            let name = self.pick("until it is at its sink", "到达汇").to_owned();
            let to_sink = self.samples(&metrics.latency_to_sink, unit, (Ink::Rim(1), name));
            let pen = Pen { texture: Texture::Dashed, ..to_sink.pen };
            let shape = if to_sink.shape == Shape::Dots { Shape::Rings } else { to_sink.shape };
            curves.push(Curve { pen, shape, ..to_sink });
        }
        let heading =
            self.pick("Latency of a record from its first read", "记录自首次读取起的延迟");
        self.finish((heading, unit.name), curves, "nothing was published", "没有发布记录")
    }

    /// Single numbers: dots, or, of many, their mean with a band from the
    /// smallest to the largest.
    fn samples(&self, buckets: &Buckets, unit: Unit, (ink, name): (Ink, String)) -> Curve {
        let place = |from: crate::model::Time| {
            let middle = from.0 as f64 + buckets.width().0 as f64 / 2.0;
            middle.min(self.metrics.ended_at.0 as f64) / self.time.size
        };
        let mean = |slice: &Bucket| slice.sum as f64 / slice.n as f64 / unit.size;
        let points: Vec<(f64, f64)> =
            buckets.filled().map(|(from, slice)| (place(from), mean(slice))).collect();
        let band = buckets.filled().map(|(from, slice)| {
            (place(from), slice.min as f64 / unit.size, slice.max as f64 / unit.size)
        });
        let is_single = buckets.filled().all(|(_, slice)| slice.min == slice.max);
        let shape = if points.len() <= DOTS_MAX { Shape::Dots } else { Shape::Line };
        let band = if is_single { Vec::new() } else { band.collect() };
        Curve { name: Some(name), pen: Pen::new(ink), shape, points, band }
    }

    /// A number that holds: its mean over time, with a band up to the most.
    fn gauge(&self, buckets: &Buckets, size: f64, place: usize, name: String) -> Curve {
        let (mut points, mut band) = (Vec::new(), Vec::new());
        let (width, until) = (buckets.width().0, self.metrics.ended_at.0);
        for (from, slice) in buckets.filled() {
            let end = (from.0 + width).min(until);
            let length = (end - from.0).max(1) as f64;
            let mean = slice.sum as f64 / length / size;
            for at in [from.0, end] {
                let at = at as f64 / self.time.size;
                points.push((at, mean));
                band.push((at, slice.min as f64 / size, slice.max as f64 / size));
            }
        }
        let is_even = buckets.filled().all(|(_, slice)| slice.min == slice.max);
        let band = if is_even { Vec::new() } else { band };
        Curve { name: Some(name), pen: pen(place), shape: Shape::Line, points, band }
    }

    /// A plot with what they all have.
    fn finish(
        &self,
        (heading, unit): (&str, &str),
        curves: Vec<Curve>,
        en: &str,
        zh: &str,
    ) -> Plot {
        let tops = curves.iter().flat_map(|curve| {
            let points = curve.points.iter().map(|(_, y)| *y);
            points.chain(curve.band.iter().map(|(_, _, high)| *high)).collect::<Vec<f64>>()
        });
        let top = tops.fold(0.0, f64::max);
        let until = self.metrics.ended_at.0 as f64 / self.time.size;
        let mut backdrop: Vec<Backdrop> = Vec::new();
        for outage in &self.metrics.outages {
            let end = outage.until.unwrap_or(self.metrics.ended_at);
            let at = |time: crate::model::Time| time.0 as f64 / self.time.size;
            backdrop.push(Backdrop::Outage(at(outage.from), at(end)));
        }
        if self.shows_bars() {
            let width = self.metrics.duration.width().0 as f64;
            backdrop.extend(self.metrics.duration.filled().map(|(from, _)| {
                let at = (from.0 as f64 + width / 2.0).min(self.metrics.ended_at.0 as f64);
                Backdrop::Checkpoint(at / self.time.size)
            }));
        }
        let is_count = unit == "B" || unit == self.pick(QUEUES.0, QUEUES.1);
        let y = match (top > 0.0, is_count) {
            (_, true) => Axis::to_count(top, 4),
            (true, false) => Axis::to(top, 4),
            (false, false) => Axis::to(1.0, 4),
        };
        Plot {
            heading: heading.to_owned(),
            unit: unit.to_owned(),
            x: Axis::between(0.0, until, self.n_marks),
            y,
            curves,
            backdrop,
            nothing: self.pick(en, zh).to_owned(),
        }
    }

    /// Whether each completed checkpoint has a bar.
    pub(super) fn shows_bars(&self) -> bool {
        let n = self.metrics.duration.filled().count();
        n > 0 && n <= BARS_MAX
    }
}

/// The unit of lengths of time of which this is the longest.
fn unit_of(longest: u64) -> Unit {
    match longest {
        0 => Unit { name: "ms", size: 1000.0 },
        longest => Unit::of_time(longest as f64),
    }
}

/// The pen of a curve by its place.
pub(super) fn pen(place: usize) -> Pen {
    Pen { ink: Ink::Rim(place as u32), texture: Texture::LINES[place % 4] }
}
