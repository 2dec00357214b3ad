//! Request conventions of the REST API, written once.
