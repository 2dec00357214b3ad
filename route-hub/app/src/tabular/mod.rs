//! Rows as text: what a spreadsheet writes and reads.

mod cells;
mod encoding;
mod records;

pub(crate) use cells::{guarded, unguarded};
pub(crate) use encoding::{Decoding, Detecting, NoText};
pub(crate) use records::{Counting, RECORD_BYTES_MAX, Record, delimiter_of, newlines, records};
