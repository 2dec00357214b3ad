//! Pairing codes: a short one to type, a long one for a QR code.
//!
//! Both begin with the same four characters, which name the code so that wrong tries can be
//! counted against it. Eight secret characters follow in the typed form, twenty-six (130 bits) in
//! the full form. Letters that are mistaken for digits are read as those digits.

use crate::digest::sha256_hex;
use crate::random::Random;

/// Characters that name a code.
pub const NAME_LENGTH: usize = 4;
const TYPED_SECRET_LENGTH: usize = 8;
const FULL_SECRET_LENGTH: usize = 26;

/// A fresh code in both forms; shown once, stored as hashes.
#[derive(Clone)]
pub struct NewCode {
    /// The four characters that name it.
    pub name: String,
    typed_secret: String,
    full_secret: String,
}

impl NewCode {
    /// Draws a code.
    pub fn draw(random: &Random) -> Self {
        Self {
            name: random.typed::<NAME_LENGTH>(),
            typed_secret: random.typed::<TYPED_SECRET_LENGTH>(),
            full_secret: random.typed::<FULL_SECRET_LENGTH>(),
        }
    }

    /// Returns the form for typing, `ABCD-EFGH-JKLM`.
    pub fn typed(&self) -> String {
        let (first, second) = self.typed_secret.split_at(4);
        format!("{}-{first}-{second}", self.name)
    }

    /// Returns the form for a QR code.
    pub fn full(&self) -> String {
        format!("{}{}", self.name, self.full_secret)
    }

    /// Returns the hash of the typed form.
    pub fn typed_hash(&self) -> String {
        sha256_hex(format!("{}{}", self.name, self.typed_secret).as_bytes())
    }

    /// Returns the hash of the full form.
    pub fn full_hash(&self) -> String {
        sha256_hex(self.full().as_bytes())
    }
}

/// Which form a given code has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Typed by a person.
    Typed,
    /// Read from a QR code.
    Full,
}

/// A code as a phone gave it, brought to the form that was hashed.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenCode {
    normal: String,
    /// Which form it has.
    pub form: Form,
}

impl GivenCode {
    /// Reads a code: case, spaces and dashes do not count. `None` when it has no code's length.
    pub fn read(text: &str) -> Option<Self> {
        let normal = normal(text)?;
        let form = match normal.len() {
            n if n == NAME_LENGTH + TYPED_SECRET_LENGTH => Form::Typed,
            n if n == NAME_LENGTH + FULL_SECRET_LENGTH => Form::Full,
            _ => return None,
        };
        Some(Self { normal, form })
    }

    /// Returns the four characters that name it.
    pub fn name(&self) -> &str {
        &self.normal[..NAME_LENGTH]
    }

    /// Returns the hash to compare with the stored one of its form.
    pub fn hash(&self) -> String {
        sha256_hex(self.normal.as_bytes())
    }
}

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
    fn a_code_is_found_again_however_it_is_typed() {
        let code = NewCode {
            name: "AB0D".into(),
            typed_secret: "1FGHJKMN".into(),
            full_secret: "0".repeat(FULL_SECRET_LENGTH),
        };
        for text in ["AB0D-1FGH-JKMN", "abod ifgh jkmn", "ABODLFGHJKMN"] {
            let given = GivenCode::read(text).unwrap();
            assert_eq!((given.name(), given.form), ("AB0D", Form::Typed));
            assert_eq!(given.hash(), code.typed_hash(), "{text}");
        }
        let full = GivenCode::read(&code.full()).unwrap();
        assert_eq!((full.form, full.hash()), (Form::Full, code.full_hash()));
    }

    #[test]
    fn what_has_no_codes_length_or_letters_is_none() {
        for text in [
            "",
            "AB0D",
            "AB0D-1FGH-JKM",
            "AB0D-1FGH-JKMÑ",
            "AB0D1FGHJKMNP",
        ] {
            assert!(GivenCode::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_drawn_code_has_both_forms() {
        let code = NewCode::draw(&Random::new());
        assert_eq!(
            GivenCode::read(&code.typed()).unwrap().hash(),
            code.typed_hash()
        );
        assert_eq!(
            GivenCode::read(&code.full()).unwrap().hash(),
            code.full_hash()
        );
        assert_ne!(code.typed_hash(), code.full_hash());
    }
}
