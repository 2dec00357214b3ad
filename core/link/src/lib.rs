//! The link between phone and hub: frames, sessions, ownership.
