//! The clocks: the only file of the stub that reads one.

use postrider_model::{BootMs, Now, UnixMs};
use rustix::time::{ClockId, clock_gettime};

/// Reads both clocks.
pub(super) fn now() -> Now {
    let boot = clock_gettime(ClockId::Boottime);
    let unix = clock_gettime(ClockId::Realtime);
    let boot_ms = boot.tv_sec * 1_000 + boot.tv_nsec / 1_000_000;
    Now {
        boot: BootMs(boot_ms.max(0).unsigned_abs()),
        unix: UnixMs(unix.tv_sec * 1_000 + unix.tv_nsec / 1_000_000),
    }
}
