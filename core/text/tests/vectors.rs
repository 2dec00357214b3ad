//! The vectors that were taken from the platform: what `calculateLength` says, and the sizes of
//! the parts that `divideMessage` makes.

use postrider_text::gsm7::{Alphabet, LANGUAGES_MAX, Language};
use postrider_text::parts::{
    DataTooLong, calculated_length, check_data, choose_alphabet, count_in, count_with,
    count_within, divide_in,
};
use postrider_text::{DATA_OCTETS_MAX, Encoding, PARTS_MAX_DEFAULT, TooManyParts, count, divide};

const FAMILY: &str = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}";
const FLAG: &str = "\u{1F1E9}\u{1F1EA}";
const ZHE: &str = "\u{436}";

fn sizes(text: &str) -> Vec<usize> {
    let size = |part: &String| match count(text).encoding {
        Encoding::Gsm7 => Alphabet::DEFAULT
            .encode(part)
            .map_or(0, |septets| septets.len()),
        Encoding::Ucs2 => part.encode_utf16().count(),
    };
    divide(text).iter().map(size).collect()
}

fn x(times: usize, text: &str) -> String {
    text.repeat(times)
}

#[test]
fn all_vectors_of_the_platform_hold() {
    let (a, euro, zhe) = ("a", "€", ZHE);
    let after_66 = |text: &str| x(66, zhe) + text;
    let vectors: [(String, Encoding, u32, &[usize]); 26] = [
        (x(160, a), Encoding::Gsm7, 1, &[160]),
        (x(161, a), Encoding::Gsm7, 2, &[153, 8]),
        (x(306, a), Encoding::Gsm7, 2, &[153, 153]),
        (x(307, a), Encoding::Gsm7, 3, &[153, 153, 1]),
        (x(80, euro), Encoding::Gsm7, 1, &[160]),
        (x(81, euro), Encoding::Gsm7, 2, &[152, 10]),
        (x(76, euro) + &x(154, a), Encoding::Gsm7, 2, &[153, 153]),
        (
            x(152, a) + euro + &x(152, a),
            Encoding::Gsm7,
            2,
            &[152, 153, 1],
        ),
        (
            x(152, a) + euro + &x(151, a) + euro + &x(152, a),
            Encoding::Gsm7,
            3,
            &[152, 153, 153, 1],
        ),
        (x(70, zhe), Encoding::Ucs2, 1, &[70]),
        (x(71, zhe), Encoding::Ucs2, 2, &[67, 4]),
        (x(134, zhe), Encoding::Ucs2, 2, &[67, 67]),
        (x(135, zhe), Encoding::Ucs2, 3, &[67, 67, 1]),
        (x(35, "\u{1F600}"), Encoding::Ucs2, 1, &[70]),
        (x(36, "\u{1F600}"), Encoding::Ucs2, 2, &[66, 6]),
        (x(67, "\u{1F600}"), Encoding::Ucs2, 3, &[66, 66, 2]),
        (x(159, a) + "`", Encoding::Ucs2, 3, &[67, 67, 26]),
        (x(160, "é"), Encoding::Gsm7, 1, &[160]),
        (x(160, "ç"), Encoding::Ucs2, 3, &[67, 67, 26]),
        (x(1, "\t") + &x(159, a), Encoding::Ucs2, 3, &[67, 67, 26]),
        (x(160, "\n"), Encoding::Gsm7, 1, &[160]),
        (after_66(FAMILY), Encoding::Ucs2, 2, &[66, 11]),
        (
            after_66("e\u{301}") + &x(10, zhe),
            Encoding::Ucs2,
            2,
            &[66, 12],
        ),
        (after_66(FLAG) + &x(10, zhe), Encoding::Ucs2, 2, &[66, 14]),
        (
            x(60, zhe) + FAMILY + &x(10, zhe),
            Encoding::Ucs2,
            2,
            &[60, 21],
        ),
        (String::new(), Encoding::Gsm7, 1, &[]),
    ];
    for (index, (text, encoding, calculated, divided)) in vectors.iter().enumerate() {
        let row = index + 1;
        assert_eq!(count(text).encoding, *encoding, "row {row}");
        assert_eq!(calculated_length(text), *calculated, "row {row}");
        assert_eq!(sizes(text), *divided, "row {row}");
        assert_eq!(
            count(text).parts as usize,
            divided.len().max(1),
            "row {row}"
        );
    }
}

#[test]
fn a_count_says_what_is_used_and_what_is_left() {
    let counted = count("€uro");
    assert_eq!((counted.units, counted.units_left), (5, 155));
    let counted = count(&x(81, "€"));
    assert_eq!((counted.units, counted.units_left), (162, 143));
    assert_eq!(count(&x(71, ZHE)).units_left, 63);
    assert_eq!((count("").parts, count("").units_left), (1, 160));
}

#[test]
fn a_cluster_larger_than_a_part_is_cut_between_characters() {
    let accents = format!("e{}", x(100, "\u{301}"));
    assert_eq!(sizes(&accents), [67, 34]);
    let emoji = format!("\u{1F600}{}", x(40, "\u{200D}\u{1F600}"));
    assert_eq!(sizes(&emoji), [66, 56]);
}

#[test]
fn a_row_of_flags_is_cut_between_two_flags() {
    assert_eq!(sizes(&x(20, FLAG)), [64, 16]);
    assert_eq!(sizes(&(x(1, ZHE) + &x(20, FLAG))), [65, 16]);
}

#[test]
fn the_platform_cuts_behind_a_flag_even_where_its_cluster_goes_on() {
    let accents = x(10, "\u{301}");
    assert_eq!(sizes(&(x(62, ZHE) + FLAG + &accents)), [66, 10]);
    assert_eq!(sizes(&(x(64, ZHE) + FLAG + &accents)), [64, 14]);
}

#[test]
fn a_message_of_too_many_parts_is_refused_with_its_count() {
    let longest = x(153 * 25, "a");
    assert_eq!(
        count_within(&longest, &[], PARTS_MAX_DEFAULT)
            .unwrap()
            .parts,
        25
    );
    let refused = count_within(&(longest + "a"), &[], PARTS_MAX_DEFAULT);
    assert_eq!(
        refused,
        Err(TooManyParts {
            parts: 26,
            parts_max: 25
        })
    );
}

#[test]
fn each_national_table_costs_room_in_every_part() {
    let turkish = Alphabet::new(Language::Turkish, Language::Default);
    let both = Alphabet::new(Language::Turkish, Language::Turkish);
    for (alphabet, single, concatenated) in [(turkish, 155, 149), (both, 152, 146)] {
        let fits = x(single, "ı");
        assert_eq!(count_in(&fits, alphabet).parts, 1);
        let parts = divide_in(&(fits + "ı"), alphabet);
        let lengths: Vec<_> = parts.iter().map(|part| part.chars().count()).collect();
        assert_eq!(lengths, [concatenated, single + 1 - concatenated]);
    }
}

#[test]
fn a_language_is_chosen_only_where_it_saves_something() {
    let enabled = [Language::Turkish];
    assert_eq!(choose_alphabet("hello", &enabled), Some(Alphabet::DEFAULT));
    let locking = Alphabet::new(Language::Turkish, Language::Default);
    assert_eq!(choose_alphabet("ığış", &enabled), Some(locking));
    let single = Alphabet::new(Language::Default, Language::Turkish);
    assert_eq!(choose_alphabet("èèèèèèş", &enabled), Some(single));
    assert_eq!(choose_alphabet("ş", &[]), None);
    assert_eq!(choose_alphabet(ZHE, &enabled), None);
    assert_eq!(
        choose_alphabet("Á", &[Language::Spanish]).map(Alphabet::single),
        Some(Language::Spanish)
    );
}

#[test]
fn tables_that_a_platform_uses_save_parts() {
    let text = x(100, "ş");
    assert_eq!(count_within(&text, &[], 25).unwrap().parts, 2);
    let turkish = Language::of_identifiers(&[1]);
    let counted = count_with(&text, &turkish);
    assert_eq!((counted.parts, counted.units_left), (1, 55));
    assert_eq!(count_within(&text, &turkish, 1), Ok(counted));
    assert_eq!(count_with("hello", &turkish), count("hello"));
    assert_eq!(count_with(ZHE, &turkish), count(ZHE));
}

#[test]
fn identifiers_without_tables_are_passed_over_and_no_more_are_tried_than_are_used() {
    assert_eq!(
        Language::of_identifiers(&[0, 14, 255, 13, 1]),
        [Language::Turkish, Language::Urdu]
    );
    let every: Vec<u8> = (0..=255).collect();
    assert_eq!(Language::of_identifiers(&every).len(), LANGUAGES_MAX);
    for (n, language) in (1..).zip(Language::NATIONAL) {
        assert_eq!(Language::of_identifiers(&[n]), [language]);
    }
}

#[test]
fn a_data_message_fits_one_sms_or_none() {
    assert_eq!(check_data(&[0; DATA_OCTETS_MAX]), Ok(()));
    assert_eq!(check_data(&[0; 134]), Err(DataTooLong { octets: 134 }));
}
