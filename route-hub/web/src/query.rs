//! Query strings and forms: percent-encoded pairs into the tree.

use crate::{
    error::ApiError,
    node::{Node, Tree},
};
use std::borrow::Cow;

/// Adds the pairs of a query string or form body to `tree`.
///
/// `+` and `%20` are spaces; a `%` that begins no two hex digits stands for itself. Names without
/// a value are the empty text.
///
/// # Errors
/// Invalid UTF-8 after decoding, a NUL character, or a name that the tree refuses.
pub(crate) fn read_pairs(text: &[u8], tree: &mut Tree) -> Result<(), ApiError> {
    tree.steps.bytes(text.len());
    for pair in text.split(|byte| *byte == b'&') {
        if pair.is_empty() {
            continue;
        }
        let equals = pair.iter().position(|byte| *byte == b'=');
        let (name, value) = match equals {
            Some(at) => (&pair[..at], &pair[at + 1..]),
            None => (pair, &pair[pair.len()..]),
        };
        let name = decode(name)?;
        let value = decode(value)?;
        tree.put(&name, Node::Plain(value.into_owned()))?;
    }
    Ok(())
}

fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ApiError> {
    let decoded = if bytes.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        Cow::Owned(unescape(bytes))
    } else {
        Cow::Borrowed(bytes)
    };
    if decoded.contains(&0) {
        return Err(ApiError::invalid_body(
            "a parameter contains the character U+0000",
        ));
    }
    let not_utf8 = || ApiError::invalid_body("a parameter is not valid UTF-8");
    match decoded {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| not_utf8()),
        Cow::Owned(bytes) => String::from_utf8(bytes)
            .map(Cow::Owned)
            .map_err(|_| not_utf8()),
    }
}

fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| hex_pair(tail)).flatten();
        match (first, escaped) {
            (_, Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
                continue;
            }
            (b'+', None) => out.push(b' '),
            (byte, None) => out.push(*byte),
        }
        rest = tail;
    }
    out
}

fn hex_pair(tail: &[u8]) -> Option<u8> {
    let digit = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Tree, ApiError> {
        let mut tree = Tree::default();
        read_pairs(text.as_bytes(), &mut tree).map(|()| tree)
    }

    fn plain(text: &str) -> Node {
        Node::Plain(text.to_owned())
    }

    #[test]
    fn both_ways_to_write_a_space_and_a_bracket_are_read() {
        let tree = read("a=x+y&b=x%20y&c%5Bd%5D=1&e[f]=2&g&&h=").unwrap();
        assert_eq!(tree.root["a"], plain("x y"));
        assert_eq!(tree.root["b"], plain("x y"));
        assert!(matches!(&tree.root["c"], Node::Map(map) if map["d"] == plain("1")));
        assert!(matches!(&tree.root["e"], Node::Map(map) if map["f"] == plain("2")));
        assert_eq!(tree.root["g"], plain(""));
        assert_eq!(tree.root["h"], plain(""));
    }

    #[test]
    fn a_percent_sign_without_digits_stands_for_itself() {
        let tree = read("a=100%&b=%zz&c=%4").unwrap();
        assert_eq!(tree.root["a"], plain("100%"));
        assert_eq!(tree.root["b"], plain("%zz"));
        assert_eq!(tree.root["c"], plain("%4"));
    }

    #[test]
    fn invalid_utf8_and_nul_are_refused() {
        assert!(read("a=%ff%fe").is_err());
        assert!(read("%c3=1").is_err());
        assert!(read("a=x%00y").is_err());
    }

    proptest! {
        #[test]
        fn every_text_survives_encoding(text in "[^\u{0}]{0,40}") {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let tree = read(&format!("a={encoded}")).unwrap();
            prop_assert_eq!(&tree.root["a"], &plain(&text));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut tree = Tree::default();
            let _ = read_pairs(&bytes, &mut tree);
        }
    }
}
