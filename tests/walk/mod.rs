//! The walkthrough: sentences, pictures, and stepping through them.

mod command_line;
mod fixture;
mod narration;
mod narration_unaligned;
mod picture;
mod session;
