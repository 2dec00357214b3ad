use super::*;

const LANGUAGES: [Language; 14] = [
    Language::Default,
    Language::Turkish,
    Language::Spanish,
    Language::Portuguese,
    Language::Bengali,
    Language::Gujarati,
    Language::Hindi,
    Language::Kannada,
    Language::Malayalam,
    Language::Oriya,
    Language::Punjabi,
    Language::Tamil,
    Language::Telugu,
    Language::Urdu,
];

fn alphabets() -> impl Iterator<Item = Alphabet> {
    let pairs = LANGUAGES.map(|locking| LANGUAGES.map(|single| Alphabet::new(locking, single)));
    pairs.into_iter().flatten()
}

#[test]
fn identifiers_are_those_of_the_standard() {
    let identifiers = LANGUAGES.map(Language::identifier);
    assert!(identifiers.into_iter().eq(0..14));
    assert_eq!(Language::Urdu.identifier(), 13);
}

#[test]
fn every_character_of_a_table_encodes_and_decodes_back() {
    for alphabet in alphabets() {
        for place in 0..128 {
            for septets in [vec![place], vec![ESCAPE, place]] {
                let text = alphabet.decode(&septets);
                let Ok(encoded) = alphabet.encode(&text) else {
                    assert_eq!(text, " ", "{alphabet:?} lacks what it decoded");
                    continue;
                };
                assert_eq!(alphabet.decode(&encoded), text, "{alphabet:?}");
                let cost = alphabet.septets_in(&text);
                assert_eq!(cost, Some(encoded.len() as u32), "{alphabet:?} {text:?}");
            }
        }
    }
}

#[test]
fn the_default_alphabet_has_the_signs_of_the_standard() {
    let encode = |text| Alphabet::DEFAULT.encode(text).unwrap();
    assert_eq!(encode("@£$¥"), [0, 1, 2, 3]);
    assert_eq!(
        encode("\n\r Δ¡§¿à"),
        [0x0A, 0x0D, 0x20, 0x10, 0x40, 0x5F, 0x60, 0x7F]
    );
    assert_eq!(encode("Az09"), [0x41, 0x7A, 0x30, 0x39]);
    assert_eq!(encode("^{}"), [0x1B, 0x14, 0x1B, 0x28, 0x1B, 0x29]);
    assert_eq!(
        encode("\\[~]"),
        [0x1B, 0x2F, 0x1B, 0x3C, 0x1B, 0x3D, 0x1B, 0x3E]
    );
    assert_eq!(encode("|€\u{C}"), [0x1B, 0x40, 0x1B, 0x65, 0x1B, 0x0A]);
}

#[test]
fn a_character_outside_the_alphabet_is_named_by_its_place() {
    for text in ["aaç", "aa`", "aa\t", "aa\0", "aa\u{1B}", "aa\u{FFFF}"] {
        assert_eq!(Alphabet::DEFAULT.encode(text), Err(Unencodable { at: 2 }));
    }
    assert_eq!(Alphabet::DEFAULT.septets_in("aaç"), None);
}

#[test]
fn a_blank_of_a_national_table_is_the_space_and_nothing_else() {
    for alphabet in alphabets() {
        assert_eq!(alphabet.encode(" "), Ok(vec![0x20]), "{alphabet:?}");
    }
}

#[test]
fn national_tables_hold_their_letters_at_the_places_of_the_standard() {
    let place = |locking, single, text| Alphabet::new(locking, single).encode(text).unwrap();
    use Language::*;
    assert_eq!(
        place(Turkish, Default, "ığİçŞ€"),
        [0x07, 0x0C, 0x40, 0x60, 0x1C, 0x04]
    );
    assert_eq!(place(Default, Turkish, "Şı"), [0x1B, 0x53, 0x1B, 0x69]);
    assert_eq!(place(Default, Spanish, "Áú"), [0x1B, 0x41, 0x1B, 0x75]);
    assert_eq!(place(Portuguese, Default, "ã∞~"), [0x7B, 0x15, 0x60]);
    assert_eq!(place(Default, Portuguese, "ãâ"), [0x1B, 0x7B, 0x1B, 0x7F]);
    assert_eq!(
        place(Hindi, Hindi, "\u{901}\u{94D}\u{971}"),
        [0x00, 0x5F, 0x1B, 0x3A]
    );
    assert_eq!(place(Kannada, Default, "\u{CA1}"), [0x24]);
    assert_eq!(place(Tamil, Tamil, "\u{BD0}\u{BEE}"), [0x60, 0x1B, 0x24]);
    assert_eq!(
        place(Telugu, Telugu, "\u{C6C}\u{C7F}"),
        [0x1B, 0x22, 0x1B, 0x32]
    );
    assert_eq!(
        place(Bengali, Bengali, "\u{9E6}\u{9FA}"),
        [0x1B, 0x19, 0x1B, 0x34]
    );
    assert_eq!(place(Urdu, Urdu, "\u{670}\u{6D4}"), [0x7F, 0x1B, 0x3F]);
}

#[test]
fn an_escape_that_says_nothing_falls_back_as_the_standard_asks() {
    assert_eq!(Alphabet::DEFAULT.decode(&[0x1B, 0x41]), "A");
    assert_eq!(Alphabet::DEFAULT.decode(&[0x1B, 0x1B, 0x41]), " A");
    assert_eq!(Alphabet::DEFAULT.decode(&[0x41, 0x1B]), "A");
}

#[test]
fn septets_pack_as_in_the_standard_and_unpack_again() {
    let hello = Alphabet::DEFAULT.encode("hellohello").unwrap();
    let packed = pack(&hello, 0);
    assert_eq!(
        packed,
        [0xE8, 0x32, 0x9B, 0xFD, 0x46, 0x97, 0xD9, 0xEC, 0x37]
    );
    assert_eq!(unpack(&packed, 10, 0), hello);
    for fill_bits in 0..7 {
        for length in 0..=hello.len() {
            let packed = pack(&hello[..length], fill_bits);
            assert_eq!(
                packed.len(),
                (length * 7 + usize::from(fill_bits)).div_ceil(8)
            );
            assert_eq!(unpack(&packed, length, fill_bits), hello[..length]);
        }
    }
}

#[test]
fn unpacking_takes_no_more_than_there_is() {
    assert_eq!(unpack(&[0xFF], 160, 0), [0x7F]);
    assert_eq!(unpack(&[], 3, 6), []);
}
