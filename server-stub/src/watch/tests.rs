//! Rules of the watch, one wire at a time.
