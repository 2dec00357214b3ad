//! Messages: what a program wants sent, until it is a row.

pub mod draft;
pub mod inbound;
pub mod outgoing;
pub mod planned;
pub mod ready;
pub mod send;
pub mod sender;
pub mod sending;
pub mod stored_message;
pub mod waiting;
pub mod writing;

pub use crate::commands::new_message;
pub use crate::views::message as model;

#[cfg(test)]
mod tests;
