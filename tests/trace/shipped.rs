//! The traces of real runs: written, read back, replayed from their own
//! header, and damaged.

use checkdam::load;
use checkdam::model::Scenario;
use checkdam::savepoint::{read_savepoint, start_from};
use checkdam::sim::simulate;
use checkdam::trace::{
    Comparison, Driver, Ending, Names, Trace, TraceReader, TraceWriter, read_trace,
};

use crate::common::{random_jobs, sizes};

fn shipped() -> impl Iterator<Item = Scenario> {
    load::builtin().iter().map(|file| crate::story::scenario(file.name))
}

fn write(out: impl std::io::Write, scenario: &Scenario, trace: &Trace) {
    let mut writer = TraceWriter::new(out, scenario, &trace.driver).expect("memory");
    for step in &trace.steps {
        writer.step(step.number, step.at, &step.facts).expect("memory");
    }
    writer.finish().expect("memory");
}

#[test]
fn a_trace_read_back_is_the_run_and_its_header_replays_it_byte_for_byte() {
    let random = (0..sizes::samples(100)).map(random_jobs::scenario);
    for (seed, scenario) in (1..).zip(shipped().chain(random)) {
        let (run, _) = simulate(&scenario, seed);
        let mut bytes = Vec::new();
        write(&mut bytes, &scenario, &run);
        let reader = TraceReader::open(&bytes[..]).expect("a header");
        let header = reader.header().clone();
        let loaded = load::scenario(&header.name, header.document.as_bytes());
        let loaded = loaded.expect("the document loads again").scenario;
        let loaded = match &header.savepoint {
            None => loaded,
            Some(savepoint) => {
                let saved = read_savepoint(savepoint.as_bytes()).expect("the savepoint, too");
                start_from(&loaded, &saved).expect("the job has started from it")
            }
        };
        let (trace, ending) = read_trace(reader, &Names::of(&loaded)).expect("a whole trace");
        assert_eq!((&trace, ending), (&run, Ending::Complete), "{}", scenario.name);

        let Driver::Seed(seed) = header.driver else { panic!("a seed drove the run") };
        let mut comparison = Comparison::new(&bytes[..]);
        write(&mut comparison, &loaded, &simulate(&loaded, seed).0);
        assert_eq!(comparison.finish().expect("memory"), None, "{}", scenario.name);
    }
}

#[test]
fn a_changed_byte_of_a_shipped_scenarios_trace_is_noticed_anywhere() {
    for scenario in shipped() {
        let (run, _) = simulate(&scenario, 1);
        let mut bytes = Vec::new();
        write(&mut bytes, &scenario, &run);
        let names = Names::of(&scenario);
        let last_line = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n');
        let stride = bytes.len() / 100 + 1;
        let places = (0..bytes.len()).step_by(stride).chain(last_line.expect("lines")..bytes.len());
        for place in places {
            bytes[place] ^= 1;
            let read = TraceReader::open(&bytes[..]).and_then(|reader| read_trace(reader, &names));
            assert!(read.is_err(), "{}: byte {place} has changed", scenario.name);
            bytes[place] ^= 1;
        }
    }
}
