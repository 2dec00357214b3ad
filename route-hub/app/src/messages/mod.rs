//! Messages: what a program wants sent, until it is a row.

pub mod draft;
pub mod model;
pub mod new_message;
pub mod outgoing;
pub mod planned;
pub mod ready;
pub mod send;
pub mod sender;
pub mod sending;
pub mod stored_message;
pub mod stored_view;
pub mod waiting;
pub mod writing;

#[cfg(test)]
mod tests;
