//! A package without code of its own: `cargo test -p postrider-features -p hub-app` builds libraries as `--workspace` does.

fn main() {}
