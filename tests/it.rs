//! Everything that is tested through the public interface.

mod verify;
