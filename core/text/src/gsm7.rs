//! The GSM 7-bit alphabet: default and extension tables, and the national tables.
//!
//! A character of the locking table is one septet; one of the single shift table is two, an
//! escape and a place. National tables are off unless an [`Alphabet`] asks for them, as on the
//! platform (only Turkey's networks enable one); each costs room for its header in every part.
//!
//! Source: 3GPP TS 23.038, 6.1.2.1, 6.2.1 and annex A; 3GPP TS 23.040, 9.2.3.24.15 and .16.

mod european;
mod indian;
mod indian_single;
mod table;

use std::fmt;
use table::{ESCAPE, Table};

/// The most languages whose tables are tried for one text: networks enable one, and each makes
/// more pairs of tables to count in.
pub const LANGUAGES_MAX: usize = 3;

/// A language with tables of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// No language: the default alphabet or its extension.
    Default,
    /// Turkish.
    Turkish,
    /// Spanish: a single shift table only; as a locking table it is the default alphabet.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// Bengali.
    Bengali,
    /// Gujarati.
    Gujarati,
    /// Hindi.
    Hindi,
    /// Kannada.
    Kannada,
    /// Malayalam.
    Malayalam,
    /// Oriya.
    Oriya,
    /// Punjabi.
    Punjabi,
    /// Tamil.
    Tamil,
    /// Telugu.
    Telugu,
    /// Urdu.
    Urdu,
}

impl Language {
    /// Returns the national language identifier that a part's header names; 0 is the default.
    pub const fn identifier(self) -> u8 {
        self as u8
    }

    /// Every language that has tables, in order of their identifiers.
    pub const NATIONAL: [Self; 13] = [
        Self::Turkish,
        Self::Spanish,
        Self::Portuguese,
        Self::Bengali,
        Self::Gujarati,
        Self::Hindi,
        Self::Kannada,
        Self::Malayalam,
        Self::Oriya,
        Self::Punjabi,
        Self::Tamil,
        Self::Telugu,
        Self::Urdu,
    ];

    /// Returns the languages of some national language identifiers, those that have tables and as
    /// many as a platform is known to use: [`LANGUAGES_MAX`].
    pub fn of_identifiers(identifiers: &[u8]) -> Vec<Self> {
        let known = |language: &&Self| identifiers.contains(&language.identifier());
        let found = Self::NATIONAL.iter().filter(known).copied();
        found.take(LANGUAGES_MAX).collect()
    }

    const fn locking(self) -> &'static Table {
        match self {
            Self::Default | Self::Spanish => &european::DEFAULT,
            Self::Turkish => &european::TURKISH,
            Self::Portuguese => &european::PORTUGUESE,
            Self::Bengali => &indian::BENGALI,
            Self::Gujarati => &indian::GUJARATI,
            Self::Hindi => &indian::HINDI,
            Self::Kannada => &indian::KANNADA,
            Self::Malayalam => &indian::MALAYALAM,
            Self::Oriya => &indian::ORIYA,
            Self::Punjabi => &indian::PUNJABI,
            Self::Tamil => &indian::TAMIL,
            Self::Telugu => &indian::TELUGU,
            Self::Urdu => &indian::URDU,
        }
    }

    const fn single(self) -> &'static Table {
        match self {
            Self::Default => &european::EXTENSION,
            Self::Turkish => &european::TURKISH_SINGLE,
            Self::Spanish => &european::SPANISH_SINGLE,
            Self::Portuguese => &european::PORTUGUESE_SINGLE,
            Self::Bengali => &indian_single::BENGALI,
            Self::Gujarati => &indian_single::GUJARATI,
            Self::Hindi => &indian_single::HINDI,
            Self::Kannada => &indian_single::KANNADA,
            Self::Malayalam => &indian_single::MALAYALAM,
            Self::Oriya => &indian_single::ORIYA,
            Self::Punjabi => &indian_single::PUNJABI,
            Self::Tamil => &indian_single::TAMIL,
            Self::Telugu => &indian_single::TELUGU,
            Self::Urdu => &indian_single::URDU,
        }
    }
}

/// Says which character an alphabet lacks; it names its place, never the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unencodable {
    /// The byte at which the character begins.
    pub at: usize,
}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the character at byte {} is not in the alphabet",
            self.at
        )
    }
}

impl std::error::Error for Unencodable {}

/// A locking and a single shift table that encode a text together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Alphabet {
    locking: Language,
    single: Language,
}

impl Alphabet {
    /// The default alphabet with its extension table.
    pub const DEFAULT: Self = Self {
        locking: Language::Default,
        single: Language::Default,
    };

    /// Makes an alphabet of the locking table of one language and the single shift table of one.
    pub const fn new(locking: Language, single: Language) -> Self {
        let locking = match locking {
            Language::Spanish => Language::Default,
            other => other,
        };
        Self { locking, single }
    }

    /// Returns the language of the locking table.
    pub const fn locking(self) -> Language {
        self.locking
    }

    /// Returns the language of the single shift table.
    pub const fn single(self) -> Language {
        self.single
    }

    /// Returns how many tables each part's header has to name: 0, 1 or 2.
    pub const fn named_tables(self) -> u32 {
        (self.locking.identifier() != 0) as u32 + (self.single.identifier() != 0) as u32
    }

    /// Returns how many septets a character takes: 1, or 2 behind an escape; `None` where the
    /// alphabet lacks it.
    ///
    /// Two characters that no table has are counted as one septet, as the platform divides texts:
    /// U+001B and U+FFFF. [`Alphabet::encode`] refuses them.
    pub fn septets(self, character: char) -> Option<u32> {
        if self == Self::DEFAULT && (character as usize) < COSTS.len() {
            return match COSTS[character as usize] {
                0 => None,
                cost => Some(u32::from(cost)),
            };
        }
        let counts_as_one = COUNTED_AS_ONE.contains(&character);
        if counts_as_one || self.locking.locking().septet(character).is_some() {
            Some(1)
        } else {
            self.single.single().septet(character).map(|_| 2)
        }
    }

    /// Returns how many septets a text takes; `None` where the alphabet lacks a character of it.
    pub fn septets_in(self, text: &str) -> Option<u32> {
        let costs = text.chars().map(|character| self.septets(character));
        costs.sum()
    }

    /// Encodes a text, one septet a byte.
    ///
    /// # Errors
    /// [`Unencodable`] for the first character that the alphabet lacks.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        let mut septets = Vec::with_capacity(text.len());
        for (at, character) in text.char_indices() {
            if let Some(septet) = self.locking.locking().septet(character) {
                septets.push(septet);
            } else if let Some(septet) = self.single.single().septet(character) {
                septets.extend([ESCAPE, septet]);
            } else {
                return Err(Unencodable { at });
            }
        }
        Ok(septets)
    }

    /// Decodes septets, one a byte.
    ///
    /// As the standard asks, an escaped place without a character stands for the locking table's,
    /// and a second escape or a place without any character is a blank. An escape at the end says
    /// nothing.
    pub fn decode(self, septets: &[u8]) -> String {
        let mut text = String::with_capacity(septets.len());
        let mut rest = septets.iter().map(|septet| septet & 0x7F);
        while let Some(septet) = rest.next() {
            let locking = self.locking.locking();
            let character = if septet == ESCAPE {
                let Some(escaped) = rest.next() else { break };
                let single = self.single.single().character(escaped);
                single.or_else(|| locking.character(escaped))
            } else {
                locking.character(septet)
            };
            text.push(character.unwrap_or(' '));
        }
        text
    }
}

/// The characters outside every table that take one septet all the same.
const COUNTED_AS_ONE: [char; 2] = ['\u{1B}', '\u{FFFF}'];

/// The septets of each character below U+03C0 in the default alphabet; 0 where it lacks one.
const COSTS: [u8; 0x3C0] = costs();

const fn costs() -> [u8; 0x3C0] {
    let mut costs = [0; 0x3C0];
    let locking = european::DEFAULT.characters();
    let single = european::EXTENSION.characters();
    let mut place = 0;
    while place < 128 {
        if (single[place] as usize) < costs.len() {
            costs[single[place] as usize] = 2;
        }
        place += 1;
    }
    place = 0;
    while place < 128 {
        costs[locking[place] as usize] = 1;
        place += 1;
    }
    costs[table::NONE as usize] = 0;
    costs[ESCAPE as usize] = 1;
    costs
}

/// Packs septets into octets, behind `fill_bits` zero bits (0 to 6) that end a header's last septet.
///
/// Source: 3GPP TS 23.038, 6.1.2.1.
pub fn pack(septets: &[u8], fill_bits: u8) -> Vec<u8> {
    let bits = septets.len() * 7 + usize::from(fill_bits % 7);
    let mut octets = vec![0; bits.div_ceil(8)];
    for (index, septet) in septets.iter().enumerate() {
        let bit = index * 7 + usize::from(fill_bits % 7);
        let spread = u16::from(septet & 0x7F) << (bit % 8);
        let [low, high] = spread.to_le_bytes();
        octets[bit / 8] |= low;
        if high != 0 {
            octets[bit / 8 + 1] |= high;
        }
    }
    octets
}

/// Unpacks up to `count` septets from octets, after `fill_bits` bits; fewer where octets end.
pub fn unpack(octets: &[u8], count: usize, fill_bits: u8) -> Vec<u8> {
    let fill_bits = usize::from(fill_bits % 7);
    let held = (octets.len() * 8).saturating_sub(fill_bits) / 7;
    let septet = |index: usize| {
        let bit = index * 7 + fill_bits;
        let low = octets[bit / 8];
        let high = octets.get(bit / 8 + 1).copied().unwrap_or(0);
        let [septet, _] = (u16::from_le_bytes([low, high]) >> (bit % 8)).to_le_bytes();
        septet & 0x7F
    };
    (0..count.min(held)).map(septet).collect()
}

#[cfg(test)]
mod tests;
