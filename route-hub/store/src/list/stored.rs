//! Conditions of a list as they are kept, for who goes on with the list after a restart.

use super::{Column, Filter, Link, Op, Operand};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version that is written.
const VERSION: u32 = 1;

/// What a list's kept conditions may name.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// Its columns.
    pub columns: &'static [Column],
    /// What its rows may belong to.
    pub links: &'static [Link],
}

/// Says that kept conditions are not of this list, or of a version that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadFilters;

impl fmt::Display for BadFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the filter is not one that this hub can read")
    }
}

impl std::error::Error for BadFilters {}

#[derive(Serialize, Deserialize)]
struct Kept<'k> {
    version: u32,
    #[serde(borrow)]
    filters: Vec<One<'k>>,
}

/// One condition, with columns and links by their names.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum One<'k> {
    Compare(&'k str, Op, Operand),
    Variable(String, Op, Operand),
    Linked(&'k str, i64, bool),
    Words(Vec<String>),
    Ids(Vec<i64>),
    Nothing,
}

impl Names {
    /// Writes conditions.
    pub fn write(&self, filters: &[Filter]) -> String {
        let filters = filters.iter().map(|filter| match filter {
            Filter::Compare {
                column,
                op,
                operand,
            } => One::Compare(column.name, *op, operand.clone()),
            Filter::Variable { name, op, operand } => {
                One::Variable(name.clone(), *op, operand.clone())
            }
            Filter::Linked {
                link,
                holder,
                wanted,
            } => One::Linked(link.table, *holder, *wanted),
            Filter::Words(words) => One::Words(words.clone()),
            Filter::Ids(ids) => One::Ids(ids.clone()),
            Filter::Nothing => One::Nothing,
        });
        let filters = filters.collect();
        let version = VERSION;
        serde_json::json!(Kept { version, filters }).to_string()
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// [`BadFilters`].
    pub fn read(&self, text: &str) -> Result<Vec<Filter>, BadFilters> {
        let kept: Kept<'_> = serde_json::from_str(text).map_err(|_| BadFilters)?;
        if kept.version != VERSION {
            return Err(BadFilters);
        }
        let filters = kept.filters.into_iter().map(|one| self.filter(one));
        filters.collect::<Option<_>>().ok_or(BadFilters)
    }

    fn filter(&self, one: One<'_>) -> Option<Filter> {
        Some(match one {
            One::Compare(name, op, operand) => {
                let column = self.columns.iter().find(|column| column.name == name)?;
                Filter::new(*column, op, operand)
            }
            One::Variable(name, op, operand) => Filter::Variable { name, op, operand },
            One::Linked(table, holder, wanted) => Filter::Linked {
                link: *self.links.iter().find(|link| link.table == table)?,
                holder,
                wanted,
            },
            One::Words(words) => Filter::Words(words),
            One::Ids(ids) => Filter::Ids(ids),
            One::Nothing => Filter::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::{NAMES, by};

    #[test]
    fn conditions_read_back_as_they_were() {
        let filters = vec![
            Filter::new(by::NAME, Op::Prefix, Operand::Text("Ännè \"x\"".to_owned())),
            Filter::new(by::TIME_CREATED, Op::Min, Operand::Int(i64::MAX)),
            Filter::new(by::SEND_BLOCKED, Op::Eq, Operand::Flag(true)),
            Filter::Variable {
                name: "age".to_owned(),
                op: Op::Gte,
                operand: Operand::Real(17.5),
            },
            Filter::within(by::GROUP, 7),
            Filter::Words(vec!["ann".to_owned()]),
            Filter::Ids(vec![1, i64::MAX]),
            Filter::Nothing,
        ];
        assert_eq!(NAMES.read(&NAMES.write(&filters)), Ok(filters));
    }

    #[test]
    fn what_is_kept_reads_the_same_in_later_versions() {
        let kept = r#"{"version":1,"filters":[{"compare":["name_folded","eq",{"text":"a"}]},
            {"linked":["group_members",7,true]},"nothing"]}"#;
        let text = Operand::Text("a".to_owned());
        let filters = vec![
            Filter::new(by::NAME, Op::Eq, text),
            Filter::within(by::GROUP, 7),
            Filter::Nothing,
        ];
        assert_eq!(NAMES.read(kept), Ok(filters));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for kept in [
            r#"{"version":2,"filters":[]}"#,
            r#"{"version":1,"filters":[{"compare":["shoe","eq",{"int":1}]}]}"#,
            r#"{"version":1,"filters":[{"compare":["id","like",{"int":1}]}]}"#,
            r#"{"version":1,"filters":[{"linked":["shoes",1,true]}]}"#,
            r#"{"version":1,"filters":["everything"]}"#,
            "",
        ] {
            assert_eq!(NAMES.read(kept), Err(BadFilters), "{kept}");
        }
    }
}
