//! All parameters of one request: query string and body in one tree.

use crate::{
    error::{ApiError, ErrorCode},
    field::Field,
    json::read_json,
    members::Members,
    node::{Node, Tree},
    query::read_pairs,
    steps::Steps,
};

/// The parameters of one request.
///
/// Query string and body are one set: a name in both, or twice in one, is refused. Parameters that
/// an operation does not know are ignored, except those of features that come later: see
/// [`refuse_unsupported`](Self::refuse_unsupported).
#[derive(Debug, Clone, Default)]
pub struct Params {
    root: Members<Node>,
    steps: Steps,
}

/// A parameter of a feature that comes later, and the value besides "empty" that says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unsupported {
    /// The parameter's name.
    pub name: &'static str,
    /// What the parameter means when it is left out.
    pub default: UnsupportedDefault,
}

/// The default of a parameter whose feature comes later.
#[derive(Debug, Clone, Copy)]
pub enum UnsupportedDefault {
    /// Only nothing: missing, `null`, empty text, array or object.
    Empty,
    /// Nothing, or false.
    False,
    /// Nothing, or exactly this text.
    Text(&'static str),
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
        })
    }

    /// Returns how many steps reading took: one for each byte, and for each look among names as
    /// many as its comparisons. It grows with the size of what came, whatever its shape.
    pub fn steps(&self) -> u64 {
        self.steps.count()
    }

    /// Returns the parameter of this name, given or not.
    ///
    /// At `trace` the log says so: tests compare what an operation reads with the list of the
    /// interface.
    pub fn get<'a>(&'a self, name: &'a str) -> Field<'a> {
        tracing::trace!(name, "reads a parameter");
        Field::top(name, self.root.get(name))
    }

    /// Returns every parameter that came, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = Field<'_>> {
        self.root
            .iter()
            .map(|(name, node)| Field::top(name, Some(node)))
    }

    /// Takes a parameter out, so that nothing after sees it.
    pub(crate) fn take_text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        match self.root.take(name) {
            None | Some(Node::Null) => Ok(None),
            Some(Node::Text(text) | Node::Plain(text)) => Ok(Some(text)),
            Some(_) => Err(ApiError::invalid_param(name, "must be a string")),
        }
    }

    /// Refuses parameters of later features, unless they say nothing.
    ///
    /// # Errors
    /// `invalid_param` that names the first one.
    pub fn refuse_unsupported(&self, unsupported: &[Unsupported]) -> Result<(), ApiError> {
        for Unsupported { name, default } in unsupported {
            refuse_unless_default(&self.get(name), *default)?;
        }
        Ok(())
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

/// Refuses one parameter of a later feature, unless it says nothing.
///
/// # Errors
/// `invalid_param` that names it.
pub fn refuse_unless_default(
    field: &Field<'_>,
    default: UnsupportedDefault,
) -> Result<(), ApiError> {
    let is_default = field.is_empty()
        || match default {
            UnsupportedDefault::Empty => false,
            UnsupportedDefault::False => field.boolean()? == Some(false),
            UnsupportedDefault::Text(text) => field.string(64)? == Some(text),
        };
    if is_default {
        return Ok(());
    }
    Err(field.refuse("is not offered by this hub yet"))
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

    const FORM: &str = "application/x-www-form-urlencoded";

    fn read(query: &str, kind: &str, body: &str) -> Result<Params, ApiError> {
        Params::from_parts(query, Some((kind, body.as_bytes())))
    }

    #[test]
    fn query_and_body_are_one_set() {
        let params = read("a=1", "application/json; charset=utf-8", r#"{"b":2}"#).unwrap();
        assert_eq!(params.get("a").integer(0..=9).unwrap(), Some(1));
        assert_eq!(params.get("b").integer(0..=9).unwrap(), Some(2));
        let error = read("a=1", FORM, "a=2").unwrap_err();
        assert_eq!(error.param(), Some("a"));
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
        const UNSUPPORTED: &[Unsupported] = &[
            Unsupported {
                name: "media",
                default: UnsupportedDefault::Empty,
            },
            Unsupported {
                name: "track_clicks",
                default: UnsupportedDefault::False,
            },
            Unsupported {
                name: "tts_lang",
                default: UnsupportedDefault::Text("en-US"),
            },
        ];
        let check = |body: &str| {
            read("", "application/json", body)
                .unwrap()
                .refuse_unsupported(UNSUPPORTED)
        };
        assert!(check(r#"{"media":[],"track_clicks":false,"tts_lang":"en-US"}"#).is_ok());
        assert!(check(r#"{"media":null,"track_clicks":null,"tts_lang":""}"#).is_ok());
        assert_eq!(
            check(r#"{"media":["x"]}"#).unwrap_err().param(),
            Some("media")
        );
        assert_eq!(
            check(r#"{"track_clicks":true}"#).unwrap_err().param(),
            Some("track_clicks")
        );
        assert_eq!(
            check(r#"{"tts_lang":"da-DK"}"#).unwrap_err().param(),
            Some("tts_lang")
        );
    }

    #[test]
    fn order_does_not_change_the_canonical_text() {
        let one = read("", "application/json", r#"{"b":{"y":1,"x":2},"a":"z"}"#).unwrap();
        let other = read("", "application/json", r#"{"a":"z","b":{"x":2,"y":1}}"#).unwrap();
        assert_eq!(one.canonical(), other.canonical());
        assert_eq!(one.canonical(), r#"{"a":"z","b":{"x":2,"y":1}}"#);
    }
}
