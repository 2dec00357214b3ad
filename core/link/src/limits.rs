//! Bounds of the link: each with its unit, its reason and what happens when it is reached.

/// The only version of the link spoken here, sent as `v: [min, max]` in hello.
pub const VERSION: u32 = 1;

/// The oldest version still spoken. The hub speaks N and N-1; there is no 0.
pub const VERSION_MIN: u32 = 1;

/// The WebSocket sub-protocol that both ends ask for.
pub const SUB_PROTOCOL: &str = "postrider.v1+json";

/// Most bytes of one frame; a longer one is refused and closes the connection (4400).
pub const FRAME_BYTES_MAX: usize = 64 * 1024;

/// Deepest nesting of objects and lists, the frame itself included; deeper closes (4400).
pub const DEPTH_MAX: usize = 8;

/// Integers stay below 2^53, so that every language's JSON reader keeps them exact.
pub const INTEGER_END: u64 = 1 << 53;

/// Most facts that a phone sends without an ack; the others wait on its disk.
pub const FACTS_IN_FLIGHT_MAX: u64 = 256;

/// How far `revoke`, `cancel`, `void` and `config` may exceed the credit for `send` frames.
pub const CONTROL_FRAMES_OVER_CREDIT: u64 = 256;

/// Rows of one `held` page; the reconciliation after a new `gen` sends as many pages as needed.
pub const HELD_ROWS_PER_PAGE: usize = 500;

/// Most pages of one reconciliation: 2,000,000 exposures, more than a phone makes in the thirty days
/// that it keeps them. Another page, or an empty one, closes (4400).
pub const HELD_PAGES_MAX: u32 = 4_000;

/// Most rows of `held` in hello, so that it fits a frame. The others are reported by facts:
/// the hub never concludes anything from a missing row.
pub const HELD_ROWS_IN_HELLO_MAX: usize = 1_000;

/// Time from accepting a socket to a complete hello, and between two `held` pages, in
/// milliseconds. Then the hub closes it (1001): a slow network is not a protocol error.
pub const HANDSHAKE_MS_MAX: u64 = 15_000;

/// Time within which a ping is answered, in milliseconds; then the phone redials.
pub const PONG_MS_MAX: u64 = 15_000;

/// The shortest time between two pings, in seconds: the one on the charger.
pub const HEARTBEAT_S_MIN: u64 = 45;

/// The longest time between two pings, in seconds: on battery, on a good network.
pub const HEARTBEAT_S_MAX: u64 = 240;

/// Answered pings in a row after which the time between them doubles on battery.
pub const GOOD_PINGS_TO_SLOW_DOWN: u32 = 10;

/// How long a session must have been good before the schedule of redials starts again, in
/// milliseconds.
pub const GOOD_SESSION_MS: u64 = 60_000;

/// Time for a drained phone to send its last facts, in milliseconds.
pub const DRAIN_MS_MAX: u64 = 5_000;

/// The longest wait between two tries to reach a hub that is away, in milliseconds.
pub const REDIAL_MS_MAX: u64 = 60_000;

/// The same on battery, where each try wakes the phone.
pub const REDIAL_BATTERY_MS_MAX: u64 = 5 * 60 * 1_000;

/// The longest wait between two tries of a phone that its hub does not know, in milliseconds: a
/// person made the mistake, and people fix it in minutes or hours.
pub const REDIAL_UNKNOWN_MS_MAX: u64 = 15 * 60 * 1_000;

/// Time between two tries of a phone that needs a newer app, in milliseconds.
pub const DAILY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Protocol errors in a row after which the phone raises an alert.
pub const PROTOCOL_ERRORS_TO_ALERT: u32 = 3;

/// Time after the expiry of an exposed message at which the hub calls its outcome unknown,
/// in milliseconds: the phone ends it by its own clock first.
pub const UNKNOWN_AFTER_LIFE_MS: u64 = 60_000;

/// How far a phone's generation may lie above the hub's; beyond that closes (4400). Restores are
/// rare, and no phone may use up the numbers that all phones of a hub share.
pub const GENERATIONS_AHEAD_MAX: u64 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_design() {
        assert_eq!(FRAME_BYTES_MAX, 65_536);
        assert_eq!(INTEGER_END, 9_007_199_254_740_992);
        assert_eq!(DAILY_MS, 86_400_000);
    }
}
