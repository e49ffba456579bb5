//! The walkthrough: sentences, pictures, and stepping through them.

mod fixture;
mod narration;
mod picture;
