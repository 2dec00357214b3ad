//! One parameter with its name, read as the type that an operation expects.

use crate::{error::ApiError, node::Node};
use postrider_model::UnixMs;
use std::{fmt, ops::RangeInclusive};

/// Most seconds that a timestamp may have: the year 9999.
const TIMESTAMP_MAX: f64 = 253_402_300_799.0;
/// Integers that every JSON reader keeps exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

/// Most steps of a path; what lies deeper is named by its last.
const STEPS: usize = 4;

/// Where a value stands, as an error names it: `messages[3][vars]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path<'a> {
    base: &'a str,
    steps: [Option<Step<'a>>; STEPS],
}

/// One step into an array or an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step<'a> {
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    fn top(base: &'a str) -> Self {
        Self {
            base,
            steps: [None; STEPS],
        }
    }

    /// Returns the innermost name, without the places in arrays.
    fn name(&self) -> &'a str {
        let steps = self.steps.iter().flatten();
        let key = steps.rev().find_map(|step| match step {
            Step::Key(key) => Some(*key),
            Step::Index(_) => None,
        });
        key.unwrap_or(self.base)
    }

    fn into(mut self, step: Step<'a>) -> Self {
        let free = self.steps.iter().position(Option::is_none);
        self.steps[free.unwrap_or(STEPS - 1)] = Some(step);
        self
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base)?;
        self.steps.iter().flatten().try_for_each(|step| match step {
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(key) => write!(f, "[{}]", crate::node::shorten(key)),
        })
    }
}

/// One parameter, given or not; each reader checks the type and names the parameter on failure.
///
/// From a query string or form everything is text: numbers and booleans are read from it, and the
/// empty text counts as not given for every type but [`string`](Self::string). From JSON the type
/// must be right. JSON's `null` counts as not given; [`is_null`](Self::is_null) tells it apart.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    path: Path<'a>,
    node: Option<&'a Node>,
}

impl<'a> Field<'a> {
    pub(crate) fn top(name: &'a str, node: Option<&'a Node>) -> Self {
        Self {
            path: Path::top(name),
            node,
        }
    }

    /// Returns the name as an error shows it.
    pub fn path(&self) -> Path<'a> {
        self.path
    }

    /// Returns whether there is a value other than `null`.
    pub fn is_given(&self) -> bool {
        self.given().is_some()
    }

    /// Returns whether there is JSON's `null`, or a form's empty text.
    pub fn is_null(&self) -> bool {
        match self.node {
            Some(Node::Null) => true,
            Some(Node::Plain(text)) => text.is_empty(),
            _ => false,
        }
    }

    /// Returns whether the parameter came at all, `null` included.
    pub fn is_present(&self) -> bool {
        self.node.is_some()
    }

    /// Returns whether there is nothing: not given, empty text, empty array or empty object.
    pub fn is_empty(&self) -> bool {
        match self.node {
            None | Some(Node::Null) => true,
            Some(Node::Text(text) | Node::Plain(text)) => text.is_empty(),
            Some(Node::List(items)) => items.is_empty(),
            Some(Node::Map(members)) => members.is_empty(),
            Some(Node::Bool(_) | Node::Number(_)) => false,
        }
    }

    /// Makes the error that this parameter breaks a rule: `must be …`.
    pub fn refuse(&self, rule: impl fmt::Display) -> ApiError {
        ApiError::invalid_param(self.path, rule)
    }

    /// Reads a text of at most `max_chars` characters.
    ///
    /// # Errors
    /// `invalid_param` for another type or a longer text.
    pub fn string(&self, max_chars: usize) -> Result<Option<&'a str>, ApiError> {
        match self.given_or_empty() {
            None => Ok(None),
            Some(Node::Text(text) | Node::Plain(text)) => {
                if text.len() > max_chars && text.chars().count() > max_chars {
                    let rule = format_args!("must have at most {max_chars} characters");
                    return Err(self.refuse(rule));
                }
                Ok(Some(text))
            }
            Some(_) => Err(self.refuse("must be a string")),
        }
    }

    /// Reads a text that must be given and not empty.
    ///
    /// # Errors
    /// `invalid_param` when missing or empty, and as [`string`](Self::string).
    pub fn required_string(&self, max_chars: usize) -> Result<&'a str, ApiError> {
        match self.string(max_chars)? {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(self.refuse("is required")),
        }
    }

    /// Reads a whole number within `range`.
    ///
    /// # Errors
    /// `invalid_param` for another type or a number outside.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Result<Option<i64>, ApiError> {
        let Some(node) = self.given() else {
            return Ok(None);
        };
        let read = match node {
            Node::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Node::Plain(text) => text.trim().parse().ok(),
            _ => None,
        };
        let value = read.ok_or_else(|| self.refuse("must be a whole number"))?;
        if !range.contains(&value) {
            let (low, high) = (range.start(), range.end());
            return Err(self.refuse(format_args!("must be {low} to {high}")));
        }
        Ok(Some(value))
    }

    /// Reads a number, with a fraction or without.
    ///
    /// # Errors
    /// `invalid_param` for another type, or what is no finite number.
    pub fn real(&self) -> Result<Option<f64>, ApiError> {
        let read = match self.given() {
            None => return Ok(None),
            Some(Node::Number(number)) => number.as_f64(),
            Some(Node::Plain(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let finite = read.filter(|value: &f64| value.is_finite());
        finite
            .map(Some)
            .ok_or_else(|| self.refuse("must be a number"))
    }

    /// Reads a boolean: JSON's, `1` or `0`, or a form's `1`, `0`, `true`, `false`, `True`, `False`.
    ///
    /// # Errors
    /// `invalid_param` for anything else.
    pub fn boolean(&self) -> Result<Option<bool>, ApiError> {
        let read = match self.given() {
            None => return Ok(None),
            Some(Node::Bool(value)) => Some(*value),
            Some(Node::Number(number)) => match number.as_i64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            Some(Node::Plain(text)) => match text.as_str() {
                "1" | "true" | "True" => Some(true),
                "0" | "false" | "False" => Some(false),
                _ => None,
            },
            Some(_) => None,
        };
        read.map(Some)
            .ok_or_else(|| self.refuse("must be a boolean"))
    }

    /// Reads a UNIX timestamp: seconds, whole or with a fraction, to milliseconds.
    ///
    /// # Errors
    /// `invalid_param` for another type, or a time before 1970 or after 9999.
    pub fn timestamp(&self) -> Result<Option<UnixMs>, ApiError> {
        let read = match self.given() {
            None => return Ok(None),
            Some(Node::Number(number)) => number.as_f64(),
            Some(Node::Plain(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let seconds = read.filter(|seconds| (0.0..=TIMESTAMP_MAX).contains(seconds));
        let Some(seconds) = seconds else {
            return Err(self.refuse("must be a UNIX timestamp in seconds"));
        };
        Ok(whole((seconds * 1_000.0).round()).map(UnixMs))
    }

    /// Reads one of the names that `values` lists, exactly as written there.
    ///
    /// # Errors
    /// `invalid_param` that lists the names.
    pub fn one_of<T: Copy>(&self, values: &[(&str, T)]) -> Result<Option<T>, ApiError> {
        self.one_where(values, |name, text| name == text)
    }

    /// Reads one of a few texts without regard to case, as filters compare.
    ///
    /// # Errors
    /// `invalid_param` for another.
    pub(crate) fn one_of_caseless<T: Copy>(
        &self,
        values: &[(&str, T)],
    ) -> Result<Option<T>, ApiError> {
        self.one_where(values, str::eq_ignore_ascii_case)
    }

    fn one_where<T: Copy>(
        &self,
        values: &[(&str, T)],
        is_same: impl Fn(&str, &str) -> bool,
    ) -> Result<Option<T>, ApiError> {
        let read = match self.given() {
            None => return Ok(None),
            Some(Node::Text(text) | Node::Plain(text)) => {
                values.iter().find(|(name, _)| is_same(name, text))
            }
            Some(_) => None,
        };
        match read {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
                Err(self.refuse(format_args!("must be one of: {}", names.join(", "))))
            }
        }
    }

    /// Reads an array of at most `max_items`.
    ///
    /// A form's array is what has numbers as names; the items come in their order.
    ///
    /// # Errors
    /// `invalid_param` for another type or more items.
    pub fn array(&self, max_items: usize) -> Result<Option<Vec<Field<'a>>>, ApiError> {
        let items = match self.given() {
            None => return Ok(None),
            Some(Node::List(items)) => items.iter().collect(),
            Some(Node::Map(members)) => {
                let mut numbered = Vec::with_capacity(members.len());
                for (name, node) in members {
                    let index: u32 = name.parse().map_err(|_| self.refuse("must be an array"))?;
                    numbered.push((index, node));
                }
                numbered.sort_by_key(|(index, _)| *index);
                numbered.into_iter().map(|(_, node)| node).collect()
            }
            Some(_) => return Err(self.refuse("must be an array")),
        };
        let items: Vec<&Node> = items;
        if items.len() > max_items {
            return Err(self.refuse(format_args!("must have at most {max_items} items")));
        }
        let item = |(index, node)| Field {
            path: self.path.into(Step::Index(index)),
            node: Some(node),
        };
        Ok(Some(items.into_iter().enumerate().map(item).collect()))
    }

    /// Reads an object; PHP's `[]` is the empty one.
    ///
    /// # Errors
    /// `invalid_param` for another type.
    pub fn object(&self) -> Result<Option<Object<'a>>, ApiError> {
        match self.given() {
            None => Ok(None),
            Some(Node::Map(_)) => Ok(Some(Object { field: *self })),
            Some(Node::List(items)) if items.is_empty() => Ok(Some(Object { field: *self })),
            Some(_) => Err(self.refuse("must be an object")),
        }
    }

    /// Returns the value as JSON, with a form's values as text.
    pub fn to_json(&self) -> serde_json::Value {
        self.node.map_or(serde_json::Value::Null, to_json)
    }

    fn given(&self) -> Option<&'a Node> {
        match self.node {
            Some(Node::Null) => None,
            Some(Node::Plain(text)) if text.is_empty() => None,
            other => other,
        }
    }

    fn given_or_empty(&self) -> Option<&'a Node> {
        self.node.filter(|node| !matches!(node, Node::Null))
    }
}

/// An object among the parameters.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    field: Field<'a>,
}

impl<'a> Object<'a> {
    /// Returns the member of this name, given or not; the log says so like that of a parameter.
    pub fn get(&self, name: &'a str) -> Field<'a> {
        tracing::trace!(inside = self.field.path.name(), name, "reads a parameter");
        let node = match self.field.node {
            Some(Node::Map(members)) => members.get(name),
            _ => None,
        };
        self.member(name, node)
    }

    /// Returns every member in the order of their names.
    pub fn members(&self) -> impl Iterator<Item = (&'a str, Field<'a>)> + use<'a, '_> {
        let members = match self.field.node {
            Some(Node::Map(members)) => Some(members),
            _ => None,
        };
        members
            .into_iter()
            .flatten()
            .map(|(name, node)| (name.as_str(), self.member(name, Some(node))))
    }

    fn member(&self, name: &'a str, node: Option<&'a Node>) -> Field<'a> {
        Field {
            path: self.field.path.into(Step::Key(name)),
            node,
        }
    }
}

fn whole(value: f64) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be a whole number within 53 bits"
    )]
    (value.fract() == 0.0 && value.abs() <= EXACT_MAX).then_some(value as i64)
}

fn to_json(node: &Node) -> serde_json::Value {
    match node {
        Node::Null => serde_json::Value::Null,
        Node::Bool(value) => (*value).into(),
        Node::Number(number) => number.clone().into(),
        Node::Text(text) | Node::Plain(text) => text.as_str().into(),
        Node::List(items) => items.iter().map(to_json).collect(),
        Node::Map(members) => members
            .iter()
            .map(|(name, node)| (name.clone(), to_json(node)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    fn json(body: &str) -> Params {
        Params::from_parts("", Some(("application/json", body.as_bytes()))).unwrap()
    }

    fn form(query: &str) -> Params {
        Params::from_parts(query, None).unwrap()
    }

    #[test]
    fn a_wrong_type_is_named() {
        let params = json(
            r#"{"to_number":5,"priority":"2","starred":"true","vars":"x","label_ids":{"a":1}}"#,
        );
        let param = |error: ApiError| error.param().map(str::to_owned);
        let string = params.get("to_number").string(9).unwrap_err();
        assert_eq!(
            string.to_string(),
            "invalid_param: to_number must be a string"
        );
        let integer = params.get("priority").integer(1..=2).unwrap_err();
        assert_eq!(param(integer).as_deref(), Some("priority"));
        assert!(params.get("starred").boolean().is_err());
        assert!(params.get("vars").object().is_err());
        assert!(params.get("label_ids").array(5).is_err());
    }

    #[test]
    fn forms_carry_numbers_and_booleans_as_text() {
        let params = form("p=2&a=1&b=True&c=false&d=0&e=&t=1.5");
        assert_eq!(params.get("p").integer(1..=2).unwrap(), Some(2));
        for (name, value) in [
            ("a", Some(true)),
            ("b", Some(true)),
            ("c", Some(false)),
            ("d", Some(false)),
            ("e", None),
        ] {
            assert_eq!(params.get(name).boolean().unwrap(), value, "{name}");
        }
        assert_eq!(params.get("t").timestamp().unwrap(), Some(UnixMs(1_500)));
        assert!(params.get("p").boolean().is_err());
        assert_eq!(params.get("e").string(5).unwrap(), Some(""));
        assert!(!params.get("e").is_given() && params.get("e").is_null());
    }

    #[test]
    fn null_is_not_given_but_told_apart() {
        let params = json(r#"{"a":null}"#);
        assert_eq!(params.get("a").string(5).unwrap(), None);
        assert!(params.get("a").is_null() && params.get("a").is_present());
        assert!(!params.get("b").is_null() && !params.get("b").is_present());
    }

    #[test]
    fn ranges_and_lengths_hold() {
        let params = json(r#"{"n":501,"f":3.0,"g":3.5,"s":"äöü","big":18446744073709551615}"#);
        assert!(params.get("n").integer(1..=500).is_err());
        assert_eq!(params.get("f").integer(1..=500).unwrap(), Some(3));
        assert!(params.get("g").integer(1..=500).is_err());
        assert!(params.get("big").integer(0..=i64::MAX).is_err());
        assert_eq!(params.get("s").string(3).unwrap(), Some("äöü"));
        assert!(params.get("s").string(2).is_err());
        assert!(params.get("s").required_string(3).is_ok());
        assert!(params.get("none").required_string(3).is_err());
    }

    #[test]
    fn arrays_of_forms_come_in_the_order_of_their_numbers() {
        let params = form("m[10][to]=k&m[2][to]=c&m[0][to]=a");
        let items = params.get("m").array(100).unwrap().unwrap();
        let to = |field: &Field<'_>| {
            let object = field.object().unwrap().unwrap();
            object.get("to").string(9).unwrap().map(str::to_owned)
        };
        let read: Vec<_> = items.iter().map(to).collect();
        assert_eq!(read, [Some("a".into()), Some("c".into()), Some("k".into())]);
        assert!(form("m=x").get("m").array(100).is_err());
        assert!(params.get("m").array(2).is_err());
    }

    #[test]
    fn an_error_deep_inside_names_its_way() {
        let params = json(r#"{"messages":[{},{"content":5}]}"#);
        let items = params.get("messages").array(100).unwrap().unwrap();
        let object = items[1].object().unwrap().unwrap();
        let error = object.get("content").string(10).unwrap_err();
        assert_eq!(error.param(), Some("messages[1][content]"));
    }

    #[test]
    fn an_array_within_an_array_is_named_with_both_places() {
        let params = json(r#"{"a":[{"b":[{"c":5},7]}]}"#);
        let outer = params.get("a").array(9).unwrap().unwrap();
        let outer = outer[0].object().unwrap().unwrap();
        let inner = outer.get("b").array(9).unwrap().unwrap();
        let error = inner[1].object().unwrap_err();
        assert_eq!(error.param(), Some("a[0][b][1]"));
        let inner = inner[0].object().unwrap().unwrap();
        let error = inner.get("c").string(9).unwrap_err();
        assert_eq!(error.param(), Some("a[0][b][0][c]"));
    }

    #[test]
    fn an_empty_php_array_is_an_empty_object() {
        let params = json(r#"{"vars":[]}"#);
        let object = params.get("vars").object().unwrap().unwrap();
        assert_eq!(object.members().count(), 0);
    }

    #[test]
    fn only_listed_names_pass() {
        let values = [("sms", 1), ("call", 2)];
        assert_eq!(form("t=sms").get("t").one_of(&values).unwrap(), Some(1));
        let error = form("t=SMS").get("t").one_of(&values).unwrap_err();
        assert_eq!(error.message(), "t must be one of: sms, call");
    }

    #[test]
    fn timestamps_outside_time_are_refused() {
        for value in ["-1", "1e300", "NaN", "x", "253402300800"] {
            assert!(
                form(&format!("t={value}")).get("t").timestamp().is_err(),
                "{value}"
            );
        }
    }
}
