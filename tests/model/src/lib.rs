pub mod explore;
pub mod hash;
mod hub;
mod link;
#[path = "../../../core/machine/src/mutant.rs"]
mod mutant;
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
