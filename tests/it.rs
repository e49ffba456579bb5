//! Everything that is tested through the public interface.

mod common;
mod conformance;
mod documentation;
mod engine;
mod explore;
mod lab;
mod load;
mod page;
mod pictures;
mod rooms;
mod savepoints;
mod story;
mod trace;
mod users;
mod verify;
mod walk;
