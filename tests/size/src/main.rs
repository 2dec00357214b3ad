//! Measures the agent's size: `scripts/size` builds this with one more layer each time and compares.
//!
//! It can run, but nobody runs it: the linker keeps exactly what is called.

#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "machine")]
mod machine;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("{} words", words.len());
    #[cfg(feature = "machine")]
    if let Err(error) = machine::run(&words) {
        println!("{error}");
    }
    #[cfg(feature = "agent")]
    if let Err(error) = agent::run(&words) {
        println!("{error}");
    }
    ExitCode::SUCCESS
}
