//! Incoming content, cut to what a frame can carry.
//!
//! The sender of a message decides what is in it. A fact that does not fit a frame could neither be
//! stored nor uploaded, so its content is cut.

use postrider_link::frame::Address;
use postrider_model::{MessageText, UnixMs};

/// Most bytes of a text in JSON; longer texts are cut. A frame holds 64 KiB.
pub(super) const INBOUND_TEXT_BYTES_MAX: usize = 48 * 1024;
/// Most bytes of an address in JSON; longer ones are cut. No network has longer ones.
pub(super) const INBOUND_ADDRESS_BYTES_MAX: usize = 512;
/// The end of the years in which a time is accepted, in Unix milliseconds.
const TIME_END: i64 = 253_402_300_800_000;

/// Cuts a text to what a frame carries.
pub(crate) fn bounded_text(text: MessageText) -> MessageText {
    match fitting(text.as_str(), INBOUND_TEXT_BYTES_MAX) {
        fits if fits.len() == text.as_str().len() => text,
        fits => MessageText::new(fits),
    }
}

/// Cuts an address to what a frame carries.
pub(crate) fn bounded_address(address: Address) -> Address {
    match fitting(address.as_str(), INBOUND_ADDRESS_BYTES_MAX) {
        fits if fits.len() == address.as_str().len() => address,
        fits => Address::new(fits),
    }
}

/// Returns the time that a message claims, unless no calendar has it.
pub(crate) fn sane_time(at: Option<UnixMs>) -> Option<i64> {
    at.map(|at| at.0).filter(|at| (0..TIME_END).contains(at))
}

fn fitting(text: &str, bytes_max: usize) -> &str {
    let mut left = bytes_max;
    let end = text.char_indices().find(|(_, character)| {
        let needs = written_bytes(*character);
        let is_over = needs > left;
        left = left.saturating_sub(needs);
        is_over
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Returns how many bytes a character takes in JSON.
const fn written_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..'\u{20}' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_stays_whole() {
        let text = "\u{1}".repeat(INBOUND_TEXT_BYTES_MAX / 6);
        assert_eq!(bounded_text(MessageText::new(text.clone())).as_str(), text);
    }

    #[test]
    fn a_text_is_cut_between_characters_to_what_its_json_needs() {
        let long = "\u{1}".repeat(INBOUND_TEXT_BYTES_MAX);
        let cut = bounded_text(MessageText::new(long));
        assert_eq!(cut.as_str().len(), INBOUND_TEXT_BYTES_MAX / 6);
        let wide = "\u{1f600}".repeat(INBOUND_TEXT_BYTES_MAX);
        let cut = bounded_text(MessageText::new(wide));
        assert_eq!(cut.as_str().len(), INBOUND_TEXT_BYTES_MAX);
    }

    #[test]
    fn a_time_out_of_every_calendar_is_none() {
        assert_eq!(sane_time(Some(UnixMs(i64::MAX))), None);
        assert_eq!(sane_time(Some(UnixMs(-1))), None);
        assert_eq!(
            sane_time(Some(UnixMs(1_800_000_000_000))),
            Some(1_800_000_000_000)
        );
    }

    #[test]
    fn the_bounds_are_those_of_a_frame() {
        assert_eq!(INBOUND_TEXT_BYTES_MAX, 49_152);
        let name = "n".repeat(INBOUND_ADDRESS_BYTES_MAX);
        let whole = bounded_address(Address::new(name.clone()));
        assert_eq!(whole.as_str(), name);
        let cut = bounded_address(Address::new(format!("{name}n")));
        assert_eq!(cut.as_str(), name);
    }

    #[test]
    fn what_json_escapes_counts_as_it_is_written() {
        let kept = |character: char| {
            let long = character.to_string().repeat(INBOUND_TEXT_BYTES_MAX);
            let cut = bounded_text(MessageText::new(long));
            cut.as_str().chars().count()
        };
        for character in ['"', '\\', '\n', '\r', '\t', '\u{8}', '\u{c}'] {
            assert_eq!(kept(character), INBOUND_TEXT_BYTES_MAX / 2, "{character:?}");
        }
        for character in ['\0', '\u{1f}'] {
            assert_eq!(kept(character), INBOUND_TEXT_BYTES_MAX / 6, "{character:?}");
        }
        assert_eq!(kept(' '), INBOUND_TEXT_BYTES_MAX);
        assert_eq!(kept('\u{e9}'), INBOUND_TEXT_BYTES_MAX / 2);
    }
}
