//! The ring around the phone's machines: socket, clock, journal, radio.
