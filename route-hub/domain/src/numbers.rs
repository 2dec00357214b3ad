//! Typed numbers: reading them with a region, and telling whether two are one.
//!
//! A number that is valid where it is read becomes E.164. One that is only possible (its length
//! fits, its digits are assigned to nobody we know of) is kept as it was typed, without the
//! separators: networks know better than tables. Short codes and alphanumeric names stay as they
//! are.

use crate::Address;
use phonenumber::country::Id as Region;
use phonenumber::metadata::{DATABASE, Descriptor, Descriptors};
use postrider_model::{NumberShape, PhoneNumber};
use std::borrow::Cow;
use std::fmt;

/// Most characters that are looked at; no written number is longer.
const TYPED_LENGTH_MAX: usize = 64;
/// Most digits that are a short code in every region; longer ones may be subscribers' numbers.
const SHORT_CODE_DIGITS_SURE: usize = 6;
/// Most digits that may be a short code where they are no subscriber's number.
const SHORT_CODE_DIGITS_MAX: usize = 8;
/// Digits by which contacts are looked up, and the fewest that make two numbers one.
const TAIL_DIGITS: usize = 8;

/// Whether an alphanumeric name may stand where a number is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// It may: a sender.
    Allowed,
    /// It may not: nobody can be reached under it.
    Refused,
}

/// Says that a text is neither a possible number nor anything else that is allowed in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpossibleNumber;

impl fmt::Display for ImpossibleNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not a possible phone number")
    }
}

impl std::error::Error for ImpossibleNumber {}

/// Reads a typed number in `region` (two capital letters), where one is known.
///
/// # Errors
/// [`ImpossibleNumber`].
pub fn parse(
    typed: &str,
    region: Option<&str>,
    names: Names,
) -> Result<PhoneNumber, ImpossibleNumber> {
    let typed = typed.trim();
    if typed.len() > TYPED_LENGTH_MAX {
        return Err(ImpossibleNumber);
    }
    let Some(written) = Written::read(typed) else {
        return match names {
            Names::Allowed => as_typed(typed),
            Names::Refused => Err(ImpossibleNumber),
        };
    };
    if written.international {
        international(&written.digits)
    } else {
        national(
            &written.digits,
            region.and_then(|region| region.parse().ok()),
        )
    }
}

/// A number's digits, without the separators between them.
struct Written {
    international: bool,
    digits: String,
}

impl Written {
    /// Returns `None` for a text with anything but digits, separators and a leading `+`.
    fn read(typed: &str) -> Option<Self> {
        let rest = typed.strip_prefix(['+', '＋']);
        let mut digits = String::with_capacity(typed.len());
        for c in rest.unwrap_or(typed).chars() {
            if let Some(digit) = ascii_digit(c) {
                digits.push(digit);
            } else if !is_separator(c) {
                return None;
            }
        }
        (!digits.is_empty()).then_some(Self {
            international: rest.is_some(),
            digits,
        })
    }
}

/// Digits of ASCII, of full width, and of the Arabic and Devanagari scripts.
fn ascii_digit(c: char) -> Option<char> {
    const ZEROS: [char; 5] = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'];
    let zero = ZEROS.iter().find(|zero| {
        let zero = u32::from(**zero);
        (zero..zero + 10).contains(&u32::from(c))
    })?;
    char::from_digit(u32::from(c) - u32::from(*zero), 10)
}

fn is_separator(c: char) -> bool {
    matches!(
        c,
        ' ' | '\u{a0}' | '\u{202f}' | '-' | '\u{2010}'..='\u{2015}' | '.' | '(' | ')' | '/'
    )
}

fn as_typed(text: &str) -> Result<PhoneNumber, ImpossibleNumber> {
    text.parse().map_err(|_| ImpossibleNumber)
}

/// Reads digits that follow a `+`.
fn international(digits: &str) -> Result<PhoneNumber, ImpossibleNumber> {
    if has_possible_length(digits) {
        return as_typed(&format!("+{digits}"));
    }
    without_trunk_prefix(digits).ok_or(ImpossibleNumber)
}

/// Reads "+44 (0)…" and its like: behind the country code stands what is dialled at home.
fn without_trunk_prefix(digits: &str) -> Option<PhoneNumber> {
    (1..=3.min(digits.len())).find_map(|code_length| {
        let (code, at_home) = digits.split_at(code_length);
        let code: u16 = code.parse().ok()?;
        let region = *DATABASE.by_code(&code)?.first()?;
        let number = phonenumber::parse(region.id().parse().ok(), at_home).ok()?;
        let is_one = number.country().code() == code && phonenumber::is_valid(&number);
        if is_one {
            as_typed(&e164(&number)).ok()
        } else {
            None
        }
    })
}

/// Reads digits without a `+` in a region.
fn national(digits: &str, region: Option<Region>) -> Result<PhoneNumber, ImpossibleNumber> {
    if digits.len() <= SHORT_CODE_DIGITS_SURE {
        return as_typed(digits);
    }
    let Some(region) = region else {
        return as_typed(digits);
    };
    let parsed = phonenumber::parse(Some(region), digits);
    if let Ok(number) = &parsed
        && phonenumber::is_valid(number)
    {
        return as_typed(&e164(number));
    }
    let possible = parsed.is_ok_and(|number| has_possible_length(&e164(&number)[1..]));
    if possible || digits.len() <= SHORT_CODE_DIGITS_MAX {
        as_typed(digits)
    } else {
        Err(ImpossibleNumber)
    }
}

fn e164(number: &phonenumber::PhoneNumber) -> String {
    format!("+{}{}", number.country().code(), number.national())
}

/// Says whether some region of the country code that begins `digits` has numbers of the length.
fn has_possible_length(digits: &str) -> bool {
    (1..=3.min(digits.len())).any(|code_length| {
        let (code, national) = digits.split_at(code_length);
        let code: Option<u16> = code.parse().ok();
        let regions = code.and_then(|code| DATABASE.by_code(&code));
        let length = u16::try_from(national.len()).unwrap_or(u16::MAX);
        let mut regions = regions.into_iter().flatten();
        regions.any(|region| has_numbers_of_length(region.descriptors(), length))
    })
}

/// The tables give lengths for each kind of number alone, not for all kinds together.
fn has_numbers_of_length(kinds: &Descriptors, length: u16) -> bool {
    let kinds = [
        kinds.mobile(),
        kinds.fixed_line(),
        kinds.voip(),
        kinds.personal_number(),
        kinds.toll_free(),
        kinds.shared_cost(),
        kinds.premium_rate(),
        kinds.uan(),
        kinds.pager(),
        kinds.voicemail(),
    ];
    let mut lengths = kinds.into_iter().flatten().map(Descriptor::possible_length);
    lengths.any(|lengths| lengths.contains(&length))
}

/// Says whether a text names a region of the tables: two capital letters.
pub fn is_region(text: &str) -> bool {
    text.parse::<Region>().is_ok() && DATABASE.by_id(text).is_some()
}

/// Says whether a number is assigned where it is read; a short code may be, for all we know.
pub(crate) fn is_valid(number: &PhoneNumber, region: Option<&str>) -> bool {
    match number.shape() {
        NumberShape::ShortCode => true,
        NumberShape::Alphanumeric => false,
        NumberShape::E164 | NumberShape::National => {
            parsed(number, region).is_some_and(|number| phonenumber::is_valid(&number))
        }
    }
}

/// Returns the regions that a number may be in: one where that can be told, those of its country
/// code where it cannot, and the one in which it is read for a short code.
pub fn regions(number: &PhoneNumber, region: Option<&str>) -> Vec<&'static str> {
    let known = |region: &str| DATABASE.by_id(region).map(|region| region.id());
    if number.shape() == NumberShape::ShortCode {
        return region.and_then(known).into_iter().collect();
    }
    let Some(parsed) = parsed(number, region) else {
        return Vec::new();
    };
    if phonenumber::is_valid(&parsed)
        && let Some(region) = parsed.country().id()
    {
        return known(region.as_ref()).into_iter().collect();
    }
    let code = parsed.country().code();
    let regions = DATABASE.by_code(&code).into_iter().flatten();
    regions.map(|region| region.id()).collect()
}

fn parsed(number: &PhoneNumber, region: Option<&str>) -> Option<phonenumber::PhoneNumber> {
    let region = match number.shape() {
        NumberShape::E164 => None,
        _ => Some(region?.parse().ok()?),
    };
    phonenumber::parse(region, number.as_str()).ok()
}

/// Reads a sender as the network gave it: a number in `region` where that makes one, else
/// the text as it came. `None` when there is nothing.
pub fn sender(typed: &str, region: Option<&str>) -> Option<Address> {
    match parse(typed, region, Names::Allowed) {
        Ok(number) => Some(number.into()),
        Err(ImpossibleNumber) => Address::new(typed),
    }
}

/// Returns the number when it is written in E.164.
pub fn in_e164(address: &Address) -> Option<PhoneNumber> {
    address
        .number()
        .filter(|number| number.shape() == NumberShape::E164)
}

/// Returns what contacts are looked up by: the last eight digits, fewer where there are no more,
/// and the folded name of any other sender.
pub fn tail(address: &Address) -> Cow<'_, str> {
    match digits(address) {
        Some(digits) => Cow::Borrowed(&digits[digits.len().saturating_sub(TAIL_DIGITS)..]),
        None => Cow::Owned(crate::fold(address.as_str())),
    }
}

/// Says whether a number has enough digits to be compared by its end.
pub fn has_comparable_tail(address: &Address) -> bool {
    significant(address).len() >= TAIL_DIGITS
}

/// Says whether two numbers may be one, written differently.
///
/// The shorter must be the end of the longer, with eight digits or more; zeros in front of a
/// national form are no part of it. Two numbers in E.164 are one only when they are equal.
pub fn are_one(a: &Address, b: &Address) -> bool {
    if in_e164(a).is_some() && in_e164(b).is_some() {
        return a == b;
    }
    let (a, b) = (significant(a), significant(b));
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= TAIL_DIGITS && long.ends_with(short)
}

fn significant(address: &Address) -> &str {
    digits(address).unwrap_or("").trim_start_matches('0')
}

/// Returns the digits of a number or short code, without a leading `+`.
fn digits(address: &Address) -> Option<&str> {
    address.number()?;
    let text = address.as_str();
    let digits = text.strip_prefix('+').unwrap_or(text);
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(typed: &str, region: Option<&str>) -> Result<String, ImpossibleNumber> {
        parse(typed, region, Names::Refused).map(|number| number.as_str().to_owned())
    }

    fn number(text: &str) -> PhoneNumber {
        text.parse().unwrap()
    }

    #[test]
    fn international_numbers_lose_their_separators_alone() {
        for typed in [
            "+15005550001",
            "+1 (500) 555-0001",
            " +1.500.555.0001 ",
            "＋１５００５５５０００１",
            "+1\u{a0}500\u{2011}555\u{2011}0001",
        ] {
            assert_eq!(read(typed, None).as_deref(), Ok("+15005550001"), "{typed}");
        }
    }

    #[test]
    fn a_valid_national_number_becomes_e164_in_its_region() {
        for typed in ["500 555 0001", "(500) 555-0001", "1 500 555 0001"] {
            let number = read(typed, Some("US"));
            assert_eq!(number.as_deref(), Ok("+15005550001"), "{typed}");
        }
        assert_eq!(read("500 555 0001", None).as_deref(), Ok("5005550001"));
        let with_trunk_prefix = read("+1 (1) 500 555 0001", None);
        assert_eq!(with_trunk_prefix.as_deref(), Ok("+15005550001"));
    }

    #[test]
    fn a_possible_number_that_is_not_valid_is_kept_as_typed() {
        let typed = read("500 555 0001", Some("DE"));
        assert_eq!(typed.as_deref(), Ok("5005550001"));
    }

    #[test]
    fn what_no_network_could_reach_is_refused() {
        for typed in [
            "",
            "+",
            "hello",
            "+1500555000",
            "+150055500011",
            "+9991234567",
            "+1500555ABCD",
            "1",
            "+1 500 555 0001 x5",
            "1234567890123456789012345",
        ] {
            assert_eq!(read(typed, None), Err(ImpossibleNumber), "{typed}");
        }
        assert_eq!(read("50055500010001", Some("US")), Err(ImpossibleNumber));
        assert_eq!(read(&"1".repeat(5_000), Some("US")), Err(ImpossibleNumber));
    }

    #[test]
    fn short_codes_and_names_stay_as_they_are() {
        assert_eq!(read("72255", Some("DE")).as_deref(), Ok("72255"));
        assert_eq!(read("123", None).as_deref(), Ok("123"));
        assert_eq!(read("CLINIC", None), Err(ImpossibleNumber));
        let name = parse("CLINIC", Some("US"), Names::Allowed);
        assert_eq!(name, Ok(number("CLINIC")));
        assert!(parse("TWELVE CHARS", None, Names::Allowed).is_err());
    }

    #[test]
    fn a_region_that_nobody_knows_reads_nothing() {
        assert_eq!(read("5005550001", Some("ZZ")).as_deref(), Ok("5005550001"));
    }

    #[test]
    fn two_forms_of_a_number_are_one_and_two_countries_numbers_are_not() {
        let address = |text: &str| Address::new(text).unwrap();
        let one = |a, b| are_one(&address(a), &address(b));
        assert!(one("+15005550001", "5005550001"));
        assert!(one("05005550001", "+15005550001"));
        assert!(one("+15005550001", "+15005550001"));
        assert!(!one("+15005550001", "+25005550001"));
        assert!(!one("+15005550001", "5550001"));
        assert!(!one("CLINIC", "CLINIC"));
        assert_eq!(tail(&address("+15005550001")), "05550001");
        assert_eq!(tail(&address("72255")), "72255");
        assert_eq!(tail(&address("Clinic")), "clinic");
        assert_eq!(tail(&address("The Corner Shop")), "the corner shop");
        assert_eq!(tail(&address("*100#")), "*100#");
    }

    #[test]
    fn senders_become_e164_where_they_can_and_are_kept_where_not() {
        let read = |typed, region| sender(typed, region).map(|it| it.as_str().to_owned());
        let us = Some("US");
        assert_eq!(read("5005550001", us).as_deref(), Some("+15005550001"));
        assert_eq!(read("5005550001", None).as_deref(), Some("5005550001"));
        for kept in ["72255", "MyBank", "The Corner Shop", "*100#", "+1", "7"] {
            assert_eq!(read(kept, us).as_deref(), Some(kept));
        }
        assert_eq!(read("  ", us), None);
    }

    #[test]
    fn a_number_is_in_its_region_or_in_those_of_its_country_code() {
        let of = |text, region| regions(&number(text), region);
        assert_eq!(of("+15005550001", None), ["US"]);
        assert_eq!(of("5005550001", Some("US")), ["US"]);
        assert_eq!(of("72255", Some("KE")), ["KE"]);
        let unassigned = of("+19995550001", None);
        assert!(unassigned.contains(&"US") && unassigned.contains(&"CA"));
        assert!(of("5005550001", None).is_empty() && of("MyBank", Some("US")).is_empty());
        assert!(is_region("KE") && !is_region("ke") && !is_region("XX") && !is_region("KEN"));
    }

    #[test]
    fn what_a_region_dials_before_a_number_is_no_part_of_it() {
        assert_eq!(
            read("901120000000", Some("BR")).as_deref(),
            Ok("+551120000000")
        );
        assert_eq!(
            read("01120000000", Some("BR")).as_deref(),
            Ok("+551120000000")
        );
    }

    proptest! {
        #[test]
        fn nothing_typed_breaks_the_reader(
            typed in ".{0,80}",
            region in proptest::option::of("[A-Z]{2}|[a-z]{0,3}"),
        ) {
            for names in [Names::Allowed, Names::Refused] {
                if let Ok(number) = parse(&typed, region.as_deref(), names) {
                    // What was read once reads the same again.
                    prop_assert_eq!(parse(number.as_str(), region.as_deref(), names), Ok(number));
                }
            }
        }

        #[test]
        fn digits_never_change_but_for_a_country_code(
            digits in "[0-9]{2,20}",
            region in proptest::option::of("US|GB|KE|NO|DE|IT|BR"),
        ) {
            if let Ok(number) = parse(&digits, region.as_deref(), Names::Refused) {
                let typed = digits.trim_start_matches('0');
                let read = number.digits().trim_start_matches('0');
                // Before the number some regions have more than zeros, as Brazil's 90 for calls that the
                // other side pays.
                let codes = ["1", "44", "254", "47", "49", "39", "55"];
                let mut national = codes.iter().filter_map(|code| read.strip_prefix(code));
                let is_kept = read.ends_with(typed)
                    || typed.ends_with(read)
                    || national.any(|digits| digits.len() > 6 && typed.ends_with(digits));
                prop_assert!(is_kept, "{}", number.as_str());
            }
        }

        #[test]
        fn separators_change_nothing(
            digits in "[0-9]{7,12}",
            places in proptest::collection::vec(0_usize..12, 0..6),
        ) {
            let mut spaced = digits.clone();
            for place in places {
                spaced.insert(place.min(spaced.len()), ' ');
            }
            prop_assert_eq!(read(&spaced, Some("US")), read(&digits, Some("US")));
        }
    }
}
