//! Conditions as callers give them: an object of keys, each with a value or an object of comparisons.

use crate::code::coded;
use crate::is_variable;
use postrider_model::UnixMs;
use serde_json::{Map, Value as Json};
use std::fmt;

/// Most conditions that hold together.
const CONDITIONS_MAX: usize = 50;
/// Said of more of them.
const TOO_MANY: &str = "must have at most 50 conditions";
/// Said of what says nothing.
const EMPTY: &str = "must not be empty";
/// Longest text of a condition, in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 4096;

coded! {
    /// How a condition compares.
    Compare {
        /// Equal.
        Eq = "eq" / 1,
        /// Not equal, or not there.
        Ne = "ne" / 2,
        /// Begins with.
        Prefix = "prefix" / 3,
        /// At least.
        Gte = "gte" / 4,
        /// Below.
        Lt = "lt" / 5,
        /// Above.
        Gt = "gt" / 6,
        /// At most.
        Lte = "lte" / 7,
        /// Is there.
        Exists = "exists" / 8,
        /// Is not there.
        NotExists = "not_exists" / 9,
    }
}

/// What a condition compares with.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// A text; of a variable, compared by letters.
    Text(String),
    /// A number; of a variable, compared as numbers.
    Number(f64),
    /// A whole number, a key or a code.
    Whole(i64),
    /// A moment.
    Time(UnixMs),
    /// A truth value.
    Flag(bool),
}

/// Something compared with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<S> {
    /// What.
    pub subject: S,
    /// How.
    pub compare: Compare,
    /// With what.
    pub term: Term,
}

/// What a subject may be compared with.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// Whatever a custom variable holds.
    Any,
    /// A text.
    Text,
    /// A phone number, or the name of a sender.
    Address,
    /// An id, or a name that is stored as a code.
    Key {
        /// Reads it.
        read: fn(&str) -> Option<i64>,
        /// What it must be.
        rule: &'static str,
        /// Whether one may be above another.
        ordered: bool,
    },
    /// A whole number.
    Whole,
    /// A moment in seconds.
    Time,
    /// A truth value.
    Flag,
}

/// What the conditions of one kind of thing look at.
pub trait Subject: Clone {
    /// Said of a key that is none.
    const UNKNOWN: &'static str;

    /// Returns a custom variable.
    fn variable(name: &str) -> Self;

    /// Returns what a key names, apart from variables.
    fn named(key: &str) -> Option<Self>;

    /// Says what it may be compared with.
    fn takes(&self) -> Takes;
}

/// Where conditions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A caller. What says nothing is refused: it would let everything through, or nothing.
    Caller,
    /// The database, which has what was taken once.
    Stored,
}

/// A condition that can be read.
pub trait ReadCondition: Sized {
    /// Reads what one key says.
    ///
    /// # Errors
    /// The place behind the key, and the rule.
    fn read(key: &str, value: &Json, origin: Origin, out: &mut Vec<Self>) -> Result<(), Refused>;
}

/// A place behind a key, and the rule that is broken there.
pub(crate) type Refused = (String, &'static str);

/// Conditions, as they were given and as they are meant; all hold together.
#[derive(Clone, PartialEq)]
pub struct Filters<C> {
    json: Map<String, Json>,
    conditions: Vec<C>,
}

impl<C> fmt::Debug for Filters<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.json.keys()).finish()
    }
}

/// Says which condition breaks which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidFilters {
    /// The place, as a parameter is named behind `filters`: `[name][gte]`.
    pub place: String,
    /// The rule.
    pub rule: &'static str,
}

impl fmt::Display for InvalidFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule)
    }
}

impl std::error::Error for InvalidFilters {}

impl<C: ReadCondition> Filters<C> {
    /// Reads conditions as callers give them.
    ///
    /// # Errors
    /// [`InvalidFilters`] with the place of the first that cannot be taken.
    pub fn parse(json: &Json) -> Result<Self, InvalidFilters> {
        Self::read(json, Origin::Caller)
    }

    fn read(json: &Json, origin: Origin) -> Result<Self, InvalidFilters> {
        let at_all = |rule| InvalidFilters {
            place: String::new(),
            rule,
        };
        let Json::Object(members) = json else {
            return Err(at_all("must be an object"));
        };
        let mut conditions = Vec::new();
        for (key, value) in members {
            let refused = |(place, rule)| InvalidFilters {
                place: format!("[{}]{place}", key.chars().take(64).collect::<String>()),
                rule,
            };
            C::read(key, value, origin, &mut conditions).map_err(refused)?;
        }
        if conditions.is_empty() {
            return Err(at_all("must have at least one condition"));
        }
        if conditions.len() > CONDITIONS_MAX {
            return Err(at_all(TOO_MANY));
        }
        Ok(Self {
            json: members.clone(),
            conditions,
        })
    }

    /// Returns the first place of stored conditions that says nothing, which is refused of a caller: it lets
    /// everything through, or nothing.
    pub fn says_nothing(&self) -> Option<InvalidFilters> {
        Self::read(&self.to_value(), Origin::Caller).err()
    }

    /// Reads what [`Self::to_value`] shows, in the text that is stored.
    pub fn from_json(text: &str) -> Option<Self> {
        Self::read(&serde_json::from_str(text).ok()?, Origin::Stored).ok()
    }
}

impl<C> Filters<C> {
    /// Returns the conditions, all of which hold.
    pub fn conditions(&self) -> &[C] {
        &self.conditions
    }

    /// Returns them as they were given.
    pub fn to_value(&self) -> Json {
        Json::Object(self.json.clone())
    }
}

impl<S: Subject> ReadCondition for Comparison<S> {
    fn read(key: &str, value: &Json, origin: Origin, out: &mut Vec<Self>) -> Result<(), Refused> {
        if key == "vars" {
            let Json::Object(variables) = value else {
                return Err(here("must be an object"));
            };
            if origin == Origin::Caller && variables.is_empty() {
                return Err(here(EMPTY));
            }
            for (name, value) in variables {
                let inside = |(place, rule)| (format!("[{name}]{place}"), rule);
                read_variable(name, value, origin, out).map_err(inside)?;
            }
            return Ok(());
        }
        match key.strip_prefix("vars.") {
            Some(name) => read_variable(name, value, origin, out),
            None => {
                let subject = S::named(key).ok_or_else(|| here(S::UNKNOWN))?;
                read_comparisons(&subject, value, origin, out)
            }
        }
    }
}

pub(crate) fn here(rule: &'static str) -> Refused {
    (String::new(), rule)
}

fn read_variable<S: Subject>(
    name: &str,
    value: &Json,
    origin: Origin,
    out: &mut Vec<Comparison<S>>,
) -> Result<(), Refused> {
    if !is_variable(name) {
        return Err(here("is not the name of a variable"));
    }
    read_comparisons(&S::variable(name), value, origin, out)
}

fn read_comparisons<S: Subject>(
    subject: &S,
    value: &Json,
    origin: Origin,
    out: &mut Vec<Comparison<S>>,
) -> Result<(), Refused> {
    let mut push = |compare, value| {
        let takes = subject.takes();
        let term = term(takes, compare, value).map_err(here)?;
        if origin == Origin::Caller {
            check_says_something(takes, &term).map_err(here)?;
        }
        out.push(Comparison {
            subject: subject.clone(),
            compare,
            term,
        });
        Ok(())
    };
    let Json::Object(comparisons) = value else {
        return push(Compare::Eq, value);
    };
    if comparisons.is_empty() {
        return Err(here("must be a value or a comparison"));
    }
    for (name, value) in comparisons {
        let place = || format!("[{}]", name.chars().take(32).collect::<String>());
        let compare = name.parse().map_err(|_| (place(), "is not a comparison"))?;
        push(compare, value).map_err(|(_, rule)| (place(), rule))?;
    }
    Ok(())
}

fn term(takes: Takes, compare: Compare, value: &Json) -> Result<Term, &'static str> {
    if matches!(compare, Compare::Exists | Compare::NotExists) {
        return flag(value).map(Term::Flag).ok_or("must be a truth value");
    }
    let only_equal = match compare {
        Compare::Eq | Compare::Ne => Ok(()),
        _ => Err("can only be equal or not"),
    };
    let no_prefix = match compare {
        Compare::Prefix => Err("does not begin with anything"),
        _ => Ok(()),
    };
    match takes {
        Takes::Any => match value {
            Json::Number(number) if compare != Compare::Prefix => {
                let number = number.as_f64().filter(|number| number.is_finite());
                number.map(Term::Number).ok_or("must be a number")
            }
            Json::Bool(flag) => Ok(Term::Text(flag.to_string())),
            value => text(value).map(Term::Text),
        },
        Takes::Text | Takes::Address => text(value).map(Term::Text),
        Takes::Key {
            read,
            rule,
            ordered,
        } => {
            if ordered { no_prefix } else { only_equal }?;
            value.as_str().and_then(read).map(Term::Whole).ok_or(rule)
        }
        Takes::Whole => {
            no_prefix?;
            whole(value)
                .map(Term::Whole)
                .ok_or("must be a whole number")
        }
        Takes::Time => {
            no_prefix?;
            let seconds = whole(value).filter(|seconds| (0..=253_402_300_799).contains(seconds));
            seconds
                .map(|seconds| Term::Time(UnixMs(seconds * 1_000)))
                .ok_or("must be a UNIX timestamp in seconds")
        }
        Takes::Flag => {
            only_equal?;
            flag(value).map(Term::Flag).ok_or("must be a truth value")
        }
    }
}

fn check_says_something(takes: Takes, term: &Term) -> Result<(), &'static str> {
    match (takes, term) {
        (_, Term::Text(text)) if text.trim().is_empty() => Err(EMPTY),
        (Takes::Address, Term::Text(text)) if !text.contains(char::is_alphanumeric) => {
            Err("must have a digit or a letter")
        }
        _ => Ok(()),
    }
}

fn text(value: &Json) -> Result<String, &'static str> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return Err("must be a text"),
    };
    if text.len() > TEXT_BYTES_MAX {
        return Err("must have at most 4096 bytes");
    }
    Ok(text)
}

fn flag(value: &Json) -> Option<bool> {
    match value {
        Json::Bool(flag) => Some(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        Json::String(text) => match text.as_str() {
            "1" | "true" | "True" => Some(true),
            "0" | "false" | "False" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn whole(value: &Json) -> Option<i64> {
    match value {
        Json::Number(number) => number.as_i64(),
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
