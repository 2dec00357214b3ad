//! Contacts' variables as rows that lists and look-ups find; the contact's own row has them all.

use crate::fields::Fields;
use crate::{StoreError, Tx, values};
use hub_domain::{VarValue, Vars, fold};
use postrider_model::ContactId;

/// Writes the rows of those variables that differ.
pub(super) fn keep(
    tx: &mut Tx<'_>,
    fields: &mut Fields,
    contact_id: ContactId,
    before: &Vars,
    after: &Vars,
) -> Result<(), StoreError> {
    for (name, _) in before.iter().filter(|(name, _)| after.get(name).is_none()) {
        let field = fields.key(tx, name)?;
        tx.run(
            "DELETE FROM contact_vars WHERE bearer_id = $1 AND field_id = $2",
            &values![contact_id, field],
        )?;
    }
    for (name, value) in after.iter() {
        if before.get(name) == Some(value) {
            continue;
        }
        let field = fields.key(tx, name)?;
        tx.run(
            "INSERT INTO contact_vars (bearer_id, field_id, value, number) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (bearer_id, field_id) \
             DO UPDATE SET value = $3, number = $4",
            &values![contact_id, field, value_text(value), number(value)],
        )?;
    }
    Ok(())
}

/// Returns a value as it is compared: a folded text; a number that is whole has no fraction.
pub(super) fn value_text(value: &VarValue) -> String {
    match value {
        VarValue::Text(text) => fold(text),
        VarValue::Flag(flag) => flag.to_string(),
        VarValue::Number(number) => match number.as_i64() {
            Some(whole) => whole.to_string(),
            // Rust writes a float that is whole without a fraction.
            None => number
                .as_f64()
                .map_or_else(|| number.to_string(), |value| value.to_string()),
        },
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
        assert_eq!(of(json!(1.5)), ("1.5".to_owned(), Some(1.5)));
        assert_eq!(of(json!(true)), ("true".to_owned(), Some(1.0)));
        assert_eq!(of(json!("nan")), ("nan".to_owned(), None));
    }
}
