//! Ids, numbers, statuses and time, shared by phone and hub.
