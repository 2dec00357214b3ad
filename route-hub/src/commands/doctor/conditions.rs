//! Conditions of dynamic groups and views from before empty ones were refused: they let everything through, or
//! nothing.

use super::finding::{Finding, counted};
use hub_domain::{GroupFilters, InvalidFilters, ViewFilters};
use hub_store::look::{FilterKind, StoredFilters};
use postrider_model::{DataViewId, GroupId, ProjectId};

/// Most that are named.
const NAMED_MAX: usize = 5;

/// Looks through what the database keeps.
pub(super) fn look(stored: &[StoredFilters]) -> Finding {
    let empty: Vec<_> = stored.iter().filter_map(empty).collect();
    if empty.is_empty() {
        let number = counted(stored.len(), "group or view has", "groups and views have");
        return Finding::good(format!("{number} conditions, and none is empty"));
    }
    let mut named = empty[..empty.len().min(NAMED_MAX)].join(", ");
    if empty.len() > NAMED_MAX {
        named.push_str(&format!(" and {} more", empty.len() - NAMED_MAX));
    }
    Finding::doubtful(
        format!("conditions that say nothing: {named}"),
        "They let everything through, or nothing, and stay as they are: give the groups others, and make the \
         views anew",
    )
}

/// Names a group or a view of whose conditions one says nothing, with the place.
fn empty(stored: &StoredFilters) -> Option<String> {
    let (id, place) = match stored.kind {
        FilterKind::Group => {
            let filters = GroupFilters::from_json(&stored.text)?;
            let id = GroupId::from_i64(stored.key).map(|id| format!("group {id}"));
            (id, filters.says_nothing()?)
        }
        FilterKind::View => {
            let filters = ViewFilters::from_json(&stored.text)?;
            let id = DataViewId::from_i64(stored.key).map(|id| format!("view {id}"));
            (id, filters.says_nothing()?)
        }
    };
    let InvalidFilters { place, .. } = place;
    let project = ProjectId::from_i64(stored.project_key)?;
    Some(format!("{} of {project} (filters{place})", id?))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    fn stored(kind: FilterKind, key: i64, text: &str) -> StoredFilters {
        StoredFilters {
            kind,
            key,
            project_key: 7,
            text: text.to_owned(),
        }
    }

    #[test]
    fn groups_and_views_with_an_empty_comparison_are_named() {
        use FilterKind::{Group, View};
        for (kind, text, place) in [
            (Group, r#"{"name":{"prefix":"A"}}"#, None),
            (
                Group,
                r#"{"name":{"prefix":""}}"#,
                Some("(filters[name][prefix])"),
            ),
            (
                Group,
                r#"{"phone_number":"+"}"#,
                Some("(filters[phone_number])"),
            ),
            (
                Group,
                r#"{"vars":{"city":" "}}"#,
                Some("(filters[vars][city])"),
            ),
            (
                View,
                r#"{"vars.city":{"ne":""}}"#,
                Some("(filters[vars.city][ne])"),
            ),
            (View, r#"{"vars":{"city":"Nairobi"}}"#, None),
            (View, "not JSON", None),
        ] {
            let found = look(&[stored(kind, 1, text)]);
            match place {
                None => assert_eq!(found.verdict, Verdict::Good, "{text}"),
                Some(place) => {
                    assert_eq!(found.verdict, Verdict::Doubtful, "{text}");
                    assert!(found.says.ends_with(place), "{found:?}");
                    assert!(found.says.contains(" of PJ"), "{found:?}");
                }
            }
        }
    }

    #[test]
    fn many_are_counted() {
        let all: Vec<_> = (1..=7)
            .map(|key| stored(FilterKind::Group, key, r#"{"name":""}"#))
            .collect();
        let found = look(&all);
        assert_eq!(found.says.matches("group CG").count(), 5);
        assert!(found.says.ends_with("and 2 more"), "{found:?}");
    }
}
