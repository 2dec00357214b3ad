//! The route hub: REST API, webhooks and the phones' links.

pub mod admin;
pub mod commands;
pub mod config_file;
pub mod database;
pub mod described;
pub mod environment;
pub mod files;
pub mod metrics;
pub mod nats;
pub mod router;
pub mod routes;
pub mod serve;
pub mod settings;
pub mod tls;
pub mod transport;
mod upgrading;
mod values;
