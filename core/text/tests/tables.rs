//! The complete tables of the standards: a changed line shows here.

use postrider_text::gsm7::{Alphabet, Language};
use postrider_text::{parts, result_code, rp_cause, tp_status};

/// Writes one line for each run of equal neighbours.
fn runs<T: PartialEq>(
    keys: impl Iterator<Item = i64>,
    say: impl Fn(i64) -> T,
    show: impl Fn(&T) -> String,
) -> String {
    let mut runs: Vec<(i64, i64, T)> = Vec::new();
    for key in keys {
        let said = say(key);
        match runs.last_mut() {
            Some((_, last, same)) if *same == said => *last = key,
            _ => runs.push((key, key, said)),
        }
    }
    let line = |(first, last, said): &(i64, i64, T)| {
        if first == last {
            format!("{first:#04x} {}\n", show(said))
        } else {
            format!("{first:#04x}..{last:#04x} {}\n", show(said))
        }
    };
    runs.iter().map(line).collect()
}

#[test]
fn every_status_of_3gpp() {
    let say = |status| {
        let report = tp_status::decode_3gpp(u8::try_from(status).unwrap());
        assert_eq!(i64::from(report.raw), status);
        (report.outcome, report.code, report.detail)
    };
    let table = runs(0..256, say, |said| format!("{said:?}"));
    insta::assert_snapshot!(table);
}

#[test]
fn every_status_of_3gpp2() {
    let statuses = (0..4).flat_map(|class| (0..32).map(move |code| class << 24 | code << 16));
    let say = |status| {
        let report = tp_status::decode_3gpp2(u32::try_from(status).unwrap());
        assert_eq!(i64::from(report.raw), status);
        (report.outcome, report.code, report.detail)
    };
    let table = runs(statuses, say, |said| format!("{said:?}"));
    insta::assert_snapshot!(table);
}

#[test]
fn every_cause_of_a_network() {
    let say = |cause| {
        let known = rp_cause::explain(i32::try_from(cause).unwrap());
        assert_eq!(i64::from(known.cause), cause);
        (known.persistence, known.detail)
    };
    let table = runs(0..256, say, |said| format!("{said:?}"));
    insta::assert_snapshot!(table);
}

#[test]
fn every_result_code() {
    let say = |code| {
        let row = result_code::look_up(i32::try_from(code).unwrap());
        (row.name, row.action, row.detail)
    };
    let table = runs(-2..150, say, |said| format!("{said:?}"));
    insta::assert_snapshot!(table);
}

/// Each table's 128 places, sixteen a line; a place without a character is blank.
#[test]
fn every_place_of_the_alphabets() {
    let languages = [
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
    let mut table = String::new();
    for language in languages {
        let alphabet = Alphabet::new(language, language);
        for (name, escape) in [("locking", &[][..]), ("single", &[0x1B])] {
            table += &format!("{language:?}, {name}\n");
            for row in 0..8_u8 {
                let place = |column| [escape, &[row * 16 + column]].concat();
                let characters = (0..16).map(|column| alphabet.decode(&place(column)));
                table += &format!("  {:?}\n", characters.collect::<String>());
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn refusals_say_what_is_wrong() {
    let long = "a".repeat(400);
    let error = parts::count_within(&long, &[], 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "needs 3 SMS parts, at most 2 are allowed"
    );
    let error = parts::check_data(&[0; 134]).unwrap_err();
    assert_eq!(error.to_string(), "has 134 octets, at most 133 fit");
    let error = Alphabet::DEFAULT.encode("aж").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the character at byte 1 is not in the alphabet"
    );
}
