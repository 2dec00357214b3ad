//! Writes the Kotlin that belongs to `postrider-android`, from the library that was built.
//!
//! `postrider-bindgen generate --no-format -l kotlin --out-dir FOLDER LIBRARY`, run inside the
//! workspace, where it finds `uniffi.toml`.

fn main() {
    uniffi::uniffi_bindgen_main();
}
