//! Mistakes that tests plant; none of them ships.
//!
//! A mistake that a test must catch is a switch, `mistake::is("name")`, where the code makes it. Only
//! builds with debug assertions ask; in all others the switch is the constant `false`. A test plants
//! by name on its thread ([`with`]); a program does at its start, for the whole process (`plant`).
//! What starts threads of its own hands on to them what is planted where it begins ([`inherited`]).
//! `tests/lint/test_mistakes.py` holds that each switch is planted and each planted name has a switch.

#[cfg(not(debug_assertions))]
mod planted {
    /// Returns `false`: nothing is planted in what ships.
    #[inline]
    pub const fn is(_name: &str) -> bool {
        false
    }

    /// Does `work` without the mistakes: nothing is planted in what ships.
    pub fn with<T>(_names: &'static str, work: impl FnOnce() -> T) -> T {
        work()
    }

    /// Returns `work` as it is: nothing is planted in what ships.
    pub fn inherited<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        work
    }
}

#[cfg(debug_assertions)]
mod planted {
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Whether this process has ever planted anything. Each switch asks this first, and most processes
    /// never come to compare names.
    static ANY: AtomicBool = AtomicBool::new(false);
    /// What is planted on all threads.
    static EVERYWHERE: OnceLock<String> = OnceLock::new();

    thread_local! {
        static HERE: Cell<&'static str> = const { Cell::new("") };
    }

    /// Returns whether the mistake `name` is planted, on this thread or for the whole process.
    #[inline]
    pub fn is(name: &str) -> bool {
        ANY.load(Ordering::Relaxed) && is_among_planted(name)
    }

    /// Not inlined, so that names stay whole in a program: `tests/lint/planted.py` looks for them.
    #[cold]
    #[inline(never)]
    fn is_among_planted(name: &str) -> bool {
        let everywhere = EVERYWHERE.get().map_or("", String::as_str);
        let mut planted = HERE.get().split('+').chain(everywhere.split('+'));
        planted.any(|planted| planted == name)
    }

    /// Makes the mistakes in `names`, separated by `+`, on this thread while it does `work`.
    pub fn with<T>(names: &'static str, work: impl FnOnce() -> T) -> T {
        if !names.is_empty() {
            ANY.store(true, Ordering::Relaxed);
        }
        let _restored = Restored(HERE.replace(names));
        work()
    }

    /// Returns `work` for another thread, which makes the mistakes there that are planted on this one.
    pub fn inherited<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        let names = HERE.get();
        move || with(names, work)
    }

    /// Makes the mistakes in `names`, separated by `+`, on every thread from now on. A second call
    /// changes nothing.
    pub fn plant(names: String) {
        EVERYWHERE.get_or_init(|| names);
        ANY.store(true, Ordering::Relaxed);
    }

    /// Puts back what was planted before, also when the work panics.
    struct Restored(&'static str);

    impl Drop for Restored {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
}

pub use planted::*;

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_made_on_its_thread_alone_and_while_the_work_lasts() {
        let here = || ["one", "two", "on"].map(is);
        let inside = with("one+two", || {
            let elsewhere = std::thread::spawn(here).join().unwrap();
            let handed_on = std::thread::spawn(inherited(here)).join().unwrap();
            let within = with("on", here);
            (here(), elsewhere, handed_on, within)
        });
        let (none, both) = ([false; 3], [true, true, false]);
        assert_eq!(inside, (both, none, both, [false, false, true]));
        assert_eq!(here(), none);
        let panicked = std::panic::catch_unwind(|| with("one", || panic!("on purpose")));
        assert!(panicked.is_err() && !is("one"));
    }

    #[test]
    fn what_is_planted_for_the_process_is_made_on_every_thread() {
        plant("all+every".to_owned());
        let all = || with("one", || ["all", "every", "one"].map(is));
        assert_eq!(all(), [true; 3]);
        assert_eq!(std::thread::spawn(all).join().unwrap(), [true; 3]);
    }
}
