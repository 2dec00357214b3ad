//! Answers: objects with selected fields, the list envelope, counts and the void.

use crate::{error::ApiError, list::ListQuery, params::Params};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderValue, header};
use serde::Serialize;
use serde_json::Value;

/// The field that every object keeps, whatever is selected.
const ID: &str = "id";

/// Which fields of an object are wanted: all, or those named and `id`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Option<Vec<String>>);

impl Fields {
    /// All of them.
    pub const ALL: &'static Self = &Self(None);

    /// Reads the parameter `fields`, a comma-separated list of names; unknown names select nothing.
    ///
    /// # Errors
    /// `invalid_param` when it is not a text.
    pub fn read(params: &Params) -> Result<Self, ApiError> {
        let names = params.get("fields").string(2_000)?;
        let names = names.filter(|names| !names.trim().is_empty());
        Ok(Self(names.map(|names| {
            names
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect()
        })))
    }

    /// Returns whether a field is wanted.
    pub fn wants(&self, name: &str) -> bool {
        name == ID
            || self
                .0
                .as_ref()
                .is_none_or(|names| names.iter().any(|wanted| wanted == name))
    }

    fn keep_wanted(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.keep_wanted(item)),
            Value::Object(object) => object.retain(|name, _| self.wants(name)),
            _ => {}
        }
    }
}

/// Something that answers show as a JSON object.
pub trait Resource {
    /// Writes every field; the writer leaves out what was not asked for.
    fn write(&self, out: &mut ObjectWriter<'_>);
}

/// Writes one JSON object, field by field, straight into the answer.
#[derive(Debug)]
pub struct ObjectWriter<'w> {
    out: &'w mut Vec<u8>,
    fields: &'w Fields,
    any: bool,
}

impl<'w> ObjectWriter<'w> {
    /// Writes `resource` to the end of `out`.
    pub fn object(out: &'w mut Vec<u8>, fields: &'w Fields, resource: &(impl Resource + ?Sized)) {
        out.push(b'{');
        let mut writer = Self {
            out,
            fields,
            any: false,
        };
        resource.write(&mut writer);
        writer.out.push(b'}');
    }

    /// Writes a field, `null` for `None`.
    pub fn put<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        if !self.name(name) {
            return;
        }
        let start = self.out.len();
        if serde_json::to_writer(&mut *self.out, value).is_err() {
            self.out.truncate(start);
            self.out.extend_from_slice(b"null");
        }
    }

    /// Writes a field only when there is a value.
    pub fn put_some<T: Serialize>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.put(name, &value);
        }
    }

    /// Writes a field whose value is JSON already.
    pub fn put_json(&mut self, name: &'static str, json: &str) {
        if self.name(name) {
            self.out.extend_from_slice(json.as_bytes());
        }
    }

    fn name(&mut self, name: &'static str) -> bool {
        if !self.fields.wants(name) {
            return false;
        }
        if self.any {
            self.out.push(b',');
        }
        self.any = true;
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        true
    }
}

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
        ObjectWriter::object(&mut out, fields, resource);
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
            ObjectWriter::object(&mut out, &query.fields, item);
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
            ObjectWriter::object(&mut out, fields, &**item);
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

    /// Answers with any other value; of an object, or of each in an array, what was asked for.
    ///
    /// # Errors
    /// `server_error` for a value that JSON cannot hold.
    pub fn value(value: &impl Serialize, fields: &Fields) -> Result<Self, ApiError> {
        let text = match fields.0 {
            None => serde_json::to_vec(value),
            Some(_) => serde_json::to_value(value).and_then(|mut value| {
                fields.keep_wanted(&mut value);
                serde_json::to_vec(&value)
            }),
        };
        Ok(Self(text.map_err(ApiError::internal)?.into()))
    }

    /// Answers again what was answered before.
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
        Fields::read(&Params::from_parts(query, None).unwrap()).unwrap()
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
        assert_eq!(fields("fields="), Fields(None));
    }

    #[test]
    fn the_envelope_always_has_all_its_members() {
        let params = Params::from_parts("fields=id", None).unwrap();
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
