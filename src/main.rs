//! The program `checkdam`; everything is in [`checkdam::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    checkdam::cli::main()
}
