//! What the hub does, whoever asks.
//!
//! The modules stand in layers, the lowest first. A module uses its own layer and those before it.

// Tools that know no hub.
pub mod background;
pub mod clock;
pub mod digest;
pub mod failure;
pub mod names;
pub mod random;
mod steps;
pub mod stored_caps;
mod tabular;
mod vars;
mod worker;

// The hub: what it holds in memory, and its folder on disk.
mod clearing;
pub mod data_folder;
pub mod elsewhere;
pub mod hints;
pub mod hub;
mod hub_id;
mod purge;
pub mod rates;

// Who does something, and the transaction that it is done in.
pub mod actor;
mod audit;
pub mod auth;
pub mod hub_work;
pub mod listing;
mod plan;
pub mod transaction;
pub mod unit_of_work;

// What is shown, and what others are told.
pub mod alerts;
pub mod commands;
pub mod damage;
mod holds;
mod outbox;
pub mod views;
pub mod webhooks;

// Phones: what they are sent, and what they say.
pub mod devices;
pub mod dispatch;
pub mod pairing;

// Use cases, by resource.
pub mod api_keys;
pub mod broadcasts;
pub mod campaigns;
pub mod contacts;
pub mod data_tables;
pub mod fields;
pub mod files;
pub mod groups;
pub mod labels;
pub mod message_templates;
pub mod messages;
pub mod organizations;
pub mod phones;
pub mod projects;
pub mod routes;
pub mod schedules;
pub mod short_links;
pub mod statistics;
pub mod tasks;
pub mod webhook_deliveries;
pub mod webhook_objects;

// The operator's words, and what the hub does by itself for all projects.
pub mod housekeeping;
pub mod operator;
pub mod restored;
pub mod retention;
pub mod test_routes;

#[cfg(test)]
mod testing;
