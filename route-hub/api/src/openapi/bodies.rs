//! What requests bring: each body stands by its name, for programs that are generated.

use super::schema;
use super::{JSON, Named};
use crate::operation::Operation;
use hub_web::BodySize;
use serde_json::Value;
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::Ref;
use utoipa::openapi::{ContentBuilder, RefOr, Required};

const SHEET: &str = "text/csv";

/// Describes the body of an operation; `None` where it takes nothing.
pub(super) fn of(operation: &'static Operation, named: &mut Named) -> Option<RequestBody> {
    let members = operation.takes.iter().copied().flatten();
    let is_required = members.clone().any(|member| member.is_required);
    let object = schema::taken(members)?;
    let name = name(operation.id);
    let reference = Ref::from_schema_name(&name);
    named.bodies.insert(name, RefOr::T(object.into()));
    let example = serde_json::from_str::<Value>(operation.example).ok();
    let content = ContentBuilder::new()
        .schema(Some(reference))
        .example(example.filter(|example| example.as_object().is_some_and(|all| !all.is_empty())));
    let mut body = RequestBodyBuilder::new().content(JSON, content.build());
    if matches!(operation.body, BodySize::MediaOrSheet) {
        // Bytes that are no JSON have no schema (OpenAPI 3.1).
        body = body.content(SHEET, ContentBuilder::new().build());
    }
    let required = if is_required {
        Required::True
    } else {
        Required::False
    };
    Some(body.required(Some(required)).build())
}

/// Names what is made `NewLabel`, what changes something `LabelUpdate`, and the rest by its operation.
fn name(id: &str) -> String {
    if let Some(made) = id
        .strip_prefix("create")
        .or_else(|| id.strip_prefix("send"))
    {
        format!("New{made}")
    } else if let Some(changed) = id.strip_prefix("update") {
        format!("{changed}Update")
    } else {
        let (first, rest) = id.split_at(id.len().min(1));
        format!("{}{rest}Request", first.to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_body_is_named_for_what_it_makes_or_changes() {
        assert_eq!(name("sendMessage"), "NewMessage");
        assert_eq!(name("createLabel"), "NewLabel");
        assert_eq!(name("updateLabel"), "LabelUpdate");
        assert_eq!(name("importRows"), "ImportRowsRequest");
    }
}
