//! Everything that is tested through the public interface.

mod common;
mod load;
mod rooms;
mod story;
mod verify;
