//! What a client likes best: `Accept` and `Accept-Language` (RFC 9110, 12.4.2).

use http::{HeaderMap, HeaderName};

/// Returns the highest weight, in thousandths, of the entries whose name, in lower case, is meant; `None` where no
/// entry is.
pub(super) fn preference(
    headers: &HeaderMap,
    header: &HeaderName,
    is_meant: impl Fn(&str) -> bool,
) -> Option<u16> {
    let values = headers.get_all(header).into_iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let entries = values.flat_map(|value| value.split(','));
    let weights = entries.filter_map(|entry| {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        is_meant(&name.trim().to_ascii_lowercase()).then(|| weight(parameters))
    });
    weights.max()
}

/// One that cannot be read counts as 0.
fn weight(parameters: &str) -> u16 {
    let mut parameters = parameters.split(';').map(str::trim);
    let text = parameters.find_map(|one| one.strip_prefix("q=").or_else(|| one.strip_prefix("Q=")));
    let Some(text) = text else {
        return 1_000;
    };
    match text.split_once('.').unwrap_or((text, "")) {
        ("1", _) => 1_000,
        ("0", digits) => thousandths(digits),
        _ => 0,
    }
}

fn thousandths(digits: &str) -> u16 {
    format!("{digits:0<3}").parse().unwrap_or_default()
}
