//! Which column of a file is read into what.

use super::{Column, Import, ShownColumn};
use crate::tasks::filter::Stuck;
use crate::tasks::params::{ColumnRef, refused};
use hub_domain::{CustomField, FieldType, is_variable};
use hub_view::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What the rows of a file become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Into {
    /// Contacts.
    Contacts,
    /// Rows of a data table.
    Rows,
}

/// What a column is read into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Field {
    Id,
    Name,
    PhoneNumber,
    SendBlocked,
    ConversationStatus,
    DefaultRouteId,
    ContactId,
    FromNumber,
    Variable(String),
}

/// What the values of a variable are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Values {
    /// Texts.
    #[default]
    Texts,
    /// Numbers.
    Numbers,
    /// Truth values.
    Flags,
    /// Phone numbers.
    PhoneNumbers,
}

impl Values {
    fn of(field: FieldType) -> Self {
        match field {
            FieldType::Number => Self::Numbers,
            FieldType::Boolean | FieldType::Checkbox => Self::Flags,
            FieldType::PhoneNumber => Self::PhoneNumbers,
            _ => Self::Texts,
        }
    }
}

const OF_CONTACTS: &[(&str, Field)] = &[
    ("id", Field::Id),
    ("name", Field::Name),
    ("phone_number", Field::PhoneNumber),
    ("send_blocked", Field::SendBlocked),
    ("conversation_status", Field::ConversationStatus),
    ("default_route_id", Field::DefaultRouteId),
];
const OF_ROWS: &[(&str, Field)] = &[
    ("id", Field::Id),
    ("contact_id", Field::ContactId),
    ("from_number", Field::FromNumber),
];

impl Into {
    const fn fields(self) -> &'static [(&'static str, Field)] {
        match self {
            Self::Contacts => OF_CONTACTS,
            Self::Rows => OF_ROWS,
        }
    }

    /// Reads the name of a field.
    fn field(self, name: &str) -> Option<Field> {
        if let Some(variable) = name.strip_prefix("vars.") {
            return is_variable(variable).then(|| Field::Variable(variable.to_owned()));
        }
        let known = self.fields().iter().find(|(known, _)| *known == name);
        known.map(|(_, field)| field.clone())
    }

    fn names(self) -> String {
        let names: Vec<_> = self.fields().iter().map(|(name, _)| *name).collect();
        format!("{} or vars.NAME", names.join(", "))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Variable(name) = self {
            return write!(f, "vars.{name}");
        }
        let mut known = OF_CONTACTS.iter().chain(OF_ROWS);
        let known = known.find(|(_, field)| field == self);
        f.write_str(known.map_or("", |(name, _)| name))
    }
}

/// By what the rows of a file find what is there; `None`: they are new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) field: Option<Field>,
    /// Whether somebody asked for it.
    is_given: bool,
}

impl Key {
    /// Reads `lookup_key`.
    pub(super) fn read(into: Into, given: Option<&str>) -> Result<Self, Refusal> {
        let given = given.filter(|text| !text.is_empty());
        let (usual, rule) = match into {
            Into::Contacts => (
                Some(Field::PhoneNumber),
                "must be phone_number, id, none or vars.NAME",
            ),
            Into::Rows => (None, "must be id, contact_id, none or vars.NAME"),
        };
        let Some(name) = given else {
            return Ok(Self {
                field: usual,
                is_given: false,
            });
        };
        let field = match (name, into.field(name)) {
            ("none", _) => None,
            (_, Some(field @ (Field::Id | Field::Variable(_)))) => Some(field),
            (_, Some(Field::PhoneNumber)) => Some(Field::PhoneNumber),
            (_, Some(Field::ContactId)) => Some(Field::ContactId),
            _ => return Err(refused("lookup_key", rule)),
        };
        Ok(Self {
            field,
            is_given: true,
        })
    }

    /// Says whether a field is needed that no column is read into.
    fn lacks<'f>(&self, mut fields: impl Iterator<Item = &'f Field>) -> bool {
        let wanted = self.field.as_ref().filter(|_| self.is_given);
        wanted.is_some_and(|wanted| !fields.any(|field| field == wanted))
    }
}

/// Refuses columns that make no sense.
pub(super) fn check(
    into: Into,
    key: &Key,
    columns: &BTreeMap<String, ColumnRef>,
    has_header: bool,
) -> Result<(), Refusal> {
    let mut fields = Vec::with_capacity(columns.len());
    for (name, column) in columns {
        let at = |rule: &dyn fmt::Display| {
            let param = format_args!("task_params[columns][{name}]");
            Refusal::invalid_param(param, rule)
        };
        let Some(field) = into.field(name) else {
            return Err(at(&format_args!("is no field: there are {}", into.names())));
        };
        if field == Field::Id && key.field != Some(Field::Id) {
            return Err(at(&"can be read only with lookup_key id"));
        }
        match column {
            ColumnRef::Place(0) => return Err(at(&"must be the place of a column, from 1")),
            ColumnRef::Name(_) if !has_header => {
                return Err(at(&"must be a number: there is no line of names"));
            }
            _ => fields.push(field),
        }
    }
    if key.lacks(fields.iter()) {
        Err(refused("lookup_key", NO_KEY))
    } else {
        Ok(())
    }
}

const NO_KEY: &str = "names a field that no column is read into";

/// Says what each column of a file is read into. `first` are the cells of its first line.
pub(super) fn columns(
    import: &Import,
    first: &[String],
    variables: &[CustomField],
) -> Result<Vec<Column>, Stuck> {
    let mut columns: Vec<_> = (first.iter().enumerate())
        .map(|(index, cell)| Column {
            name: if import.has_header && !cell.trim().is_empty() {
                cell.trim().to_owned()
            } else {
                (index + 1).to_string()
            },
            field: None,
            values: Values::default(),
        })
        .collect();
    match &import.columns {
        Some(wanted) => assign(import, &mut columns, wanted)?,
        None => by_name(import, &mut columns),
    }
    let fields = || columns.iter().filter_map(|column| column.field.as_ref());
    if import.key.lacks(fields()) {
        return Err(Stuck::Ended(format!("lookup_key {NO_KEY}")));
    }
    if fields().next().is_none() {
        let names = import.into.names();
        let text =
            format!("no column of the file is called {names}: say which is which by columns");
        return Err(Stuck::Ended(text));
    }
    for column in &mut columns {
        if let Some(Field::Variable(name)) = &column.field {
            let known = variables.iter().find(|field| field.variable == *name);
            column.values = known.map_or(Values::Texts, |it| Values::of(it.field_type));
        }
    }
    Ok(columns)
}

fn assign(
    import: &Import,
    columns: &mut [Column],
    wanted: &BTreeMap<String, ColumnRef>,
) -> Result<(), Stuck> {
    for (name, column) in wanted {
        let place = match column {
            ColumnRef::Place(place) => Some(*place as usize - 1).filter(|it| *it < columns.len()),
            ColumnRef::Name(name) => columns.iter().position(|column| column.name == name.trim()),
        };
        let Some(place) = place else {
            let text = format!("the file has no column for {name}");
            return Err(Stuck::Ended(text));
        };
        if columns[place].field.is_some() {
            let text = format!("the column for {name} is read into another field, too");
            return Err(Stuck::Ended(text));
        }
        columns[place].field = import.into.field(name);
    }
    Ok(())
}

/// Takes the columns that are called as a field; the first of a name.
fn by_name(import: &Import, columns: &mut [Column]) {
    for place in 0..columns.len() {
        let field = import.into.field(&columns[place].name);
        let is_key = import.key.field == Some(Field::Id);
        let field = field.filter(|field| *field != Field::Id || is_key);
        let is_taken = columns[..place].iter().any(|column| column.field == field);
        columns[place].field = field.filter(|_| !is_taken);
    }
}

impl ShownColumn {
    /// Shows a column.
    pub(super) fn of(column: &Column) -> Self {
        Self {
            column: column.name.clone(),
            field: column.field.as_ref().map(Field::to_string),
        }
    }
}
