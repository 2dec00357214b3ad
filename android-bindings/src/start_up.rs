//! What the library does when the platform loads it.

use jni::sys::jint;
use std::ffi::c_void;

/// The version of JNI that the platform has had from its beginning.
const JNI_VERSION: jint = jni::sys::JNI_VERSION_1_6;

/// Starts the log before anything else can fail. Called by the platform, by its name.
#[expect(unsafe_code, reason = "the platform finds it by its name")]
#[unsafe(no_mangle)]
pub extern "system" fn JNI_OnLoad(_vm: *mut jni::sys::JavaVM, _reserved: *mut c_void) -> jint {
    crate::logging::start();
    JNI_VERSION
}
