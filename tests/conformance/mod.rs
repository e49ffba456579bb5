//! Recorded cases: what Flink's own tests expect and what the real Flink has
//! answered, put to the machines that the simulator runs.

#[path = "../../examples/conformance/driver/mod.rs"]
mod driver;

mod coordinator;
mod coordinator_rules;
