//! The hub's rules: texts with `[[variables]]` and URLs in them.
//!
//! Pure: no clock, no database, no network. A [`Template`] is parsed once and rendered for as many
//! recipients as there are; a [`Scope`] says what its variables stand for. What a variable holds is
//! put in as it is and never read as a template again, whatever it contains.

mod fields;
mod scope;
mod template;
mod urls;

pub use fields::Fields;
pub use scope::Scope;
pub use template::{BadTemplate, DEPTH_MAX, FILTERS_MAX, Names, Template, Unrendered, is_property};
pub use urls::{in_ascii, urls};
