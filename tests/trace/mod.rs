//! The trace file: written, read, damaged, compared.

mod compare;
mod damage;
mod facts;
mod metrics;
mod read;
mod sample;
mod schema;
mod shipped;
mod write;

use checkdam::trace::{
    Driver, Ending, Fact, Names, Step, Trace, TraceError, TraceReader, TraceWriter, read_trace,
};
use proptest::test_runner::Config;

use checkdam::model::Time;

use crate::common::sizes;

/// How many samples the properties of this folder take.
fn samples() -> Config {
    let cases = u32::try_from(sizes::samples(500)).expect("a sensible scale");
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// The whole trace of a run of the sample.
fn written(steps: &[Step]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = TraceWriter::new(&mut bytes, &sample::scenario(), &Driver::Seed(7))
        .expect("memory can be written");
    for step in steps {
        writer.step(step.number, step.at, &step.facts).expect("memory can be written");
    }
    writer.finish().expect("memory can be written");
    bytes
}

fn read(bytes: &[u8]) -> Result<(Trace, Ending), TraceError> {
    read_trace(TraceReader::open(bytes)?, &Names::of(&sample::scenario()))
}

/// Steps with these facts, a millisecond apart.
fn steps(facts: impl IntoIterator<Item = Vec<Fact>>) -> Vec<Step> {
    let step = |(number, facts)| Step { number, at: Time(number * 1000), facts };
    (1..).zip(facts).map(step).collect()
}

/// A trace that has each kind of fact once, with lines of one fact and of
/// several.
fn sample_trace() -> Vec<Step> {
    let facts = facts::one_of_each();
    let (single, together) = facts.split_at(facts.len() / 2);
    let single = single.iter().map(|fact| vec![fact.clone()]);
    steps(single.chain(together.chunks(4).map(<[Fact]>::to_vec)).chain([Vec::new()]))
}
