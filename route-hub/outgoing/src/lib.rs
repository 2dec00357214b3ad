//! The guarded client for every outgoing request.
