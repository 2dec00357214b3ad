//! The REST API as a client meets it: through the routes, on a database of its own.

mod broadcasts;
mod cancel_resend_delete;
mod contact_update;
mod contacts;
mod fields;
mod groups;
mod idempotency;
mod kinds;
mod labels;
mod lists;
mod messages;
mod new_phones;
mod organizations;
mod phones;
mod plain;
mod projects;
mod quiet_hours;
mod recipients;
mod relative_scheduled;
mod retention;
mod routes;
mod scheduled;
mod support;
mod templates;
mod tenancy;
mod webhooks;
