//! Mistakes that tests plant in the rules; none of them ships.
//!
//! A mistake that a test must catch is a switch, `mistake::is("name")`, in the rule that it breaks.
//! Only the feature `mistakes` makes it a question; without it the switch is the constant `false`.
//! Nothing that ships has the feature: it is switched on by name, for the tests called `mistakes`
//! alone. The suites plant by name, too, and `tests/lint/test_mistakes.py` holds that each switch is
//! planted and each planted name has a switch.

#[cfg(not(feature = "mistakes"))]
mod planted {
    /// Returns `false`: nothing is planted in what ships.
    pub const fn is(_name: &str) -> bool {
        false
    }
}

#[cfg(feature = "mistakes")]
mod planted {
    use std::cell::Cell;

    thread_local! {
        static PLANTED: Cell<&'static str> = const { Cell::new("") };
    }

    /// Makes the mistakes in `names`, separated by `+`, on this thread while it does `work`.
    pub fn with<T>(names: &'static str, work: impl FnOnce() -> T) -> T {
        let _restored = Restored(PLANTED.replace(names));
        work()
    }

    /// Returns whether the mistake `name` is planted on this thread.
    pub fn is(name: &str) -> bool {
        PLANTED.get().split('+').any(|planted| planted == name)
    }

    /// Puts back what was planted before, also when the work panics.
    struct Restored(&'static str);

    impl Drop for Restored {
        fn drop(&mut self) {
            PLANTED.set(self.0);
        }
    }
}

pub use planted::*;
