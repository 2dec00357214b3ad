//! The tree of parameters: one shape for query string, form and JSON.

use crate::limits::{NESTING_MAX, NODES_MAX};
use crate::{error::ApiError, members::Members, steps::Steps};
use std::fmt;

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
    Map(Members<Node>),
}

/// A tree under construction: counts its values and refuses what stands twice.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) root: Members<Node>,
    /// How much work it was so far.
    pub(crate) steps: Steps,
    nodes: usize,
}

impl Tree {
    /// Puts a value at a bracket name, `a`, `a[b][c]`, `a[0]` or `a[]`.
    pub(crate) fn put(&mut self, name: &str, value: Node) -> Result<(), ApiError> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            let rule = format!("the request has more than {NODES_MAX} values");
            return Err(ApiError::invalid_body(rule));
        }
        let Some(open) = name.find(['[', ']']) else {
            let added = self.root.add(name.to_owned(), value, &mut self.steps);
            return if added {
                Ok(())
            } else {
                Err(repeated(shorten(name)))
            };
        };
        let wrong = |rule| ApiError::invalid_param(shorten(name), rule);
        let segments = brackets(name, open).map_err(wrong)?;
        let placed = insert(
            &mut self.root,
            &name[..open],
            &segments,
            value,
            &mut self.steps,
        );
        if placed {
            Ok(())
        } else {
            Err(repeated(shorten(name)))
        }
    }
}

/// Splits what follows the base name into the contents of its brackets, or says which rule they break.
pub(crate) fn brackets(name: &str, open: usize) -> Result<Vec<&str>, String> {
    let broken = || "has brackets that do not match".to_owned();
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
        if segments.len() >= NESTING_MAX {
            return Err(format!("is nested more than {NESTING_MAX} levels deep"));
        }
    }
    Ok(segments)
}

/// Puts a value where the brackets lead; says whether the place was free.
fn insert(
    members: &mut Members<Node>,
    key: &str,
    rest: &[&str],
    value: Node,
    steps: &mut Steps,
) -> bool {
    let key = if key.is_empty() {
        members.next_index(steps)
    } else {
        key.to_owned()
    };
    let Some((next, deeper)) = rest.split_first() else {
        return members.add(key, value, steps);
    };
    let child = members.or_insert_with(key, || Node::Map(Members::default()), steps);
    match child {
        Node::Map(child) => insert(child, next, deeper, value, steps),
        _ => false,
    }
}

/// Said of a name that is given more than once.
pub(crate) const REPEATED: &str = "is given more than once";

/// Makes the error for a name that is given more than once.
pub(crate) fn repeated(name: impl fmt::Display) -> ApiError {
    ApiError::invalid_param(name, REPEATED)
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

    fn tree(names: &[&str]) -> Result<Members<Node>, ApiError> {
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
