//! The loader: what it says of files that are wrong, what it makes of files
//! that are right, and that nothing makes it panic or wait.

mod article;
mod article_keys;
mod config_command;
mod config_files;
mod diagnostics;
mod generate;
mod random;
mod scenarios;
mod schema;
mod showing;
