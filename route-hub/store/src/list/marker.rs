//! Markers: where a page ended, as a text that callers only carry.

use super::{Column, Kind, Sort};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value as Json, json};
use std::fmt;

/// Most characters of a marker: the longest name and then some.
const LENGTH_MAX: usize = 4096;

/// The sort value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SortValue {
    Null,
    Int(i64),
    Text(String),
}

/// Where a page ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Marker {
    pub(crate) value: SortValue,
    pub(crate) id: i64,
    sort: Sort,
    descending: bool,
}

/// Says that a text is no marker of this list in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadMarker;

impl fmt::Display for BadMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not a marker of this list in this order")
    }
}

impl std::error::Error for BadMarker {}

impl Marker {
    pub(super) const fn new(sort: Sort, descending: bool, value: SortValue, id: i64) -> Self {
        Self {
            value,
            id,
            sort,
            descending,
        }
    }

    /// Writes it: base64url of a JSON array of order, sort value and id.
    pub(super) fn encode(&self) -> String {
        let value = match &self.value {
            SortValue::Null => Json::Null,
            SortValue::Int(value) => json!(value),
            SortValue::Text(text) => json!(text),
        };
        let place = json!([order(self.sort, self.descending), value, self.id]);
        URL_SAFE_NO_PAD.encode(place.to_string())
    }

    /// Reads a marker that a page of the same order gave.
    ///
    /// A marker is not signed: somebody who makes one up only chooses where a page begins.
    ///
    /// # Errors
    /// [`BadMarker`].
    pub fn read(text: &str, sort: Sort, descending: bool) -> Result<Self, BadMarker> {
        if text.len() > LENGTH_MAX {
            return Err(BadMarker);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadMarker)?;
        let place: Vec<Json> = serde_json::from_slice(&bytes).map_err(|_| BadMarker)?;
        let [name, value, id] = place.as_slice() else {
            return Err(BadMarker);
        };
        if name.as_str() != Some(&order(sort, descending)) {
            return Err(BadMarker);
        }
        Ok(Self {
            value: read_value(value, sort.column)?,
            id: id.as_i64().ok_or(BadMarker)?,
            sort,
            descending,
        })
    }
}

/// Names an order; an ascending one as markers did that told no direction.
fn order(sort: Sort, descending: bool) -> String {
    let name = sort.column.map_or("id", |column| column.name);
    let direction = if descending { " desc" } else { "" };
    format!("{name}{direction}")
}

fn read_value(value: &Json, column: Option<Column>) -> Result<SortValue, BadMarker> {
    match (value, column.map(|column| column.kind)) {
        (Json::Null, _) => Ok(SortValue::Null),
        (
            Json::String(text),
            Some(Kind::Text | Kind::Address | Kind::Number { .. } | Kind::Folded),
        ) => Ok(SortValue::Text(text.clone())),
        (Json::Number(number), Some(Kind::Int | Kind::Flag | Kind::Time | Kind::TimeMade)) => {
            number.as_i64().map(SortValue::Int).ok_or(BadMarker)
        }
        (_, _) => Err(BadMarker),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Sort = Sort::by(Column::new("name_folded", Kind::Folded));
    const TIME: Sort = Sort::by(Column::new("last_active_time", Kind::Time));

    #[test]
    fn a_marker_reads_back_in_its_own_order_alone() {
        for (sort, value) in [
            (NAME, SortValue::Text("é\" \\ ann".to_owned())),
            (NAME, SortValue::Null),
            (TIME, SortValue::Int(-7)),
            (Sort::BY_ID, SortValue::Null),
        ] {
            for descending in [false, true] {
                let marker = Marker::new(sort, descending, value.clone(), 42);
                let text = marker.encode();
                for other in [NAME, TIME, Sort::BY_ID] {
                    for backwards in [false, true] {
                        let is_own = (other, backwards) == (sort, descending);
                        let read = Marker::read(&text, other, backwards);
                        assert_eq!(read.as_ref().ok(), is_own.then_some(&marker));
                    }
                }
            }
        }
    }

    #[test]
    fn what_somebody_made_up_is_refused_or_harmless() {
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        for text in [
            String::new(),
            "%%%".to_owned(),
            "a".repeat(5_000),
            encode("[]"),
            encode("{}"),
            encode(r#"["name_folded",1,2]"#),
            encode(r#"["name_folded","a",2.5]"#),
            encode(r#"["name_folded",["a"],2]"#),
            encode(r#"["name_folded","a",2,3]"#),
            encode(r#"["name_folded","a""#),
        ] {
            assert_eq!(Marker::read(&text, NAME, false), Err(BadMarker), "{text}");
        }
    }
}
