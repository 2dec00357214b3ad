//! One resource as a JSON object.

use crate::Fields;
use serde::Serialize;

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
    #[inline]
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
    #[inline]
    pub fn put_some<T: Serialize>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.put(name, &value);
        }
    }

    /// Writes a field whose value is JSON already.
    #[inline]
    pub fn put_json(&mut self, name: &'static str, json: &str) {
        if self.name(name) {
            self.out.extend_from_slice(json.as_bytes());
        }
    }

    #[inline]
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
