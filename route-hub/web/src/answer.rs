//! Answers: objects with selected fields, the list envelope, counts and the void.

use crate::{error::ApiError, fields::Fields, list::ListQuery};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderValue, header};
use hub_view::{ObjectWriter, Resource};
use serde::Serialize;

/// One page of a list.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next page begins; `None` when this one is not full.
    pub next_marker: Option<String>,
}

/// A successful answer: JSON with status 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer(Bytes);

impl Answer {
    /// Answers with one object.
    pub fn object(resource: &(impl Resource + ?Sized), fields: &Fields) -> Self {
        let mut out = Vec::with_capacity(1_024);
        ObjectWriter::object(&mut out, fields.names(), resource);
        Self(out.into())
    }

    /// Answers with one page of a list, in the envelope.
    pub fn page<T: Resource>(page: &Page<T>, query: &ListQuery) -> Self {
        let mut out = Vec::with_capacity(256 + page.items.len() * 1_024);
        out.extend_from_slice(b"{\"data\":[");
        for (index, item) in page.items.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            ObjectWriter::object(&mut out, query.fields.names(), item);
        }
        let tail = serde_json::json!({
            "truncated": page.next_marker.is_some(),
            "next_marker": page.next_marker,
            "sort": query.sort,
            "sort_dir": query.sort_dir(),
        });
        out.extend_from_slice(b"],");
        out.extend_from_slice(&tail.to_string().as_bytes()[1..]);
        Self(out.into())
    }

    /// Answers with a bare array of objects.
    pub fn array(items: &[Box<dyn Resource>], fields: &Fields) -> Self {
        let mut out = Vec::with_capacity(2 + items.len() * 1_024);
        out.push(b'[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            ObjectWriter::object(&mut out, fields.names(), &**item);
        }
        out.push(b']');
        Self(out.into())
    }

    /// Answers with a number: `{"count": n}`.
    pub fn count(count: u64) -> Self {
        Self(format!("{{\"count\":{count}}}").into())
    }

    /// Answers that there is nothing to say: `{}`.
    pub const fn void() -> Self {
        Self(Bytes::from_static(b"{}"))
    }

    /// Answers with any other value; an object, or each in an array, shows the selected fields.
    ///
    /// # Errors
    /// `server_error` for a value that JSON cannot hold.
    pub fn value(value: &impl Serialize, fields: &Fields) -> Result<Self, ApiError> {
        let text = if fields == Fields::ALL {
            serde_json::to_vec(value)
        } else {
            serde_json::to_value(value).and_then(|mut value| {
                fields.names().keep_wanted(&mut value);
                serde_json::to_vec(&value)
            })
        };
        Ok(Self(text.map_err(ApiError::internal)?.into()))
    }

    /// Repeats an earlier answer.
    pub fn saved(text: String) -> Self {
        Self(text.into())
    }

    /// Returns the JSON text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("{}")
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = Response::new(self.0.into());
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Params, Takes};
    use crate::{FIELDS, PAGE};

    const LIST: Takes = Takes {
        own: &[PAGE],
        common: &[FIELDS],
    };

    struct Thing;

    impl Resource for Thing {
        fn write(&self, out: &mut ObjectWriter<'_>) {
            out.put("id", "TH1");
            out.put("name", "a\"b");
            out.put("note", &None::<&str>);
            out.put_some("error", None::<&str>);
            out.put_some("parts", Some(2));
            out.put_json("vars", "{\"x\":1}");
        }
    }

    fn fields(query: &str) -> Fields {
        let params = Params::from_parts(query, None).unwrap();
        Fields::read(&params.taking(LIST)).unwrap()
    }

    #[test]
    fn an_object_has_its_fields_in_order() {
        assert_eq!(
            Answer::object(&Thing, Fields::ALL).text(),
            r#"{"id":"TH1","name":"a\"b","note":null,"parts":2,"vars":{"x":1}}"#
        );
    }

    #[test]
    fn selected_fields_come_with_the_id() {
        let answer = Answer::object(&Thing, &fields("fields=vars, name,unknown"));
        assert_eq!(
            answer.text(),
            r#"{"id":"TH1","name":"a\"b","vars":{"x":1}}"#
        );
        assert_eq!(&fields("fields="), Fields::ALL);
    }

    #[test]
    fn the_envelope_always_has_all_its_members() {
        let params = Params::from_parts("fields=id", None).unwrap().taking(LIST);
        let query = ListQuery::read(&params, &["default"], []).unwrap();
        let mut page = Page {
            items: vec![Thing, Thing],
            next_marker: Some("m1".into()),
        };
        assert_eq!(
            Answer::page(&page, &query).text(),
            r#"{"data":[{"id":"TH1"},{"id":"TH1"}],"truncated":true,"next_marker":"m1","sort":"default","sort_dir":"asc"}"#
        );
        page.items.clear();
        page.next_marker = None;
        assert_eq!(
            Answer::page(&page, &query).text(),
            r#"{"data":[],"truncated":false,"next_marker":null,"sort":"default","sort_dir":"asc"}"#
        );
    }

    #[test]
    fn counts_and_voids_are_objects() {
        assert_eq!(Answer::count(7).text(), r#"{"count":7}"#);
        assert_eq!(Answer::void().text(), "{}");
    }
}
