//! Pictures of a run: functions of (trace, step).

pub mod text;
