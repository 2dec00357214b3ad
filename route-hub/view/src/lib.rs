//! What callers see: resources as JSON objects, and why something was refused.
//!
//! It knows neither resources nor HTTP: views write themselves through [`ObjectWriter`], use cases
//! refuse with a [`Refusal`].

mod fields;
mod refusal;
mod writer;

pub use fields::Fields;
pub use refusal::{Refusal, RefusalCode};
pub use writer::{ObjectWriter, Resource};
