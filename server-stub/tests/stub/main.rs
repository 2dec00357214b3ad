//! The stub over loopback, with real agents and with wrong ones.

mod control;
mod dials;
mod faults;
mod program;
mod scenarios;
mod support;
mod wrong_client;
