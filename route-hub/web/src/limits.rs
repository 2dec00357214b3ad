//! Bounds on what a request may bring, each with what happens beyond it.

use std::time::Duration;

/// Most bytes of a request body as it travels; beyond it 413.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Most bytes of a request body that may bring media, as it travels; beyond it 413.
pub const MEDIA_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most bytes of all such bodies together, until they are answered; beyond it 503.
pub const MEDIA_BODIES_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Most bytes of a sheet, which is never held whole; beyond it 413.
pub const SHEET_BYTES_MAX: usize = 20 * 1024 * 1024;
/// Bytes that a sheet holds on its way, of what all bodies with media may have.
pub(crate) const SHEET_BYTES_HELD: usize = 16 * 1024 * 1024;
/// Longest time for a whole sheet; then 408 and the connection closes.
pub(crate) const SHEET_TIME_MAX: Duration = Duration::from_secs(600);
/// Most bytes of a request body after gunzip; beyond it 413.
pub(crate) const INFLATED_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How much larger than the compressed body it may grow, above [`INFLATED_BYTES_FREE`]; then 413.
///
/// Repeated text rightly shrinks a thousandfold, so the ratio only counts once there is much of it.
pub(crate) const INFLATE_RATIO_MAX: usize = 100;
/// Inflated bytes that no ratio is asked for.
pub const INFLATED_BYTES_FREE: usize = 512 * 1024;
/// Longest wait for the next piece of a body; then 408 and the connection closes.
pub(crate) const BODY_IDLE_MAX: Duration = Duration::from_secs(10);
/// Longest time for a whole body; then 408 and the connection closes.
pub(crate) const BODY_TIME_MAX: Duration = Duration::from_secs(60);
/// Most bytes of a body, as it travels and inflated, before its key is known; beyond it 413. A
/// hundred texts in Hindi, as a form with the key in it, are 130 KiB.
pub const STRANGER_BODY_BYTES_MAX: usize = 256 * 1024;
/// Longest time for a whole body before its key is known; then 408 and the connection closes.
pub(crate) const STRANGER_BODY_TIME_MAX: Duration = Duration::from_secs(10);
/// Most bytes of all bodies together whose keys are not known; beyond it 503.
pub(crate) const STRANGER_BODIES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Most bytes of them from one address; beyond it 503.
pub(crate) const STRANGER_PARTY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most bytes of all header names and values together; beyond it 431.
pub(crate) const HEADER_BYTES_MAX: usize = 8 * 1024;
/// Most bytes of path and query; beyond it 414.
pub(crate) const URL_BYTES_MAX: usize = 8 * 1024;
/// Deepest nesting of parameters, the whole counted as one; beyond it `invalid_param`.
pub(crate) const NESTING_MAX: usize = 8;
/// Most values in one request; beyond it `invalid_param`.
pub(crate) const NODES_MAX: usize = 20_000;
/// Smallest answer that is compressed.
pub(crate) const GZIP_ANSWER_BYTES_MIN: usize = 1024;
/// Longest request id that is echoed; others are replaced.
pub(crate) const REQUEST_ID_LENGTH_MAX: usize = 64;
