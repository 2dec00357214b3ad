//! SMS encodings, parts, status reports and result codes.

pub mod result_code;
pub mod rp_cause;
pub mod tp_status;
