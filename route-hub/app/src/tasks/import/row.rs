//! One row of a file, read into a contact or a row of a data table.

use super::plan::{Field, Into};
use super::{Column, Import, Problem, cell};
use crate::contacts::{ContactPatch, Lookup as FindContact, NewContact};
use crate::data_tables::rows::{Lookup as FindRow, NewRow, RowPatch};
use crate::tabular::Record;
use hub_domain::{InvalidVars, VarsChange};
use hub_view::Refusal;
use postrider_model::{ContactId, DataRowId};
use serde_json::{Map, Value as Json};

const NO_CONTACT: &str = "is not the id of a contact of this project";
const NO_ROW: &str = "is not the id of a row of this table";
const NO_STATUS: &str = "must be active, handled or closed";
const NO_ROUTE: &str = "is not the id of a phone or route of this project";

/// A row of a file, as far as it could be read.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// Where it begins in the text, in bytes.
    pub(super) place: u64,
    /// Where it ends.
    pub(super) end: u64,
    pub(super) line: u64,
    pub(super) read: Result<New, Problem>,
    /// As a preview shows it.
    pub(super) shown: Json,
}

/// What a row says.
#[derive(Debug, Clone)]
pub(super) enum New {
    /// Nothing: all its cells are empty.
    Nothing,
    Contact(NewContact),
    Row(NewRow),
}

/// What the cells of a row say.
#[derive(Default)]
struct Cells {
    contact: ContactPatch,
    row: RowPatch,
    contact_id: Option<ContactId>,
    row_id: Option<DataRowId>,
    vars: Map<String, Json>,
    shown: Map<String, Json>,
}

/// Reads a record of a part of the text that begins at `from`, in the line `line`.
pub(super) fn read(
    import: &Import,
    columns: &[Column],
    record: &Record,
    (from, line): (u64, u64),
    region: Option<&str>,
) -> Item {
    let mut cells = Cells::default();
    let line = line + record.line - 1;
    let read = cells.read_all(import, columns, record, region);
    let read = read.and_then(|()| cells.new_of(import, columns));
    let is_empty = record.cells.iter().all(|cell| cell.trim().is_empty());
    Item {
        place: from + record.start as u64,
        end: from + record.end as u64,
        line,
        read: match (is_empty, read) {
            (true, _) => Ok(New::Nothing),
            (false, Ok(new)) => Ok(new),
            (false, Err((column, message))) => Err(Problem {
                line,
                column,
                message,
            }),
        },
        shown: Json::Object(cells.shown),
    }
}

/// A column and what is wrong there.
type Wrong = (Option<String>, String);

impl Cells {
    fn read_all(
        &mut self,
        import: &Import,
        columns: &[Column],
        record: &Record,
        region: Option<&str>,
    ) -> Result<(), Wrong> {
        if let Some(fault) = record.fault {
            return Err((None, fault.to_owned()));
        }
        let cells = &record.cells;
        if cells.len() > columns.len() {
            let (more, all) = (cells.len(), columns.len());
            let text = format!("the row has {more} cells, but the file {all} columns");
            return Err((None, text));
        }
        for (cell, column) in cells.iter().zip(columns) {
            let Some(field) = column.field.as_ref().filter(|_| !cell.is_empty()) else {
                continue;
            };
            let read = self.read_one(import.into, field, column, cell, region);
            let shown = read.map_err(|message| (Some(column.name.clone()), message))?;
            self.shown.insert(field.to_string(), shown);
        }
        Ok(())
    }

    fn read_one(
        &mut self,
        into: Into,
        field: &Field,
        column: &Column,
        cell: &str,
        region: Option<&str>,
    ) -> Result<Json, String> {
        Ok(match field {
            Field::Id if into == Into::Contacts => {
                let id = cell::word(cell, NO_CONTACT)?;
                self.contact_id = Some(id);
                Json::String(id.to_string())
            }
            Field::Id => {
                let id = cell::word(cell, NO_ROW)?;
                self.row_id = Some(id);
                Json::String(id.to_string())
            }
            Field::ContactId => {
                let id = cell::word::<ContactId>(cell, NO_CONTACT)?;
                self.row.contact_id = Some(Some(id));
                Json::String(id.to_string())
            }
            Field::Name => {
                let name = cell::name(cell)?;
                self.contact.name = (!name.is_empty()).then(|| Some(name.clone()));
                Json::String(name)
            }
            Field::PhoneNumber if cell.trim().is_empty() => Json::Null,
            Field::PhoneNumber => {
                let number = cell::phone_number(cell, region)?;
                let shown = number.as_str().to_owned();
                self.contact.phone_number = Some(Some(number));
                Json::String(shown)
            }
            Field::FromNumber => {
                let number = cell::address(cell)?;
                let shown = number.as_ref().map(|it| it.as_str().to_owned());
                self.row.from_number = number.map(Some);
                shown.map_or(Json::Null, Json::String)
            }
            Field::SendBlocked => {
                let blocked = cell::flag(cell)?;
                self.contact.send_blocked = Some(blocked);
                Json::Bool(blocked)
            }
            Field::ConversationStatus => {
                let status = cell::word::<hub_domain::ConversationStatus>(cell, NO_STATUS)?;
                self.contact.conversation_status = Some(status);
                Json::String(status.as_str().to_owned())
            }
            Field::DefaultRouteId => {
                let route = cell::word::<hub_domain::RouteId>(cell, NO_ROUTE)?;
                self.contact.default_route_id = Some(Some(route));
                Json::String(cell.trim().to_owned())
            }
            Field::Variable(name) => {
                let value = cell::value(cell, column.values)?;
                self.vars.insert(name.clone(), value.clone());
                value
            }
        })
    }

    fn new_of(&mut self, import: &Import, columns: &[Column]) -> Result<New, Wrong> {
        let vars = std::mem::take(&mut self.vars);
        let vars = VarsChange::parse(&Json::Object(vars));
        let vars = vars.map_err(|invalid| of_variable(columns, &invalid))?;
        let by_variable = |name: &str| {
            let value = vars.get(name)?;
            Some((name.to_owned(), value.clone()))
        };
        match import.into {
            Into::Contacts => {
                let mut patch = std::mem::take(&mut self.contact);
                let lookup = match &import.key.field {
                    Some(Field::Id) => self.contact_id.map(FindContact::Id),
                    Some(Field::Variable(name)) => {
                        by_variable(name).map(|(name, value)| FindContact::Variable(name, value))
                    }
                    Some(_) => patch.phone_number.as_ref().map(|_| FindContact::Number),
                    None => None,
                };
                patch.vars = vars;
                let lookup = lookup.unwrap_or(FindContact::Nothing);
                let new = NewContact { lookup, patch };
                let checked = new.check();
                checked.map_err(|refused| of_refusal(columns, &refused.into()))?;
                Ok(New::Contact(new))
            }
            Into::Rows => {
                let mut patch = std::mem::take(&mut self.row);
                let lookup = match &import.key.field {
                    Some(Field::Id) => self.row_id.map(FindRow::Id),
                    Some(Field::ContactId) => patch.contact_id.flatten().map(FindRow::Contact),
                    Some(Field::Variable(name)) => {
                        by_variable(name).map(|(name, value)| FindRow::Variable(name, value))
                    }
                    _ => None,
                };
                patch.vars = vars;
                let lookup = lookup.unwrap_or(FindRow::Nothing);
                Ok(New::Row(NewRow { lookup, patch }))
            }
        }
    }
}

fn of_variable(columns: &[Column], invalid: &InvalidVars) -> Wrong {
    let param = invalid.param();
    (
        called(columns, &param),
        format!("cannot be taken: {invalid}"),
    )
}

/// Says in which column stands what was refused.
pub(super) fn of_refusal(columns: &[Column], refusal: &Refusal) -> Wrong {
    let column = refusal.param().and_then(|param| called(columns, param));
    let message = refusal.message();
    let rule = match (&column, refusal.param()) {
        (Some(_), Some(param)) => message.strip_prefix(param).unwrap_or(message),
        _ => message,
    };
    (column, rule.trim_start().to_owned())
}

/// Returns the name of the column that is read into a parameter, `vars[city]` for instance.
fn called(columns: &[Column], param: &str) -> Option<String> {
    let field = param.replacen("vars[", "vars.", 1);
    let field = field.trim_end_matches(']');
    let is_it = |column: &&Column| {
        let own = column.field.as_ref().map(Field::to_string);
        own.is_some_and(|own| own == field)
    };
    columns.iter().find(is_it).map(|column| column.name.clone())
}
