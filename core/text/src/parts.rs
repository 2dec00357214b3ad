//! How a text is counted and divided into SMS parts.
//!
//! One part holds 160 septets, or 70 UTF-16 units for a text outside the GSM 7-bit alphabet; from
//! two parts on, the concatenation header leaves 153 or 67. A part is filled as far as it goes; a
//! character behind an escape is never split from it, and a grapheme cluster only where it is
//! larger than a part. So division may need one part more than [`calculated_length`], the
//! platform's own estimate, says.
//!
//! On a phone `SmsManager.divideMessage` decides; this counter serves limits, prices, previews
//! and simulated phones, and agrees with it. The one exception is a text with U+001B in it, for
//! which the platform may make parts that are too long to send; here no part exceeds its size.
//!
//! Source: 3GPP TS 23.038 and TS 23.040; `SmsManager.divideMessage` and
//! `SmsMessage.calculateLength` of Android 15.

use crate::gsm7::{Alphabet, Language};
use crate::ucs2;
use std::cmp::Reverse;
use std::fmt;

/// The most parts of a message unless a setting says otherwise.
///
/// A longer text is refused where it is accepted, with [`TooManyParts`].
pub const PARTS_MAX_DEFAULT: u32 = 25;

/// The most parts that such a setting may allow: the header counts them in one octet.
pub const PARTS_MAX_LIMIT: u32 = 255;

/// The most octets of a data message: 140, less the seven of the header that names the port.
///
/// Source: 3GPP TS 23.040, 9.2.3.24.4.
pub const DATA_OCTETS_MAX: usize = 133;

/// How a text travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Septets of the GSM 7-bit alphabet.
    Gsm7,
    /// UTF-16 units.
    Ucs2,
}

/// What a text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartCount {
    /// How it travels.
    pub encoding: Encoding,
    /// Parts; an empty text takes one.
    pub parts: u32,
    /// Septets or UTF-16 units of the whole text.
    pub units: u32,
    /// What still fits the last part, in the same units.
    pub units_left: u32,
}

/// Says that a message would need more parts than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyParts {
    /// The parts that it would need.
    pub parts: u32,
    /// The parts that it may have.
    pub parts_max: u32,
}

impl fmt::Display for TooManyParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parts, parts_max } = self;
        write!(
            f,
            "needs {parts} SMS parts, at most {parts_max} are allowed"
        )
    }
}

impl std::error::Error for TooManyParts {}

/// Says that a data message is too long for one SMS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataTooLong {
    /// The octets that it has.
    pub octets: usize,
}

impl fmt::Display for DataTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let octets = self.octets;
        write!(f, "has {octets} octets, at most {DATA_OCTETS_MAX} fit")
    }
}

impl std::error::Error for DataTooLong {}

/// Counts the parts of a text in the default alphabet.
pub fn count(text: &str) -> PartCount {
    count_in(text, Alphabet::DEFAULT)
}

/// Counts the parts of a text; one that the alphabet lacks a character of travels in UCS-2.
pub fn count_in(text: &str, alphabet: Alphabet) -> PartCount {
    let measure = Measure::of(text, alphabet);
    let (mut parts, mut last) = (0, 0);
    measure.cut(text, alphabet, |_, units| {
        parts += 1;
        last = units;
    });
    PartCount {
        encoding: measure.encoding,
        parts: parts.max(1),
        units: narrow(measure.units),
        units_left: narrow(measure.part_size().saturating_sub(last)),
    }
}

/// Counts the parts of a text on a phone whose platform uses the tables of these languages.
pub fn count_with(text: &str, enabled: &[Language]) -> PartCount {
    let plain = count(text);
    let is_shortest = plain.encoding == Encoding::Gsm7 && plain.parts == 1;
    if enabled.is_empty() || is_shortest {
        return plain;
    }
    choose_alphabet(text, enabled).map_or(plain, |alphabet| count_in(text, alphabet))
}

/// Counts the parts of a text as [`count_with`] does, and refuses more than `parts_max`.
///
/// # Errors
/// [`TooManyParts`] with the count.
pub fn count_within(
    text: &str,
    enabled: &[Language],
    parts_max: u32,
) -> Result<PartCount, TooManyParts> {
    let counted = count_with(text, enabled);
    if counted.parts > parts_max {
        let parts = counted.parts;
        return Err(TooManyParts { parts, parts_max });
    }
    Ok(counted)
}

/// Divides a text into its parts in the default alphabet; an empty text has none.
pub fn divide(text: &str) -> Vec<String> {
    divide_in(text, Alphabet::DEFAULT)
}

/// Divides a text into its parts, as [`count_in`] counts them.
pub fn divide_in(text: &str, alphabet: Alphabet) -> Vec<String> {
    let mut parts = Vec::new();
    let mut start = 0;
    Measure::of(text, alphabet).cut(text, alphabet, |end, _| {
        parts.push(text[start..end].to_owned());
        start = end;
    });
    parts
}

/// Returns the number of parts that the platform's `calculateLength` says.
///
/// It is never more than [`count`], and less where an extension character that did not fit left a
/// septet of a part empty. The platform leaves an escape character in the text uncounted here,
/// though it divides by it.
pub fn calculated_length(text: &str) -> u32 {
    let mut measure = Measure::of(text, Alphabet::DEFAULT);
    if measure.encoding == Encoding::Gsm7 {
        measure.units -= text.matches('\u{1B}').count();
    }
    match measure.encoding {
        Encoding::Ucs2 => count(text).parts,
        Encoding::Gsm7 if measure.is_single() => 1,
        Encoding::Gsm7 => narrow(measure.units.div_ceil(measure.concatenated)),
    }
}

/// Returns the alphabet of the enabled languages in which a text takes the fewest parts and then
/// leaves the most room; `None` where each lacks a character of it, so that it travels in UCS-2.
///
/// The default tables are always among the choices and win a tie.
pub fn choose_alphabet(text: &str, enabled: &[Language]) -> Option<Alphabet> {
    let languages = || [Language::Default].iter().chain(enabled).copied();
    languages()
        .flat_map(|locking| languages().map(move |single| Alphabet::new(locking, single)))
        .map(|alphabet| (alphabet, count_in(text, alphabet)))
        .filter(|(_, counted)| counted.encoding == Encoding::Gsm7)
        .min_by_key(|(_, counted)| (counted.parts, Reverse(counted.units_left)))
        .map(|(alphabet, _)| alphabet)
}

/// Checks that the octets of a data message fit one SMS.
///
/// # Errors
/// [`DataTooLong`] with their number.
pub fn check_data(data: &[u8]) -> Result<(), DataTooLong> {
    let octets = data.len();
    if octets > DATA_OCTETS_MAX {
        return Err(DataTooLong { octets });
    }
    Ok(())
}

/// A text's length, and the sizes of its parts.
struct Measure {
    encoding: Encoding,
    units: usize,
    single: usize,
    concatenated: usize,
}

impl Measure {
    fn of(text: &str, alphabet: Alphabet) -> Self {
        let Some(septets) = alphabet.septets_in(text) else {
            return Self {
                encoding: Encoding::Ucs2,
                units: ucs2::units(text),
                single: 70,
                concatenated: 67,
            };
        };
        let (single, concatenated) = match alphabet.named_tables() {
            0 => (160, 153),
            1 => (155, 149),
            _ => (152, 146),
        };
        Self {
            encoding: Encoding::Gsm7,
            units: septets as usize,
            single,
            concatenated,
        }
    }

    fn is_single(&self) -> bool {
        self.units <= self.single
    }

    fn part_size(&self) -> usize {
        if self.is_single() {
            self.single
        } else {
            self.concatenated
        }
    }

    /// Tells each part's end in bytes and its units.
    fn cut(&self, text: &str, alphabet: Alphabet, mut part: impl FnMut(usize, usize)) {
        if text.is_empty() {
            return;
        }
        if self.is_single() {
            return part(text.len(), self.units);
        }
        match self.encoding {
            Encoding::Gsm7 => cut_septets(text, alphabet, self.concatenated, part),
            Encoding::Ucs2 => ucs2::cut(text, self.concatenated, part),
        }
    }
}

/// Cuts before each character that would overfill a part.
fn cut_septets(text: &str, alphabet: Alphabet, size: usize, mut part: impl FnMut(usize, usize)) {
    let mut filled = 0;
    for (at, character) in text.char_indices() {
        let cost = alphabet.septets(character).unwrap_or(1) as usize;
        if filled + cost > size {
            part(at, filled);
            filled = 0;
        }
        filled += cost;
    }
    part(text.len(), filled);
}

/// Narrows a count; texts are bounded far below where it would matter.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
