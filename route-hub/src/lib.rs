//! The route hub: REST API, webhooks and the phones' links.

pub mod bus;
pub mod clock;
pub mod digest;
pub mod hub;
pub mod pairing;
pub mod random;
pub mod serve;
pub mod settings;
pub mod tls;
