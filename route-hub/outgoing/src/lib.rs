//! The guarded client for every outgoing request.
//!
//! Whatever the hub sends to an address that somebody else typed (webhooks, scripts, media) goes
//! through [`Client`]. It follows no redirect, reads no proxy variable, keeps to [`Limits`], and
//! looks at the address itself at the moment of connecting: what a name resolves to then is what
//! counts, not what it resolved to when it was configured.
//!
//! # Life cycle
//! [`Guard`] says what an operator allows, [`Guard::check_url`] tells a user at configuration time
//! why a URL cannot be used, [`Client::post_form`] makes one request. [`Names`] looks names up, with a
//! share for each owner. A [`Failure`] names a kind
//! and never a URL, a header or a body.

mod address;
mod client;
mod clock;
mod connect;
mod failure;
mod guard;
mod names;
mod target;
mod tls;

pub use address::Special;
pub use client::{Answer, Client, Limits};
pub use failure::Failure;
pub use guard::{Allowed, Guard, InvalidAllowed};
pub use names::{Names, Owner};
pub use target::{Target, URL_LENGTH_MAX, UrlRefused};
pub use tls::InvalidRoot;
