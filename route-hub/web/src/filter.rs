//! Filters of lists: which parameters, of which type, with which modifiers.

use crate::error::ApiError;
use crate::field::{Bracketed, Field};
use crate::node::REPEATED;

/// Most filters of a list: each makes the statement longer, and engines refuse very long ones.
pub(crate) const FILTERS_MAX: usize = 100;

/// What a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// Text; compared without regard to case where it is compared for equality.
    Text,
    /// A phone number, or the name of a sender.
    Address,
    /// An id: text that either is the id of something or matches nothing.
    Id,
    /// A whole number.
    Integer,
    /// A UNIX timestamp in seconds; the filter carries milliseconds.
    Timestamp,
    /// A boolean.
    Boolean,
    /// One of these texts, in whatever case.
    OneOf(&'static [&'static str]),
    /// `name[key]…`: custom variables, each a text.
    Vars,
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modifier {
    /// Equal; what a filter without a modifier means.
    Eq,
    /// Not equal.
    Ne,
    /// Begins with.
    Prefix,
    /// Does not begin with.
    NotPrefix,
    /// Is there (true) or not (false).
    Exists,
    /// Is not there (true) or is (false).
    Null,
    /// Alphabetically or numerically at least.
    Gte,
    /// Above.
    Gt,
    /// Below.
    Lt,
    /// At most.
    Lte,
    /// Numerically at least.
    Min,
    /// Numerically below.
    Max,
}

impl Modifier {
    const ALL: &'static [(&'static str, Self)] = &[
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("prefix", Self::Prefix),
        ("not_prefix", Self::NotPrefix),
        ("exists", Self::Exists),
        ("null", Self::Null),
        ("gte", Self::Gte),
        ("gt", Self::Gt),
        ("lt", Self::Lt),
        ("lte", Self::Lte),
        ("min", Self::Min),
        ("max", Self::Max),
    ];

    /// The seven that compare texts, as many parameters allow them.
    pub const TEXT: &'static [Self] = &[
        Self::Ne,
        Self::Prefix,
        Self::NotPrefix,
        Self::Gte,
        Self::Gt,
        Self::Lt,
        Self::Lte,
    ];

    /// Returns the name that stands in brackets.
    pub fn as_str(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, modifier)| *modifier == self);
        found.map_or("eq", |(name, _)| *name)
    }

    fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(text, _)| *text == name);
        found.map(|(_, modifier)| *modifier)
    }
}

/// One parameter that a list can be filtered by.
#[derive(Debug, Clone, Copy)]
pub struct FilterSpec {
    /// The parameter's name.
    pub name: &'static str,
    /// What it compares.
    pub kind: FilterKind,
    /// Which modifiers it allows, besides `eq`.
    pub modifiers: &'static [Modifier],
}

/// What a filter compares with.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number, with a fraction or without.
    Real(f64),
    /// Unix milliseconds.
    Millis(i64),
    /// A boolean, also the value of `exists` and `null`.
    Boolean(bool),
}

/// One condition of a list; all of them hold together.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// The parameter's name.
    pub name: &'static str,
    /// The custom variable's name, for [`FilterKind::Vars`].
    pub key: Option<String>,
    /// How it compares.
    pub modifier: Modifier,
    /// With what.
    pub value: FilterValue,
}

impl Filter {
    /// Says whether it compares the same thing in the same way.
    fn compares_as(&self, other: &Self) -> bool {
        (self.name, &self.key, self.modifier) == (other.name, &other.key, other.modifier)
    }
}

impl FilterSpec {
    /// Reads the conditions that `field` gives, in both the nested and the flat form.
    ///
    /// # Errors
    /// `invalid_param` for a value or a modifier that the filter does not take.
    pub fn read(&self, field: Field<'_>, out: &mut Vec<Filter>) -> Result<(), ApiError> {
        let (spec, strictly) = (self, None);
        let mut reader = Reader {
            spec,
            strictly,
            out,
        };
        reader.read(field, &[])
    }

    /// Reads the conditions of an object's member. All that is given has to restrict: what says nothing
    /// must not let more through, nor must a variable that nothing can have.
    ///
    /// # Errors
    /// `invalid_param` as [`read`](Self::read), and for what is empty or given twice.
    pub fn read_strictly(
        &self,
        member: &Bracketed<'_>,
        is_variable: IsVariable,
        out: &mut Vec<Filter>,
    ) -> Result<(), ApiError> {
        let (spec, strictly, before) = (self, Some(is_variable), out.len());
        let mut reader = Reader {
            spec,
            strictly,
            out,
        };
        reader.read(member.field, &member.steps)?;
        let (old, new) = out.split_at(before);
        let repeats = |filter: &Filter| old.iter().any(|other| other.compares_as(filter));
        if !member.steps.is_empty() && new.iter().any(repeats) {
            Err(member.field.refuse(REPEATED))
        } else {
            Ok(())
        }
    }

    fn value(&self, field: Field<'_>, modifier: Modifier) -> Result<Option<FilterValue>, ApiError> {
        if matches!(modifier, Modifier::Exists | Modifier::Null) {
            return Ok(field.boolean()?.map(FilterValue::Boolean));
        }
        Ok(match self.kind {
            FilterKind::Text | FilterKind::Address | FilterKind::Id => text(field)?,
            FilterKind::Vars if matches!(modifier, Modifier::Min | Modifier::Max) => {
                field.real()?.map(FilterValue::Real)
            }
            FilterKind::Vars => variable(field)?,
            FilterKind::Integer => field
                .integer_within(i64::MIN, i64::MAX)?
                .map(FilterValue::Integer),
            FilterKind::Timestamp => field.timestamp()?.map(|at| FilterValue::Millis(at.0)),
            FilterKind::Boolean => field.boolean()?.map(FilterValue::Boolean),
            FilterKind::OneOf(names) => {
                let values: Vec<_> = names.iter().map(|name| (*name, *name)).collect();
                let found = field.one_of_caseless(&values)?;
                found.map(|name| FilterValue::Text(name.to_owned()))
            }
        })
    }
}

/// Says whether a text names a custom variable.
type IsVariable = fn(&str) -> bool;

/// Reads the conditions of one parameter.
struct Reader<'o> {
    spec: &'o FilterSpec,
    /// Where nothing may be empty: which names variables have.
    strictly: Option<IsVariable>,
    out: &'o mut Vec<Filter>,
}

impl Reader<'_> {
    /// Reads what stands behind these brackets.
    fn read(&mut self, field: Field<'_>, steps: &[&str]) -> Result<(), ApiError> {
        match (self.spec.kind, steps) {
            (FilterKind::Vars, []) => self.variables(field),
            (FilterKind::Vars, [name, steps @ ..]) => self.compared(field, Some(name), steps),
            (_, steps) => self.compared(field, None, steps),
        }
    }

    fn variables(&mut self, field: Field<'_>) -> Result<(), ApiError> {
        match field.object()? {
            Some(_) if self.strictly.is_some() && field.is_counted() => {
                Err(field.refuse("must be an object"))
            }
            Some(variables) if !field.is_empty() => {
                let mut members = variables.members();
                members.try_for_each(|(name, variable)| self.compared(variable, Some(name), &[]))
            }
            _ => self.nothing(field),
        }
    }

    fn compared(
        &mut self,
        field: Field<'_>,
        key: Option<&str>,
        steps: &[&str],
    ) -> Result<(), ApiError> {
        if let (Some(is_variable), Some(name)) = (self.strictly, key)
            && !is_variable(name)
        {
            return Err(field.refuse("is not the name of a variable"));
        }
        match steps {
            [] => match field.object() {
                Ok(Some(_)) if field.is_empty() => self.nothing(field),
                Ok(Some(modifiers)) => {
                    let mut members = modifiers.members();
                    members.try_for_each(|(name, value)| self.modified(value, key, name))
                }
                _ => self.push(field, key, Modifier::Eq),
            },
            [name] => self.modified(field, key, name),
            _ => Err(field.refuse(UNKNOWN)),
        }
    }

    fn modified(
        &mut self,
        field: Field<'_>,
        key: Option<&str>,
        name: &str,
    ) -> Result<(), ApiError> {
        let unknown = || field.refuse(UNKNOWN);
        let modifier = Modifier::named(name).ok_or_else(unknown)?;
        if modifier != Modifier::Eq && !self.spec.modifiers.contains(&modifier) {
            return Err(unknown());
        }
        self.push(field, key, modifier)
    }

    fn push(
        &mut self,
        field: Field<'_>,
        key: Option<&str>,
        modifier: Modifier,
    ) -> Result<(), ApiError> {
        let Some(value) = self.spec.value(field, modifier)? else {
            return self.nothing(field);
        };
        self.check_says_something(field, &value)?;
        if self.out.len() >= FILTERS_MAX {
            let rule = format_args!("is one too many: a list takes at most {FILTERS_MAX} filters");
            return Err(field.refuse(rule));
        }
        let filter = |modifier, value| Filter {
            name: self.spec.name,
            key: key.map(str::to_owned),
            modifier,
            value,
        };
        match (modifier, value) {
            (Modifier::Eq, FilterValue::Millis(ms)) => {
                self.out
                    .push(filter(Modifier::Min, FilterValue::Millis(ms)));
                self.out
                    .push(filter(Modifier::Max, FilterValue::Millis(ms + 1_000)));
            }
            (modifier, value) => self.out.push(filter(modifier, value)),
        }
        Ok(())
    }

    fn check_says_something(&self, field: Field<'_>, value: &FilterValue) -> Result<(), ApiError> {
        let (Some(_), FilterValue::Text(text)) = (self.strictly, value) else {
            return Ok(());
        };
        if text.trim().is_empty() {
            self.nothing(field)
        } else if self.spec.kind == FilterKind::Address && !text.contains(char::is_alphanumeric) {
            Err(field.refuse("must have a digit or a letter"))
        } else {
            Ok(())
        }
    }

    /// Says what it means that there is nothing to compare with.
    fn nothing(&self, field: Field<'_>) -> Result<(), ApiError> {
        if self.strictly.is_some() {
            Err(field.refuse("must not be empty"))
        } else {
            Ok(())
        }
    }
}

/// Said of what is no filter.
const UNKNOWN: &str = "is not a filter of this list";

fn text(field: Field<'_>) -> Result<Option<FilterValue>, ApiError> {
    if !field.is_given() {
        return Ok(None);
    }
    let text = field.text_within(4_096)?;
    Ok(text.map(|text| FilterValue::Text(text.to_owned())))
}

fn variable(field: Field<'_>) -> Result<Option<FilterValue>, ApiError> {
    match field.to_json() {
        serde_json::Value::Number(number) => Ok(Some(FilterValue::Text(number.to_string()))),
        serde_json::Value::Bool(value) => Ok(Some(FilterValue::Boolean(value))),
        _ => text(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Params, Takes};
    use crate::shape::{Kind, Member};

    const NAME: FilterSpec = FilterSpec {
        name: "name",
        kind: FilterKind::Text,
        modifiers: Modifier::TEXT,
    };
    const CREATED: FilterSpec = FilterSpec {
        name: "time_created",
        kind: FilterKind::Timestamp,
        modifiers: &[Modifier::Min, Modifier::Max],
    };
    const VARS: FilterSpec = FilterSpec {
        name: "vars",
        kind: FilterKind::Vars,
        modifiers: &[Modifier::Prefix, Modifier::Exists, Modifier::Min],
    };

    fn read(spec: FilterSpec, query: &str) -> Result<Vec<Filter>, ApiError> {
        let params = Params::from_parts(query, None).unwrap();
        let mut out = Vec::new();
        spec.read(params.filter(spec.name), &mut out).map(|()| out)
    }

    #[test]
    fn without_a_modifier_a_filter_is_equality() {
        let plain = read(NAME, "name=Jo").unwrap();
        assert_eq!(plain, read(NAME, "name[eq]=Jo").unwrap());
        assert_eq!(plain[0].modifier, Modifier::Eq);
        assert_eq!(plain[0].value, FilterValue::Text("Jo".into()));
    }

    #[test]
    fn an_empty_value_is_no_filter() {
        assert_eq!(read(NAME, "name=").unwrap(), []);
        assert_eq!(read(NAME, "name[prefix]=").unwrap(), []);
    }

    /// Reads what a body has within `in`.
    fn read_strictly(spec: FilterSpec, body: &str) -> Result<Vec<Filter>, String> {
        const IN: &[Member] = &[Member::new("in", Kind::Object(&[]), "Filters.")];
        let params = Params::from_parts("", Some(("application/json", body.as_bytes())));
        let takes = Takes {
            own: &[IN],
            common: &[],
        };
        let params = params.unwrap().taking(takes);
        let mut out = Vec::new();
        let given = params.get("in").object().unwrap().unwrap();
        for member in given.bracketed() {
            let read = spec.read_strictly(&member.unwrap(), |name| name == "city", &mut out);
            read.map_err(|error| error.to_string())?;
        }
        Ok(out)
    }

    #[test]
    fn where_all_must_restrict_what_says_nothing_is_refused() {
        const NUMBER: FilterSpec = FilterSpec {
            name: "number",
            kind: FilterKind::Address,
            modifiers: Modifier::TEXT,
        };
        for (spec, body, rule) in [
            (NAME, r#"{"name":""}"#, "in[name] must not be empty"),
            (
                NAME,
                r#"{"name":{"prefix":" \t"}}"#,
                "in[name][prefix] must not be empty",
            ),
            (
                NAME,
                r#"{"name[gte]":"\u00a0"}"#,
                "in[name][gte] must not be empty",
            ),
            (
                NUMBER,
                r#"{"number":{"ne":"+"}}"#,
                "in[number][ne] must have a digit or a letter",
            ),
            (
                VARS,
                r#"{"vars":{"":{"exists":false}}}"#,
                "in[vars][] is not the name of a variable",
            ),
            (
                VARS,
                r#"{"vars[town]":"Oslo"}"#,
                "in[vars][town] is not the name of a variable",
            ),
            (VARS, r#"{"vars":{}}"#, "in[vars] must not be empty"),
            (
                VARS,
                r#"{"vars":{"city":{"min":" "}}}"#,
                "in[vars][city][min] must be a number",
            ),
        ] {
            let refused = read_strictly(spec, &format!(r#"{{"in":{body}}}"#)).unwrap_err();
            assert_eq!(refused, format!("invalid_param: {rule}"), "{body}");
        }
        let counted = read_strictly(VARS, r#"{"in[vars][][exists]":false}"#).unwrap_err();
        assert_eq!(counted, "invalid_param: in[vars] must be an object");
        for (spec, body) in [
            (NAME, r#"{"in":{"name":"!"}}"#),
            (NUMBER, r#"{"in":{"number":{"prefix":"+1"}}}"#),
            (VARS, r#"{"in":{"vars":{"city":{"exists":false}}}}"#),
        ] {
            assert_eq!(read_strictly(spec, body).unwrap().len(), 1, "{body}");
        }
    }

    #[test]
    fn a_modifier_that_is_not_listed_is_named() {
        let error = read(NAME, "name[exists]=1").unwrap_err();
        assert_eq!(error.param(), Some("name[exists]"));
        let error = read(CREATED, "time_created[after]=1").unwrap_err();
        assert_eq!(error.param(), Some("time_created[after]"));
        let error = read(VARS, "vars[age][gt]=1").unwrap_err();
        assert_eq!(error.param(), Some("vars[age][gt]"));
    }

    #[test]
    fn a_filters_choice_is_read_in_whatever_case() {
        const STATUS: FilterSpec = FilterSpec {
            name: "status",
            kind: FilterKind::OneOf(&["sent", "queued"]),
            modifiers: &[],
        };
        let filters = read(STATUS, "status=Sent").unwrap();
        assert_eq!(filters[0].value, FilterValue::Text("sent".into()));
        assert!(read(STATUS, "status=sen").is_err());
    }

    #[test]
    fn a_moment_means_its_whole_second() {
        let filters = read(CREATED, "time_created=5").unwrap();
        assert_eq!(filters[0].value, FilterValue::Millis(5_000));
        assert_eq!(filters[1].value, FilterValue::Millis(6_000));
    }

    #[test]
    fn variables_carry_their_name() {
        let filters = read(VARS, "vars[age][min]=18&vars[city]=Oslo&vars[x][exists]=0").unwrap();
        assert_eq!(filters[0].key.as_deref(), Some("age"));
        assert_eq!(filters[0].value, FilterValue::Real(18.0));
        assert_eq!(filters[1].value, FilterValue::Text("Oslo".into()));
        assert_eq!(filters[2].value, FilterValue::Boolean(false));
        assert!(read(VARS, "vars=5").is_err());
    }
}
