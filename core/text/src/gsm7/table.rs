//! A table of 128 characters, made from a text at compile time.

/// Stands where a table has no character.
pub(super) const NONE: char = '\0';

/// The escape to the single shift table; no table has a character there.
pub(super) const ESCAPE: u8 = 0x1B;

/// Characters by septet.
pub(super) struct Table([char; 128]);

impl Table {
    /// Reads a table from its 128 characters in order; a blank is no character, but at 0x20.
    pub(super) const fn new(text: &str) -> Self {
        let (mut table, length) = read(text);
        assert!(length == 128, "a table has 128 places");
        let mut place = 0;
        while place < 128 {
            if table[place] == ' ' && place != 0x20 {
                table[place] = NONE;
            }
            place += 1;
        }
        assert!(table[ESCAPE as usize] == NONE, "the escape is no character");
        Self(table)
    }

    /// Returns the septet of a character.
    pub(super) fn septet(&self, character: char) -> Option<u8> {
        if character == NONE {
            return None;
        }
        let place = self.0.iter().position(|entry| *entry == character)?;
        u8::try_from(place).ok()
    }

    /// Returns the character of a septet.
    pub(super) const fn character(&self, septet: u8) -> Option<char> {
        match self.0[(septet & 0x7F) as usize] {
            NONE => None,
            character => Some(character),
        }
    }

    /// Returns the characters themselves, for tables that are made of others.
    pub(super) const fn characters(&self) -> &[char; 128] {
        &self.0
    }

    /// Makes a table of characters already in place.
    pub(super) const fn of(characters: [char; 128]) -> Self {
        Self(characters)
    }
}

/// Reads the characters of a text, up to 128 of them, with their number.
pub(super) const fn read(text: &str) -> ([char; 128], usize) {
    let bytes = text.as_bytes();
    let mut characters = [NONE; 128];
    let (mut at, mut length) = (0, 0);
    while at < bytes.len() {
        let (character, width) = decode(bytes, at);
        characters[length] = character;
        length += 1;
        at += width;
    }
    (characters, length)
}

/// Decodes one character of at most three bytes, as all characters of the tables are.
const fn decode(bytes: &[u8], at: usize) -> (char, usize) {
    let lead = bytes[at] as u32;
    let (value, width) = if lead < 0x80 {
        (lead, 1)
    } else if lead < 0xE0 {
        ((lead & 0x1F) << 6 | tail(bytes, at + 1), 2)
    } else {
        let high = (lead & 0x0F) << 12 | tail(bytes, at + 1) << 6;
        (high | tail(bytes, at + 2), 3)
    };
    match char::from_u32(value) {
        Some(character) => (character, width),
        None => panic!("a table holds characters"),
    }
}

const fn tail(bytes: &[u8], at: usize) -> u32 {
    (bytes[at] & 0x3F) as u32
}
