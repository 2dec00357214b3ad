//! A route's rules as JSON, checked.

use super::{Action, Actions, Condition, IfMode, Joined, Pick, Subject, Test, TestKind, UsePhone};
use crate::vars::items_of;
use postrider_model::PhoneId;
use serde_json::{Map, Value as Json, json};
use std::fmt;

/// Most actions of a route, those within conditions included.
const ACTIONS_MAX: usize = 200;
/// How deep conditions may lie within each other.
const DEPTH_MAX: usize = 2;
/// Most phones of one offer.
const PHONES_MAX: usize = 50;
/// Most tests of one condition.
const TESTS_MAX: usize = 50;
/// The highest weight.
const WEIGHT_MAX: u64 = 1_000;
/// The longest time that a phone may be away: 30 days, in seconds.
const OFFLINE_SEC_MAX: u64 = 30 * 86_400;
/// Most characters that a test compares with.
const VALUE_LENGTH_MAX: usize = 128;

/// Says where a rule is broken, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidActions {
    /// The place below `actions`: `[2][conditions][0][value]`.
    pub place: String,
    /// What must be.
    pub rule: String,
}

impl fmt::Display for InvalidActions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rule)
    }
}

impl std::error::Error for InvalidActions {}

/// A value with its place.
#[derive(Clone)]
struct At<'a> {
    value: &'a Json,
    place: String,
}

type Read<T> = Result<T, InvalidActions>;

impl<'a> At<'a> {
    fn refuse(&self, rule: impl fmt::Display) -> InvalidActions {
        InvalidActions {
            place: self.place.clone(),
            rule: rule.to_string(),
        }
    }

    fn object(&self) -> Read<&'a Map<String, Json>> {
        let object = self.value.as_object();
        object.ok_or_else(|| self.refuse("must be an object"))
    }

    fn member(&self, name: &str) -> At<'a> {
        const NULL: &Json = &Json::Null;
        At {
            value: self.value.get(name).unwrap_or(NULL),
            place: format!("{}[{name}]", self.place),
        }
    }

    /// Refuses members that nobody knows, and those whose time has not come.
    fn only(&self, known: &[&str]) -> Read<()> {
        let mut names = self.object()?.keys();
        match names.find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                let name: String = name.chars().take(32).collect();
                let rule = format!("is not one of: {}", known.join(", "));
                Err(self.member(&name).refuse(rule))
            }
            None => Ok(()),
        }
    }

    fn items(&self, max: usize) -> Read<Vec<At<'a>>> {
        if *self.value == Json::Null {
            return Ok(Vec::new());
        }
        let items = items_of(self.value).ok_or_else(|| self.refuse("must be an array"))?;
        if items.len() > max {
            return Err(self.refuse(format_args!("must have at most {max} items")));
        }
        let item = |(at, value)| At {
            value,
            place: format!("{}[{at}]", self.place),
        };
        Ok(items.into_iter().enumerate().map(item).collect())
    }

    fn text(&self) -> Read<&'a str> {
        let text = self.value.as_str().filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| self.refuse("is required, as a string"))?;
        if text.chars().count() > VALUE_LENGTH_MAX {
            Err(self.refuse(format_args!(
                "must have at most {VALUE_LENGTH_MAX} characters"
            )))
        } else {
            Ok(text)
        }
    }

    fn number(&self, least: u64, most: u64) -> Read<Option<u32>> {
        let number = match self.value {
            Json::Null => return Ok(None),
            Json::Number(number) => number.as_u64(),
            Json::String(text) => text.parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        match number.and_then(|number| u32::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.refuse(format_args!("must be a whole number, {least} to {most}"))),
        }
    }

    /// Reads a name of an enum; `default` where nothing is said.
    fn named<T: std::str::FromStr + Copy + fmt::Display>(
        &self,
        all: &[T],
        default: Option<T>,
    ) -> Read<T> {
        let names = || {
            let names: Vec<_> = all.iter().map(ToString::to_string).collect();
            self.refuse(format_args!("must be one of: {}", names.join(", ")))
        };
        match self.value {
            Json::Null => default.ok_or_else(names),
            Json::String(text) => text.parse().map_err(|_| names()),
            _ => Err(names()),
        }
    }
}

impl Actions {
    /// Reads and checks what a caller gave.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub fn parse(json: &Json) -> Result<Self, InvalidActions> {
        let mut left = ACTIONS_MAX;
        let all = At {
            value: json,
            place: String::new(),
        };
        actions(&all, 0, &mut left).map(Self)
    }

    /// Reads what [`Self::to_json`] wrote; `None` for anything else.
    pub fn from_json(text: &str) -> Option<Self> {
        Self::parse(&serde_json::from_str(text).ok()?).ok()
    }

    /// Writes the rules as they are stored and shown.
    pub fn to_json(&self) -> String {
        Json::Array(self.0.iter().map(action_json).collect()).to_string()
    }
}

fn actions(at: &At<'_>, depth: usize, left: &mut usize) -> Read<Vec<Action>> {
    let items = at.items(ACTIONS_MAX)?;
    if items.is_empty() {
        return Err(at.refuse("must have at least one action"));
    }
    let mut read: Vec<Action> = Vec::with_capacity(items.len());
    for item in &items {
        *left = left
            .checked_sub(1)
            .ok_or_else(|| at.refuse(format_args!("must have at most {ACTIONS_MAX} in all")))?;
        item.object()?;
        let kind = item.member("type");
        read.push(match kind.value.as_str() {
            Some("use_phone") => Action::UsePhone(use_phone(item)?),
            Some("condition") => {
                let after = matches!(read.last(), Some(Action::Condition(before))
                    if before.if_mode != IfMode::Else);
                Action::Condition(condition(item, after, depth, left)?)
            }
            _ => return Err(kind.refuse("must be one of: use_phone, condition")),
        });
    }
    Ok(read)
}

fn use_phone(at: &At<'_>) -> Read<UsePhone> {
    at.only(&[
        "type",
        "phone_id",
        "phone_ids",
        "pick",
        "weights",
        "offline_sec",
    ])?;
    let (one, many) = (at.member("phone_id"), at.member("phone_ids"));
    let items = match (one.value, many.value) {
        (Json::Null, _) => many.items(PHONES_MAX)?,
        (_, Json::Null) => vec![one.clone()],
        _ => return Err(one.refuse("cannot be given together with phone_ids")),
    };
    if items.is_empty() {
        return Err(many.refuse("must name at least one phone, or phone_id one"));
    }
    let pick = at.member("pick").named(Pick::ALL, Some(Pick::First))?;
    let weights = at.member("weights");
    let weighed = weights.items(PHONES_MAX)?;
    if pick != Pick::Weight && !weighed.is_empty() {
        return Err(weights.refuse("can only be given where pick is weight"));
    }
    if !weighed.is_empty() && weighed.len() != items.len() {
        return Err(weights.refuse("must be as many as phone_ids"));
    }
    let mut phones: Vec<(PhoneId, u32)> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let id: PhoneId = item
            .text()?
            .parse()
            .map_err(|_| item.refuse("is not the id of a phone of this project"))?;
        if phones.iter().any(|(known, _)| *known == id) {
            return Err(item.refuse("is named twice"));
        }
        let weight = match weighed.get(index) {
            Some(weight) => weight
                .number(1, WEIGHT_MAX)?
                .ok_or_else(|| weight.refuse("is required"))?,
            None => 1,
        };
        phones.push((id, weight));
    }
    Ok(UsePhone {
        phones,
        pick,
        offline_sec: at.member("offline_sec").number(1, OFFLINE_SEC_MAX)?,
    })
}

fn condition(at: &At<'_>, after_if: bool, depth: usize, left: &mut usize) -> Read<Condition> {
    at.only(&["type", "conditions", "op", "if_mode", "actions"])?;
    if depth == DEPTH_MAX {
        let rule = format_args!("conditions lie at most {DEPTH_MAX} deep");
        return Err(at.refuse(rule));
    }
    let mode = at.member("if_mode");
    let if_mode = mode.named(IfMode::ALL, Some(IfMode::If))?;
    if if_mode != IfMode::If && !after_if {
        return Err(mode.refuse("must follow a condition that is not else"));
    }
    let conditions = at.member("conditions");
    let items = conditions.items(TESTS_MAX)?;
    match (if_mode, items.is_empty()) {
        (IfMode::Else, false) => {
            return Err(conditions.refuse("must be empty where if_mode is else"));
        }
        (IfMode::If | IfMode::ElseIf, true) => {
            return Err(conditions.refuse("must have at least one condition"));
        }
        _ => {}
    }
    Ok(Condition {
        if_mode,
        op: at.member("op").named(Joined::ALL, Some(Joined::Or))?,
        tests: items.iter().map(test).collect::<Result<_, _>>()?,
        actions: actions(&at.member("actions"), depth + 1, left)?,
    })
}

fn test(at: &At<'_>) -> Read<Test> {
    at.only(&["type", "variable", "value"])?;
    let kind: TestKind = at.member("type").named(TestKind::ALL, None)?;
    let variable = at.member("variable");
    let subject = if !kind.is_of_group() {
        Some(variable.named(Subject::ALL, None)?)
    } else if *variable.value == Json::Null {
        None
    } else {
        return Err(variable.refuse("is not for groups"));
    };
    Ok(Test {
        kind,
        subject,
        value: at.member("value").text()?.to_owned(),
    })
}

fn action_json(action: &Action) -> Json {
    match action {
        Action::UsePhone(offer) => {
            let ids: Vec<_> = offer.phones.iter().map(|(id, _)| id.to_string()).collect();
            let mut shown = json!({
                "type": "use_phone", "phone_ids": ids, "pick": offer.pick.as_str(),
                "offline_sec": offer.offline_sec,
            });
            if offer.pick == Pick::Weight {
                let weights: Vec<_> = offer.phones.iter().map(|(_, weight)| *weight).collect();
                shown["weights"] = json!(weights);
            }
            shown
        }
        Action::Condition(condition) => json!({
            "type": "condition",
            "if_mode": condition.if_mode.as_str(),
            "op": condition.op.as_str(),
            "conditions": condition.tests.iter().map(test_json).collect::<Vec<_>>(),
            "actions": condition.actions.iter().map(action_json).collect::<Vec<_>>(),
        }),
    }
}

fn test_json(test: &Test) -> Json {
    let mut shown = json!({ "type": test.kind.as_str(), "value": test.value });
    if let Some(subject) = test.subject {
        shown["variable"] = json!(subject.as_str());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "PN0000000000000001";
    const TWO: &str = "PN0000000000000002";

    fn refused(json: Json) -> String {
        Actions::parse(&json).unwrap_err().place
    }

    #[test]
    fn rules_read_back_as_they_were_written() {
        let json = json!([
            { "type": "condition", "op": "and", "conditions": [
                { "type": "starts_with", "variable": "to_number", "value": "+254" },
                { "type": "contact_is_in_group", "value": "GR0000000000000001" },
            ], "actions": [{ "type": "use_phone", "phone_id": ONE, "offline_sec": 60 }] },
            { "type": "condition", "if_mode": "else", "actions": [
                { "type": "use_phone", "phone_ids": [ONE, TWO], "pick": "weight", "weights": [3, 1] },
            ] },
            { "type": "use_phone", "phone_ids": [TWO], "pick": "shortest_queue" },
        ]);
        let read = Actions::parse(&json).unwrap();
        assert_eq!(Actions::from_json(&read.to_json()), Some(read.clone()));
        assert_eq!(read.phones().len(), 2);
        assert_eq!(
            read.groups().into_iter().collect::<Vec<_>>(),
            ["GR0000000000000001"]
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let within = |action: Json| json!([{ "type": "use_phone", "phone_id": ONE }, action]);
        let condition = |test: Json| {
            within(json!({ "type": "condition", "conditions": [test],
                "actions": [{ "type": "use_phone", "phone_id": ONE }] }))
        };
        for (json, place) in [
            (json!(null), ""),
            (json!([]), ""),
            (json!({}), ""),
            (json!(["x"]), "[0]"),
            (json!([{ "type": "send" }]), "[0][type]"),
            (within(json!({ "type": "use_phone" })), "[1][phone_ids]"),
            (
                within(json!({ "type": "use_phone", "phone_id": "CT1" })),
                "[1][phone_id]",
            ),
            (
                within(json!({ "type": "use_phone", "phone_id": ONE, "phone_ids": [TWO] })),
                "[1][phone_id]",
            ),
            (
                within(json!({ "type": "use_phone", "phone_ids": [ONE, ONE] })),
                "[1][phone_ids][1]",
            ),
            (
                within(json!({ "type": "use_phone", "phone_id": ONE, "pick": "best" })),
                "[1][pick]",
            ),
            (
                within(json!({ "type": "use_phone", "phone_id": ONE, "weights": [1] })),
                "[1][weights]",
            ),
            (
                within(
                    json!({ "type": "use_phone", "phone_id": ONE, "pick": "weight", "weights": [0] }),
                ),
                "[1][weights][0]",
            ),
            (
                within(
                    json!({ "type": "use_phone", "phone_id": ONE, "pick": "weight", "weights": [1, 1] }),
                ),
                "[1][weights]",
            ),
            (
                within(json!({ "type": "use_phone", "phone_id": ONE, "offline_sec": 0 })),
                "[1][offline_sec]",
            ),
            (
                within(json!({ "type": "use_phone", "phone_id": ONE, "offline": 5 })),
                "[1][offline]",
            ),
            (within(json!({ "type": "condition" })), "[1][conditions]"),
            (
                within(json!({ "type": "condition", "if_mode": "else" })),
                "[1][if_mode]",
            ),
            (
                condition(json!({ "type": "is" })),
                "[1][conditions][0][variable]",
            ),
            (
                condition(json!({ "type": "like" })),
                "[1][conditions][0][type]",
            ),
            (
                condition(json!({ "type": "is", "variable": "to_number" })),
                "[1][conditions][0][value]",
            ),
            (
                condition(
                    json!({ "type": "is", "variable": "to_number", "value": "1".repeat(129) }),
                ),
                "[1][conditions][0][value]",
            ),
            (
                condition(
                    json!({ "type": "contact_is_in_group", "variable": "country", "value": "x" }),
                ),
                "[1][conditions][0][variable]",
            ),
        ] {
            assert_eq!(refused(json.clone()), place, "{json}");
        }
        let mut deep = json!([{ "type": "use_phone", "phone_id": ONE }]);
        for _ in 0..3 {
            let test = json!({ "type": "is", "variable": "country", "value": "KE" });
            deep = json!([{ "type": "condition", "conditions": [test], "actions": deep }]);
        }
        assert_eq!(refused(deep), "[0][actions][0][actions][0]");
        let many: Vec<_> = (0..=ACTIONS_MAX)
            .map(|_| json!({ "type": "use_phone", "phone_id": ONE }))
            .collect();
        assert_eq!(refused(json!(many)), "");
    }
}
