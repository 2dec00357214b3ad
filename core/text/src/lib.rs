//! SMS encodings, parts, status reports and result codes.
//!
//! Everything that a telephony standard or the Android platform lays down about one message, as
//! pure functions and tables: how a text is encoded ([`gsm7`], [`ucs2`]) and divided ([`parts`]),
//! what a status report says ([`tp_status`]), and what is done about a failed part
//! ([`result_code`], [`rp_cause`]); and which USSD codes may be dialled ([`ussd`]).

pub mod gsm7;
pub mod parts;
pub mod result_code;
pub mod rp_cause;
pub mod tp_status;
pub mod ucs2;
pub mod ussd;

pub use parts::{
    DATA_OCTETS_MAX, Encoding, PARTS_MAX_DEFAULT, PARTS_MAX_LIMIT, PartCount, TooManyParts, count,
    divide,
};
pub use tp_status::{DeliveryOutcome, DeliveryReport};
