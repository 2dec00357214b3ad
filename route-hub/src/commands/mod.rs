//! What the program does: `serve`, `demo`, `migrate`. (`admin` has a module of its own.)

pub mod data_folder;
mod demo;
mod demo_phones;
mod demo_screen;
mod demo_setup;
mod error;
mod logging;
mod migrate;
mod running;
mod serve;
mod stop_signal;

pub use demo::{DemoArgs, demo};
pub use error::CommandError;
pub use migrate::{MigrateArgs, migrate};
pub use serve::serve;
