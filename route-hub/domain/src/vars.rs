//! Custom variables and the rules of the specification's "Limits".

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value as Json;
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// Most variables of one object.
pub(crate) const VARS_MAX: usize = 100;
/// Most characters of a variable's name.
pub(crate) const NAME_LENGTH_MAX: usize = 32;
/// Most bytes of a variable's text.
pub(crate) const VALUE_BYTES_MAX: usize = 4096;

/// The value of a custom variable.
#[derive(Debug, Clone, PartialEq)]
pub enum VarValue {
    /// A text of at most 4096 bytes.
    Text(String),
    /// A number, as it was written.
    Number(serde_json::Number),
    /// A truth value.
    Flag(bool),
}

/// An object's custom variables, in the order of their names.
///
/// Prints the names alone: values are the customer's.
#[derive(Clone, PartialEq, Default)]
pub struct Vars(BTreeMap<String, VarValue>);

/// A checked change: `None` deletes a variable.
#[derive(Clone, PartialEq, Default)]
pub struct VarsChange(BTreeMap<String, Option<VarValue>>);

/// Says which variable breaks which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidVars {
    /// Not an object.
    NotAnObject,
    /// More than 100 would be kept.
    TooMany,
    /// A name of other characters, or of none or more than 32.
    Name {
        /// The name, cut to what may be shown.
        name: String,
    },
    /// An array or an object.
    Nested {
        /// The variable.
        name: String,
    },
    /// A text of more than 4096 bytes.
    TooLong {
        /// The variable.
        name: String,
    },
}

impl InvalidVars {
    /// Returns the parameter to name in an error: `vars` or `vars[name]`.
    pub fn param(&self) -> String {
        match self {
            Self::NotAnObject | Self::TooMany => "vars".to_owned(),
            Self::Name { name } | Self::Nested { name } | Self::TooLong { name } => {
                format!("vars[{name}]")
            }
        }
    }
}

impl fmt::Display for InvalidVars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("vars must be an object"),
            Self::TooMany => write!(f, "an object holds at most {VARS_MAX} variables"),
            Self::Name { .. } => write!(
                f,
                "a variable's name has 1 to {NAME_LENGTH_MAX} characters of a-z, A-Z, 0-9 and _"
            ),
            Self::Nested { .. } => {
                f.write_str("a variable holds a string, a number or a boolean, nothing nested")
            }
            Self::TooLong { .. } => {
                write!(
                    f,
                    "a variable holds at most {VALUE_BYTES_MAX} bytes of text"
                )
            }
        }
    }
}

impl std::error::Error for InvalidVars {}

impl VarsChange {
    /// Reads and checks what a caller gave; `null` and an empty array change nothing.
    ///
    /// # Errors
    /// The first rule that is broken, with the variable's name.
    pub fn parse(json: &Json) -> Result<Self, InvalidVars> {
        match json {
            Json::Null => Ok(Self::default()),
            Json::Array(items) if items.is_empty() => Ok(Self::default()),
            Json::Object(members) => {
                if members.len() > VARS_MAX {
                    return Err(InvalidVars::TooMany);
                }
                let change = members
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), check(name, value)?)))
                    .collect::<Result<_, _>>()?;
                Ok(Self(change))
            }
            _ => Err(InvalidVars::NotAnObject),
        }
    }

    /// Says whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what a variable is set to; `None` when it is not, or deleted.
    pub fn get(&self, name: &str) -> Option<&VarValue> {
        self.0.get(name)?.as_ref()
    }

    /// Lays `over` upon this change: its variables win.
    #[must_use]
    pub fn overlaid(mut self, over: Self) -> Self {
        self.0.extend(over.0);
        self
    }
}

fn check(name: &str, value: &Json) -> Result<Option<VarValue>, InvalidVars> {
    if !is_name(name) {
        let name = name.chars().take(NAME_LENGTH_MAX).collect();
        return Err(InvalidVars::Name { name });
    }
    match value {
        Json::Null => Ok(None),
        Json::Bool(flag) => Ok(Some(VarValue::Flag(*flag))),
        Json::Number(number) => Ok(Some(VarValue::Number(number.clone()))),
        Json::String(text) if text.len() > VALUE_BYTES_MAX => Err(InvalidVars::TooLong {
            name: name.to_owned(),
        }),
        Json::String(text) => Ok(Some(VarValue::Text(text.clone()))),
        Json::Array(_) | Json::Object(_) => Err(InvalidVars::Nested {
            name: name.to_owned(),
        }),
    }
}

/// Says whether a text may name a variable: `^[A-Za-z0-9_]{1,32}$`.
pub fn is_name(name: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Vars {
    /// Applies a change.
    ///
    /// # Errors
    /// [`InvalidVars::TooMany`] when more than 100 would be kept; nothing has changed then.
    pub fn apply(&mut self, change: VarsChange) -> Result<(), InvalidVars> {
        let gone = |(name, value): &(&String, &Option<VarValue>)| {
            value.is_none() && self.0.contains_key(*name)
        };
        let added = |(name, value): &(&String, &Option<VarValue>)| {
            value.is_some() && !self.0.contains_key(*name)
        };
        let kept = self.0.len() + change.0.iter().filter(added).count()
            - change.0.iter().filter(gone).count();
        if kept > VARS_MAX {
            return Err(InvalidVars::TooMany);
        }
        for (name, value) in change.0 {
            match value {
                Some(value) => self.0.insert(name, value),
                None => self.0.remove(&name),
            };
        }
        Ok(())
    }

    /// Makes the variables of a new object.
    pub fn from_change(change: VarsChange) -> Self {
        let changes = change.0.into_iter();
        Self(
            changes
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        )
    }

    /// Takes a variable away.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Returns one variable.
    pub fn get(&self, name: &str) -> Option<&VarValue> {
        self.0.get(name)
    }

    /// Iterates in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &VarValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns them as a JSON object.
    pub fn to_value(&self) -> Json {
        let members = self.iter().map(|(name, value)| {
            let value = match value {
                VarValue::Text(text) => Json::String(text.clone()),
                VarValue::Number(number) => Json::Number(number.clone()),
                VarValue::Flag(flag) => Json::Bool(*flag),
            };
            (name.to_owned(), value)
        });
        Json::Object(members.collect())
    }

    /// Writes them as the JSON that is stored.
    pub fn to_json(&self) -> Cow<'static, str> {
        if self.is_empty() {
            Cow::Borrowed("{}")
        } else {
            Cow::Owned(self.to_value().to_string())
        }
    }

    /// Reads what [`Self::to_json`] wrote; `None` for anything else.
    pub fn from_json(text: &str) -> Option<Self> {
        if text == "{}" {
            return Some(Self::default());
        }
        let value = serde_json::from_str(text).ok()?;
        Some(Self::from_change(VarsChange::parse(&value).ok()?))
    }
}

impl Serialize for Vars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}

impl Serialize for VarValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

impl<'de> Deserialize<'de> for Vars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let change = VarsChange::parse(&Json::deserialize(deserializer)?);
        change.map(Self::from_change).map_err(de::Error::custom)
    }
}

impl fmt::Debug for Vars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl fmt::Debug for VarsChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Returns the items of an array; a form's array is an object with numbers as names.
pub(crate) fn items_of(value: &Json) -> Option<Vec<&Json>> {
    match value {
        Json::Array(items) => Some(items.iter().collect()),
        Json::Object(members) if !members.is_empty() => {
            let numbered = members.iter();
            let numbered = numbered.map(|(name, item)| Some((name.parse::<u32>().ok()?, item)));
            let numbered = numbered.collect::<Option<BTreeMap<_, _>>>()?;
            Some(numbered.into_values().collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn change(json: Json) -> VarsChange {
        VarsChange::parse(&json).unwrap()
    }

    fn refusal(json: Json) -> (String, InvalidVars) {
        let error = VarsChange::parse(&json).unwrap_err();
        (error.param(), error)
    }

    #[test]
    fn an_error_names_the_parameter() {
        let (param, error) = refusal(json!({"good": 1, "bad": [1]}));
        assert_eq!(param, "vars[bad]");
        assert!(matches!(error, InvalidVars::Nested { .. }));
        assert_eq!(refusal(json!({"deep": {"a": 1}})).0, "vars[deep]");
        let long = "é".repeat(VALUE_BYTES_MAX / 2);
        assert!(VarsChange::parse(&json!({"fits": long})).is_ok());
        let (param, error) = refusal(json!({"long": long + "x"}));
        assert_eq!(param, "vars[long]");
        assert!(matches!(error, InvalidVars::TooLong { .. }));
        for name in ["", "a-b", "a b", "ä", &"a".repeat(33), "a\u{0}"] {
            let (param, error) = refusal(json!({name: 1}));
            assert!(param.len() <= NAME_LENGTH_MAX * 4 + 6, "{param}");
            assert!(matches!(error, InvalidVars::Name { .. }), "{name}");
        }
        assert_eq!(refusal(json!("text")).0, "vars");
        assert_eq!(refusal(json!([1])).0, "vars");
        assert_eq!(refusal(json!(true)).1, InvalidVars::NotAnObject);
    }

    #[test]
    fn the_values_that_may_be_kept_are() {
        let vars = Vars::from_change(change(json!({
            "text": "x", "int": 7, "real": 1.5, "yes": true, "no": false, "gone": null,
        })));
        assert_eq!(vars.len(), 5);
        let expected = json!({"int": 7, "no": false, "real": 1.5, "text": "x", "yes": true});
        assert_eq!(vars.to_value(), expected);
        assert_eq!(Vars::from_json(&vars.to_json()), Some(vars));
        for nothing in [json!(null), json!([]), json!({})] {
            assert!(change(nothing).is_empty());
        }
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name_and_null_deletes() {
        let mut vars = Vars::from_change(change(json!({"a": 1, "b": 2, "c": 3})));
        vars.apply(change(json!({"b": "new", "c": null, "d": true, "e": null})))
            .unwrap();
        assert_eq!(vars.to_value(), json!({"a": 1, "b": "new", "d": true}));
    }

    #[test]
    fn a_hundred_are_kept_and_one_more_changes_nothing() {
        let many = |from: usize, to: usize| {
            let members = (from..to).map(|index| (format!("v{index}"), json!(index)));
            change(Json::Object(members.collect()))
        };
        let mut vars = Vars::from_change(many(0, VARS_MAX));
        let before = vars.clone();
        assert_eq!(vars.apply(many(100, 101)), Err(InvalidVars::TooMany));
        assert_eq!(vars, before);
        vars.apply(change(json!({"v0": null, "new": 1}))).unwrap();
        assert_eq!(vars.len(), VARS_MAX);
        let (param, error) = refusal(Json::Object(
            (0..=VARS_MAX)
                .map(|index| (format!("v{index}"), json!(1)))
                .collect(),
        ));
        assert_eq!((param.as_str(), error), ("vars", InvalidVars::TooMany));
    }

    #[test]
    fn values_do_not_print() {
        let vars = Vars::from_change(change(json!({"name": "Ann Example"})));
        assert_eq!(format!("{vars:?}"), r#"{"name"}"#);
    }

    fn any_value() -> impl Strategy<Value = Json> {
        prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            (-1e15..1e15_f64).prop_map(Json::from),
            ".{0,40}".prop_map(Json::from),
            Just(json!([])),
            Just(json!({"a": 1})),
        ]
    }

    proptest! {
        #[test]
        fn applying_is_the_same_as_merging_plain_objects(
            first in proptest::collection::btree_map("[A-Za-z0-9_]{1,4}", any_value(), 0..60),
            second in proptest::collection::btree_map("[A-Za-z0-9_]{1,4}", any_value(), 0..60),
        ) {
            let valid = |members: &BTreeMap<String, Json>| {
                members.values().all(|value| !value.is_array() && !value.is_object())
            };
            let object = |members: &BTreeMap<String, Json>| {
                Json::Object(members.clone().into_iter().collect())
            };
            let parsed = VarsChange::parse(&object(&first));
            prop_assert_eq!(parsed.is_ok(), valid(&first));
            let Ok(initial) = parsed else { return Ok(()) };
            let mut vars = Vars::from_change(initial);
            let Ok(change) = VarsChange::parse(&object(&second)) else { return Ok(()) };
            let mut merged = first;
            merged.extend(second);
            merged.retain(|_, value| !value.is_null());
            let fits = merged.len() <= VARS_MAX;
            prop_assert_eq!(vars.apply(change).is_ok(), fits);
            if fits {
                prop_assert_eq!(vars.to_value(), object(&merged));
                prop_assert_eq!(Vars::from_json(&vars.to_json()), Some(vars));
            }
        }
    }
}
