//! Relative schedules against a plain rule: who has which date, is in the group and is known of,
//! gets each message once.

use super::run;
use crate::support::{Client, TestHub, hub, id};
use hub_app::schedules::fire;
use hub_app::schedules::relative::follow;
use postrider_model::Now;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// Few, so that much happens to each.
const CONTACTS: usize = 2;
/// The number that the first of several contacts stands for.
const SHARED: &str = "+15005550140";
/// 2100-01-01 in UTC.
const DAY_ONE: i64 = 4_102_444_800;
const DAY: i64 = 86_400;
/// 09:30.
const TIME_OF_DAY: i64 = 34_200;
/// How long a moment may have passed when it is first known, and still be sent.
const JUST_PASSED: i64 = 60;

#[derive(Debug, Clone)]
enum Step {
    /// A date so many days from today, or none.
    Date(usize, Option<i64>),
    Member(usize, bool),
    Number(usize, bool),
    Delete(usize),
    /// Moves one of the relative schedules by so many days.
    Shift(usize, i64),
    Wait(i64),
    Follow,
    Fire,
    FollowAndFire,
}

/// Whom a relative schedule is for, and how often each of them gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    to: To,
    times: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Group,
    First,
    Shared,
}

const RULES: [Rule; 4] = [
    Rule {
        to: To::Group,
        times: 1,
    },
    Rule {
        to: To::Group,
        times: 3,
    },
    Rule {
        to: To::First,
        times: 2,
    },
    Rule {
        to: To::Shared,
        times: 1,
    },
];

/// A contact in memory.
#[derive(Debug, Clone, Default)]
struct Person {
    gone: bool,
    /// A moment of the day that it is.
    date: Option<i64>,
    member: bool,
    shared: bool,
    /// Whether it changed since the hub looked.
    stale: bool,
}

/// What a rule has for a contact.
#[derive(Debug, Clone, Default)]
struct Due {
    start: Option<i64>,
    next: Option<i64>,
    sent: Option<i64>,
    count: usize,
}

/// The rules and contacts in memory.
struct Model {
    now: i64,
    people: Vec<Person>,
    offsets: [i64; RULES.len()],
    /// Whether a rule changed since the hub looked.
    changed: [bool; RULES.len()],
    due: BTreeMap<(usize, usize), Due>,
}

impl Model {
    fn new() -> Self {
        Self {
            now: DAY_ONE + TIME_OF_DAY - DAY / 2,
            people: vec![Person::default(); CONTACTS],
            offsets: [0; RULES.len()],
            changed: [true; RULES.len()],
            due: BTreeMap::new(),
        }
    }

    fn is_for(&self, rule: Rule, who: usize) -> bool {
        match rule.to {
            To::Group => self.people[who].member,
            To::First => who == 0,
            To::Shared => {
                let has_it = |person: &Person| !person.gone && person.shared;
                self.people.iter().position(has_it) == Some(who)
            }
        }
    }

    fn start(&self, rule: usize, who: usize) -> Option<i64> {
        let person = &self.people[who];
        let is_for = !person.gone && self.is_for(RULES[rule], who);
        let date = person.date.filter(|_| is_for)?;
        Some(date + TIME_OF_DAY + self.offsets[rule] * DAY)
    }

    fn follow(&mut self) {
        let any_stale = self.people.iter().any(|person| person.stale);
        for (rule, of) in RULES.iter().enumerate() {
            for who in 0..CONTACTS {
                let by_others = of.to == To::Shared && any_stale;
                if !(self.people[who].stale || self.changed[rule] || by_others) {
                    continue;
                }
                let (start, now) = (self.start(rule, who), self.now);
                let due = self.due.entry((rule, who)).or_default();
                if due.start != start {
                    due.start = start;
                    due.next = moments(rule, start).find(|at| {
                        *at >= now - JUST_PASSED && due.sent.is_none_or(|sent| *at > sent)
                    });
                }
            }
        }
        self.people
            .iter_mut()
            .for_each(|person| person.stale = false);
        self.changed = [false; RULES.len()];
    }

    fn fire(&mut self) {
        for ((rule, who), due) in &mut self.due {
            let Some(next) = due.next.filter(|next| *next <= self.now) else {
                continue;
            };
            if !self.changed[*rule] && !self.people[*who].stale {
                due.count += 1;
                due.sent = Some(next);
                due.next = moments(*rule, due.start).find(|at| *at > self.now);
            }
        }
    }

    /// How many messages of each rule each contact has.
    fn sent(&self) -> BTreeMap<(usize, usize), usize> {
        let sent = self.due.iter().filter(|(_, due)| due.count > 0);
        sent.map(|(pair, due)| (*pair, due.count)).collect()
    }
}

/// When a rule sends to whom it has this start.
fn moments(rule: usize, start: Option<i64>) -> impl Iterator<Item = i64> {
    let start = start.into_iter();
    start.flat_map(move |start| (0..RULES[rule].times).map(move |nth| start + nth * DAY))
}

/// A hub, and the same in memory.
struct Twin {
    test: TestHub,
    client: Client,
    model: Model,
    group: String,
    contacts: Vec<String>,
    relatives: Vec<String>,
}

impl Twin {
    async fn new() -> Self {
        let test = hub().await;
        let client = test.client();
        let group = id(&client.post("groups", json!({ "name": "Guests" })).await);
        let mut contacts = Vec::new();
        for who in 0..CONTACTS {
            contacts.push(id(&client
                .post("contacts", json!({ "phone_number": number(who) }))
                .await));
        }
        let mut relatives = Vec::new();
        for (index, rule) in RULES.iter().enumerate() {
            let mut body = json!({
                "content": index.to_string(), "time_of_day": "09:30", "date_variable": "due",
                "rrule": format!("FREQ=DAILY;COUNT={}", rule.times),
            });
            match rule.to {
                To::Group => body["group_id"] = group.clone().into(),
                To::First => body["contact_id"] = contacts[0].clone().into(),
                To::Shared => body["to_number"] = SHARED.into(),
            }
            relatives.push(id(&client.post("relative_scheduled", body).await));
        }
        Self {
            test,
            client,
            model: Model::new(),
            group,
            contacts,
            relatives,
        }
    }

    fn now(&self) -> Now {
        Now::new(self.test.hub.now().boot.0, self.model.now * 1_000)
    }

    async fn take(&mut self, step: &Step) {
        match *step {
            Step::Wait(seconds) => self.model.now += seconds,
            Step::Follow => self.follow().await,
            Step::FollowAndFire => {
                self.follow().await;
                self.fire().await;
            }
            Step::Fire => self.fire().await,
            Step::Shift(rule, days) => {
                self.model.offsets[rule] = days;
                self.model.changed[rule] = true;
                let path = format!("relative_scheduled/{}", self.relatives[rule]);
                self.client
                    .post(&path, json!({ "offset_count": days }))
                    .await;
            }
            Step::Date(who, _)
            | Step::Member(who, _)
            | Step::Number(who, _)
            | Step::Delete(who) => {
                if !self.model.people[who].gone {
                    self.change(who, step).await;
                }
            }
        }
    }

    async fn follow(&mut self) {
        self.model.follow();
        let now = self.now();
        while follow::step_all(&self.test.hub, now).await.expect("a step") > 0 {}
    }

    async fn fire(&mut self) {
        self.model.fire();
        let fired = fire::all_due(&self.test.hub, self.now());
        fired.await.expect("a tick");
    }

    async fn change(&mut self, who: usize, step: &Step) {
        let today = self.model.now - self.model.now.rem_euclid(DAY);
        let person = &mut self.model.people[who];
        let before = person.clone();
        let path = format!("contacts/{}", self.contacts[who]);
        let (method, path, body) = match *step {
            Step::Date(_, days) => {
                person.date = days.map(|days| today + days * DAY);
                (
                    "POST",
                    path,
                    Some(json!({ "vars": { "due": person.date } })),
                )
            }
            Step::Number(_, shared) => {
                person.shared = shared;
                let number = if shared {
                    SHARED.to_owned()
                } else {
                    number(who)
                };
                ("POST", path, Some(json!({ "phone_number": number })))
            }
            Step::Member(_, joins) => {
                person.member = joins;
                let path = format!("groups/{}/{path}", self.group);
                (if joins { "PUT" } else { "DELETE" }, path, None)
            }
            _ => {
                person.gone = true;
                ("DELETE", path, None)
            }
        };
        let differs = before.date != person.date
            || before.member != person.member
            || before.shared != person.shared
            || person.gone;
        person.stale |= differs;
        self.client.call(method, &path, body).await.ok();
    }

    /// How many messages of each rule each contact has in the hub.
    async fn sent(&self) -> BTreeMap<(usize, usize), usize> {
        let mut sent = BTreeMap::new();
        let list = self.client.get("messages?page_size=500").await;
        for message in list["data"].as_array().expect("a list") {
            let of = |contact: &String| message["contact_id"] == contact.as_str();
            let who = self.contacts.iter().position(of).expect("one of them");
            let rule = message["content"]
                .as_str()
                .and_then(|text| text.parse().ok());
            *sent.entry((rule.expect("a rule"), who)).or_default() += 1;
        }
        sent
    }
}

fn number(who: usize) -> String {
    format!("+1500555015{who}")
}

async fn each_once(steps: Vec<Step>) {
    let mut twin = Twin::new().await;
    for (index, step) in steps.iter().enumerate() {
        twin.take(step).await;
        if matches!(step, Step::Fire | Step::FollowAndFire) {
            let done = &steps[..=index];
            assert_eq!(twin.sent().await, twin.model.sent(), "after {done:?}");
        }
    }
}

/// Draws what happens; what is changed is mostly followed at once.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = || 0..CONTACTS;
    let waits = vec![5, 5, 20, 70, DAY / 2, DAY / 2, DAY / 2, DAY];
    let step = prop_oneof![
        6 => (who(), proptest::option::weighted(0.8, 0_i64..3)).prop_map(|(who, day)| Step::Date(who, day)),
        4 => (who(), any::<bool>()).prop_map(|(who, joins)| Step::Member(who, joins)),
        3 => (who(), any::<bool>()).prop_map(|(who, shared)| Step::Number(who, shared)),
        1 => who().prop_map(Step::Delete),
        1 => (0..RULES.len(), -1_i64..2).prop_map(|(rule, days)| Step::Shift(rule, days)),
        5 => proptest::sample::select(waits).prop_map(Step::Wait),
        4 => Just(Step::Follow),
        3 => Just(Step::Fire),
        6 => Just(Step::FollowAndFire),
    ];
    proptest::collection::vec(step, 20..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_relative_schedule_sends_to_whom_the_rule_says_each_moment_once(steps in steps()) {
        run(each_once(steps));
    }
}

#[test]
fn a_moment_that_was_passed_over_stays_so_when_its_contact_is_looked_at_again() {
    let late = vec![
        Step::Date(0, Some(1)),
        Step::Member(0, true),
        Step::Follow,
        Step::Wait(DAY / 2 + 2 * DAY),
        Step::Fire,
        Step::Number(0, true),
        Step::FollowAndFire,
    ];
    run(each_once(late));
}

#[test]
fn who_leaves_and_comes_back_in_the_minute_of_the_last_moment_gets_that_one() {
    let steps = vec![
        Step::Date(0, Some(1)),
        Step::Member(0, true),
        Step::Follow,
        Step::Wait(DAY / 2 + 2 * DAY),
        Step::Fire,
        Step::Member(0, false),
        Step::Follow,
        Step::Member(0, true),
        Step::FollowAndFire,
        Step::Member(0, false),
        Step::Follow,
        Step::Wait(5),
        Step::Member(0, true),
        Step::FollowAndFire,
    ];
    run(each_once(steps));
}
