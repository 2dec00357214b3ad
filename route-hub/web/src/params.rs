//! All parameters of one request: query string and body in one tree.

use crate::shape::Member;
use crate::{
    error::{ApiError, ErrorCode},
    field::{ANY, Field},
    json::read_json,
    members::Members,
    node::{Node, Tree},
    query::read_pairs,
    steps::Steps,
};
#[cfg(debug_assertions)]
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The parameters of one request.
///
/// Query string and body are one set: a name in both, or twice in one, is refused. What an operation
/// does not declare cannot be read, and is ignored when it comes.
#[derive(Debug, Clone, Default)]
pub struct Params {
    root: Members<Node>,
    steps: Steps,
    takes: Takes,
    /// Which of the declared parameters were read, for tests.
    #[cfg(debug_assertions)]
    reads: Arc<AtomicU64>,
}

/// The parameters that an operation takes: its own, and those that others of its sort take too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Takes {
    /// Its own, in groups.
    pub own: &'static [&'static [Member]],
    /// What every operation of its sort takes, in groups.
    pub common: &'static [&'static [Member]],
}

impl Takes {
    /// Returns every parameter.
    pub fn all(&self) -> impl Iterator<Item = &'static Member> + use<> {
        self.own.iter().chain(self.common).copied().flatten()
    }
}

impl Params {
    /// Reads the query string and, where there is one, the body with its content type.
    ///
    /// # Errors
    /// 400 for what cannot be read, 415 for a body that is neither form nor JSON.
    pub fn from_parts(query: &str, body: Option<(&str, &[u8])>) -> Result<Self, ApiError> {
        let mut tree = Tree::default();
        read_pairs(query.as_bytes(), &mut tree)?;
        if let Some((content_type, bytes)) = body.filter(|(_, bytes)| !bytes.is_empty()) {
            match BodyKind::of(content_type)? {
                BodyKind::Form => read_pairs(bytes, &mut tree)?,
                BodyKind::Json => read_json(bytes, &mut tree)?,
            }
        }
        Ok(Self {
            root: tree.root,
            steps: tree.steps,
            takes: Takes::default(),
            #[cfg(debug_assertions)]
            reads: Arc::default(),
        })
    }

    /// Says which parameters may be read, and how.
    pub fn taking(mut self, takes: Takes) -> Self {
        self.takes = takes;
        self
    }

    /// Returns how many steps reading took: one for each byte, and for each look among names as
    /// many as its comparisons. It grows with the size of what came, whatever its shape.
    pub fn steps(&self) -> u64 {
        self.steps.count()
    }

    /// Returns the parameter of this name, given or not; what is not declared is not given.
    pub fn get<'a>(&'a self, name: &'a str) -> Field<'a> {
        // Most are not given, and then it says nothing what they are declared as.
        let Some(node) = self.root.get(name) else {
            return Field::top(name, None, &ANY);
        };
        let mut all = self.takes.all().enumerate();
        let found = all.find(|(_, member)| member.name == name);
        debug_assert!(found.is_some(), "{name} is declared");
        match found {
            Some((index, member)) => {
                self.note_read(index);
                Field::top(name, Some(node), &member.kind)
            }
            None => Field::top(name, None, &ANY),
        }
    }

    #[cfg(debug_assertions)]
    fn note_read(&self, index: usize) {
        self.reads.fetch_or(1 << (index % 64), Ordering::Relaxed);
    }

    #[cfg(not(debug_assertions))]
    fn note_read(&self, _: usize) {}

    /// Returns what tells, after an operation succeeded, a declared parameter that was given and never
    /// read; only builds for tests keep that.
    #[cfg(debug_assertions)]
    pub fn unread(&self) -> impl FnOnce() -> Option<&'static str> + use<> {
        let reads = Arc::clone(&self.reads);
        let all = self.takes.all().enumerate();
        let given = all.filter(|(_, member)| self.root.get(member.name).is_some());
        let given: Vec<_> = given.map(|(index, member)| (index, member.name)).collect();
        move || {
            let reads = reads.load(Ordering::Relaxed);
            let is_read = |index: usize| reads & (1 << (index % 64)) != 0;
            let was_read = |name| {
                given
                    .iter()
                    .any(|(index, other)| *other == name && is_read(*index))
            };
            given
                .iter()
                .map(|(_, name)| *name)
                .find(|name| !was_read(*name))
        }
    }

    /// Returns the parameter of a filter, which its list declares.
    pub(crate) fn filter<'a>(&'a self, name: &'a str) -> Field<'a> {
        Field::top(name, self.root.get(name), &ANY)
    }

    /// Returns every parameter that came, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = Field<'_>> {
        self.root
            .iter()
            .map(|(name, node)| Field::top(name, Some(node), &ANY))
    }

    /// Takes a parameter out, so that nothing after sees it.
    pub(crate) fn take_text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        match self.root.take(name) {
            None | Some(Node::Null) => Ok(None),
            Some(Node::Text(text) | Node::Plain(text)) => Ok(Some(text)),
            Some(_) => Err(ApiError::invalid_param(name, "must be a string")),
        }
    }

    /// Refuses what no request may give: fields that cannot be changed, and parameters of features
    /// that come later, unless they say nothing.
    ///
    /// # Errors
    /// `invalid_param` that names the first one.
    pub fn check(&self) -> Result<(), ApiError> {
        self.root.iter().try_for_each(|(name, node)| {
            let mut all = self.takes.all().enumerate();
            match all.find(|(_, member)| member.name == *name) {
                Some((index, member)) => {
                    let field = Field::top(name, Some(node), &member.kind);
                    if field.says_nothing_here() {
                        self.note_read(index);
                    }
                    field.check()
                }
                None => Ok(()),
            }
        })
    }

    /// Returns a text that is the same for the same parameters, however they were written.
    ///
    /// Names are in order and a form's values are JSON strings; for comparing requests.
    pub fn canonical(&self) -> String {
        let members: serde_json::Map<_, _> = self
            .all()
            .map(|field| (field.path().to_string(), field.to_json()))
            .collect();
        serde_json::Value::Object(members).to_string()
    }
}

enum BodyKind {
    Form,
    Json,
}

impl BodyKind {
    fn of(content_type: &str) -> Result<Self, ApiError> {
        let mut parts = content_type.split(';').map(str::trim);
        let kind = match parts.next().unwrap_or_default() {
            kind if kind.eq_ignore_ascii_case("application/json") => Self::Json,
            kind if kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") => Self::Form,
            _ => return Err(unsupported("the body must be a form or JSON, in UTF-8")),
        };
        let other_charset = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim().trim_matches('"');
            name.trim().eq_ignore_ascii_case("charset")
                && !value.eq_ignore_ascii_case("utf-8")
                && !value.eq_ignore_ascii_case("utf8")
        };
        if parts.any(other_charset) {
            return Err(unsupported("the body must be in UTF-8"));
        }
        Ok(kind)
    }
}

pub(crate) fn unsupported(message: &'static str) -> ApiError {
    ApiError::new(ErrorCode::UnsupportedMediaType, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Kind, Later};

    const FORM: &str = "application/x-www-form-urlencoded";

    fn read(query: &str, kind: &str, body: &str) -> Result<Params, ApiError> {
        Params::from_parts(query, Some((kind, body.as_bytes())))
    }

    const DIGIT: Kind = Kind::Integer(0, 9);
    const TAKES: Takes = Takes {
        own: &[
            &[Member::new("a", DIGIT, "One.")],
            &[Member::new("b", DIGIT, "Another.")],
        ],
        common: &[],
    };

    #[test]
    fn query_and_body_are_one_set() {
        let params = read("a=1", "application/json; charset=utf-8", r#"{"b":2}"#).unwrap();
        let params = params.taking(TAKES);
        assert_eq!(params.get("a").integer().unwrap(), Some(1));
        assert_eq!(params.get("b").integer().unwrap(), Some(2));
        let error = read("a=1", FORM, "a=2").unwrap_err();
        assert_eq!(error.param(), Some("a"));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "c is declared")]
    fn what_is_not_declared_cannot_be_read() {
        let params = Params::from_parts("c=1", None).unwrap().taking(TAKES);
        params.get("c");
    }

    #[test]
    fn other_content_types_are_refused_unless_empty() {
        assert_eq!(
            read("", "text/plain", "x").unwrap_err().code().status(),
            415
        );
        assert_eq!(read("", "", "x").unwrap_err().code().status(), 415);
        let latin = read("", "application/json; charset=latin1", "{}");
        assert_eq!(latin.unwrap_err().code().status(), 415);
        assert!(read("", "text/plain", "").is_ok());
        assert!(read("x=1", FORM, "").is_ok());
        assert!(read("", "APPLICATION/JSON;charset=\"UTF-8\"", "{}").is_ok());
    }

    #[test]
    fn later_features_are_taken_at_their_default_only() {
        const LATER: Takes = Takes {
            own: &[&[
                Member::later("media", Later::Empty),
                Member::later("track_clicks", Later::False),
                Member::later("tts_lang", Later::Text("en-US")),
                Member::read_only("id"),
            ]],
            common: &[],
        };
        let check = |body: &str| {
            let params = read("", "application/json", body).unwrap();
            let refused = params.taking(LATER).check().err();
            refused.and_then(|error| error.param().map(str::to_owned))
        };
        for allowed in [
            r#"{"media":[],"track_clicks":false,"tts_lang":"en-US"}"#,
            r#"{"media":null,"track_clicks":null,"tts_lang":""}"#,
        ] {
            assert_eq!(check(allowed), None);
        }
        for (refused, named) in [
            (r#"{"media":["x"]}"#, "media"),
            (r#"{"track_clicks":true}"#, "track_clicks"),
            (r#"{"tts_lang":"da-DK"}"#, "tts_lang"),
            (r#"{"id":null}"#, "id"),
        ] {
            assert_eq!(check(refused).as_deref(), Some(named));
        }
    }

    #[test]
    fn order_does_not_change_the_canonical_text() {
        let one = read("", "application/json", r#"{"b":{"y":1,"x":2},"a":"z"}"#).unwrap();
        let other = read("", "application/json", r#"{"a":"z","b":{"x":2,"y":1}}"#).unwrap();
        assert_eq!(one.canonical(), other.canonical());
        assert_eq!(one.canonical(), r#"{"a":"z","b":{"x":2,"y":1}}"#);
    }
}
