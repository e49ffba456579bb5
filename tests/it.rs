//! Everything that is tested through the public interface.

mod book;
mod common;
mod conformance;
mod engine;
mod explore;
mod lab;
mod load;
mod page;
mod pictures;
mod questions;
mod rooms;
mod savepoints;
mod story;
mod trace;
mod users;
mod verify;
mod walk;
