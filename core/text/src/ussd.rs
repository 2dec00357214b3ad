//! USSD codes and results: what may be dialled, and what a failed request proves.

/// Most characters of a code: what one request carries, 160 octets of packed septets.
///
/// Source: 3GPP TS 23.038, 6.1.2.3.
pub const CODE_LENGTH_MAX: usize = 182;

/// What a code asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeUse {
    /// Something of the network operator's own.
    Operator,
    /// A setting or a secret of the phone or the SIM: a supplementary service, a PIN or a
    /// password, the device's number.
    Settings,
    /// Nothing: it is no code, and a phone would dial it as a voice call.
    None,
}

/// Service codes that the phone itself understands, rising: call forwarding, barring and waiting,
/// hiding or showing numbers, transfer, passwords, PINs, user-to-user signalling.
///
/// Source: 3GPP TS 22.030, Annex B and 6.6.
const SERVICE_CODES: &[&str] = &[
    "002", "004", "03", "04", "042", "05", "052", "06", "21", "30", "300", "31", "33", "330",
    "331", "332", "333", "35", "351", "353", "360", "361", "362", "363", "37", "43", "59", "591",
    "592", "593", "594", "61", "62", "66", "67", "75", "750", "751", "752", "753", "754", "76",
    "77", "96",
];

/// Reads what a code asks for.
///
/// A code is `*` or `#`, at least one digit, `*` or `#`, and `#` at the end. It belongs to the
/// phone's settings when the digits after its first `*`, `#`, `*#`, `**` or `##`, up to the next
/// of them, are a service code; or when a PIN is changed by it.
///
/// Source: 3GPP TS 22.030, 6.5.2.
pub fn read_code(code: &str) -> CodeUse {
    if !is_code(code) {
        return CodeUse::None;
    }
    let service = code.trim_start_matches(['*', '#']);
    let end = service.find(['*', '#']).unwrap_or(service.len());
    if SERVICE_CODES.binary_search(&&service[..end]).is_ok() {
        CodeUse::Settings
    } else {
        CodeUse::Operator
    }
}

fn is_code(code: &str) -> bool {
    let inside = code
        .strip_prefix(['*', '#'])
        .and_then(|rest| rest.strip_suffix('#'));
    let is_dialled = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'*' | b'#');
    code.len() <= CODE_LENGTH_MAX
        && inside.is_some_and(|inside| !inside.is_empty() && inside.bytes().all(is_dialled))
}

/// What a request that came back without an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UssdFailure {
    /// A stable word for it.
    pub code: &'static str,
    /// Whether it proves that the code was never dialled.
    pub is_proof: bool,
    /// A short text that is safe to show.
    pub detail: &'static str,
}

/// The platform's `TelephonyManager.USSD_ERROR_SERVICE_UNAVAIL`.
const SERVICE_UNAVAILABLE: i32 = -2;

/// Returns what a failure of `TelephonyManager.sendUssdRequest` says.
///
/// `USSD_RETURN_FAILURE` (-1) covers all from a refusal by the network to a menu that expects an
/// answer, so it proves nothing; neither does a code that nobody has listed.
///
/// Source: `android.telephony.TelephonyManager` of Android 15.
pub const fn failure(code: i32) -> UssdFailure {
    if code == SERVICE_UNAVAILABLE {
        UssdFailure {
            code: "ussd_unavailable",
            is_proof: true,
            detail: "the telephone service was not there",
        }
    } else {
        UssdFailure {
            code: "ussd_failed",
            is_proof: false,
            detail: "the request failed, or the network asked for a further answer",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_a_voice_call_is_no_code() {
        let long = format!("*{}#", "1".repeat(CODE_LENGTH_MAX));
        for call in [
            "",
            "#",
            "*#",
            "*100",
            "100#",
            "+15005550100",
            "*10 0#",
            "*1a#",
            "*１#",
            &long,
        ] {
            assert_eq!(read_code(call), CodeUse::None, "{call}");
        }
    }

    #[test]
    fn an_operators_code_may_be_chained() {
        for code in [
            "*100#",
            "#100#",
            "*123*1*2#",
            "*1*21#",
            "*140*15005550100*5#",
            "*021#",
            "*2#",
        ] {
            assert_eq!(read_code(code), CodeUse::Operator, "{code}");
        }
    }

    #[test]
    fn settings_pins_and_the_devices_number_are_told_apart() {
        for code in [
            "*#06#",
            "**21*15005550100#",
            "##002#",
            "*#21#",
            "*#31#",
            "#33*0000#",
            "*43#",
            "**04*0000*1111*1111#",
            "**052*00000000*1111*1111#",
            "**03*330*0000*1111*1111#",
            "***21#",
        ] {
            assert_eq!(read_code(code), CodeUse::Settings, "{code}");
        }
    }

    #[test]
    fn service_codes_rise() {
        assert!(SERVICE_CODES.is_sorted());
    }

    #[test]
    fn only_a_missing_service_proves_that_nothing_was_dialled() {
        assert!(failure(-2).is_proof);
        for code in [-1, 0, 1, -3, i32::MIN] {
            assert!(!failure(code).is_proof, "{code}");
        }
    }
}
