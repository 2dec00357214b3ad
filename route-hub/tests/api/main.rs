//! The REST API as a client meets it: through the routes, on a database of its own.

mod cancel_resend_delete;
mod idempotency;
mod lists;
mod messages;
mod phones;
mod support;
mod tenancy;
mod webhooks;
