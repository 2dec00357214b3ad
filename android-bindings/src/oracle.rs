//! Rust's view of texts, results and reports: for the screens, and for tests that compare it with
//! the platform's own code.

use postrider_agent::ReportStatus;
use postrider_text::gsm7::{Alphabet, Language};
use postrider_text::{DeliveryOutcome, DeliveryReport, parts, result_code, tp_status};

/// Returns the parts that a text travels in, in the default alphabet; an empty text has none.
#[uniffi::export]
pub fn divide_text(text: String) -> Vec<String> {
    parts::divide(&text)
}

/// Returns how many parts a text has if the platform uses the national shift tables of these
/// languages, named by their identifiers in 3GPP TS 23.038.
#[uniffi::export]
pub fn count_parts(text: String, languages: Vec<u8>) -> u32 {
    parts::count_with(&text, &Language::of_identifiers(&languages)).parts
}

/// Decodes septets, one a byte, with the locking and the single shift table of two
/// languages; 0 is the default.
#[uniffi::export]
pub fn decode_septets(septets: Vec<u8>, locking: u8, single: u8) -> String {
    let language = |identifier| {
        let found = Language::of_identifiers(&[identifier]);
        found.first().copied().unwrap_or(Language::Default)
    };
    Alphabet::new(language(locking), language(single)).decode(&septets)
}

/// What a result code means.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ResultMeaning {
    /// The constant's name in the platform.
    pub name: String,
    /// A short text that is safe to show.
    pub detail: String,
    /// Whether it proves that nothing went on the air.
    pub is_proof: bool,
}

/// Explains the result code of a part.
#[uniffi::export]
pub fn explain_result(code: i32) -> ResultMeaning {
    let known = result_code::look_up(code);
    ResultMeaning {
        name: known.name.to_owned(),
        detail: known.detail.to_owned(),
        is_proof: known.is_proof(),
    }
}

/// What a status report means.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ReportMeaning {
    /// A short stable name.
    pub code: String,
    /// A short text that is safe to show.
    pub detail: String,
    /// Whether it says that the part is delivered.
    pub is_delivered: bool,
    /// Whether it ends the part.
    pub is_final: bool,
}

/// Explains the value of a status report.
#[uniffi::export]
pub fn explain_report(status: ReportStatus) -> ReportMeaning {
    let report: DeliveryReport = match status {
        ReportStatus::Gsm(status) => tp_status::decode_3gpp(status),
        ReportStatus::Cdma(status) => tp_status::decode_3gpp2(status),
    };
    ReportMeaning {
        code: report.code.to_owned(),
        detail: report.detail.to_owned(),
        is_delivered: report.outcome == DeliveryOutcome::Delivered,
        is_final: report.outcome.is_final(),
    }
}
