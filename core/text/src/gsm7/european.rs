//! The default alphabet with its extension, and the tables for Turkish, Spanish and Portuguese.
//!
//! Source: 3GPP TS 23.038, 6.2.1 and annex A (A.2.1 to A.2.3, A.3.1, A.3.3).

use super::table::Table;

pub(super) const DEFAULT: Table = Table::new(
    "@£$¥èéùìòÇ\nØø\rÅå\
    Δ_ΦΓΛΩΠΨΣΘΞ ÆæßÉ\
    \u{20}!\"#¤%&'()*+,-./\
    0123456789:;<=>?\
    ¡ABCDEFGHIJKLMNO\
    PQRSTUVWXYZÄÖÑÜ§\
    ¿abcdefghijklmno\
    pqrstuvwxyzäöñüà",
);

pub(super) const TURKISH: Table = Table::new(
    "@£$¥€éùıòÇ\nĞğ\rÅå\
    Δ_ΦΓΛΩΠΨΣΘΞ ŞşßÉ\
    \u{20}!\"#¤%&'()*+,-./\
    0123456789:;<=>?\
    İABCDEFGHIJKLMNO\
    PQRSTUVWXYZÄÖÑÜ§\
    çabcdefghijklmno\
    pqrstuvwxyzäöñüà",
);

pub(super) const PORTUGUESE: Table = Table::new(
    "@£$¥êéúíóç\nÔô\rÁá\
    Δ_ªÇÀ∞^\\€Ó| ÂâÊÉ\
    \u{20}!\"#º%&'()*+,-./\
    0123456789:;<=>?\
    ÍABCDEFGHIJKLMNO\
    PQRSTUVWXYZÃÕÚÜ§\
    ~abcdefghijklmno\
    pqrstuvwxyzãõ`üà",
);

pub(super) const EXTENSION: Table = Table::new(
    "\u{20}         \u{c}     \
    \u{20}   ^           \
    \u{20}       {}     \\\
    \u{20}           [~] \
    |               \
    \u{20}               \
    \u{20}    €          \
    \u{20}               ",
);

pub(super) const TURKISH_SINGLE: Table = Table::new(
    "\u{20}         \u{c}     \
    \u{20}   ^           \
    \u{20}       {}     \\\
    \u{20}           [~] \
    |      Ğ İ      \
    \u{20}  Ş            \
    \u{20}  ç € ğ ı      \
    \u{20}  ş            ",
);

pub(super) const SPANISH_SINGLE: Table = Table::new(
    "\u{20}        ç\u{c}     \
    \u{20}   ^           \
    \u{20}       {}     \\\
    \u{20}           [~] \
    |Á       Í     Ó\
    \u{20}    Ú          \
    \u{20}á   €   í     ó\
    \u{20}    ú          ",
);

pub(super) const PORTUGUESE_SINGLE: Table = Table::new(
    "\u{20}    ê   ç\u{c}Ôô Áá\
    \u{20} ΦΓ^ΩΠΨΣΘ     Ê\
    \u{20}       {}     \\\
    \u{20}           [~] \
    |À       Í     Ó\
    \u{20}    Ú     ÃÕ   \
    \u{20}Â   €   í     ó\
    \u{20}    ú     ãõ  â",
);
