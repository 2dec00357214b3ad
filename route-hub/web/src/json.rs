//! JSON bodies straight into the tree, strictly.

use crate::{
    error::ApiError,
    limits::{NESTING_MAX, NODES_MAX},
    members::Members,
    node::{Node, Tree, repeated, shorten},
    steps::Steps,
};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::{
    cell::{Cell, RefCell},
    fmt,
};

/// Adds the members of a JSON body to `tree`.
///
/// Nothing, `null`, `[]` and `{}` are no parameters. Names of the outermost object may have
/// brackets, as in a form.
///
/// # Errors
/// What is not JSON, not an object, nested too deeply, or has a name twice.
pub(crate) fn read_json(body: &[u8], tree: &mut Tree) -> Result<(), ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let text = std::str::from_utf8(body)
        .map_err(|_| ApiError::invalid_body("the body is not valid UTF-8"))?;
    tree.steps.bytes(text.len());
    match parse(text, &mut tree.steps)? {
        Node::Null => Ok(()),
        Node::List(items) if items.is_empty() => Ok(()),
        Node::Map(members) => members
            .into_iter()
            .try_for_each(|(name, value)| tree.put(&name, value)),
        _ => Err(ApiError::invalid_body("the body must be a JSON object")),
    }
}

fn parse(text: &str, steps: &mut Steps) -> Result<Node, ApiError> {
    let state = State {
        steps: RefCell::new(steps),
        problem: RefCell::default(),
        nodes: Cell::default(),
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = Seed {
        place: Place::Top,
        depth: 0,
        state: &state,
    };
    let parsed = seed
        .deserialize(&mut deserializer)
        .and_then(|node| deserializer.end().map(|()| node));
    parsed.map_err(|error| {
        let ours = state.problem.take();
        ours.unwrap_or_else(|| ApiError::invalid_body(format!("the body is not JSON: {error}")))
    })
}

/// What the visitors of one body share: how much came, and which rule of ours was broken.
struct State<'t> {
    problem: RefCell<Option<ApiError>>,
    nodes: Cell<usize>,
    steps: RefCell<&'t mut Steps>,
}

impl State<'_> {
    fn refuse<E: de::Error>(&self, problem: ApiError) -> E {
        *self.problem.borrow_mut() = Some(problem);
        E::custom("refused")
    }

    fn count<E: de::Error>(&self) -> Result<(), E> {
        self.nodes.set(self.nodes.get() + 1);
        if self.nodes.get() > NODES_MAX {
            let rule = format!("the body has more than {NODES_MAX} values");
            return Err(self.refuse(ApiError::invalid_body(rule)));
        }
        Ok(())
    }

    fn text<E: de::Error>(&self, text: String) -> Result<String, E> {
        if text.as_bytes().contains(&0) {
            let problem = ApiError::invalid_body("the body contains the character U+0000");
            return Err(self.refuse(problem));
        }
        Ok(text)
    }
}

/// Where a value stands, as an error names it: `contacts[3][vars]`.
#[derive(Clone, Copy)]
enum Place<'p> {
    Top,
    Member(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Member(Place::Top, name) => f.write_str(&shorten(name)),
            Self::Member(outer, name) => write!(f, "{outer}[{}]", shorten(name)),
            Self::Item(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}

#[derive(Clone, Copy)]
struct Seed<'s, 't> {
    place: Place<'s>,
    depth: usize,
    state: &'s State<'t>,
}

impl<'t> Seed<'_, 't> {
    fn check_depth<E: de::Error>(self) -> Result<(), E> {
        if self.depth < NESTING_MAX {
            return Ok(());
        }
        let rule = format!("the body is nested more than {NESTING_MAX} levels deep");
        Err(self.state.refuse(ApiError::invalid_body(rule)))
    }

    /// Returns what reads a value within this one.
    fn at<'a>(&'a self, place: Place<'a>) -> Seed<'a, 't> {
        Seed {
            place,
            depth: self.depth + 1,
            state: self.state,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.state.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Node, E> {
        let number = serde_json::Number::from_f64(value);
        number
            .map(Node::Number)
            .ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Node, E> {
        self.state.text(value.to_owned()).map(Node::Text)
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Node, E> {
        self.state.text(value).map(Node::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        self.check_depth()?;
        let mut items = Vec::new();
        loop {
            let seed = self.at(Place::Item(&self.place, items.len()));
            let Some(item) = access.next_element_seed(seed)? else {
                break;
            };
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        self.check_depth()?;
        let mut members = Members::default();
        while let Some(name) = access.next_key::<String>()? {
            let name = self.state.text(name)?;
            self.state.steps.borrow_mut().look(members.len());
            let place = Place::Member(&self.place, &name);
            if members.contains_key(&name) {
                return Err(self.state.refuse(repeated(place)));
            }
            let value = access.next_value_seed(self.at(place))?;
            members.add(name, value, &mut self.state.steps.borrow_mut());
        }
        Ok(Node::Map(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(body: &[u8]) -> Result<Members<Node>, ApiError> {
        let mut tree = Tree::default();
        read_json(body, &mut tree).map(|()| tree.root)
    }

    #[test]
    fn the_four_ways_to_say_nothing_are_no_parameters() {
        for body in ["", " \r\n", "null", "[]", "{}", " {} "] {
            assert!(read(body.as_bytes()).unwrap().is_empty(), "{body:?}");
        }
    }

    #[test]
    fn types_are_kept() {
        let root = read(br#"{"a":1,"b":"1","c":true,"d":null,"e":[1.5],"f":{"g":-2}}"#).unwrap();
        assert_eq!(root["a"], Node::Number(1.into()));
        assert_eq!(root["b"], Node::Text("1".into()));
        assert_eq!(root["c"], Node::Bool(true));
        assert_eq!(root["d"], Node::Null);
        assert!(matches!(&root["e"], Node::List(items) if items.len() == 1));
        assert!(matches!(&root["f"], Node::Map(map) if map["g"] == Node::Number((-2).into())));
    }

    #[test]
    fn flat_bracket_names_nest_at_the_top() {
        let root = read(br#"{"name[prefix]":"Jo","vars":{"a[b]":1}}"#).unwrap();
        assert!(matches!(&root["name"], Node::Map(map) if map.contains_key("prefix")));
        assert!(matches!(&root["vars"], Node::Map(map) if map.contains_key("a[b]")));
    }

    #[test]
    fn what_is_not_an_object_is_refused_without_a_name() {
        for body in [
            "1",
            "\"a\"",
            "true",
            "[1]",
            "{",
            "{\"a\":}",
            "{\"a\":1}x",
            "{a:1}",
            "{\"a\":1,}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\\u0000\"}",
            "{\"a\":1e999}",
            "\u{feff}{}",
        ] {
            let error = read(body.as_bytes()).unwrap_err();
            assert_eq!(error.code().as_str(), "invalid_param", "{body}");
            assert_eq!(error.param(), None, "{body}");
        }
        assert!(read(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_name_given_twice_is_named() {
        let error = read(br#"{"a":1,"a":2}"#).unwrap_err();
        assert_eq!(error.param(), Some("a"));
        assert!(read(br#"{"v":{"a":1,"a":2}}"#).is_err());
        assert!(read(br#"{"a":{"b":1},"a[b]":2}"#).is_err());
    }

    #[test]
    fn nesting_beyond_eight_is_refused() {
        let nested = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
        assert!(read(nested(8).as_bytes()).is_ok());
        assert!(read(nested(9).as_bytes()).is_err());
        let open = "[".repeat(500_000);
        assert!(read(format!("{{\"a\":{open}").as_bytes()).is_err());
    }

    #[test]
    fn a_swarm_of_values_is_refused() {
        let body = format!("{{\"a\":[{}1]}}", "1,".repeat(NODES_MAX));
        assert!(read(body.as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }

        #[test]
        fn no_json_like_text_makes_it_panic(text in "[\\[\\]{}\",:a0-9\\\\u.e+-]{0,80}") {
            let _ = read(text.as_bytes());
        }
    }
}
