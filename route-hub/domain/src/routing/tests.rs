//! The decision against a plain model, and by examples.

use super::*;
use postrider_model::PhoneId;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn phone(n: i64) -> PhoneId {
    PhoneId::from_i64(n).unwrap()
}

fn rules(json: Value) -> Actions {
    Actions::parse(&json).unwrap()
}

fn states(all: &[(i64, Ability, u64)]) -> BTreeMap<PhoneId, PhoneState> {
    let state = |(n, ability, queue): &(i64, Ability, u64)| {
        let state = PhoneState {
            ability: *ability,
            queue: *queue,
        };
        (phone(*n), state)
    };
    all.iter().map(state).collect()
}

fn facts<'a>(
    to_number: &'a str,
    country: Option<&'a str>,
    groups: &'a BTreeSet<String>,
) -> Facts<'a> {
    Facts {
        to_number,
        country,
        message_type: "sms",
        groups,
    }
}

fn of_country(country: &str, n: i64, mode: &str) -> Value {
    let test = json!({ "type": "is", "variable": "country", "value": country });
    let conditions = if mode == "else" {
        json!([])
    } else {
        json!([test])
    };
    json!({ "type": "condition", "if_mode": mode, "conditions": conditions,
        "actions": [{ "type": "use_phone", "phone_id": phone(n) }] })
}

fn first_phone(actions: &Actions, facts: &Facts<'_>) -> Option<i64> {
    let all: Vec<_> = (1..=9).map(|n| (n, Ability::Ready, 0)).collect();
    let choice = choose(&actions.offers(facts), &states(&all), 0);
    choice.map(|choice| choice.phone.get())
}

#[test]
fn the_arrays_of_a_form_are_arrays() {
    let id = phone(1);
    let json = json!([{ "type": "use_phone", "phone_ids": [id], "offline_sec": 60 }]);
    let form =
        json!({ "0": { "type": "use_phone", "phone_ids": { "0": id }, "offline_sec": "60" } });
    assert_eq!(rules(form), rules(json));
}

#[test]
fn a_chain_of_conditions_takes_its_first_that_holds() {
    let chain = rules(json!([
        of_country("KE", 1, "if"),
        of_country("TZ", 2, "else_if"),
        of_country("", 3, "else"),
    ]));
    let none = BTreeSet::new();
    for (country, expected) in [(Some("KE"), 1), (Some("tz"), 2), (Some("US"), 3), (None, 3)] {
        let found = first_phone(&chain, &facts("+1", country, &none));
        assert_eq!(found, Some(expected), "{country:?}");
    }
    // A new `if` begins a new chain.
    let two = rules(json!([
        of_country("KE", 1, "if"),
        of_country("US", 2, "if"),
        of_country("", 3, "else")
    ]));
    assert_eq!(first_phone(&two, &facts("+1", Some("US"), &none)), Some(2));
    let offers = two.offers(&facts("+1", Some("KE"), &none)).len();
    assert_eq!(offers, 2, "the else belongs to the second chain");
}

#[test]
fn tests_compare_numbers_types_and_groups() {
    let none = BTreeSet::new();
    let some: BTreeSet<String> = ["GR0000000000000001".to_owned()].into();
    let holds = |op: &str, tests: Value, groups: &BTreeSet<String>| {
        let condition = json!([{ "type": "condition", "op": op, "conditions": tests,
            "actions": [{ "type": "use_phone", "phone_id": phone(1) }] }]);
        first_phone(
            &rules(condition),
            &facts("+15005550100", Some("US"), groups),
        )
        .is_some()
    };
    let test =
        |kind: &str, value: &str| json!({ "type": kind, "variable": "to_number", "value": value });
    for (kind, value, expected) in [
        ("starts_with", "+1500", true),
        ("starts_with", "+2", false),
        ("does_not_start_with", "+2", true),
        ("ends_with", "0100", true),
        ("does_not_end_with", "0100", false),
        ("is", "+15005550100", true),
        ("is_not", "+15005550100", false),
    ] {
        assert_eq!(
            holds("or", json!([test(kind, value)]), &none),
            expected,
            "{kind} {value}"
        );
    }
    let both = json!([test("starts_with", "+1"), test("starts_with", "+2")]);
    assert!(holds("or", both.clone(), &none) && !holds("and", both, &none));
    let sms = json!([{ "type": "is", "variable": "message_type", "value": "SMS" }]);
    assert!(holds("or", sms, &none));
    let within = json!([{ "type": "contact_is_in_group", "value": "GR0000000000000001" }]);
    let without = json!([{ "type": "contact_not_in_group", "value": "GR0000000000000001" }]);
    assert!(holds("or", within.clone(), &some) && !holds("or", within, &none));
    assert!(holds("or", without.clone(), &none) && !holds("or", without, &some));
}

#[test]
fn a_phone_that_is_away_too_long_is_passed_over_and_taken_when_nobody_is_there() {
    let both = rules(
        json!([{ "type": "use_phone", "phone_ids": [phone(1), phone(2)], "offline_sec": 60 }]),
    );
    let none = BTreeSet::new();
    let offers = both.offers(&facts("+1", None, &none));
    let away = |for_ms| (1, Ability::Away { for_ms }, 0);
    let pick = |all: &[(i64, Ability, u64)]| {
        choose(&offers, &states(all), 0).map(|choice| (choice.phone.get(), choice.can_send))
    };
    assert_eq!(
        pick(&[away(60_000), (2, Ability::Ready, 0)]),
        Some((1, true))
    );
    assert_eq!(
        pick(&[away(60_001), (2, Ability::Ready, 0)]),
        Some((2, true))
    );
    assert_eq!(
        pick(&[away(60_001), (2, Ability::Held, 0)]),
        Some((1, false))
    );
    assert_eq!(
        pick(&[(1, Ability::Never, 0), (2, Ability::Held, 0)]),
        Some((2, false))
    );
    assert_eq!(
        pick(&[(1, Ability::Never, 0), (2, Ability::Never, 0)]),
        None
    );
    let moved =
        |all: &[(i64, Ability, u64)]| better(&offers, &states(all), phone(1), 0).map(|id| id.get());
    assert_eq!(moved(&[away(60_000), (2, Ability::Ready, 0)]), None);
    assert_eq!(moved(&[away(60_001), (2, Ability::Ready, 0)]), Some(2));
    assert_eq!(moved(&[away(60_001), (2, Ability::Held, 0)]), None);
    assert_eq!(
        moved(&[(1, Ability::Never, 0), (2, Ability::Held, 0)]),
        Some(2)
    );
}

#[test]
fn weights_share_the_draws() {
    let both = rules(
        json!([{ "type": "use_phone", "phone_ids": [phone(1), phone(2)], "pick": "weight", "weights": [3, 1] }]),
    );
    let none = BTreeSet::new();
    let offers = both.offers(&facts("+1", None, &none));
    let all = states(&[(1, Ability::Ready, 0), (2, Ability::Ready, 0)]);
    let drawn = |draw| choose(&offers, &all, draw).unwrap().phone.get();
    let first = (0..4_000).filter(|draw| drawn(*draw) == 1).count();
    assert_eq!(first, 3_000);
}

fn ability() -> impl Strategy<Value = Ability> {
    prop_oneof![
        Just(Ability::Ready),
        (0..200_000_u64).prop_map(|for_ms| Ability::Away { for_ms }),
        Just(Ability::Held),
        Just(Ability::Never),
    ]
}

fn offer() -> impl Strategy<Value = UsePhone> {
    let phones = proptest::collection::btree_map(1..6_i64, 1..5_u32, 1..5);
    let pick = prop_oneof![
        Just(Pick::First),
        Just(Pick::Weight),
        Just(Pick::ShortestQueue)
    ];
    (phones, pick, proptest::option::of(1..120_u32)).prop_map(|(phones, pick, offline_sec)| {
        UsePhone {
            phones: phones
                .into_iter()
                .map(|(n, weight)| (phone(n), weight))
                .collect(),
            pick,
            offline_sec,
        }
    })
}

proptest! {
    /// Every phone that could ever be drawn, by a model that lists them.
    #[test]
    fn a_choice_is_one_that_the_model_allows_and_the_draw_decides_alone(
        offers in proptest::collection::vec(offer(), 0..4),
        known in proptest::collection::btree_map(1..6_i64, (ability(), 0..5_u64), 0..6),
        draw: u64,
    ) {
        let all: Vec<_> = known.iter().map(|(n, (ability, queue))| (*n, *ability, *queue)).collect();
        let states = states(&all);
        let offers: Vec<_> = offers.iter().collect();
        let can = |offer: &UsePhone, id: &PhoneId| match states.get(id).map(|state| state.ability) {
            Some(Ability::Ready) => true,
            Some(Ability::Away { for_ms }) => offer.offline_sec.is_none_or(|sec| for_ms <= u64::from(sec) * 1_000),
            _ => false,
        };
        let could = |_: &UsePhone, id: &PhoneId| {
            states.get(id).is_some_and(|state| state.ability != Ability::Never)
        };
        let among = |test: &dyn Fn(&UsePhone, &PhoneId) -> bool| {
            let of = |offer: &&UsePhone| -> Vec<PhoneId> {
                let ids: Vec<_> = offer.phones.iter().map(|(id, _)| *id).filter(|id| test(offer, id)).collect();
                match offer.pick {
                    Pick::First => ids.into_iter().take(1).collect(),
                    Pick::Weight => ids,
                    Pick::ShortestQueue => {
                        let least = ids.iter().map(|id| states[id].queue).min();
                        ids.into_iter().filter(|id| Some(states[id].queue) == least).take(1).collect()
                    }
                }
            };
            offers.iter().map(of).find(|ids| !ids.is_empty()).unwrap_or_default()
        };
        let (now, ever) = (among(&can), among(&could));
        let choice = choose(&offers, &states, draw);
        prop_assert_eq!(choice, choose(&offers, &states, draw));
        match choice {
            Some(choice) if choice.can_send => prop_assert!(now.contains(&choice.phone)),
            Some(choice) => prop_assert!(now.is_empty() && ever.contains(&choice.phone)),
            None => prop_assert!(now.is_empty() && ever.is_empty()),
        }
        for n in known.keys() {
            let current = phone(*n);
            let is_good = offers.iter().any(|offer| {
                offer.phones.iter().any(|(id, _)| *id == current) && can(offer, &current)
            });
            if let Some(other) = better(&offers, &states, current, draw) {
                prop_assert!(!is_good && other != current);
                prop_assert_eq!(Some(other), choice.map(|choice| choice.phone));
            } else if !is_good && !now.is_empty() {
                prop_assert!(now.contains(&current), "somebody else can send");
            }
        }
    }

    #[test]
    fn any_json_is_read_or_refused(text in "[\\[\\]{}:,\"a-z_0-9]{0,80}") {
        if let Ok(json) = serde_json::from_str::<Value>(&text) {
            drop(Actions::parse(&json));
        }
    }
}
