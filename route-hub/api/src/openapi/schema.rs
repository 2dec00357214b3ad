//! What values may be, as JSON Schema.

use hub_web::{Kind, Member, Shape};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AdditionalProperties, AnyOfBuilder, ArrayBuilder, ObjectBuilder, OneOfBuilder, Ref, Schema,
    SchemaType, Type,
};

/// A schema, or where it stands.
pub(super) type AnySchema = RefOr<Schema>;

/// Names of custom variables.
const VARIABLE: &str = "^[A-Za-z0-9_]{1,32}$";
/// Ids have 16 digits after their prefix.
const DIGITS: &str = "[0-9a-f]{16}";

/// Which way values go: they are read more generously than they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In a request.
    In,
    /// In an answer.
    Out,
}

/// Describes a named object of answers: it has these members and no other. With `fields` any may be
/// missing but the id.
pub(super) fn shape(shape: &Shape) -> Schema {
    let object = ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some(shape.about));
    let object = shape.members.iter().fold(object, |object, member| {
        object.property(member.name, shown(member))
    });
    let has_id = shape
        .members
        .iter()
        .any(|member| member.name == "id" && !member.is_nullable);
    let object = if has_id {
        object.required("id")
    } else {
        object
    };
    closed(object).into()
}

/// Describes the members of an object in a request; `None` where a request may not give any.
pub(super) fn taken(members: impl IntoIterator<Item = &'static Member>) -> Option<ObjectBuilder> {
    let mut object = ObjectBuilder::new().schema_type(Type::Object);
    let mut seen = Vec::new();
    for member in members {
        let is_second = seen.contains(&member.name);
        seen.push(member.name);
        if is_second || !is_taken(member) {
            continue;
        }
        object = object.property(member.name, parameter(member));
        if member.is_required {
            object = object.required(member.name);
        }
    }
    (!seen.is_empty()).then_some(object)
}

/// Says whether a request may give a member.
pub(super) fn is_taken(member: &Member) -> bool {
    !matches!(
        member.kind,
        Kind::Later(_) | Kind::ReadOnly | Kind::Elsewhere(_)
    )
}

/// Describes a parameter.
pub(super) fn parameter(member: &Member) -> AnySchema {
    let takes_null =
        !member.is_required && !member.is_never_null && !matches!(member.kind, Kind::Any);
    let schema = of(&member.kind, Way::In);
    let schema = if takes_null { or_null(schema) } else { schema };
    described(schema, about(member))
}

fn shown(member: &Member) -> AnySchema {
    let schema = of(&member.kind, Way::Out);
    let schema = if member.is_nullable {
        or_null(schema)
    } else {
        schema
    };
    described(schema, member.about.to_owned())
}

fn described(mut schema: AnySchema, text: String) -> AnySchema {
    match &mut schema {
        RefOr::T(Schema::Object(object)) => object.description = Some(text),
        RefOr::T(Schema::Array(array)) => array.description = Some(text),
        RefOr::T(Schema::AnyOf(any)) => any.description = Some(text),
        RefOr::Ref(reference) => reference.description = text,
        RefOr::T(_) => {}
    }
    schema
}

/// The default stands in the text: of a `default` in the schema some generators make a member that must be given.
fn about(member: &Member) -> String {
    if member.default.is_empty() {
        return member.about.to_owned();
    }
    format!("{} Default: `{}`.", member.about, member.default)
}

/// Describes a kind.
pub(super) fn of(kind: &Kind, way: Way) -> AnySchema {
    match *kind {
        Kind::Any | Kind::Later(_) | Kind::ReadOnly | Kind::Elsewhere(_) => {
            plain(SchemaType::AnyValue)
        }
        Kind::Null => plain(Type::Null),
        Kind::Text(chars_max) => text(chars_max, None),
        Kind::Word(words) => word(words),
        Kind::Id(prefix) => text(usize::MAX, Some(pattern(&format!("{prefix}{DIGITS}"), way))),
        Kind::Url(chars_max) => text(chars_max, Some(pattern("[hH][tT][tT][pP][sS]?://.+", way))),
        Kind::Zone => text(64, None),
        Kind::Date => text(10, Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}$".to_owned())),
        Kind::TimeOfDay => text(5, Some(pattern("[0-9]{2}:[0-9]{2}", way))),
        Kind::Integer(low, high) => integer(low, high),
        Kind::Number => plain(Type::Number),
        Kind::Time => time(way),
        Kind::Boolean => plain(Type::Boolean),
        Kind::Vars => map(of_variable(way), Some(VARIABLE)),
        Kind::Map(kind) => map(of(kind, way), None),
        Kind::Array(kind, items_max) => array(of(kind, way), items_max),
        Kind::Object(members) => members_of(members, way),
        Kind::Of(shape) => Ref::from_schema_name(shape.name).into(),
        Kind::Either(kinds) => any_of(kinds.iter().map(|kind| of(kind, way))),
    }
}

fn members_of(members: &'static [Member], way: Way) -> AnySchema {
    match way {
        Way::In => RefOr::T(taken(members).unwrap_or_default().into()),
        Way::Out => {
            let object = ObjectBuilder::new().schema_type(Type::Object);
            let object = members.iter().fold(object, |object, member| {
                let object = object.property(member.name, shown(member));
                if member.is_optional {
                    object
                } else {
                    object.required(member.name)
                }
            });
            RefOr::T(closed(object).into())
        }
    }
}

fn closed(object: ObjectBuilder) -> ObjectBuilder {
    object.additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

fn map(values: AnySchema, names: Option<&str>) -> AnySchema {
    let names = names.map(|pattern| {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some(pattern))
    });
    let object = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(names)
        .additional_properties(Some(values));
    RefOr::T(object.into())
}

/// A request takes a variable away by `null`.
fn of_variable(way: Way) -> AnySchema {
    let nothing = (way == Way::In).then_some(Type::Null);
    let types = [Type::String, Type::Number, Type::Boolean];
    let one = types
        .into_iter()
        .chain(nothing)
        .map(plain)
        .fold(OneOfBuilder::new(), OneOfBuilder::item);
    RefOr::T(one.into())
}

fn text(chars_max: usize, pattern: Option<String>) -> AnySchema {
    let chars_max = Some(chars_max).filter(|chars_max| *chars_max < usize::MAX);
    object(Type::String, |object| {
        object.max_length(chars_max).pattern(pattern)
    })
}

/// In a request an empty text says nothing.
fn pattern(of_text: &str, way: Way) -> String {
    match way {
        Way::In => format!("^({of_text})?$"),
        Way::Out => format!("^{of_text}$"),
    }
}

fn word(words: &'static [&'static str]) -> AnySchema {
    object(Type::String, |object| {
        object.enum_values(Some(words.iter().copied()))
    })
}

fn integer(low: i64, high: i64) -> AnySchema {
    let low = Some(low).filter(|low| *low > i64::MIN);
    let high = Some(high).filter(|high| *high < i64::MAX);
    object(Type::Integer, |object| object.minimum(low).maximum(high))
}

/// Describes the key of a request that may be repeated; a header loses the spaces around it.
pub(super) fn idempotency_key() -> AnySchema {
    object(Type::String, |object| {
        let object = object.min_length(Some(1)).max_length(Some(255));
        object.pattern(Some("^[!-~]([ -~]*[!-~])?$"))
    })
}

/// A birthday before 1970 is shown, and no request gives such a time.
fn time(way: Way) -> AnySchema {
    match way {
        Way::In => object(Type::Number, |object| object.minimum(Some(0_i64))),
        Way::Out => plain(Type::Number),
    }
}

fn array(items: AnySchema, items_max: usize) -> AnySchema {
    let items_max = Some(items_max).filter(|items_max| *items_max < usize::MAX);
    RefOr::T(ArrayBuilder::new().items(items).max_items(items_max).into())
}

fn any_of(schemas: impl IntoIterator<Item = AnySchema>) -> AnySchema {
    let any = schemas
        .into_iter()
        .fold(AnyOfBuilder::new(), AnyOfBuilder::item);
    RefOr::T(any.into())
}

/// Makes a schema that allows `null` as well.
fn or_null(schema: AnySchema) -> AnySchema {
    any_of([schema, plain(Type::Null)])
}

fn plain(kind: impl Into<SchemaType>) -> AnySchema {
    object(kind, |object| object)
}

fn object(
    kind: impl Into<SchemaType>,
    bound: impl FnOnce(ObjectBuilder) -> ObjectBuilder,
) -> AnySchema {
    RefOr::T(bound(ObjectBuilder::new().schema_type(kind)).into())
}
