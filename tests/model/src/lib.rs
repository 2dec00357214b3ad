//! Every state that hub, phones, link and radio can come to, on the production code.
//!
//! A world (`world`) is a few hundred bits: rows of the hub, journals and frames. `system` says
//! which steps each state allows, and which promise a step breaks; what production decides is asked
//! of production (`production`, `session`, `radio`, and the parts of `core/machine`). `explore`
//! searches a scope whole and looks for a way to an end from each state; `walk` goes where a search
//! cannot.

pub mod explore;
pub mod hash;
mod held;
mod hub;
pub mod known;
pub mod liar;
mod link;
mod memo;
#[path = "../../../core/machine/src/parts.rs"]
pub mod parts;
mod phone;
pub mod production;
pub mod radio;
pub mod scope;
pub mod session;
pub mod system;
pub mod walk;
pub mod world;
