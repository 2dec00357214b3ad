//! What the program does: `serve`, `settings`, `doctor`, `demo`, `migrate`, `backup`, `restore`, `restored`,
//! `openapi`. (`admin` has a module of its own.)

mod backup;
mod carried_files;
mod demo;
mod demo_phones;
mod demo_screen;
mod demo_setup;
mod doctor;
mod error;
mod logging;
mod migrate;
mod moving;
mod openapi;
mod restore;
mod restored;
mod running;
mod serve;
mod service_manager;
mod settings;
mod stop_signal;

pub use backup::{BackupArgs, backup};
pub use demo::{DemoArgs, demo};
pub use doctor::{DoctorArgs, doctor};
pub use logging::report;
pub use migrate::{MigrateArgs, migrate};
pub use openapi::openapi;
pub use restore::{RestoreArgs, restore};
pub use restored::{RestoredArgs, restored};
pub use serve::serve;
pub use settings::{SettingsArgs, settings};
