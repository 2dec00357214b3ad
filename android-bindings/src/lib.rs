//! The agent as the Android shell sees it. Everything here forwards; nothing decides.
//!
//! ```text
//!   Kotlin                             Rust
//!   receivers, observers ── facts ──>  Agent::tell, Agent::tell_for_keeps
//!   screens ── commands, queues ────>  Agent::command, Agent::queues
//!   host ── events, facts, failures ─>  Book, Restarts
//!   Radio, Keystore, Shell  <── tasks, events, outlook ── the agent's own thread
//! ```
//!
//! # Rules of the border
//! Exports are synchronous and coarse: a call with a nested callback costs some 40 microseconds.
//! No lock is held while a foreign trait is called. These calls come from the agent's own thread,
//! so they must return soon and must not call anything of [`Agent`] that waits (it refuses with
//! [`AgentError::OnAgentThread`]). An undeclared exception in Kotlin becomes an error, not a
//! panic.
//!
//! # Life
//! One [`Agent`] lives as long as the app's process. [`Agent::begin_pairing`] joins it to a hub,
//! [`Agent::start`] runs it, [`Agent::stop`] stops it; it can start again.

// Linked only for its symbols: it is the unwinder when there is no NDK.
#[cfg(all(target_os = "android", feature = "no-ndk"))]
extern crate unwinding;

mod agent;
mod book;
mod error;
mod invitation;
mod joining;
mod logging;
mod oracle;
mod running;
mod shell;
#[cfg(target_os = "android")]
mod start_up;
mod words;

pub use agent::{Agent, AgentConfig, Paired, PairedSlot, read_pairing};
pub use book::{Book, Restarts};
pub use error::{AgentError, ShellError};
pub use invitation::{Invitation, read_invitation};
pub use logging::{LogLevel, LogSink, set_log_sink};
pub use oracle::{
    ReportMeaning, ResultMeaning, count_parts, decode_septets, divide_text, explain_report,
    explain_result,
};
pub use running::PhoneState;
pub use shell::{Keystore, PairingFailure, PairingOutcome, Radio, Shell, Stopped};
pub use words::{KindWaiting, SimQueue, Wait};

uniffi::setup_scaffolding!();
