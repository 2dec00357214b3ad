//! What a resource looks like, written once: for JSON, and for whoever takes its members.

use crate::Fields;
use serde::Serialize;
use serde_json::Value;

/// Something that is shown as an object.
pub trait Resource {
    /// Writes every field; the writer leaves out what the caller did not select.
    fn write(&self, out: &mut ObjectWriter<'_>);
}

/// Takes the fields of one object, one by one.
pub struct ObjectWriter<'w>(Target<'w>);

enum Target<'w> {
    Json(JsonObject<'w>),
    Members(&'w mut dyn FnMut(&'static str, Value)),
}

impl ObjectWriter<'_> {
    /// Writes `resource` as JSON to the end of `out`.
    pub fn object(out: &mut Vec<u8>, fields: &Fields, resource: &(impl Resource + ?Sized)) {
        out.push(b'{');
        let object = JsonObject {
            out: &mut *out,
            fields,
            any: false,
        };
        resource.write(&mut ObjectWriter(Target::Json(object)));
        out.push(b'}');
    }

    /// Hands every field of `resource` to `take`, in the order of the JSON object.
    pub fn members(resource: &(impl Resource + ?Sized), mut take: impl FnMut(&'static str, Value)) {
        resource.write(&mut ObjectWriter(Target::Members(&mut take)));
    }

    /// Writes a field, `null` for `None`.
    #[inline]
    pub fn put<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        match &mut self.0 {
            Target::Json(object) => object.put(name, value),
            Target::Members(take) => take(name, serde_json::to_value(value).unwrap_or_default()),
        }
    }

    /// Writes a field only when there is a value.
    #[inline]
    pub fn put_some<T: Serialize>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.put(name, &value);
        }
    }

    /// Writes a field whose value is stored as JSON.
    #[inline]
    pub fn put_json(&mut self, name: &'static str, json: &str) {
        match &mut self.0 {
            Target::Json(object) => object.put_json(name, json),
            Target::Members(take) => take(name, serde_json::from_str(json).unwrap_or_default()),
        }
    }
}

/// A JSON object that is being written into an answer.
struct JsonObject<'w> {
    out: &'w mut Vec<u8>,
    fields: &'w Fields,
    any: bool,
}

impl JsonObject<'_> {
    #[inline]
    fn put<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        if !self.name(name) {
            return;
        }
        let start = self.out.len();
        if serde_json::to_writer(&mut *self.out, value).is_err() {
            self.out.truncate(start);
            self.out.extend_from_slice(b"null");
        }
    }

    #[inline]
    fn put_json(&mut self, name: &str, json: &str) {
        if self.name(name) {
            self.out.extend_from_slice(json.as_bytes());
        }
    }

    /// Begins a field; says whether it is wanted.
    #[inline]
    fn name(&mut self, name: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    struct Thing;

    impl Resource for Thing {
        fn write(&self, out: &mut ObjectWriter<'_>) {
            out.put("id", "TH1");
            out.put("ratio", &7.25);
            out.put("note", &None::<&str>);
            out.put_some("error", None::<&str>);
            out.put_some("parts", Some([2]));
            out.put_json("stored", "{\"b\":1,\"a\":null}");
        }
    }

    #[test]
    fn members_are_those_of_the_json_object_in_its_order() {
        let mut members = Map::new();
        ObjectWriter::members(&Thing, |name, value| {
            members.insert(name.to_owned(), value);
        });
        let mut text = Vec::new();
        ObjectWriter::object(&mut text, &Fields::ALL, &Thing);
        let members = Value::Object(members).to_string();
        assert_eq!(members.as_bytes(), text);
        assert_eq!(
            members,
            r#"{"id":"TH1","ratio":7.25,"note":null,"parts":[2],"stored":{"b":1,"a":null}}"#
        );
    }
}
