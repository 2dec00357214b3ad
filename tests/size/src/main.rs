//! Weighs the agent: `scripts/size` builds this with one layer more each time and compares.
//!
//! It runs, though nobody runs it: what is called stays in, and nothing else does.

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
