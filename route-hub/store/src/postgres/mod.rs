//! The PostgreSQL engine: all that is PostgreSQL's own.

mod connect;
mod failure;
mod migrate;
mod session;
mod values;

pub(crate) use self::connect::Connector;
pub use self::connect::PostgresSettings;
pub(crate) use self::migrate::migrate;
pub(crate) use self::session::PostgresSession;
