//! The locking shift tables for Indian languages.
//!
//! All but Urdu share one layout, in which a place stands for the same letter of each script: the
//! Unicode blocks of these scripts are laid out alike, so a table is the layout moved to another
//! block, less the letters that its script lacks, with six characters of its own at 0x60 and
//! 0x7B to 0x7F. Where early editions of the standard have slips of the pen (Kannada 0x24), the
//! layout holds, as on the platform.
//!
//! Source: 3GPP TS 23.038, A.3.4 to A.3.13.

use super::table::{NONE, Table, read};

/// The first 96 places as Hindi has them.
const LAYOUT: &str = "\
    \u{901}\u{902}\u{903}\u{905}\u{906}\u{907}\u{908}\u{909}\
    \u{90a}\u{90b}\n\u{90c}\u{90d}\r\u{90e}\u{90f}\
    \u{910}\u{911}\u{912}\u{913}\u{914}\u{915}\u{916}\u{917}\
    \u{918}\u{919}\u{91a} \u{91b}\u{91c}\u{91d}\u{91e}\
    \u{20}!\u{91f}\u{920}\u{921}\u{922}\u{923}\u{924}\
    )(\u{925}\u{926},\u{927}.\u{928}\
    01234567\
    89:;\u{929}\u{92a}\u{92b}?\
    \u{92c}\u{92d}\u{92e}\u{92f}\u{930}\u{931}\u{932}\u{933}\
    \u{934}\u{935}\u{936}\u{937}\u{938}\u{939}\u{93c}\u{93d}\
    \u{93e}\u{93f}\u{940}\u{941}\u{942}\u{943}\u{944}\u{945}\
    \u{946}\u{947}\u{948}\u{949}\u{94a}\u{94b}\u{94c}\u{94d}";

/// Where the block of the layout begins.
const LAYOUT_BLOCK: u32 = 0x900;

/// Moves the layout to the block at `block`; `lacks` are offsets in it, rising.
const fn indian(block: u32, lacks: &[u32], own: [char; 6]) -> Table {
    let (mut characters, length) = read(LAYOUT);
    assert!(length == 0x60, "the layout has 96 places");
    let mut place = 0;
    while place < length {
        let value = characters[place] as u32;
        if value >= LAYOUT_BLOCK {
            characters[place] = moved(block, value - LAYOUT_BLOCK, lacks);
        } else if characters[place] == ' ' && place != 0x20 {
            characters[place] = NONE;
        }
        place += 1;
    }
    let mut letter = 0;
    while letter < 26 {
        characters[0x61 + letter] = (b'a' + letter as u8) as char;
        letter += 1;
    }
    characters[0x60] = own[0];
    let mut last = 1;
    while last < 6 {
        characters[0x7A + last] = own[last];
        last += 1;
    }
    Table::of(characters)
}

const fn moved(block: u32, offset: u32, lacks: &[u32]) -> char {
    let mut index = 0;
    while index < lacks.len() {
        if lacks[index] == offset {
            return NONE;
        }
        index += 1;
    }
    match char::from_u32(block + offset) {
        Some(character) => character,
        None => panic!("a block holds characters"),
    }
}

pub(super) const BENGALI: Table = indian(
    0x980,
    &[
        0x0D, 0x0E, 0x11, 0x12, 0x29, 0x31, 0x33, 0x34, 0x35, 0x45, 0x46, 0x49, 0x4A,
    ],
    [
        '\u{9ce}', '\u{9d7}', '\u{9dc}', '\u{9dd}', '\u{9f0}', '\u{9f1}',
    ],
);

pub(super) const GUJARATI: Table = indian(
    0xA80,
    &[0x0E, 0x12, 0x29, 0x31, 0x34, 0x46, 0x4A],
    [
        '\u{ad0}', '\u{ae0}', '\u{ae1}', '\u{ae2}', '\u{ae3}', '\u{af1}',
    ],
);

pub(super) const HINDI: Table = indian(
    0x900,
    &[],
    [
        '\u{950}', '\u{972}', '\u{97b}', '\u{97c}', '\u{97e}', '\u{97f}',
    ],
);

pub(super) const KANNADA: Table = indian(
    0xC80,
    &[0x01, 0x0D, 0x11, 0x29, 0x34, 0x45, 0x49],
    [
        '\u{cd5}', '\u{cd6}', '\u{ce0}', '\u{ce1}', '\u{ce2}', '\u{ce3}',
    ],
);

pub(super) const MALAYALAM: Table = indian(
    0xD00,
    &[0x01, 0x0D, 0x11, 0x29, 0x3C, 0x45, 0x49],
    [
        '\u{d57}', '\u{d60}', '\u{d61}', '\u{d62}', '\u{d63}', '\u{d79}',
    ],
);

pub(super) const ORIYA: Table = indian(
    0xB00,
    &[
        0x0D, 0x0E, 0x11, 0x12, 0x29, 0x31, 0x34, 0x45, 0x46, 0x49, 0x4A,
    ],
    [
        '\u{b56}', '\u{b57}', '\u{b60}', '\u{b61}', '\u{b62}', '\u{b63}',
    ],
);

pub(super) const PUNJABI: Table = indian(
    0xA00,
    &[
        0x0B, 0x0C, 0x0D, 0x0E, 0x11, 0x12, 0x29, 0x31, 0x34, 0x37, 0x3D, 0x43, 0x44, 0x45, 0x46,
        0x49, 0x4A,
    ],
    [
        '\u{a51}', '\u{a70}', '\u{a71}', '\u{a72}', '\u{a73}', '\u{a74}',
    ],
);

pub(super) const TAMIL: Table = indian(
    0xB80,
    &[
        0x01, 0x0B, 0x0C, 0x0D, 0x11, 0x16, 0x17, 0x18, 0x1B, 0x1D, 0x20, 0x21, 0x22, 0x25, 0x26,
        0x27, 0x2B, 0x2C, 0x2D, 0x3C, 0x3D, 0x43, 0x44, 0x45, 0x49,
    ],
    [
        '\u{bd0}', '\u{bd7}', '\u{bf0}', '\u{bf1}', '\u{bf2}', '\u{bf9}',
    ],
);

pub(super) const TELUGU: Table = indian(
    0xC00,
    &[0x0D, 0x11, 0x29, 0x34, 0x3C, 0x45, 0x49],
    [
        '\u{c55}', '\u{c56}', '\u{c60}', '\u{c61}', '\u{c62}', '\u{c63}',
    ],
);

pub(super) const URDU: Table = Table::new(
    "\
    \u{627}\u{622}\u{628}\u{67b}\u{680}\u{67e}\u{6a6}\u{62a}\
    \u{6c2}\u{67f}\n\u{679}\u{67d}\r\u{67a}\u{67c}\
    \u{62b}\u{62c}\u{681}\u{684}\u{683}\u{685}\u{686}\u{687}\
    \u{62d}\u{62e}\u{62f} \u{68c}\u{688}\u{689}\u{68a}\
    \u{20}!\u{68f}\u{68d}\u{630}\u{631}\u{691}\u{693}\
    )(\u{699}\u{632},\u{696}.\u{698}\
    0123456789:;\
    \u{69a}\u{633}\u{634}?\
    \u{635}\u{636}\u{637}\u{638}\u{639}\u{641}\u{642}\u{6a9}\
    \u{6aa}\u{6ab}\u{6af}\u{6b3}\u{6b1}\u{644}\u{645}\u{646}\
    \u{6ba}\u{6bb}\u{6bc}\u{648}\u{6c4}\u{6d5}\u{6c1}\u{6be}\
    \u{621}\u{6cc}\u{6d0}\u{6d2}\u{64d}\u{650}\u{64f}\u{657}\
    \u{654}abcdefghijklmnopqrstuvwxyz\u{655}\u{651}\u{653}\u{656}\u{670}",
);
