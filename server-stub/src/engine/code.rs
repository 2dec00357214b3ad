//! The pairing code of a run, in both of the hub's forms, and the link that carries it.

use form_urlencoded::Serializer;

const NAME_LENGTH: usize = 4;
const TYPED_LENGTH: usize = 12;
const FULL_LENGTH: usize = 30;
/// Letters and digits that are not mistaken for each other.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A code: a short form to type, a long one for a link or QR code, with the same name in front.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    typed: String,
    full: String,
}

impl Code {
    /// Makes a code of random bytes, five bits of each.
    pub fn drawn(random: &[u8; 64]) -> Self {
        let letters: String = random
            .iter()
            .map(|byte| char::from(LETTERS[usize::from(byte & 31)]))
            .collect();
        Self {
            typed: letters[..TYPED_LENGTH].to_owned(),
            full: format!("{}{}", &letters[..NAME_LENGTH], &letters[TYPED_LENGTH..38]),
        }
    }

    /// Makes the code of a scenario: its long form repeats the short one.
    pub fn fixed(text: &str) -> Option<Self> {
        let typed = normal(text)?;
        if typed.len() != TYPED_LENGTH {
            return None;
        }
        let (name, secret) = typed.split_at(NAME_LENGTH);
        let mut full = name.to_owned() + &secret.repeat(4);
        full.truncate(FULL_LENGTH);
        Some(Self { typed, full })
    }

    /// Returns the form for typing.
    pub fn typed(&self) -> String {
        let groups = [&self.typed[..4], &self.typed[4..8], &self.typed[8..]];
        groups.join("-")
    }

    /// Returns whether `given` is this code, however it was typed.
    pub fn is(&self, given: &str) -> bool {
        normal(given).is_some_and(|given| given == self.typed || given == self.full)
    }

    /// Returns the link that a phone opens or scans.
    pub fn uri(&self, hub: &str, pins: &[String]) -> String {
        let mut query = Serializer::new(String::new());
        query
            .append_pair("hub", hub)
            .append_pair("code", &self.full);
        for pin in pins {
            query.append_pair("pin", pin);
        }
        format!("postrider://pair?{}", query.finish())
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<pairing code>")
    }
}

/// Case, spaces and dashes do not count, and letters that look like digits are those digits.
fn normal(text: &str) -> Option<String> {
    text.chars()
        .filter(|c| !matches!(c, '-' | ' '))
        .map(|c| match c.to_ascii_uppercase() {
            'O' => Some('0'),
            'I' | 'L' => Some('1'),
            c @ ('0'..='9' | 'A'..='Z') => Some(c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_in_both_forms_however_it_is_typed() {
        let code = Code::fixed("ABCD-1234-5678").unwrap();
        assert_eq!(code.typed(), "ABCD-1234-5678");
        for given in [
            "abcd 12345678",
            "ABCDI2345678",
            "ABCD12345678123456781234567812",
        ] {
            assert!(code.is(given), "{given}");
        }
        for given in ["", "ABCD-1234-5679", "ABCD"] {
            assert!(!code.is(given), "{given}");
        }
        assert_eq!(Code::fixed("ABCD-1234"), None);
    }

    #[test]
    fn a_link_carries_hub_long_code_and_pins() {
        let code = Code::drawn(&std::array::from_fn(|n| u8::try_from(n).unwrap()));
        let uri = code.uri("https://localhost:1", &["a+b=".to_owned()]);
        let query = uri.strip_prefix("postrider://pair?").unwrap();
        let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        assert_eq!(pairs[0].1, "https://localhost:1");
        assert_eq!(pairs[1].1.len(), FULL_LENGTH);
        assert!(code.is(&pairs[1].1));
        assert_eq!(pairs[2].1, "a+b=");
    }
}
