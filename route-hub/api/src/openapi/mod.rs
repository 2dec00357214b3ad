//! The description of the API as an `OpenAPI` 3.1 document, made from the operations themselves.

mod bodies;
mod failures;
mod filters;
mod samples;
mod schema;
mod tags;
mod webhooks;

use crate::operation::{Answers, Operation, Url};
use hub_web::{Kind, Shape};
use schema::{AnySchema, Way};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::openapi::path::{
    OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, PathItemBuilder,
};
use utoipa::openapi::schema::{ArrayBuilder, Ref};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, Deprecated, HttpMethod, InfoBuilder,
    LicenseBuilder, OpenApiBuilder, PathsBuilder, RefOr, Required, Response, ResponseBuilder,
    Schema, SecurityRequirement, ServerBuilder,
};

/// What every path of the API begins with.
const BASE: &str = "/v1";
const JSON: &str = "application/json";

/// Describes the operations at these URLs, and the events that the hub posts, as JSON (OpenAPI 3.1).
pub fn document(urls: &[Url]) -> String {
    let mut named = Named::default();
    let paths = paths(urls, &mut named);
    let document = OpenApiBuilder::new()
        .info(info())
        .servers(Some([ServerBuilder::new()
            .url(BASE)
            .description(Some("This hub."))
            .build()]))
        .paths(paths)
        .components(Some(components(named)))
        .security(Some(
            ["key", "api_key"].map(|name| SecurityRequirement::new(name, [""; 0])),
        ))
        .tags(Some(tags::all(urls)))
        .build();
    let mut document = serde_json::to_value(document).unwrap_or_default();
    document["webhooks"] = webhooks::all();
    document.to_string()
}

fn info() -> utoipa::openapi::Info {
    let license = LicenseBuilder::new()
        .name(env!("CARGO_PKG_LICENSE"))
        .identifier(Some(env!("CARGO_PKG_LICENSE")));
    let text = "Sends and receives messages by phones. Parameters come as JSON or as a form, in the \
                body or the query string; what an operation does not know is ignored.";
    InfoBuilder::new()
        .title("Postrider")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(text))
        .license(Some(license.build()))
        .build()
}

/// What was met and stands by its name.
#[derive(Default)]
struct Named {
    shapes: BTreeMap<&'static str, Schema>,
    bodies: BTreeMap<String, AnySchema>,
    failures: BTreeMap<String, Response>,
}

impl Named {
    fn meet(&mut self, shape: &'static Shape) -> AnySchema {
        if !self.shapes.contains_key(shape.name) {
            self.shapes.insert(shape.name, schema::shape(shape));
            for member in shape.members {
                self.meet_within(&member.kind);
            }
        }
        Ref::from_schema_name(shape.name).into()
    }

    fn meet_within(&mut self, kind: &'static Kind) {
        match kind {
            Kind::Of(shape) => drop(self.meet(shape)),
            Kind::Array(kind, _) | Kind::Map(kind) => self.meet_within(kind),
            Kind::Either(kinds) => kinds.iter().for_each(|kind| self.meet_within(kind)),
            Kind::Object(members) => {
                for member in *members {
                    self.meet_within(&member.kind);
                }
            }
            _ => {}
        }
    }
}

fn paths(urls: &[Url], named: &mut Named) -> utoipa::openapi::Paths {
    let mut items: BTreeMap<&str, PathItemBuilder> = BTreeMap::new();
    for url in urls {
        let path = url.path.strip_prefix(BASE).unwrap_or(&url.path);
        let item = items.remove(path).unwrap_or_default();
        items.insert(
            path,
            item.operation(method(&url.method), operation(url, path, named)),
        );
    }
    let paths = items
        .into_iter()
        .fold(PathsBuilder::new(), |paths, (path, item)| {
            paths.path(path, PathItem::from(item))
        });
    paths.build()
}

fn method(method: &http::Method) -> HttpMethod {
    match method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn operation(url: &Url, path: &str, named: &mut Named) -> OperationBuilder {
    let operation = url.operation;
    let (summary, rest) = summed_up(operation.about);
    let permission = operation.permission();
    let description = format!("{rest}\n\nNeeds the permission `{permission}`.");
    let has_body = matches!(url.method.as_str(), "POST");
    let mut built = OperationBuilder::new()
        .operation_id(Some(id(url, path)))
        .tag(tags::of(operation).0)
        .summary(Some(summary))
        .description(Some(description.trim()))
        .deprecated(url.is_alias.then_some(Deprecated::True));
    for parameter in path_parameters(path) {
        built = built.parameter(parameter);
    }
    for parameter in query_parameters(operation, has_body) {
        built = built.parameter(parameter);
    }
    if operation.is_repeatable {
        built = built.parameter(idempotency_key());
    }
    if has_body {
        built = built.request_body(bodies::of(operation, named));
    }
    built = built.response("200", answer(operation, named));
    for (status, response) in failures::of(operation, path, named) {
        built = built.response(status, response);
    }
    built
}

/// Splits what is said of an operation into its first sentence and the rest.
fn summed_up(about: &str) -> (String, String) {
    let words: Vec<_> = about.split_whitespace().collect();
    let text = words.join(" ");
    match text.split_once(". ") {
        Some((first, rest)) => (format!("{first}."), rest.to_owned()),
        None => (text, String::new()),
    }
}

/// An operation has one name; at its older or second paths, one of the path's own.
fn id(url: &Url, path: &str) -> String {
    let second = if url.is_alias {
        path.rsplit('/').next().unwrap_or_default()
    } else if url.operation.id == "listProjects" && path != "/projects" {
        "ofOrganization"
    } else {
        ""
    };
    let mut letters = second.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    format!(
        "{}{}{}",
        url.operation.id,
        first.map(String::from).unwrap_or_default(),
        letters.as_str()
    )
}

fn path_parameters(path: &str) -> Vec<Parameter> {
    let places = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let described = |place: &str| {
        let kind = filters::of_path(place);
        ParameterBuilder::new()
            .name(place)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .schema(Some(schema::of(&kind, Way::Out)))
            .build()
    };
    places.map(described).collect()
}

fn query_parameters(operation: &'static Operation, has_body: bool) -> Vec<Parameter> {
    let takes = operation.parameters();
    let own = takes.own.iter().filter(|_| !has_body);
    let beside_a_body = std::iter::once(&operation.beside_sheet);
    let members = own.chain(beside_a_body).chain(takes.common);
    let members = members.copied().flatten();
    let taken = members.filter(|member| schema::is_taken(member));
    let example = serde_json::from_str::<Value>(operation.example).unwrap_or_default();
    let plain = taken.map(|member| {
        let required = if member.is_required {
            Required::True
        } else {
            Required::False
        };
        ParameterBuilder::new()
            .name(member.name)
            .parameter_in(ParameterIn::Query)
            .required(required)
            .description(Some(member.about))
            .schema(Some(filters::in_query(&member.kind)))
            .style(filters::style(&member.kind))
            .example(example.get(member.name).cloned())
            .build()
    });
    let mut all: Vec<_> = plain.collect();
    if let Answers::List(list, _) = operation.answer {
        all.extend(filters::of(list));
    }
    all
}

fn idempotency_key() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .description(Some(
            "A repeat with the same key is answered as the first call was.",
        ))
        .schema(Some(schema::idempotency_key()))
        .build()
}

fn answer(operation: &Operation, named: &mut Named) -> RefOr<Response> {
    let schema = match &operation.answer {
        Answers::Object(shape) => named.meet(shape),
        Answers::List(_, shape) => filters::page(named.meet(shape)),
        Answers::Array(shape) => array(named.meet(shape)),
        Answers::Either(one, other) => array(filters::either(named.meet(one), named.meet(other))),
        Answers::Value(kind) => schema::of(kind, Way::Out),
        Answers::Nothing => schema::of(&Kind::Object(&[]), Way::Out),
    };
    let mut content = ContentBuilder::new().schema(Some(schema));
    if let Answers::List(_, shape) = &operation.answer {
        content = content.examples_from_iter(samples::of_list(shape));
    }
    let content = content.build();
    let response = ResponseBuilder::new()
        .description("It was done.")
        .content(JSON, content);
    RefOr::T(response.build())
}

fn array(items: AnySchema) -> AnySchema {
    RefOr::T(ArrayBuilder::new().items(items).into())
}

fn components(named: Named) -> Components {
    let basic = Http::builder()
        .scheme(HttpAuthScheme::Basic)
        .description(Some(
            "The API key as the user; the password does not matter.",
        ))
        .build();
    let in_query = ApiKeyValue::with_description("api_key", "The API key.");
    let shapes = named.shapes.into_iter();
    let failures = named.failures.into_iter();
    ComponentsBuilder::new()
        .schemas_from_iter(named.bodies)
        .schemas_from_iter(shapes.map(|(name, schema)| (name, RefOr::T(schema))))
        .responses_from_iter(failures)
        .schema("Error", failures::envelope())
        .security_scheme("key", SecurityScheme::Http(basic))
        .security_scheme("api_key", SecurityScheme::ApiKey(ApiKey::Query(in_query)))
        .build()
}
