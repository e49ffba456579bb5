//! checkdam simulates, explains and tests how Apache Flink takes checkpoints.
//!
//! A [`model::Scenario`] is run by [`sim`], which leaves a [`trace::Trace`];
//! [`verify`] judges it, [`narrate`] explains it, [`render`] draws it.
//!
//! ```
//! use checkdam::model::Scenario;
//! use checkdam::sim::{Ending, simulate};
//! use checkdam::verify::{Outcome, verify};
//!
//! let text = r#"{
//!     "job": { "in": { "source": [1, 2, 3] }, "out": { "sink": "publish" } },
//!     "edges": [["in", "out"]]
//! }"#;
//! let scenario = Scenario::parse("smallest", text).expect("it is valid");
//! let (trace, ending) = simulate(&scenario, 1);
//! assert_eq!(ending, Ending::Finished);
//! assert_eq!(verify(&scenario, &trace).outcome(), Outcome::Holds);
//! ```

pub mod chain;
pub mod cli;
pub mod cluster;
pub mod explore;
pub mod lab;
pub mod load;
pub mod model;
pub mod narrate;
pub mod page;
pub mod protocol;
pub mod questions;
pub mod render;
pub mod savepoint;
pub mod sim;
pub mod trace;
pub mod verify;

/// The examples of the README are executed, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
