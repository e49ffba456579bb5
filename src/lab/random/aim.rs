//! Faults that aim: at the short times in which a checkpoint is neither begun
//! nor over, where chance alone would seldom hit.
//!
//! Source: the failure windows of Carbone et al., VLDB 2017: before the
//! alignment is done, with the snapshot taken and not acknowledged, complete and
//! not yet told, prepared at one sink and committed at another, and in the
//! middle of a recovery.

use serde_json::{Value, json};

use super::choices::Choices;
use super::mishaps::tasks;

/// Where a fault is aimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// At a barrier in flight: its sender has sent it, its receiver has not
    /// got it.
    BarrierInFlight,
    /// At an alignment: one barrier has come, others have not.
    Alignment,
    /// Between a snapshot and its acknowledgement.
    SnapshotToAcknowledgement,
    /// Between some acknowledgements and the last.
    SomeAcknowledged,
    /// Between complete and told so.
    CompleteToNotified,
    /// At a sink when another one has committed.
    SecondSink,
    /// During a recovery.
    Recovery,
}

impl Aim {
    /// Every aim.
    pub const ALL: [Self; 7] = [
        Self::BarrierInFlight,
        Self::Alignment,
        Self::SnapshotToAcknowledgement,
        Self::SomeAcknowledged,
        Self::CompleteToNotified,
        Self::SecondSink,
        Self::Recovery,
    ];
}

/// The same job, with one to three faults more, each aimed.
///
/// # Panics
/// When it is no file of a random job.
#[must_use]
pub fn with_aimed_faults(seed: u64, document: &Value) -> Value {
    let mut choices = Choices::new(seed);
    let mut document = document.clone();
    let job = Job { tasks: tasks(&document), edges: edges(&document) };
    let faults = document["faults"].as_array_mut().expect("it has faults");
    for _ in 0..choices.number(1, 3) {
        let aim = *choices.one(&Aim::ALL);
        faults.push(aimed(&mut choices, &job, aim));
    }
    document
}

/// The same job with one fault, which is aimed, instead of those that it has.
/// Before one in a recovery comes the failure that it recovers from.
///
/// # Panics
/// When it is no file of a random job.
#[must_use]
pub fn with_fault_at(aim: Aim, seed: u64, document: &Value) -> Value {
    let mut document = document.clone();
    let job = Job { tasks: tasks(&document), edges: edges(&document) };
    let mut choices = Choices::new(seed);
    let mut faults = vec![aimed(&mut choices, &job, aim)];
    if aim == Aim::Recovery {
        // Without a failure there is no recovery.
        let who = choices.one(&job.tasks).clone();
        let when = "checkpoint 1 is complete";
        faults[0]["when"] = json!("attempt 2 starts");
        faults.insert(0, json!({ "crash": who, "when": when, "after": choices.number(0, 5) }));
    }
    document["faults"] = faults.into();
    document
}

/// Names of a job.
struct Job {
    tasks: Vec<String>,
    edges: Vec<Edge>,
}

/// Who sends to whom.
#[derive(Clone)]
struct Edge {
    from: String,
    to: String,
    /// Each to the one at its own place only.
    is_forward: bool,
}

impl Job {
    fn of(&self, operator: &str) -> Vec<&String> {
        let own = |task: &&String| task.split('[').next() == Some(operator);
        self.tasks.iter().filter(own).collect()
    }

    /// Sinks, which nobody receives from.
    fn sinks(&self) -> Vec<&String> {
        let is_sink = |task: &&String| {
            let operator = task.split('[').next();
            self.edges.iter().all(|edge| Some(edge.from.as_str()) != operator)
        };
        self.tasks.iter().filter(is_sink).collect()
    }
}

fn edges(document: &Value) -> Vec<Edge> {
    let edges = document["edges"].as_array().expect("it has edges").iter();
    let name = |edge: &Value, place: usize| edge[place].as_str().expect("a name").to_owned();
    let edges = edges.map(|edge| Edge {
        from: name(edge, 0),
        to: name(edge, 1),
        is_forward: edge[2] == "forward",
    });
    edges.collect()
}

/// A crash, aimed.
fn aimed(c: &mut Choices, job: &Job, aim: Aim) -> Value {
    let checkpoint = c.number(1, 4);
    let edge = c.one(&job.edges).clone();
    let (senders, receivers) = (job.of(&edge.from), job.of(&edge.to));
    let (place, other) = (c.number(0, 5) as usize, c.number(0, 5) as usize);
    let receiver = receivers[place % receivers.len()].clone();
    let sender = match edge.is_forward {
        true => senders[place % senders.len()].clone(),
        false => senders[other % senders.len()].clone(),
    };
    let anyone = c.one(&job.tasks).clone();
    let sinks = job.sinks();
    let (one_sink, other_sink) = ((*c.one(&sinks)).clone(), (*c.one(&sinks)).clone());
    // Who is hit: one of two.
    let other = c.chance(50);
    let either = |one: &str, two: &str| if other { two } else { one }.to_owned();
    let (who, when, after_max) = match aim {
        Aim::BarrierInFlight => {
            (either(&sender, &receiver), format!("{sender} has taken snapshot {checkpoint}"), 12)
        }
        Aim::Alignment => (
            either(&receiver, &sender),
            format!("{receiver} has received barrier {checkpoint} from {sender}"),
            6,
        ),
        Aim::SnapshotToAcknowledgement => {
            (anyone.clone(), format!("{anyone} has taken snapshot {checkpoint}"), 8)
        }
        Aim::SomeAcknowledged => (
            either(&anyone, &receiver),
            format!("checkpoint {checkpoint} is acknowledged by {sender}"),
            4,
        ),
        Aim::CompleteToNotified => {
            (either(&one_sink, &anyone), format!("checkpoint {checkpoint} is complete"), 8)
        }
        Aim::SecondSink => {
            (other_sink, format!("{one_sink} is notified of checkpoint {checkpoint}"), 3)
        }
        Aim::Recovery => (anyone, format!("attempt {} starts", attempt(checkpoint)), 8),
    };
    match c.number(0, after_max) {
        0 => json!({ "crash": who, "when": when }),
        after => json!({ "crash": who, "when": when, "after": after }),
    }
}

/// Which attempt is hit: the second or the third.
fn attempt(bits: u64) -> u64 {
    2 + bits % 2
}
