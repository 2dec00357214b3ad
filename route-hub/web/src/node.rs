//! The tree of parameters: one shape for query string, form and JSON.

use crate::{error::ApiError, limits::NODES_MAX};
use std::collections::BTreeMap;

/// One value of a request.
///
/// `Plain` came from a query string or form, where everything is text; the others came typed from
/// JSON. A form's arrays are maps with numbers as names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    Plain(String),
    List(Vec<Node>),
    Map(BTreeMap<String, Node>),
}

/// A tree under construction: counts its values and refuses what stands twice.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) root: BTreeMap<String, Node>,
    nodes: usize,
}

impl Tree {
    /// Puts a value at a bracket name, `a`, `a[b][c]`, `a[0]` or `a[]`.
    pub(crate) fn put(&mut self, name: &str, value: Node) -> Result<(), ApiError> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(ApiError::invalid_body("the request has too many values"));
        }
        let Some(open) = name.find(['[', ']']) else {
            return place(&mut self.root, name.to_owned(), name, value);
        };
        let segments = brackets(name, open)?;
        insert(&mut self.root, &name[..open], &segments, name, value)
    }
}

/// Splits what follows the base name into the contents of its brackets.
fn brackets(name: &str, open: usize) -> Result<Vec<&str>, ApiError> {
    let broken = || ApiError::invalid_param(shorten(name), "has brackets that do not match");
    if open == 0 {
        return Err(broken());
    }
    let mut segments = Vec::new();
    let mut rest = &name[open..];
    while !rest.is_empty() {
        let inner = rest.strip_prefix('[').ok_or_else(broken)?;
        let close = inner.find(']').ok_or_else(broken)?;
        if inner[..close].contains('[') {
            return Err(broken());
        }
        segments.push(&inner[..close]);
        rest = &inner[close + 1..];
        if segments.len() >= crate::limits::NESTING_MAX {
            return Err(ApiError::invalid_param(
                shorten(name),
                "is nested too deeply",
            ));
        }
    }
    Ok(segments)
}

fn insert(
    map: &mut BTreeMap<String, Node>,
    key: &str,
    rest: &[&str],
    name: &str,
    value: Node,
) -> Result<(), ApiError> {
    let key = if key.is_empty() {
        next_index(map)
    } else {
        key.to_owned()
    };
    let Some((next, deeper)) = rest.split_first() else {
        return place(map, key, name, value);
    };
    let child = map.entry(key).or_insert_with(|| Node::Map(BTreeMap::new()));
    match child {
        Node::Map(child) => insert(child, next, deeper, name, value),
        _ => Err(repeated(name)),
    }
}

/// `a[]` takes the number after those that are there: only pushes count up from nothing.
fn next_index(map: &BTreeMap<String, Node>) -> String {
    (map.len()..=map.len() * 2)
        .map(|index| index.to_string())
        .find(|index| !map.contains_key(index))
        .unwrap_or_default()
}

fn place(
    map: &mut BTreeMap<String, Node>,
    key: String,
    name: &str,
    value: Node,
) -> Result<(), ApiError> {
    match map.entry(key) {
        std::collections::btree_map::Entry::Vacant(entry) => {
            entry.insert(value);
            Ok(())
        }
        std::collections::btree_map::Entry::Occupied(_) => Err(repeated(name)),
    }
}

/// Makes the error for a name that is given more than once.
pub(crate) fn repeated(name: &str) -> ApiError {
    ApiError::invalid_param(shorten(name), "is given more than once")
}

/// Cuts a name that came in to what an error may repeat.
pub(crate) fn shorten(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Node {
        Node::Plain(text.to_owned())
    }

    fn tree(names: &[&str]) -> Result<BTreeMap<String, Node>, ApiError> {
        let mut tree = Tree::default();
        for name in names {
            tree.put(name, plain("x"))?;
        }
        Ok(tree.root)
    }

    #[test]
    fn bracket_names_become_nested_maps() {
        let root = tree(&["a[b][c]", "a[b][d]", "e"]).unwrap();
        let Node::Map(a) = &root["a"] else { panic!() };
        let Node::Map(b) = &a["b"] else { panic!() };
        assert_eq!(b.keys().collect::<Vec<_>>(), ["c", "d"]);
        assert_eq!(root["e"], plain("x"));
    }

    #[test]
    fn empty_brackets_count_up() {
        let root = tree(&["a[]", "a[]", "a[1]"]);
        assert_eq!(root.unwrap_err().param(), Some("a[1]"));
        let root = tree(&["a[]", "a[]"]).unwrap();
        let Node::Map(a) = &root["a"] else { panic!() };
        assert_eq!(a.keys().collect::<Vec<_>>(), ["0", "1"]);
    }

    #[test]
    fn what_stands_twice_is_refused_by_name() {
        assert_eq!(tree(&["a", "a"]).unwrap_err().param(), Some("a"));
        assert_eq!(tree(&["a", "a[b]"]).unwrap_err().param(), Some("a[b]"));
        assert_eq!(tree(&["a[b]", "a"]).unwrap_err().param(), Some("a"));
    }

    #[test]
    fn brackets_that_do_not_match_are_refused() {
        for name in ["a[b", "a]b", "[a]", "a[b]c", "a[[b]]"] {
            assert!(tree(&[name]).is_err(), "{name}");
        }
    }

    #[test]
    fn deep_names_are_refused() {
        assert!(tree(&["a[1][2][3][4][5][6][7]"]).is_ok());
        assert!(tree(&["a[1][2][3][4][5][6][7][8]"]).is_err());
    }
}
