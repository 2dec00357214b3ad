//! Puts the page of `/docs` into the program, if `scripts/setup` has brought what draws it.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=docs/bundle");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("redoc.js");
    let bundle = fs::read("docs/bundle/redoc.js");
    fs::write(out, bundle.unwrap_or_default())
}
