//! What the digits depend on, every order of a hub's requests, and attackers in between.

use postrider_link::frame::InstallId;
use postrider_link::pairing::*;
use ring::digest::{SHA256, digest};

fn sha256(bytes: &[u8]) -> [u8; 32] {
    digest(&SHA256, bytes)
        .as_ref()
        .try_into()
        .expect("what is well formed")
}

/// The `n`th number of a series: tests use no random numbers.
fn number(series: &str, n: usize) -> Number {
    Number(sha256(format!("{series} {n}").as_bytes()))
}

fn install(name: &str) -> InstallId {
    format!("install-0000-{name}")
        .parse()
        .expect("what is well formed")
}

fn joiner<'a>(key: &'a [u8], install: &'a InstallId) -> Joiner<'a> {
    Joiner {
        code: "AB12-CD34-EF56",
        key_algorithm: "ed25519",
        public_key: key,
        install,
    }
}

#[test]
fn both_sides_come_to_the_same_six_digits() {
    let install = install("0001");
    for n in 0..50 {
        let key = number("key", n).0;
        let joiner = joiner(&key, &install);
        let phone = PhoneSide::new(&joiner, number("phone", n), sha256);
        let mut code = CodeUse::Free;
        let told = code.commit(phone.commitment(), number("hub", n)).unwrap();
        let opening = phone.told(&joiner, &told, sha256);
        let digits = code.open(&joiner, &opening.number, sha256).unwrap();
        assert_eq!(digits, opening.digits);
        assert!(digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_digit()));
    }
}

#[test]
fn every_bit_of_key_and_numbers_counts_and_every_word_beside_them() {
    let (own, hubs, key) = (number("phone", 0), number("hub", 0), number("key", 0).0);
    let here = install("0001");
    let before = joiner(&key, &here);
    let digits = before.digits(&own, &hubs, sha256);
    for bit in 0..256 {
        let flipped = |bytes: [u8; 32]| {
            let mut bytes = bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        let (other_own, other_hubs) = (Number(flipped(own.0)), Number(flipped(hubs.0)));
        let other_key = flipped(key);
        assert_ne!(
            before.digits(&other_own, &hubs, sha256),
            digits,
            "own {bit}"
        );
        assert_ne!(
            before.digits(&own, &other_hubs, sha256),
            digits,
            "hub's {bit}"
        );
        let other = joiner(&other_key, &here);
        assert_ne!(other.digits(&own, &hubs, sha256), digits, "key {bit}");
        assert_ne!(
            other.commitment(&own, sha256),
            before.commitment(&own, sha256)
        );
        assert_ne!(
            before.commitment(&other_own, sha256),
            before.commitment(&own, sha256)
        );
    }
    let elsewhere = install("0002");
    for other in [
        joiner(&key, &elsewhere),
        Joiner {
            key_algorithm: "p256",
            ..before
        },
        Joiner {
            code: "AB12-CD34-EF57",
            ..before
        },
    ] {
        assert_ne!(other.digits(&own, &hubs, sha256), digits);
    }
    let typed = Joiner {
        code: " ab12cd34 ef56\n",
        ..before
    };
    assert_eq!(typed.digits(&own, &hubs, sha256), digits);
}

#[test]
fn the_bytes_are_fixed() {
    let (key, here) = ([7; 32], install("0001"));
    let joiner = joiner(&key, &here);
    let (own, hubs) = (Number([1; 32]), Number([2; 32]));
    insta::assert_snapshot!(joiner.commitment(&own, sha256).base64(), @"nBLAI8jy9q4UiAFCNF+c+Qa2hTnMq+KhAPdOCN8HFUU=");
    insta::assert_snapshot!(joiner.digits(&own, &hubs, sha256), @"461217");
}

#[test]
fn a_number_reads_back_and_nothing_else_is_one() {
    let drawn = number("any", 0);
    assert_eq!(drawn.base64().parse(), Ok(drawn));
    for text in ["", "AAAA", "no base64!", &"A".repeat(64)] {
        assert_eq!(text.parse::<Number>(), Err(NotThirtyTwoBytes), "{text}");
    }
}

/// What somebody who knows a code may ask, in any order.
#[derive(Debug, Clone, Copy)]
enum Ask {
    CommitOwn,
    CommitOther,
    OpenOwn,
    OpenOther,
    OpenOtherNumber,
    OpenOtherKey,
}

const ASKS: [Ask; 6] = [
    Ask::CommitOwn,
    Ask::CommitOther,
    Ask::OpenOwn,
    Ask::OpenOther,
    Ask::OpenOtherNumber,
    Ask::OpenOtherKey,
];

#[test]
fn in_every_order_of_requests_a_code_has_one_commitment_one_number_and_one_opening() {
    let (own_key, other_key) = (number("key", 1).0, number("key", 2).0);
    let here = install("0001");
    let (own, other) = (joiner(&own_key, &here), joiner(&other_key, &here));
    let (own_number, other_number) = (number("own", 0), number("other", 0));
    let length = 5;
    for order in 0..ASKS.len().pow(length) {
        let mut code = CodeUse::Free;
        let mut rest = order;
        let (mut numbers, mut digits, mut refusals_only) = (Vec::new(), Vec::new(), false);
        for n in 0..length as usize {
            let ask = ASKS[rest % ASKS.len()];
            rest /= ASKS.len();
            let fresh = number("fresh", n);
            let before = code.clone();
            let told = |commitment, code: &mut CodeUse| code.commit(commitment, fresh).ok();
            match ask {
                Ask::CommitOwn => {
                    let commitment = own.commitment(&own_number, sha256);
                    numbers.extend(told(commitment, &mut code).map(|it| ("own", it)));
                }
                Ask::CommitOther => {
                    let commitment = other.commitment(&other_number, sha256);
                    numbers.extend(told(commitment, &mut code).map(|it| ("other", it)));
                }
                Ask::OpenOwn => digits.extend(code.open(&own, &own_number, sha256)),
                Ask::OpenOther => digits.extend(code.open(&other, &other_number, sha256)),
                Ask::OpenOtherNumber => {
                    assert!(code.open(&own, &other_number, sha256).is_err());
                }
                Ask::OpenOtherKey => assert!(code.open(&other, &own_number, sha256).is_err()),
            }
            if refusals_only {
                assert_eq!((&code, &before), (&CodeUse::Ended, &CodeUse::Ended));
            }
            refusals_only = code == CodeUse::Ended;
            let awaited = matches!(before, CodeUse::Committed { .. });
            let is_wrong = matches!(ask, Ask::OpenOtherNumber | Ask::OpenOtherKey);
            assert!(refusals_only || !(awaited && is_wrong), "{order}");
            assert!(
                !refusals_only || awaited || before == CodeUse::Ended,
                "{order}"
            );
        }
        assert!(numbers.windows(2).all(|it| it[0] == it[1]), "{order}");
        assert!(digits.windows(2).all(|it| it[0] == it[1]), "{order}");
        assert!(digits.is_empty() || !numbers.is_empty(), "{order}");
    }
}

/// A rule that is left out, to show that it prevents the attack below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    Nothing,
    /// The hub sends its number before it has a commitment.
    CommitmentFirst,
    /// The hub accepts other commitments for the same code, and sends a number for each.
    OneCommitment,
    /// The hub accepts an opening that does not fit.
    OpeningFits,
    /// The phone opens for several numbers of the hub.
    OneNumber,
}

/// Whom the attacker talks to first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    Hub,
    Phone,
}

/// How many keys or numbers the attacker tries.
const GRIND: usize = 600;
/// The digits are cut to two, so that chance hits can be counted.
const HITS_OF: usize = 100;
const PAIRINGS: usize = 1_000;

/// An attacker between a phone and a hub, with a key for the hub: returns whether both
/// sides show the same digits. If the attacker knows everything but the choice to make, they search
/// for one that fits.
fn is_fooled(run: usize, first: First, left_out: LeftOut) -> bool {
    let here = install("0001");
    let phones_key = number("phone's key", run).0;
    let phone = joiner(&phones_key, &here);
    let phones_number = number("phone's", run);
    let side = PhoneSide::new(&phone, phones_number, sha256);
    let choice = |n: usize| number("chosen", run * GRIND + n);
    let key_of = |n: usize| number("key of", run * GRIND + n).0;
    let hubs_number = |n: usize| number("hub's", run * GRIND + n);
    let cut = |digits: &str| digits[4..].to_owned();
    let seen_by_phone = |told: &Number| cut(&phone.digits(&phones_number, told, sha256));
    let seen_by_hub = |n: usize, hubs: &Number| {
        let key = key_of(n);
        cut(&joiner(&key, &here).digits(&choice(n), hubs, sha256))
    };
    let look = |fits: &dyn Fn(usize) -> bool| (0..GRIND).find(|n| fits(*n)).unwrap_or(0);

    if left_out == LeftOut::CommitmentFirst {
        // The hub's number is known: the phone gets any number, opens, and then a key is searched.
        let shown = cut(&side.told(&phone, &choice(0), sha256).digits);
        let mut code = CodeUse::Free;
        let n = look(&|n| seen_by_hub(n, &hubs_number(0)) == shown);
        let key = key_of(n);
        let mine = joiner(&key, &here);
        code.commit(mine.commitment(&choice(n), sha256), hubs_number(0))
            .expect("what is well formed");
        return cut(&code
            .open(&mine, &choice(n), sha256)
            .expect("what is well formed"))
            == shown;
    }

    let commit = |code: &mut CodeUse, n: usize| {
        let key = key_of(n);
        code.commit(
            joiner(&key, &here).commitment(&choice(n), sha256),
            hubs_number(n),
        )
    };
    let mut code = CodeUse::Free;
    let mut committed = 0;
    let mut told = None;
    if first == First::Hub {
        told = commit(&mut code, committed).ok();
    }
    // It is known now what the hub will show, if it was first; the phone's number is not, so a
    // number for the phone can only be guessed.
    let mut phone_told = choice(0);
    let opening = side.told(&phone, &phone_told, sha256);
    let mut shown = cut(&opening.digits);
    if first == First::Phone {
        told = commit(&mut code, committed).ok();
    }
    let hubs = told.expect("what is well formed");
    assert!(
        code.clone().commit(Commitment([9; 32]), choice(1)).is_err(),
        "no second commitment"
    );

    // Everything is known now. What can still be changed?
    match left_out {
        LeftOut::Nothing | LeftOut::CommitmentFirst => {}
        LeftOut::OneCommitment => {
            committed = look(&|n| seen_by_hub(n, &hubs_number(n)) == shown);
            code = CodeUse::Free;
            commit(&mut code, committed).expect("what is well formed");
        }
        LeftOut::OpeningFits => {
            let n = look(&|n| seen_by_hub(n, &hubs) == shown);
            return seen_by_hub(n, &hubs) == shown;
        }
        LeftOut::OneNumber => {
            let wanted = seen_by_hub(committed, &hubs);
            phone_told = choice(look(&|n| seen_by_phone(&choice(n)) == wanted));
            shown = seen_by_phone(&phone_told);
        }
    }
    let other = key_of(committed + 1);
    let another = joiner(&other, &here);
    assert!(
        code.clone()
            .open(&another, &choice(committed + 1), sha256)
            .is_err()
    );
    let key = key_of(committed);
    let mine = joiner(&key, &here);
    cut(&code
        .open(&mine, &choice(committed), sha256)
        .expect("what is well formed"))
        == shown
}

fn fooled(first: First, left_out: LeftOut) -> usize {
    (0..PAIRINGS)
        .filter(|run| is_fooled(*run, first, left_out))
        .count()
}

#[test]
fn who_stands_in_between_has_one_try_and_would_win_without_any_of_the_rules() {
    for first in [First::Hub, First::Phone] {
        let by_chance = PAIRINGS / HITS_OF;
        let hits = fooled(first, LeftOut::Nothing);
        assert!((1..by_chance * 3).contains(&hits), "{first:?}: {hits}");
        for left_out in [
            LeftOut::CommitmentFirst,
            LeftOut::OneCommitment,
            LeftOut::OpeningFits,
            LeftOut::OneNumber,
        ] {
            let hits = fooled(first, left_out);
            assert!(
                hits > PAIRINGS * 9 / 10,
                "{first:?} without {left_out:?}: {hits}"
            );
        }
    }
}
