//! Variables as rows that lists and look-ups find: of contacts, and of data tables' rows. The bearer's
//! own row has them all.

use crate::fields::{self, Fields};
use crate::{StoreError, Tx, values};
use hub_domain::{CustomField, FieldOwner, VarValue, Vars, fold};

/// The statements over the variables of one kind of bearer.
pub(crate) struct Variables {
    put: &'static str,
    remove: &'static str,
    remove_all: &'static str,
    oldest: &'static str,
    any: &'static str,
    some: &'static str,
    /// Whether values are kept as they were written, too.
    keeps_written: bool,
}

macro_rules! variables {
    ($table:literal, $more:literal, $value:literal, $change:literal, $keeps_written:literal) => {
        Variables {
            put: concat!(
                "INSERT INTO ",
                $table,
                " (bearer_id, field_id, value, number",
                $more,
                ") VALUES ($1, $2, $3, $4",
                $value,
                ") ON CONFLICT (bearer_id, field_id) DO UPDATE SET value = $3, number = $4",
                $change
            ),
            remove: concat!(
                "DELETE FROM ",
                $table,
                " WHERE bearer_id = $1 AND field_id = $2"
            ),
            remove_all: concat!("DELETE FROM ", $table, " WHERE bearer_id = $1"),
            oldest: concat!(
                "SELECT bearer_id FROM ",
                $table,
                " WHERE field_id = $1 AND substr(value, 1, 300) = $2 AND value = $3 \
                 ORDER BY bearer_id LIMIT 1"
            ),
            any: concat!(
                "SELECT 1 FROM ",
                $table,
                " WHERE bearer_id = $1 AND field_id = $2"
            ),
            some: concat!(
                "SELECT bearer_id FROM ",
                $table,
                " WHERE field_id = $1 LIMIT $2"
            ),
            keeps_written: $keeps_written,
        }
    };
}

/// The variables, as one text, that a bearer's own row still has although their fields are deleted and nothing
/// was written under a new field of the name since. Takes the table of variables, and that of bearers.
macro_rules! gone {
    ($table:literal, $bearers:literal, $owner:literal) => {
        concat!(
            "(SELECT string_agg(gone.variable, ' ') FROM fields gone WHERE gone.clearing = 1 \
             AND gone.project_id = ",
            $bearers,
            ".project_id AND gone.owner = ",
            $owner,
            " AND EXISTS (SELECT 1 FROM ",
            $table,
            " WHERE bearer_id = ",
            $bearers,
            ".id AND field_id = gone.id) AND NOT EXISTS (SELECT 1 FROM fields anew, ",
            $table,
            " WHERE anew.clearing = 0 AND anew.project_id = gone.project_id \
             AND anew.owner = gone.owner AND anew.variable = gone.variable \
             AND bearer_id = ",
            $bearers,
            ".id AND field_id = anew.id))"
        )
    };
}
pub(crate) use gone;

/// Leaves out of a bearer's variables what [`gone`] tells.
pub(crate) fn leave_out(vars: &mut Vars, gone: Option<String>) {
    for name in gone.iter().flat_map(|names| names.split(' ')) {
        vars.remove(name);
    }
}

/// Those of contacts.
pub(crate) const OF_CONTACTS: Variables = variables!("contact_vars", "", "", "", false);
/// Those of data tables' rows.
pub(crate) const OF_ROWS: Variables =
    variables!("row_vars", ", written", ", $5", ", written = $5", true);

impl Variables {
    /// Returns those that the fields of an owner stand for; a message's have no rows.
    pub(crate) const fn of(owner: FieldOwner) -> Option<&'static Self> {
        match owner {
            FieldOwner::Contact => Some(&OF_CONTACTS),
            FieldOwner::Message => None,
            FieldOwner::Table(_) => Some(&OF_ROWS),
        }
    }

    /// Writes the rows of those variables that differ.
    pub(crate) fn keep(
        &self,
        tx: &mut Tx<'_>,
        fields: &mut Fields,
        bearer: i64,
        before: &Vars,
        after: &Vars,
    ) -> Result<(), StoreError> {
        for (name, _) in before.iter().filter(|(name, _)| after.get(name).is_none()) {
            let field = fields.key(tx, name)?;
            self.remove(tx, bearer, field)?;
        }
        for (name, value) in after.iter() {
            if before.get(name) == Some(value) {
                continue;
            }
            let field = fields.key(tx, name)?;
            let (compared, number) = (value_text(value), number(value));
            if self.keeps_written {
                let written = Some(written(value)).filter(|written| *written != compared);
                let values = values![bearer, field, &compared, number, &written];
                tx.run(self.put, &values)?;
            } else {
                tx.run(self.put, &values![bearer, field, &compared, number])?;
            }
        }
        Ok(())
    }

    /// Removes one variable of a bearer.
    pub(crate) fn remove(
        &self,
        tx: &mut Tx<'_>,
        bearer: i64,
        field: i64,
    ) -> Result<(), StoreError> {
        tx.run(self.remove, &values![bearer, field])
    }

    /// Removes all variables of a bearer that is no more.
    pub(crate) fn remove_all(&self, tx: &mut Tx<'_>, bearer: i64) -> Result<(), StoreError> {
        tx.run(self.remove_all, &values![bearer])
    }

    /// Returns the oldest bearer whose variable has a value, without regard to case.
    pub(crate) fn oldest(
        &self,
        tx: &mut Tx<'_>,
        field: i64,
        value: &VarValue,
    ) -> Result<Option<i64>, StoreError> {
        let value = value_text(value);
        let values = values![field, indexed(&value), &value];
        tx.query_one(self.oldest, &values, |row| row.int(0))
    }

    /// Says whether a bearer has a variable.
    pub(crate) fn any(&self, tx: &mut Tx<'_>, bearer: i64, field: i64) -> Result<bool, StoreError> {
        let found = tx.query_one(self.any, &values![bearer, field], |row| row.int(0))?;
        Ok(found.is_some())
    }

    /// Returns up to `most` bearers of a variable.
    pub(crate) fn some(
        &self,
        tx: &mut Tx<'_>,
        field: i64,
        most: u32,
    ) -> Result<Vec<i64>, StoreError> {
        tx.query(self.some, &values![field, most], |row| row.int(0))
    }
}

/// Takes a deleted field's values away from up to `most` bearers, and its row with the last; returns
/// the keys of the bearers. Their own rows are the caller's to change.
pub fn clear_some(tx: &mut Tx<'_>, field: &CustomField, most: u32) -> Result<Vec<i64>, StoreError> {
    let mut bearers = Vec::new();
    if let Some(variables) = Variables::of(field.owner) {
        bearers = variables.some(tx, field.key, most)?;
        for bearer in &bearers {
            variables.remove(tx, *bearer, field.key)?;
        }
    }
    if bearers.is_empty() {
        fields::forget(tx, field)?;
    }
    Ok(bearers)
}

/// Says whether a bearer has a value of another field of the same owner.
pub fn has_value(
    tx: &mut Tx<'_>,
    owner: FieldOwner,
    field: i64,
    bearer: i64,
) -> Result<bool, StoreError> {
    match Variables::of(owner) {
        Some(variables) => variables.any(tx, bearer, field),
        None => Ok(false),
    }
}

/// As many characters of a compared value are in its index, and decide its order.
pub(crate) const INDEXED_CHARS: usize = 300;

/// Returns what of a compared value is in its index.
pub(crate) fn indexed(value: &str) -> &str {
    let end = value.char_indices().nth(INDEXED_CHARS);
    end.map_or(value, |(end, _)| &value[..end])
}

/// Returns a value as it is compared: a folded text; a number that is whole has no fraction.
fn value_text(value: &VarValue) -> String {
    match value {
        VarValue::Text(text) => fold(text),
        VarValue::Flag(flag) => flag.to_string(),
        VarValue::Number(number) => match number.as_i64() {
            Some(whole) => whole.to_string(),
            // Rust writes a float that is whole without a fraction; -0.0 and 0.0 are 0.
            None => number
                .as_f64()
                .map_or_else(|| number.to_string(), |value| (value + 0.0).to_string()),
        },
    }
}

/// Returns a value as it was written.
fn written(value: &VarValue) -> String {
    match value {
        VarValue::Text(text) => text.clone(),
        VarValue::Flag(flag) => flag.to_string(),
        VarValue::Number(number) => number.to_string(),
    }
}

/// Returns the number that a value is, or reads as.
fn number(value: &VarValue) -> Option<f64> {
    let number = match value {
        VarValue::Text(text) => text.trim().parse().ok(),
        VarValue::Flag(flag) => Some(f64::from(u8::from(*flag))),
        VarValue::Number(number) => number.as_f64(),
    };
    number.filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_found_by_its_text_and_by_its_number() {
        let of = |value: serde_json::Value| {
            let change = hub_domain::VarsChange::parse(&json!({ "x": value })).unwrap();
            let vars = Vars::from_change(change);
            let value = vars.get("x").unwrap();
            (value_text(value), number(value))
        };
        assert_eq!(of(json!("Größe")), ("grösse".to_owned(), None));
        assert_eq!(of(json!(" 18 ")), (" 18 ".to_owned(), Some(18.0)));
        assert_eq!(of(json!(18.0)), ("18".to_owned(), Some(18.0)));
        assert_eq!(of(json!(-0.0)), ("0".to_owned(), Some(0.0)));
        assert_eq!(of(json!(1.5)), ("1.5".to_owned(), Some(1.5)));
        assert_eq!(of(json!(true)), ("true".to_owned(), Some(1.0)));
        assert_eq!(of(json!("nan")), ("nan".to_owned(), None));
    }
}
