//! U+0000 in what phones tell: no database keeps it in a text.

use std::borrow::Cow;

const NUL: &[u8] = br"\u0000";
const REPLACEMENT: &[u8] = br"\ufffd";

/// Returns a JSON text with U+FFFD in place of U+0000, which only an escape can write.
pub(crate) fn replaced(json: &[u8]) -> Cow<'_, [u8]> {
    if !json.windows(NUL.len()).any(|part| part == NUL) {
        return Cow::Borrowed(json);
    }
    let mut text = json.to_vec();
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(NUL) {
            text[at..at + NUL.len()].copy_from_slice(REPLACEMENT);
        }
        // What follows a backslash belongs to it, another backslash too.
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_escape_of_nul_becomes_the_replacement_and_nothing_else_does() {
        for (json, expected) in [
            (r#"{"t":"a\u0000\u0000b"}"#, r#"{"t":"a\ufffd\ufffdb"}"#),
            (r#"["\\u0000","\\\u0000"]"#, r#"["\\u0000","\\\ufffd"]"#),
            (r#"["\u00000","\u0001","é"]"#, r#"["\ufffd0","\u0001","é"]"#),
            (r#"["\u0000","\"#, r#"["\ufffd","\"#),
            ("[1]", "[1]"),
        ] {
            assert_eq!(replaced(json.as_bytes()), expected.as_bytes(), "{json}");
        }
    }
}
