//! checkdam simulates, explains and tests how Apache Flink takes checkpoints.

pub mod cli;
pub mod cluster;
pub mod load;
pub mod model;
pub mod narrate;
pub mod protocol;
pub mod render;
pub mod sim;
pub mod trace;
pub mod verify;
