//! What is true of the parts of any text.

use postrider_text::gsm7::{Alphabet, Language, pack, unpack};
use postrider_text::parts::{calculated_length, count_in, divide_in};
use postrider_text::{Encoding, count, divide, ucs2};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

/// Pieces that make cuts hard: two-septet characters, pairs, clusters of all kinds, odd controls.
const PIECES: &[&str] = &[
    "a", "a", "a", "€", "€", "[", "ñ", "\r", "\n", "\r\n", "\u{1B}", "\u{FFFF}",
];
const WIDE_PIECES: &[&str] = &[
    "a",
    "€",
    "ç",
    "\u{436}",
    "e\u{301}",
    "\u{1F600}",
    "\u{1F1E9}\u{1F1EA}",
    "\u{1F1E9}",
    "\r\n",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
    "\u{1F44D}\u{1F3FD}",
    "\u{301}\u{301}\u{301}",
    "\u{915}\u{94D}\u{937}\u{93F}",
    "\u{1100}\u{1161}\u{11A8}",
    "\0",
    "\u{200D}",
];

fn runs(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let run = (prop::sample::select(pieces), 1..90_usize);
    let run = run.prop_map(|(piece, times)| piece.repeat(times));
    prop::collection::vec(run, 0..12).prop_map(|runs| runs.concat())
}

fn mixed(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(pieces);
    prop::collection::vec(piece, 0..600).prop_map(|found| found.concat())
}

/// Texts that travel in the GSM 7-bit alphabet.
fn narrow_texts() -> impl Strategy<Value = String> {
    prop_oneof![runs(PIECES), mixed(PIECES)]
}

/// Texts that travel in UCS-2.
fn wide_texts() -> impl Strategy<Value = String> {
    prop_oneof![runs(WIDE_PIECES), mixed(WIDE_PIECES), ".{0,300}"].prop_map(|text| text + "\u{436}")
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), narrow_texts(), wide_texts()]
}

/// Counts by hand how many septets a character of [`PIECES`] takes.
fn septets_of(character: char) -> usize {
    if "€[".contains(character) { 2 } else { 1 }
}

fn size(text: &str, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Gsm7 => text.chars().map(septets_of).sum(),
        Encoding::Ucs2 => ucs2::units(text),
    }
}

const fn limits(encoding: Encoding) -> (usize, usize) {
    match encoding {
        Encoding::Gsm7 => (160, 153),
        Encoding::Ucs2 => (70, 67),
    }
}

/// Whether the platform, too, would cut inside this cluster: behind a flag.
fn begins_with_a_flag(cluster: &str) -> bool {
    let is_indicator = |character: &char| ('\u{1F1E6}'..='\u{1F1FF}').contains(character);
    cluster.chars().take_while(is_indicator).count() == 2
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_join_to_the_text_and_are_as_many_as_counted(text in texts()) {
        let parts = divide(&text);
        prop_assert_eq!(parts.concat(), text.clone());
        prop_assert!(parts.iter().all(|part| !part.is_empty()));
        prop_assert_eq!(parts.len().max(1), count(&text).parts as usize);
    }

    #[test]
    fn no_part_exceeds_its_size(text in texts()) {
        let counted = count(&text);
        let parts = divide(&text);
        let (single, concatenated) = limits(counted.encoding);
        let limit = if parts.len() > 1 { concatenated } else { single };
        for part in &parts {
            prop_assert!(size(part, counted.encoding) <= limit);
        }
        let used: usize = parts.iter().map(|part| size(part, counted.encoding)).sum();
        prop_assert_eq!(used, counted.units as usize);
        let last = parts.last().map_or(0, |part| size(part, counted.encoding));
        prop_assert_eq!(limit - last, counted.units_left as usize);
    }

    #[test]
    fn the_count_is_never_below_the_platforms(text in texts()) {
        let (calculated, counted) = (calculated_length(&text), count(&text));
        prop_assert!(calculated <= counted.parts);
        if counted.encoding == Encoding::Ucs2 {
            prop_assert_eq!(calculated, counted.parts);
        }
    }

    #[test]
    fn a_part_ends_only_where_the_next_character_would_not_fit(text in narrow_texts()) {
        for pair in divide(&text).windows(2) {
            let next = pair[1].chars().next().unwrap();
            prop_assert!(size(&pair[0], Encoding::Gsm7) + septets_of(next) > 153);
        }
    }

    #[test]
    fn a_cluster_that_fits_a_part_is_not_split(text in wide_texts()) {
        let mut cut = 0;
        let cuts: Vec<_> = divide(&text).iter().map(|part| { cut += part.len(); cut }).collect();
        for (start, cluster) in text.grapheme_indices(true) {
            if ucs2::units(cluster) > 67 || begins_with_a_flag(cluster) {
                continue;
            }
            let inside = start + 1..start + cluster.len();
            prop_assert!(!cuts.iter().any(|cut| inside.contains(cut)));
        }
    }

    #[test]
    fn with_national_tables_parts_still_fit_and_join(text in "[a-zğışçİéÁ€\\[\u{915}\u{928}]{0,400}") {
        use Language::{Default, Hindi, Spanish, Turkish};
        for (locking, single) in [(Turkish, Default), (Default, Spanish), (Hindi, Turkish)] {
            let alphabet = Alphabet::new(locking, single);
            let (counted, parts) = (count_in(&text, alphabet), divide_in(&text, alphabet));
            prop_assert_eq!(parts.concat(), text.clone());
            prop_assert_eq!(parts.len().max(1), counted.parts as usize);
            let limit = [153, 149, 146][alphabet.named_tables() as usize];
            if counted.encoding == Encoding::Gsm7 && parts.len() > 1 {
                for part in &parts {
                    prop_assert!(alphabet.encode(part).unwrap().len() <= limit);
                }
            }
        }
    }

    #[test]
    fn what_is_encoded_decodes_again(text in texts(), fill_bits in 0_u8..7) {
        prop_assert_eq!(ucs2::decode(&ucs2::encode(&text)), text.clone());
        if let Ok(septets) = Alphabet::DEFAULT.encode(&text) {
            let unpacked = unpack(&pack(&septets, fill_bits), septets.len(), fill_bits);
            prop_assert_eq!(&unpacked, &septets);
            prop_assert_eq!(Alphabet::DEFAULT.decode(&unpacked), text);
        }
    }

    #[test]
    fn no_octets_stop_a_decoder(octets in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = ucs2::decode(&octets);
        let septets = unpack(&octets, 160, 3);
        prop_assert!(septets.len() <= 160);
        let hindi = Alphabet::new(Language::Hindi, Language::Hindi);
        prop_assert!(hindi.decode(&septets).chars().count() <= septets.len());
    }
}
