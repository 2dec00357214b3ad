//! Form bodies with bracket names: how events show nested properties.

use form_urlencoded::Serializer;
use serde_json::Value;

/// A form body under construction.
///
/// `null` is left out, truth values are `1` and `0`, members are `name[member]`, items `name[0]`.
/// Source: the specification, "Events"; nulls: `gaps.md`, 1.14.
pub(crate) struct Form(Serializer<'static, String>);

impl Default for Form {
    fn default() -> Self {
        Self(Serializer::new(String::new()))
    }
}

impl Form {
    /// Adds a text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.0.append_pair(name, text);
    }

    /// Adds a value with everything inside it.
    pub(crate) fn value(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.text(name, if *flag { "1" } else { "0" }),
            Value::Number(number) => self.text(name, &number.to_string()),
            Value::String(text) => self.text(name, text),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(&format!("{name}[{index}]"), item);
                }
            }
            Value::Object(members) => {
                for (member, value) in members {
                    self.value(&format!("{name}[{member}]"), value);
                }
            }
        }
    }

    /// Returns the body.
    pub(crate) fn finish(mut self) -> String {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(name: &str, value: &Value) -> String {
        let mut form = Form::default();
        form.value(name, value);
        form.finish().replace("%5B", "[").replace("%5D", "]")
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
            body("contact", &contact),
            "contact[name]=Ann+%C3%9C&contact[vars][age]=7.5&contact[vars][vip]=1\
             &contact[group_ids][0]=a&contact[group_ids][1]=b"
        );
    }

    #[test]
    fn what_has_no_value_is_left_out() {
        assert_eq!(body("time_sent", &Value::Null), "");
        assert_eq!(body("starred", &json!(false)), "starred=0");
        assert_eq!(body("content", &json!("")), "content=");
    }

    #[test]
    fn separators_inside_a_text_stay_inside() {
        assert_eq!(
            body("content", &json!("a=b&c+d %")),
            "content=a%3Db%26c%2Bd+%25"
        );
    }
}
