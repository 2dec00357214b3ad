//! The route hub: REST API, webhooks and the phones' links.

pub mod admin;
pub mod alerts;
pub mod api;
pub mod audit;
pub mod auth;
pub mod bus;
pub mod cache;
pub mod clock;
pub mod commands;
pub mod digest;
pub mod dispatch;
#[cfg(feature = "fault-order")]
pub mod fault;
pub mod housekeeping;
pub mod hub;
pub mod link;
pub mod ops;
pub mod pairing;
pub mod random;
pub mod retention;
pub mod routes;
pub mod serve;
pub mod settings;
pub mod setup;
pub mod tls;
pub mod webhooks;
