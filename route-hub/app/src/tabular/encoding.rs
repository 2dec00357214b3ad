//! The encodings that spreadsheets write: UTF-8, UTF-16 and Windows-1252.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::fmt;

/// How far a file is looked at to tell UTF-16 without a mark.
const LOOK_BYTES: usize = 512;

/// Finds the encoding of a text that comes bit by bit.
pub(crate) struct Detecting {
    detector: EncodingDetector,
    start: Vec<u8>,
}

impl Detecting {
    pub(crate) fn new() -> Self {
        Self {
            detector: EncodingDetector::new(Iso2022JpDetection::Deny),
            start: Vec::with_capacity(LOOK_BYTES),
        }
    }

    /// Looks at the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let more = LOOK_BYTES.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(&bytes[..more]);
        self.detector.feed(bytes, false);
    }

    /// Returns the encoding: what no mark and no UTF-8 speaks against is Windows-1252.
    pub(crate) fn end(mut self) -> &'static Encoding {
        if let Some((marked, _)) = Encoding::for_bom(&self.start) {
            return marked;
        }
        if let Some(wide) = wide(&self.start) {
            return wide;
        }
        self.detector.feed(&[], true);
        match self.detector.guess(None, Utf8Detection::Allow) {
            found if found == UTF_8 => UTF_8,
            _ => WINDOWS_1252,
        }
    }
}

/// Tells UTF-16 by the zeros in every other place.
fn wide(start: &[u8]) -> Option<&'static Encoding> {
    let zeros = |from: usize| {
        let every_other = start.iter().skip(from).step_by(2);
        every_other.filter(|byte| **byte == 0).count()
    };
    let (first, second) = (zeros(0), zeros(1));
    let most = start.len() / 4;
    match (first > most, second > most) {
        (false, true) if first == 0 => Some(UTF_16LE),
        (true, false) if second == 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// Says that bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoText;

impl fmt::Display for NoText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file is no text in UTF-8, UTF-16 or Windows-1252")
    }
}

/// Turns a text that comes bit by bit into UTF-8, without its mark.
pub(crate) struct Decoding(Decoder);

impl Decoding {
    pub(crate) fn new(encoding: &'static Encoding) -> Self {
        Self(encoding.new_decoder_with_bom_removal())
    }

    /// Decodes the next bytes.
    pub(crate) fn decode(&mut self, bytes: &[u8], is_last: bool) -> Result<String, NoText> {
        let room = self.0.max_utf8_buffer_length(bytes.len()).unwrap_or(0);
        let mut text = String::with_capacity(room);
        let (result, _, had_errors) = self.0.decode_to_string(bytes, &mut text, is_last);
        let is_text = result == CoderResult::InputEmpty && !had_errors && !text.contains('\0');
        is_text.then_some(text).ok_or(NoText)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], piece: usize) -> Result<(String, &'static str), NoText> {
        let mut detecting = Detecting::new();
        bytes.chunks(piece).for_each(|part| detecting.feed(part));
        let encoding = detecting.end();
        let mut decoding = Decoding::new(encoding);
        let mut text = String::new();
        for part in bytes.chunks(piece) {
            text += &decoding.decode(part, false)?;
        }
        text += &decoding.decode(&[], true)?;
        Ok((text, encoding.name()))
    }

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn what_spreadsheets_write_is_read() {
        const TEXT: &str = "name,city\nÄnne,Köln – Süd\n";
        let (windows, _, _) = WINDOWS_1252.encode(TEXT);
        let marked = format!("\u{feff}{TEXT}");
        for (bytes, name) in [
            (TEXT.as_bytes().to_vec(), "UTF-8"),
            (marked.clone().into_bytes(), "UTF-8"),
            (windows.into_owned(), "windows-1252"),
            (utf16(&marked, u16::to_le_bytes), "UTF-16LE"),
            (utf16(&marked, u16::to_be_bytes), "UTF-16BE"),
            (utf16(TEXT, u16::to_le_bytes), "UTF-16LE"),
            (utf16(TEXT, u16::to_be_bytes), "UTF-16BE"),
        ] {
            for piece in [1, 3, 64] {
                assert_eq!(read(&bytes, piece), Ok((TEXT.to_owned(), name)));
            }
        }
        assert_eq!(read(b"a,b\n", 64).unwrap().0, "a,b\n");
    }

    #[test]
    fn what_is_no_text_is_told() {
        assert_eq!(read(b"\xef\xbb\xbfa\xff", 64), Err(NoText));
        assert_eq!(read(b"\xff\xfea\x00\x00\xd8b\x00", 64), Err(NoText));
        assert_eq!(read(b"a\0\0\0\x01\x02bcdefg", 64), Err(NoText));
    }
}
