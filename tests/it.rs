//! Everything that is tested through the public interface.

mod common;
mod load;
mod verify;
