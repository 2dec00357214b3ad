//! What the hub does, whoever asks.

pub mod actor;
pub mod alerts;
pub mod api_keys;
pub mod audit;
pub mod auth;
pub mod background;
pub mod broadcasts;
pub mod clock;
pub mod commands;
pub mod contacts;
pub mod damage;
pub mod data_folder;
pub mod devices;
pub mod digest;
pub mod dispatch;
pub mod elsewhere;
pub mod failure;
#[cfg(feature = "fault-order")]
pub mod fault;
pub mod fields;
pub mod groups;
pub mod housekeeping;
pub mod hub;
pub mod hub_id;
pub mod hub_work;
pub mod labels;
pub mod listing;
pub mod messages;
pub mod names;
pub mod operator;
pub mod organizations;
pub mod pairing;
pub mod parse;
pub mod phones;
pub mod projects;
pub mod random;
pub mod retention;
pub mod schedules;
pub mod steps;
pub mod stored_caps;
#[cfg(test)]
mod testing;
pub mod transaction;
pub mod views;
pub mod webhooks;
pub mod worker;
