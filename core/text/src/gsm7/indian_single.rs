//! The single shift tables for Indian languages.
//!
//! They share a frame of signs and Latin capitals; each language fills the open places of it, in
//! order, with its own digits and signs.
//!
//! Source: 3GPP TS 23.038, A.2.4 to A.2.13.

use super::table::{NONE, Table, read};

/// The frame; a blank is an open place or has no character in any language.
const FRAME: &str = "\
    @£$¥¿\"¤%&'\u{c}*+ -/\
    <=>¡^¡_#*       \
    \u{20}       {}     \\\
    \u{20}           [~] \
    |ABCDEFGHIJKLMNO\
    PQRSTUVWXYZ     \
    \u{20}    €          \
    \u{20}               ";

const fn is_open(place: usize) -> bool {
    matches!(place, 0x19 | 0x1A | 0x1C..=0x27 | 0x2A..=0x2E | 0x30..=0x3B | 0x3F)
}

/// Fills the open places of the frame in order; a blank leaves one without a character.
const fn indian(own: &str) -> Table {
    let (mut characters, length) = read(FRAME);
    assert!(length == 128, "the frame has 128 places");
    let (own, own_length) = read(own);
    let (mut place, mut next) = (0, 0);
    while place < length {
        if is_open(place) && next < own_length {
            characters[place] = own[next];
            next += 1;
        }
        if characters[place] == ' ' {
            characters[place] = NONE;
        }
        place += 1;
    }
    assert!(next == own_length, "there is a place for each character");
    Table::of(characters)
}

pub(super) const BENGALI: Table = indian(
    "\
    \u{9e6}\u{9e7}\u{9e8}\u{9e9}\u{9ea}\u{9eb}\u{9ec}\u{9ed}\
    \u{9ee}\u{9ef}\u{9df}\u{9e0}\u{9e1}\u{9e2}\u{9e3}\u{9f2}\
    \u{9f3}\u{9f4}\u{9f5}\u{9f6}\u{9f7}\u{9f8}\u{9f9}\u{9fa}",
);

pub(super) const GUJARATI: Table = indian(
    "\
    \u{964}\u{965}\u{ae6}\u{ae7}\u{ae8}\u{ae9}\u{aea}\u{aeb}\
    \u{aec}\u{aed}\u{aee}\u{aef}",
);

pub(super) const HINDI: Table = indian(
    "\
    \u{964}\u{965}\u{966}\u{967}\u{968}\u{969}\u{96a}\u{96b}\
    \u{96c}\u{96d}\u{96e}\u{96f}\u{951}\u{952}\u{953}\u{954}\
    \u{958}\u{959}\u{95a}\u{95b}\u{95c}\u{95d}\u{95e}\u{95f}\
    \u{960}\u{961}\u{962}\u{963}\u{970}\u{971}",
);

pub(super) const KANNADA: Table = indian(
    "\
    \u{964}\u{965}\u{ce6}\u{ce7}\u{ce8}\u{ce9}\u{cea}\u{ceb}\
    \u{cec}\u{ced}\u{cee}\u{cef}\u{cde}\u{cf1}\u{cf2}",
);

pub(super) const MALAYALAM: Table = indian(
    "\
    \u{964}\u{965}\u{d66}\u{d67}\u{d68}\u{d69}\u{d6a}\u{d6b}\
    \u{d6c}\u{d6d}\u{d6e}\u{d6f}\u{d70}\u{d71}\u{d72}\u{d73}\
    \u{d74}\u{d75}\u{d7a}\u{d7b}\u{d7c}\u{d7d}\u{d7e}\u{d7f}",
);

pub(super) const ORIYA: Table = indian(
    "\
    \u{964}\u{965}\u{b66}\u{b67}\u{b68}\u{b69}\u{b6a}\u{b6b}\
    \u{b6c}\u{b6d}\u{b6e}\u{b6f}\u{b5c}\u{b5d}\u{b5f}\u{b70}\
    \u{b71}",
);

pub(super) const PUNJABI: Table = indian(
    "\
    \u{964}\u{965}\u{a66}\u{a67}\u{a68}\u{a69}\u{a6a}\u{a6b}\
    \u{a6c}\u{a6d}\u{a6e}\u{a6f}\u{a59}\u{a5a}\u{a5b}\u{a5c}\
    \u{a5e}\u{a75}",
);

pub(super) const TAMIL: Table = indian(
    "\
    \u{964}\u{965}\u{be6}\u{be7}\u{be8}\u{be9}\u{bea}\u{beb}\
    \u{bec}\u{bed}\u{bee}\u{bef}\u{bf3}\u{bf4}\u{bf5}\u{bf6}\
    \u{bf7}\u{bf8}\u{bfa}",
);

pub(super) const TELUGU: Table = indian(
    "\
    \u{20} \u{c66}\u{c67}\u{c68}\u{c69}\u{c6a}\u{c6b}\
    \u{c6c}\u{c6d}\u{c6e}\u{c6f}\u{c58}\u{c59}\u{c78}\u{c79}\
    \u{c7a}\u{c7b}\u{c7c}\u{c7d}\u{c7e}\u{c7f}",
);

pub(super) const URDU: Table = indian(
    "\
    \u{600}\u{601}\u{6f0}\u{6f1}\u{6f2}\u{6f3}\u{6f4}\u{6f5}\
    \u{6f6}\u{6f7}\u{6f8}\u{6f9}\u{60c}\u{60d}\u{60e}\u{60f}\
    \u{610}\u{611}\u{612}\u{613}\u{614}\u{61b}\u{61f}\u{640}\
    \u{652}\u{658}\u{66b}\u{66c}\u{672}\u{673}\u{6cd}\u{6d4}",
);
