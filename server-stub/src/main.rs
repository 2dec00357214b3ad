//! A hub double.
fn main() {}
