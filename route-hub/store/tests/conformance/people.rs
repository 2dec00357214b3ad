//! Lists of contacts against a plain model: filters of every kind, together and alone, in every
//! order, page by page while others come and go; dynamic groups, which are such lists; and how a
//! contact is found among many that end alike.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, id};
use hub_domain::{Contact, FieldOwner, Group, GroupFilters, Vars, VarsChange, fold};
use hub_store::contacts::{Known, by};
use hub_store::fields::Fields;
use hub_store::groups::Moves;
use hub_store::list::{Column, Filter, ListQuery, Marker, Op, Operand, Sort};
use hub_store::{Store, StoreError, Tx, contacts, groups, leftovers};
use postrider_model::{ContactId, GroupId, UnixMs};
use serde_json::json;
use std::cmp::Ordering;
use std::collections::BTreeSet;

const PROJECT: i64 = 10;
const NAMES: [&str; 6] = ["Ann", "ann b", "Bob", "Änne", "Straße", "zed"];
/// Senders that are names: they are compared without regard to case.
const SENDERS: [&str; 4] = ["GOOGLE", "Google", "google7", "BANK"];
const CITIES: [&str; 4] = ["Oslo", "oslo ", "Bergen", "7"];
/// More than a list fetches and sorts at once, so that every way to the rows is gone.
const CONTACTS: i64 = 1_300;

/// A contact with the groups it is in.
#[derive(Clone)]
struct Person {
    contact: Contact,
    groups: BTreeSet<i64>,
}

/// Numbers that look random and are the same each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        let at = self.below(of.len() as u64);
        of[usize::try_from(at).unwrap()]
    }
}

fn person(draw: &mut Draw, key: i64) -> Person {
    let number = match draw.below(20) {
        0 => draw.one(&SENDERS).to_owned(),
        _ => format!("+1500555{:04}", key % 10_000),
    };
    let mut contact = sample::contact(key, PROJECT, &number);
    contact.name = (draw.below(4) > 0).then(|| draw.one(&NAMES).to_owned());
    contact.send_blocked = draw.below(5) == 0;
    contact.last_message_time =
        (draw.below(3) > 0).then(|| UnixMs(i64::try_from(draw.below(9_000)).unwrap()));
    contact.incoming_message_count = i64::try_from(draw.below(4)).unwrap();
    let mut vars = json!({ "unique": key });
    if draw.below(3) > 0 {
        vars["city"] = draw.one(&CITIES).into();
    }
    if draw.below(2) > 0 {
        vars["age"] = draw.below(50).into();
    }
    if draw.below(4) == 0 {
        vars["member"] = (draw.below(2) == 0).into();
    }
    contact.vars = Vars::from_change(VarsChange::parse(&vars).unwrap());
    let mut groups = BTreeSet::new();
    if draw.below(2) == 0 {
        groups.insert(7);
    }
    if draw.below(100) == 0 {
        groups.insert(8);
    }
    Person { contact, groups }
}

fn store_all(store: &Store, people: &[Person]) {
    let people = people.to_vec();
    let stored = store.write_blocking(move |tx| {
        let mut fields = Fields::new(id(PROJECT), FieldOwner::Contact, UnixMs(0));
        let mut moves = Moves::default();
        for person in &people {
            contacts::create(tx, &mut fields, &person.contact)?;
            for group in &person.groups {
                moves.join(tx, id(*group), person.contact.id, UnixMs(0))?;
            }
        }
        moves.finish(tx)
    });
    stored.unwrap();
}

fn crowd<B: Backend>(backend: &B) -> (Store, Vec<Person>) {
    let store = backend.open();
    let made: Result<_, StoreError> = store.write_blocking(|tx| {
        for key in [7, 8] {
            let name = format!("Group {key}");
            groups::insert(tx, &Group::new(id(key), id(PROJECT), &name, UnixMs(0)))?;
        }
        Ok(())
    });
    made.unwrap();
    let mut draw = Draw(1);
    let people: Vec<Person> = (1..=CONTACTS).map(|n| person(&mut draw, n * 10)).collect();
    store_all(&store, &people);
    (store, people)
}

/// What a filter means, said once more without SQL.
fn lets_through(person: &Person, filter: &Filter) -> bool {
    let contact = &person.contact;
    match filter {
        Filter::Compare {
            column,
            op,
            operand,
        } => {
            let number = |value: i64| Value::Number(value as f64);
            let value = match *column {
                by::NAME => contact.name.as_deref().map(|name| Value::Text(fold(name))),
                by::PHONE_NUMBER => {
                    let own = contact.phone_number.as_ref();
                    own.map(|own| Value::Text(fold(own.as_str())))
                }
                by::LAST_MESSAGE_TIME => {
                    let time = contact.last_message_time;
                    time.map(|time| number(time.0.div_euclid(1_000) * 1_000))
                }
                by::INCOMING_MESSAGE_COUNT => Some(number(contact.incoming_message_count)),
                by::SEND_BLOCKED => Some(number(contact.send_blocked.into())),
                _ => panic!("no such column in the model"),
            };
            compares(value.as_ref(), *op, operand)
        }
        Filter::Variable { name, op, operand } => {
            let vars = contact.vars.to_value();
            let value = vars.get(name).map(|value| match (value, operand) {
                (value, Operand::Real(_)) => {
                    let text = value.as_str().map(|text| text.trim().parse::<f64>().ok());
                    let flag = value.as_bool().map(|flag| Some(f64::from(u8::from(flag))));
                    let number = text.or(flag).unwrap_or_else(|| value.as_f64());
                    number.map_or(Value::Text(String::new()), Value::Number)
                }
                (serde_json::Value::String(text), _) => Value::Text(fold(text)),
                (value, _) => Value::Text(value.to_string()),
            });
            compares(value.as_ref(), *op, operand)
        }
        Filter::Linked { holder, wanted, .. } => person.groups.contains(holder) == *wanted,
        Filter::Words(words) => {
            let vars = contact.vars.to_value();
            let vars = vars.as_object().into_iter().flat_map(|vars| vars.values());
            let vars = vars.map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
            let number = contact
                .phone_number
                .iter()
                .map(|own| own.as_str().to_owned());
            let all: Vec<_> = contact
                .name
                .iter()
                .cloned()
                .chain(number)
                .chain(vars)
                .collect();
            let stands = |word: &String| all.iter().any(|own| fold(own).contains(&fold(word)));
            words.iter().all(stands)
        }
        _ => panic!("no such filter in the model"),
    }
}

enum Value {
    Text(String),
    Number(f64),
}

fn compares(value: Option<&Value>, op: Op, operand: &Operand) -> bool {
    let order = match (value, operand) {
        (Some(Value::Text(own)), Operand::Text(text)) => Some(own.as_str().cmp(&fold(text))),
        (Some(Value::Number(own)), Operand::Int(value)) => own.partial_cmp(&(*value as f64)),
        (Some(Value::Number(own)), Operand::Real(value)) => own.partial_cmp(value),
        (Some(Value::Number(own)), Operand::Flag(flag)) => {
            own.partial_cmp(&f64::from(u8::from(*flag)))
        }
        _ => None,
    };
    let begins = match (value, operand) {
        (Some(Value::Text(own)), Operand::Text(text)) => own.starts_with(&fold(text)),
        _ => false,
    };
    let wanted = *operand == Operand::Flag(true);
    match op {
        Op::Eq => order == Some(Ordering::Equal),
        Op::Ne => order != Some(Ordering::Equal),
        Op::Gte | Op::Min => order.is_some_and(Ordering::is_ge),
        Op::Gt => order.is_some_and(Ordering::is_gt),
        Op::Lt | Op::Max => order.is_some_and(Ordering::is_lt),
        Op::Lte => order.is_some_and(Ordering::is_le),
        Op::Prefix => begins,
        Op::NotPrefix => !begins,
        Op::Exists => value.is_some() == wanted,
        Op::Null => value.is_none() == wanted,
    }
}

const TEXT_OPS: [Op; 8] = [
    Op::Eq,
    Op::Ne,
    Op::Prefix,
    Op::NotPrefix,
    Op::Gte,
    Op::Gt,
    Op::Lt,
    Op::Lte,
];

fn filter(draw: &mut Draw) -> Filter {
    let text = |text: &str| Operand::Text(text.to_owned());
    let compare = |column: Column, op, operand| Filter::new(column, op, operand);
    let variable = |name: &str, op, operand| Filter::Variable {
        name: name.to_owned(),
        op,
        operand,
    };
    match draw.below(11) {
        0 => compare(
            by::NAME,
            draw.one(&TEXT_OPS),
            text(draw.one(&["ANN", "b", "än", "s"])),
        ),
        1 => {
            let number = match draw.below(2) {
                0 => draw.one(&["google", "Google", "b", "GOOGLE7"]).to_owned(),
                _ => format!("+1500555{:04}", draw.below(1_400) * 10),
            };
            compare(by::PHONE_NUMBER, draw.one(&TEXT_OPS), text(&number))
        }
        2 => {
            let second = i64::try_from(draw.below(9)).unwrap() * 1_000;
            let op = draw.one(&[Op::Min, Op::Max]);
            compare(by::LAST_MESSAGE_TIME, op, Operand::Int(second))
        }
        3 => {
            let count = i64::try_from(draw.below(4)).unwrap();
            let op = draw.one(&[Op::Eq, Op::Ne, Op::Min, Op::Max]);
            compare(by::INCOMING_MESSAGE_COUNT, op, Operand::Int(count))
        }
        4 => compare(by::SEND_BLOCKED, Op::Eq, Operand::Flag(draw.below(2) == 0)),
        5 => variable(
            "city",
            draw.one(&TEXT_OPS),
            text(draw.one(&["oslo", "B", "7", "x"])),
        ),
        6 => {
            let age = f64::from(u32::try_from(draw.below(50)).unwrap());
            variable("age", draw.one(&[Op::Min, Op::Max]), Operand::Real(age))
        }
        7 => {
            let name = draw.one(&["city", "age", "member", "nobody_has_it"]);
            variable(name, Op::Exists, Operand::Flag(draw.below(2) == 0))
        }
        8 => {
            let key = (draw.below(1_400) * 10).to_string();
            variable("unique", draw.one(&[Op::Eq, Op::Ne]), text(&key))
        }
        9 => Filter::Words(vec![draw.one(&["GOOG", "le7", "nk", "555"]).to_owned()]),
        _ => Filter::Linked {
            link: by::GROUP,
            holder: draw.one(&[7, 8, 9]),
            wanted: draw.below(3) > 0,
        },
    }
}

fn expected(people: &[Person], query: &ListQuery) -> Vec<i64> {
    let mut found: Vec<&Person> = people
        .iter()
        .filter(|person| {
            query
                .filters
                .iter()
                .all(|filter| lets_through(person, filter))
        })
        .collect();
    let name = |person: &Person| person.contact.name.as_deref().map(fold);
    let number = |person: &Person| person.contact.phone_number.clone();
    let time = |person: &Person| person.contact.last_message_time;
    let key = |person: &Person| person.contact.id;
    if query.sort == Sort::by(by::NAME) {
        found.sort_by_key(|person| (name(person), key(person)));
    } else if query.sort == Sort::by(by::PHONE_NUMBER) {
        found.sort_by_key(|person| (number(person), key(person)));
    } else if query.sort == Sort::by(by::LAST_MESSAGE_TIME) {
        found.sort_by_key(|person| (time(person), key(person)));
    }
    if query.descending {
        found.reverse();
    }
    found.iter().map(|person| key(person).get()).collect()
}

fn query(draw: &mut Draw) -> ListQuery {
    let filters = (0..draw.below(4)).map(|_| filter(draw)).collect();
    let sorts = [
        Sort::BY_ID,
        Sort::BY_ID,
        Sort::by(by::NAME),
        Sort::by(by::PHONE_NUMBER),
        Sort::by(by::LAST_MESSAGE_TIME),
    ];
    ListQuery {
        filters,
        sort: draw.one(&sorts),
        descending: draw.below(2) == 0,
        page_size: 500,
        ..ListQuery::default()
    }
}

fn page(store: &Store, query: &ListQuery) -> (Vec<i64>, Option<String>) {
    let query = query.clone();
    let page = store.read_blocking(move |tx| contacts::list(tx, id(PROJECT), &query));
    let page = page.unwrap();
    let keys = page.rows.iter().map(|contact| contact.id.get()).collect();
    (keys, page.next_marker.filter(|_| page.truncated))
}

fn all_pages(store: &Store, query: &ListQuery) -> Vec<i64> {
    let (mut query, mut all) = (query.clone(), Vec::new());
    loop {
        let (keys, marker) = page(store, &query);
        all.extend(keys);
        match marker {
            Some(marker) => {
                query.marker = Marker::read(&marker, query.sort, query.descending).ok();
            }
            None => return all,
        }
    }
}

pub(crate) fn lists_of_contacts_agree_with_a_plain_model<B: Backend>() {
    let backend = B::fresh();
    let (store, people) = crowd(&backend);
    let mut draw = Draw(2);
    for round in 0..400 {
        let query = query(&mut draw);
        let expected = expected(&people, &query);
        assert_eq!(all_pages(&store, &query), expected, "{round}: {query:?}");
        let counted = {
            let query = query.clone();
            store.read_blocking(move |tx| contacts::count(tx, id(PROJECT), &query))
        };
        assert_eq!(
            counted.unwrap(),
            expected.len() as u64,
            "{round}: {query:?}"
        );
    }
}

pub(crate) fn pages_of_contacts_miss_and_repeat_nobody_who_stays<B: Backend>() {
    let backend = B::fresh();
    let (store, people) = crowd(&backend);
    let mut draw = Draw(3);
    let mut next_key = 5;
    for round in 0..25 {
        let mut asked = query(&mut draw);
        asked.page_size = 40;
        let stay: Vec<i64> = expected(&people, &asked);
        let mut seen = Vec::new();
        let mut query = asked.clone();
        loop {
            let (keys, marker) = page(&store, &query);
            seen.extend(keys);
            let Some(marker) = marker else { break };
            query.marker = Marker::read(&marker, query.sort, query.descending).ok();
            let guest = person(&mut draw, next_key);
            let guest_id = guest.contact.id;
            store_all(&store, &[guest]);
            if draw.below(2) == 0 {
                let gone = store.write_blocking(move |tx| {
                    contacts::delete(tx, id(PROJECT), guest_id, UnixMs(9))
                });
                assert!(gone.unwrap());
            }
            next_key += 10;
        }
        let once: BTreeSet<i64> = seen.iter().copied().collect();
        assert_eq!(
            once.len(),
            seen.len(),
            "{round}: somebody came twice: {asked:?}"
        );
        seen.retain(|key| key % 10 == 0);
        assert_eq!(seen, stay, "{round}: {asked:?}");
    }
}

pub(crate) fn a_dynamic_group_is_the_list_of_its_conditions<B: Backend>() {
    let backend = B::fresh();
    let (store, mut people) = crowd(&backend);
    let filters = json!({
        "vars.city": { "prefix": "OSLO" }, "vars.age": { "gte": 10, "lt": 40 },
        "group": "CG0000000000000007", "not_group": "CG0000000000000008", "send_blocked": false,
    });
    let group_id: GroupId = id(9);
    let made = store.write_blocking(move |tx| {
        let mut group = Group::new(group_id, id(PROJECT), "Dynamic", UnixMs(0));
        group.filters = GroupFilters::parse(&filters).ok();
        groups::insert(tx, &group)
    });
    made.unwrap();
    let is_in = |person: &Person| {
        let vars = person.contact.vars.to_value();
        let city = vars.get("city").and_then(|city| city.as_str());
        let age = vars.get("age").and_then(serde_json::Value::as_i64);
        city.is_some_and(|city| fold(city).starts_with("oslo"))
            && age.is_some_and(|age| (10..40).contains(&age))
            && person.groups.contains(&7)
            && !person.groups.contains(&8)
            && !person.contact.send_blocked
    };
    let mut draw = Draw(4);
    for round in 0..60 {
        let listed = ListQuery {
            filters: vec![Filter::within(by::GROUP, group_id.get())],
            page_size: 500,
            ..ListQuery::default()
        };
        let members = people.iter().filter(|person| is_in(person));
        let members: Vec<i64> = members.map(|person| person.contact.id.get()).collect();
        assert_eq!(all_pages(&store, &listed), members, "after {round} changes");
        let counted: Result<_, StoreError> = store.read_blocking(move |tx| {
            let group = groups::get(tx, id(PROJECT), group_id)?.unwrap();
            let (mut count, mut above) = (0, i64::MIN);
            loop {
                let step = contacts::count_among(tx, &group, above, 7)?;
                count += step.count;
                match step.up_to {
                    Some(up_to) => above = up_to,
                    None => return Ok(count),
                }
            }
        });
        assert_eq!(counted.unwrap(), members.len() as u64, "in steps");
        let at = usize::try_from(draw.below(CONTACTS as u64)).unwrap();
        let anew = person(&mut draw, people[at].contact.id.get());
        let before = std::mem::replace(&mut people[at], anew.clone());
        let changed = store.write_blocking(move |tx| {
            let mut fields = Fields::new(id(PROJECT), FieldOwner::Contact, UnixMs(0));
            contacts::change(tx, &mut fields, &before.contact, &anew.contact)?;
            let mut moves = Moves::default();
            for group in before.groups.difference(&anew.groups) {
                moves.leave(tx, id(*group), anew.contact.id)?;
            }
            for group in anew.groups.difference(&before.groups) {
                moves.join(tx, id(*group), anew.contact.id, UnixMs(0))?;
            }
            moves.finish(tx)
        });
        changed.unwrap();
    }
    let counted = store.read_blocking(|tx| groups::get(tx, id(PROJECT), id(7)));
    let in_it = people.iter().filter(|person| person.groups.contains(&7));
    assert_eq!(counted.unwrap().unwrap().num_members, in_it.count() as i64);
}

pub(crate) fn however_many_contacts_end_alike_the_very_number_is_found<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let number = sample::address("+15005550009");
        let found = |tx: &mut Tx<'_>| {
            let by_number = contacts::find_by_number(tx, id(10), &number)?;
            let to_send_to = contacts::find_to_send_to(tx, id(10), &number)?;
            Ok::<_, StoreError>([by_number, to_send_to].map(|found| found.map(|it| it.id.get())))
        };
        for key in [3, 7, 8] {
            let mut contact = sample::contact(key, 10, number.as_str());
            contact.send_blocked = key > 3;
            contacts::insert(tx, &contact)?;
        }
        assert_eq!(found(tx)?, [Some(3), Some(7)]);
        for key in 100..200 {
            contacts::insert(tx, &sample::contact(key, 10, "5005550009"))?;
        }
        assert_eq!(found(tx)?, [Some(3), Some(7)]);
        let alike = sample::address("05005550009");
        assert_eq!(contacts::find_by_number(tx, id(10), &alike)?, None);
        Ok(())
    });
}

pub(crate) fn contacts_looked_up_together_are_those_found_one_by_one<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, project, typed) in [
            (1, 10, "+15005550001"),
            (2, 10, "5005550002"),
            (3, 10, "+15005550003"),
            (4, 10, "+15005550003"),
            (5, 11, "+15005550005"),
        ] {
            let mut contact = sample::contact(key, project, typed);
            contact.send_blocked = key == 4;
            contacts::insert(tx, &contact)?;
        }
        for key in 100..200 {
            let number = format!("+1500555{}", key + 1_000);
            contacts::insert(tx, &sample::contact(key, 10, &number))?;
            contacts::insert(tx, &sample::contact(key + 100, 10, "5005550009"))?;
        }
        let few = 1..10;
        let numbers = few.map(|end| format!("+1500555000{end}"));
        let numbers = numbers.chain((1_050..1_250).map(|end| format!("+1500555{end}")));
        let numbers: Vec<_> = numbers.map(|text| sample::address(&text)).collect();
        let ids = [1, 5, 150, 999].map(id);
        let mut known = Known::default();
        known.look_up_numbers(tx, id(10), &numbers)?;
        known.look_up(tx, id(10), ids)?;
        for number in &numbers {
            let alone = contacts::find_by_number(tx, id(10), number)?;
            assert_eq!(known.find_by_number(tx, id(10), number)?, alone);
            let alone = contacts::find_to_send_to(tx, id(10), number)?;
            assert_eq!(known.find_to_send_to(tx, id(10), number)?, alone);
        }
        for one in ids {
            assert_eq!(known.get(tx, id(10), one)?, contacts::get(tx, id(10), one)?);
        }
        Ok(())
    });
}

pub(crate) fn what_was_looked_up_together_follows_its_job_alone<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let [old, new] = ["+15005550001", "+15005550002"].map(sample::address);
        let first = sample::contact(1, 10, old.as_str());
        contacts::insert(tx, &first)?;
        let mut known = Known::default();
        known.look_up_numbers(tx, id(10), [&old, &new])?;
        known.look_up(tx, id(10), [id(1)])?;
        contacts::delete(tx, id(10), id(1), UnixMs(9))?;
        let mut found = |known: &Known, number| {
            let found = known.find_to_send_to(tx, id(10), number)?;
            Ok::<_, StoreError>(found.map(|contact| contact.id.get()))
        };
        assert_eq!(found(&known, &old)?, Some(1), "it is not looked up again");
        known.made(&sample::contact(3, 10, new.as_str()));
        assert_eq!(found(&known, &new)?, Some(3));
        let mut changed = first.clone();
        changed.phone_number = Some(new.clone());
        known.changed(&first, &changed);
        assert_eq!(found(&known, &old)?, None);
        assert_eq!(found(&known, &new)?, Some(1), "the oldest comes first");
        assert_eq!(known.get(tx, id(10), id(1))?, Some(changed));
        Ok(())
    });
}

/// A group of many is gone at once; its pairs go in steps, each of which is bounded.
pub(crate) fn a_large_group_is_gone_at_once_and_its_members_go_in_steps<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let (group, member): (GroupId, ContactId) = (id(9), id(1_000_001));
    write(&store, move |tx| {
        groups::insert(tx, &Group::new(group, id(PROJECT), "Large", UnixMs(0)))?;
        let mut moves = Moves::default();
        for key in 1_000_001..1_002_001 {
            moves.join(tx, group, id(key), UnixMs(0))?;
        }
        moves.finish(tx)
    });
    let left = |store: &Store| {
        write(store, move |tx| {
            groups::members_after(tx, group, 0, 5_000).map(|members| members.len())
        })
    };
    assert!(write(&store, move |tx| groups::delete(
        tx,
        id(PROJECT),
        group,
        UnixMs(9)
    )));
    assert_eq!(write(&store, move |tx| groups::of_contact(tx, member)), []);
    let (mut before, mut steps) = (left(&store), 0);
    assert!((1_500..2_000).contains(&before), "{before} are left");
    while write(&store, leftovers::purge).more {
        let now = left(&store);
        assert!(before - now <= 500, "{} in one step", before - now);
        (before, steps) = (now, steps + 1);
    }
    assert_eq!((left(&store), steps > 3), (0, true));
}
