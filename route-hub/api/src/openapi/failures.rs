//! How operations fail.

use super::schema::{self, AnySchema, Way};
use super::{JSON, Named};
use crate::operation::Operation;
use hub_web::{ErrorCode, Kind, Member};
use std::collections::BTreeMap;
use utoipa::openapi::schema::Ref;
use utoipa::openapi::{ContentBuilder, Response, ResponseBuilder};

/// How every operation may fail.
const EVERY: &[ErrorCode] = &[
    ErrorCode::InvalidParam,
    ErrorCode::Unauthorized,
    ErrorCode::RequestTimeout,
    ErrorCode::TooLarge,
    ErrorCode::UrlTooLong,
    ErrorCode::UnsupportedMediaType,
    ErrorCode::RateLimited,
    ErrorCode::HeadersTooLarge,
    ErrorCode::ServerError,
    ErrorCode::Unavailable,
];

/// Describes how an operation may fail, by status.
pub(super) fn of(operation: &Operation, path: &str, named: &mut Named) -> Vec<(String, Ref)> {
    let mut codes: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    let missing = path.contains('{').then_some(ErrorCode::NotFound);
    let mismatch = operation
        .is_repeatable
        .then_some(ErrorCode::IdempotencyMismatch);
    let own = operation.errors.iter().copied();
    let limited = (!operation.is_beyond_limits()).then_some(ErrorCode::LimitExceeded);
    for code in EVERY
        .iter()
        .copied()
        .chain(missing)
        .chain(mismatch)
        .chain(limited)
        .chain(own)
    {
        let names = codes.entry(code.status().as_u16()).or_default();
        if !names.contains(&code.as_str()) {
            names.push(code.as_str());
        }
    }
    let mut refer = |(status, names): (u16, Vec<&str>)| {
        let name = names.join("_or_");
        let reference = Ref::from_response_name(&name);
        named
            .failures
            .entry(name)
            .or_insert_with(|| response(&names));
        (status.to_string(), reference)
    };
    codes.into_iter().map(&mut refer).collect()
}

fn response(codes: &[&str]) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error")));
    ResponseBuilder::new()
        .description(format!("`{}`{}", codes.join("` or `"), note(codes)))
        .content(JSON, content.build())
        .build()
}

/// What no answer of the API's own can say: beyond the bound nothing of the request is read.
fn note(codes: &[&str]) -> &'static str {
    let by_length = [ErrorCode::UrlTooLong, ErrorCode::HeadersTooLarge];
    if by_length.iter().any(|code| codes.contains(&code.as_str())) {
        ". Beyond 64 KiB the answer has no body."
    } else {
        ""
    }
}

/// Describes the envelope of every failure.
pub(super) fn envelope() -> AnySchema {
    schema::of(&Kind::Object(ENVELOPE), Way::Out)
}

const ENVELOPE: &[Member] = &[Member::new(
    "error",
    Kind::Object(ERROR),
    "What went wrong.",
)];
const ERROR: &[Member] = &[
    Member::new("message", Kind::Text(usize::MAX), "For people."),
    Member::new("code", Kind::Word(ErrorCode::NAMES), "For programs."),
    Member::new(
        "param",
        Kind::Text(usize::MAX),
        "The parameter that was refused.",
    )
    .nullable()
    .optional(),
];
