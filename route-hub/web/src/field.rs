//! One parameter with its name, read as the type that an operation expects.

use crate::error::ApiError;
use crate::node::{Node, brackets};
use crate::shape::{Kind, Later, Member};
use postrider_model::UnixMs;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Most seconds that a timestamp may have: the year 9999.
const TIMESTAMP_MAX: f64 = 253_402_300_799.0;
/// Integers that every JSON reader keeps exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

/// Most characters of an id: the specification's 34.
const ID_CHARS_MAX: usize = 34;
/// Most characters of a zone's name that are looked at.
const ZONE_CHARS_MAX: usize = 64;
/// Characters of a day, `2024-02-29`.
const DATE_CHARS: usize = 10;
/// Characters of a time of day, `08:30`.
const TIME_OF_DAY_CHARS: usize = 5;

/// The kind of what was declared with no kind of its own.
pub(crate) static ANY: Kind = Kind::Any;

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

/// One parameter, given or not; each reader checks the type, within the bounds that the parameter was
/// declared with, and names the parameter on failure.
///
/// From a query string or form everything is text: numbers and booleans are read from it, and the
/// empty text counts as not given for every type but [`string`](Self::string). From JSON the type
/// must be right. JSON's `null` counts as not given; [`is_null`](Self::is_null) tells it apart.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    path: Path<'a>,
    node: Option<&'a Node>,
    kind: &'static Kind,
}

impl<'a> Field<'a> {
    pub(crate) fn top(name: &'a str, node: Option<&'a Node>, kind: &'static Kind) -> Self {
        Self {
            path: Path::top(name),
            node,
            kind,
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

    /// Returns whether a name within it was left out, `a[]`, and is a number of ours.
    pub fn is_counted(&self) -> bool {
        matches!(self.node, Some(Node::Map(members)) if members.is_counted())
    }

    /// Makes the error that this parameter breaks a rule: `must be …`.
    pub fn refuse(&self, rule: impl fmt::Display) -> ApiError {
        ApiError::invalid_param(self.path, rule)
    }

    /// Reads a text of at most as many characters as are declared.
    ///
    /// # Errors
    /// `invalid_param` for another type or a longer text.
    pub fn string(&self) -> Result<Option<&'a str>, ApiError> {
        let chars_max = chars_max(self.kind);
        self.is_declared_as("a text", chars_max.is_some());
        self.text_within(chars_max.unwrap_or(0))
    }

    pub(crate) fn text_within(&self, max_chars: usize) -> Result<Option<&'a str>, ApiError> {
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
    pub fn required_string(&self) -> Result<&'a str, ApiError> {
        match self.string()? {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(self.refuse("is required")),
        }
    }

    /// Reads a whole number within the bounds that are declared.
    ///
    /// # Errors
    /// `invalid_param` for another type or a number outside.
    pub fn integer(&self) -> Result<Option<i64>, ApiError> {
        let Kind::Integer(low, high) = *self.kind else {
            self.is_declared_as("a whole number", false);
            return Ok(None);
        };
        self.integer_within(low, high)
    }

    pub(crate) fn integer_within(&self, low: i64, high: i64) -> Result<Option<i64>, ApiError> {
        let Some(node) = self.given() else {
            return Ok(None);
        };
        let read = match node {
            Node::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Node::Plain(text) => text.trim().parse().ok(),
            _ => None,
        };
        let value = read.ok_or_else(|| self.refuse("must be a whole number"))?;
        if !(low..=high).contains(&value) {
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

    /// Reads a decimal number, given as a number or as a text of at most as many characters as are declared.
    ///
    /// # Errors
    /// `invalid_param` for another type, or a longer text.
    pub fn decimal(&self) -> Result<Option<Cow<'a, str>>, ApiError> {
        match self.given() {
            Some(Node::Number(number)) => Ok(Some(Cow::Owned(digits(number)))),
            _ => Ok(self.string()?.map(Cow::Borrowed)),
        }
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

    /// Reads one of the words that are declared, exactly as written there; `values` says what each
    /// stands for.
    ///
    /// # Errors
    /// `invalid_param` that lists the words.
    pub fn one_of<T: Copy>(&self, values: &[(&str, T)]) -> Result<Option<T>, ApiError> {
        let has_words = matches!(self.kind, Kind::Word(words) if words.iter().eq(values.iter().map(|(word, _)| word)));
        self.is_declared_as("these words", has_words);
        self.one_of_these(values)
    }

    /// Reads one of the words that are declared, which name the values of a `T`.
    ///
    /// # Errors
    /// `invalid_param` that lists the words.
    pub fn named<T: FromStr>(&self) -> Result<Option<T>, ApiError> {
        let Kind::Word(words) = *self.kind else {
            self.is_declared_as("a word", false);
            return Ok(None);
        };
        let pairs: Vec<_> = words.iter().map(|word| (*word, *word)).collect();
        let word = self.one_of_these(&pairs)?;
        let value = word.map(str::parse).transpose();
        value.map_err(|_| self.refuse("is not one of the allowed values"))
    }

    /// As [`one_of`](Self::one_of), for words that are declared elsewhere.
    pub(crate) fn one_of_these<T: Copy>(
        &self,
        values: &[(&str, T)],
    ) -> Result<Option<T>, ApiError> {
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

    /// Reads an array of at most as many items as are declared.
    ///
    /// A form's array is what has numbers as names; the items come in their order.
    ///
    /// # Errors
    /// `invalid_param` for another type or more items.
    pub fn array(&self) -> Result<Option<Vec<Field<'a>>>, ApiError> {
        let Kind::Array(kind, max_items) = *self.kind else {
            self.is_declared_as("an array", false);
            return Ok(None);
        };
        let items = match self.given() {
            None => return Ok(None),
            Some(Node::List(items)) => items.iter().collect(),
            Some(Node::Map(members)) if !members.is_empty() => {
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
            kind,
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

    /// Refuses what no request may give here.
    ///
    /// # Errors
    /// `invalid_param` for a field that cannot be changed, and for what comes later.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        match *self.kind {
            Kind::ReadOnly if self.is_present() => Err(self.refuse("cannot be changed")),
            Kind::Later(default) if !self.is_default(default)? => {
                Err(self.refuse("is not offered by this hub yet"))
            }
            Kind::Elsewhere(rule) if !self.is_empty() => Err(self.refuse(rule)),
            _ => Ok(()),
        }
    }

    /// Says whether it is of a kind that only [`check`](Self::check) looks at.
    pub(crate) fn says_nothing_here(&self) -> bool {
        matches!(
            self.kind,
            Kind::ReadOnly | Kind::Later(_) | Kind::Elsewhere(_)
        )
    }

    fn is_default(&self, default: Later) -> Result<bool, ApiError> {
        Ok(self.is_empty()
            || match default {
                Later::Empty => false,
                Later::False => self.boolean()? == Some(false),
                Later::Text(text) => self.text_within(64)? == Some(text),
            })
    }

    /// Checks that a reader fits what was declared; where nothing is said, any does.
    fn is_declared_as(&self, what: &str, fits: bool) {
        debug_assert!(
            fits || self.is_empty(),
            "{} is declared as {what}",
            self.path
        );
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
    /// Returns the member of this name, given or not; what is not declared is not given.
    pub fn get(&self, name: &'a str) -> Field<'a> {
        let given = match self.field.node {
            Some(Node::Map(members)) => members.get(name),
            _ => None,
        };
        let Some(node) = given else {
            return self.member(name, None, &ANY);
        };
        let kind = self.kind_of(name);
        debug_assert!(kind.is_some(), "{}[{name}] is declared", self.field.path);
        match kind {
            Some(kind) => self.member(name, Some(node), kind),
            None => self.member(name, None, &ANY),
        }
    }

    /// Refuses members that no request may give.
    ///
    /// # Errors
    /// `invalid_param` for a member that cannot be changed, and for what comes later.
    pub fn check(&self) -> Result<(), ApiError> {
        self.members().try_for_each(|(_, field)| field.check())
    }

    fn kind_of(&self, name: &str) -> Option<&'static Kind> {
        if let Kind::Map(kind) = self.field.kind {
            return Some(kind);
        }
        let members = members_of(self.field.kind).iter();
        let found = members.into_iter().find(|member| member.name == name);
        found.map(|member| &member.kind)
    }

    /// Returns every member in the order of their names.
    pub fn members(&self) -> impl Iterator<Item = (&'a str, Field<'a>)> + use<'a, '_> {
        let members = match self.field.node {
            Some(Node::Map(members)) => Some(members),
            _ => None,
        };
        members.into_iter().flatten().map(|(name, node)| {
            let kind = self.kind_of(name).unwrap_or(&ANY);
            (name.as_str(), self.member(name, Some(node), kind))
        })
    }

    /// Returns every member by the name before its brackets: JSON may name `name[prefix]` as a query string does.
    pub fn bracketed(&self) -> impl Iterator<Item = Result<Bracketed<'a>, ApiError>> + use<'a, '_> {
        self.members().map(|(name, field)| {
            let Some(open) = name.find(['[', ']']) else {
                let steps = Vec::new();
                return Ok(Bracketed { name, steps, field });
            };
            let steps = brackets(name, open).map_err(|rule| field.refuse(rule))?;
            let name = &name[..open];
            let keys = std::iter::once(&name).chain(&steps);
            let path = keys.fold(self.field.path, |path, key| path.into(Step::Key(key)));
            let field = Field { path, ..field };
            Ok(Bracketed { name, steps, field })
        })
    }

    fn member(&self, name: &'a str, node: Option<&'a Node>, kind: &'static Kind) -> Field<'a> {
        Field {
            path: self.field.path.into(Step::Key(name)),
            node,
            kind,
        }
    }
}

/// A member of an object whose name may have brackets.
#[derive(Debug, Clone)]
pub struct Bracketed<'a> {
    /// The name before them.
    pub name: &'a str,
    /// What each of them holds.
    pub steps: Vec<&'a str>,
    /// The member.
    pub field: Field<'a>,
}

/// Returns the members that an object of a kind may have; none where their names are free.
fn members_of(kind: &'static Kind) -> &'static [Member] {
    match kind {
        Kind::Object(members) => members,
        Kind::Of(shape) => shape.members,
        _ => &[],
    }
}

/// Returns how many characters a text of a kind may have; `None` for what is no text.
fn chars_max(kind: &Kind) -> Option<usize> {
    match *kind {
        Kind::Text(chars_max) | Kind::Url(chars_max) => Some(chars_max),
        Kind::Id(_) => Some(ID_CHARS_MAX),
        Kind::Zone => Some(ZONE_CHARS_MAX),
        Kind::Date => Some(DATE_CHARS),
        Kind::TimeOfDay => Some(TIME_OF_DAY_CHARS),
        Kind::Word(words) => words.iter().map(|word| word.len()).max(),
        Kind::Later(Later::Text(text)) => Some(text.len()),
        Kind::Either(kinds) => kinds.iter().filter_map(chars_max).max(),
        _ => None,
    }
}

/// Writes a number without an exponent.
fn digits(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(fraction) if number.is_f64() => fraction.to_string(),
        _ => number.to_string(),
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
    use crate::params::{Params, Takes};

    const TEXT: Kind = Kind::Text(9);
    const INNER: Kind = Kind::Object(&[Member::new("c", TEXT, "A text.")]);
    const THINGS: Kind = Kind::Object(&[
        Member::new("to", TEXT, "A text."),
        Member::new("content", TEXT, "A text."),
        Member::new("b", Kind::Array(&INNER, 9), "Things."),
    ]);
    const TAKES: Takes = Takes {
        own: &[&[
            Member::new("to_number", TEXT, "A text."),
            Member::new("short", Kind::Text(2), "A short text."),
            Member::new("priority", Kind::Integer(1, 2), "A small number."),
            Member::new("n", Kind::Integer(1, 500), "A number."),
            Member::new("f", Kind::Integer(1, 500), "A number."),
            Member::new("big", Kind::Integer(0, i64::MAX), "A number."),
            Member::new("starred", Kind::Boolean, "Yes or no."),
            Member::new("t", Kind::Time, "A time."),
            Member::new("type", Kind::Word(&["sms", "call"]), "A word."),
            Member::new("vars", Kind::Object(&[]), "An object."),
            Member::new("label_ids", Kind::Array(&TEXT, 5), "Texts."),
            Member::new("things", Kind::Array(&THINGS, 100), "Things."),
            Member::new("few", Kind::Array(&THINGS, 2), "Things."),
        ]],
        common: &[],
    };

    fn json(body: &str) -> Params {
        let params = Params::from_parts("", Some(("application/json", body.as_bytes())));
        params.unwrap().taking(TAKES)
    }

    fn form(query: &str) -> Params {
        Params::from_parts(query, None).unwrap().taking(TAKES)
    }

    #[test]
    fn a_wrong_type_is_named() {
        let params = json(
            r#"{"to_number":5,"priority":"2","starred":"true","vars":"x","label_ids":{"a":1}}"#,
        );
        let param = |error: ApiError| error.param().map(str::to_owned);
        let string = params.get("to_number").string().unwrap_err();
        assert_eq!(
            string.to_string(),
            "invalid_param: to_number must be a string"
        );
        let integer = params.get("priority").integer().unwrap_err();
        assert_eq!(param(integer).as_deref(), Some("priority"));
        assert!(params.get("starred").boolean().is_err());
        assert!(params.get("vars").object().is_err());
        assert!(params.get("label_ids").array().is_err());
    }

    #[test]
    fn forms_carry_numbers_and_booleans_as_text() {
        assert_eq!(
            form("priority=2").get("priority").integer().unwrap(),
            Some(2)
        );
        for (text, value) in [
            ("1", Some(true)),
            ("True", Some(true)),
            ("false", Some(false)),
            ("0", Some(false)),
            ("", None),
        ] {
            let params = form(&format!("starred={text}"));
            assert_eq!(params.get("starred").boolean().unwrap(), value, "{text}");
        }
        assert_eq!(
            form("t=1.5").get("t").timestamp().unwrap(),
            Some(UnixMs(1_500))
        );
        assert!(form("starred=2").get("starred").boolean().is_err());
        let params = form("to_number=");
        let empty = params.get("to_number");
        assert_eq!(empty.string().unwrap(), Some(""));
        assert!(!empty.is_given() && empty.is_null());
    }

    #[test]
    fn null_is_not_given_but_told_apart() {
        let params = json(r#"{"to_number":null}"#);
        let (null, missing) = (params.get("to_number"), params.get("short"));
        assert_eq!(null.string().unwrap(), None);
        assert!(null.is_null() && null.is_present());
        assert!(!missing.is_null() && !missing.is_present());
    }

    #[test]
    fn ranges_and_lengths_hold() {
        let params = json(r#"{"n":501,"f":3.0,"to_number":"äöü","big":18446744073709551615}"#);
        assert!(params.get("n").integer().is_err());
        assert_eq!(params.get("f").integer().unwrap(), Some(3));
        assert!(json(r#"{"f":3.5}"#).get("f").integer().is_err());
        assert!(params.get("big").integer().is_err());
        assert_eq!(params.get("to_number").string().unwrap(), Some("äöü"));
        assert_eq!(
            json(r#"{"short":"äö"}"#).get("short").string().unwrap(),
            Some("äö")
        );
        assert!(json(r#"{"short":"äöü"}"#).get("short").string().is_err());
        assert!(params.get("to_number").required_string().is_ok());
        assert!(params.get("short").required_string().is_err());
    }

    #[test]
    fn arrays_of_forms_come_in_the_order_of_their_numbers() {
        let params = form("things[10][to]=k&things[2][to]=c&things[0][to]=a");
        let items = params.get("things").array().unwrap().unwrap();
        let to = |field: &Field<'_>| {
            let object = field.object().unwrap().unwrap();
            object.get("to").string().unwrap().map(str::to_owned)
        };
        let read: Vec<_> = items.iter().map(to).collect();
        assert_eq!(read, [Some("a".into()), Some("c".into()), Some("k".into())]);
        assert!(form("things=x").get("things").array().is_err());
        assert!(
            form("few[0]=a&few[1]=b&few[2]=c")
                .get("few")
                .array()
                .is_err()
        );
    }

    #[test]
    fn an_error_deep_inside_names_its_way() {
        let params = json(r#"{"things":[{},{"content":5}]}"#);
        let items = params.get("things").array().unwrap().unwrap();
        let object = items[1].object().unwrap().unwrap();
        let error = object.get("content").string().unwrap_err();
        assert_eq!(error.param(), Some("things[1][content]"));
    }

    #[test]
    fn an_array_within_an_array_is_named_with_both_places() {
        let params = json(r#"{"things":[{"b":[{"c":5},7]}]}"#);
        let outer = params.get("things").array().unwrap().unwrap();
        let outer = outer[0].object().unwrap().unwrap();
        let inner = outer.get("b").array().unwrap().unwrap();
        let error = inner[1].object().unwrap_err();
        assert_eq!(error.param(), Some("things[0][b][1]"));
        let inner = inner[0].object().unwrap().unwrap();
        let error = inner.get("c").string().unwrap_err();
        assert_eq!(error.param(), Some("things[0][b][0][c]"));
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
        assert_eq!(
            form("type=sms").get("type").one_of(&values).unwrap(),
            Some(1)
        );
        let error = form("type=SMS").get("type").one_of(&values).unwrap_err();
        assert_eq!(error.message(), "type must be one of: sms, call");
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
