//! Form bodies with bracket names: how events show nested properties.

use form_urlencoded::Serializer;
use hub_view::{ObjectWriter, Resource};
use serde_json::Value;
use std::fmt::{Display, Write as _};

/// A form body under construction.
///
/// `null` is left out, truth values are `1` and `0`, members are `name[member]`, items `name[0]`.
/// Source: the specification, "Events"; nulls: `gaps.md`, 1.14.
pub(crate) struct Form {
    body: Serializer<'static, String>,
    /// The name of what is being added.
    name: String,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            body: Serializer::new(String::new()),
            name: String::new(),
        }
    }
}

impl Form {
    /// Adds a text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.body.append_pair(name, text);
    }

    /// Adds the fields of a resource as parameters of their own.
    pub(crate) fn fields(&mut self, resource: &impl Resource) {
        ObjectWriter::members(resource, |name, value| {
            self.begin(name);
            self.value(&value);
        });
    }

    /// Adds the fields of a resource as `name[field]`.
    pub(crate) fn object(&mut self, name: &str, resource: &impl Resource) {
        self.begin(name);
        ObjectWriter::members(resource, |field, value| self.inside(field, &value));
    }

    fn begin(&mut self, name: &str) {
        self.name.clear();
        self.name.push_str(name);
    }

    /// Adds a value under the present name, with everything inside it.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.pair(if *flag { "1" } else { "0" }),
            Value::Number(number) => self.pair(&number.to_string()),
            Value::String(text) => self.pair(text),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.inside(index, item);
                }
            }
            Value::Object(members) => {
                for (member, value) in members {
                    self.inside(member, value);
                }
            }
        }
    }

    fn inside(&mut self, member: impl Display, value: &Value) {
        let length = self.name.len();
        let _ = write!(self.name, "[{member}]");
        self.value(value);
        self.name.truncate(length);
    }

    fn pair(&mut self, value: &str) {
        self.body.append_pair(&self.name, value);
    }

    /// Returns the body.
    pub(crate) fn finish(mut self) -> String {
        self.body.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Shown(Value);

    impl Resource for Shown {
        fn write(&self, out: &mut ObjectWriter<'_>) {
            out.put("shown", &self.0);
        }
    }

    fn readable(form: Form) -> String {
        form.finish().replace("%5B", "[").replace("%5D", "]")
    }

    fn body(value: Value) -> String {
        let mut form = Form::default();
        form.fields(&Shown(value));
        readable(form)
    }

    #[test]
    fn nested_values_get_bracket_names() {
        let contact = json!({
            "name": "Ann Ü",
            "vars": { "age": 7.5, "vip": true, "gone": null },
            "group_ids": ["a", "b"],
            "empty": [],
            "none": {},
        });
        assert_eq!(
            body(contact),
            "shown[name]=Ann+%C3%9C&shown[vars][age]=7.5&shown[vars][vip]=1\
             &shown[group_ids][0]=a&shown[group_ids][1]=b"
        );
    }

    #[test]
    fn what_has_no_value_is_left_out() {
        assert_eq!(body(Value::Null), "");
        assert_eq!(body(json!(false)), "shown=0");
        assert_eq!(body(json!("")), "shown=");
    }

    #[test]
    fn separators_inside_a_text_stay_inside() {
        assert_eq!(body(json!("a=b&c+d %")), "shown=a%3Db%26c%2Bd+%25");
    }

    #[test]
    fn a_resource_within_another_has_its_name() {
        let mut form = Form::default();
        form.text("event", "e");
        form.object("contact", &Shown(json!({ "a": [1] })));
        form.fields(&Shown(json!(2)));
        assert_eq!(readable(form), "event=e&contact[shown][a][0]=1&shown=2");
    }
}
