//! Switch points for deliberate mistakes; none of them ships.
//!
//! The exhaustive search of `tests/model` must find what each mistake breaks, in this very code.
//! So a rule has a switch, `mutant::is("name")`, which is the constant `false` here. Only the
//! twin package `postrider-link-mutable`, which compiles the same sources under another name, has
//! the feature that turns it into a question. Nothing that ships depends on the twin.

#[cfg(not(feature = "mutants"))]
pub(crate) const fn is(_name: &str) -> bool {
    false
}

#[cfg(feature = "mutants")]
mod on {
    use std::cell::Cell;

    thread_local! {
        static CURRENT: Cell<&'static str> = const { Cell::new("") };
    }

    /// Makes the mistakes named in `names`, separated by `+`, on this thread.
    pub fn switch_on(names: &'static str) {
        CURRENT.set(names);
    }

    /// Tells whether the mistake `name` is made on this thread.
    pub fn is(name: &str) -> bool {
        CURRENT.get().split('+').any(|on| on == name)
    }
}

#[cfg(feature = "mutants")]
pub use on::{is, switch_on};
