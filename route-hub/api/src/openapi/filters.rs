//! What a list takes, and what stands in a path or a query string.

use super::schema::{self, AnySchema, Way};
use crate::lists::List;
use hub_domain::UsageType;
use hub_web::{FilterKind, FilterSpec, Kind, Member, Modifier};
use postrider_model::{IdKind, kind};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{
    AdditionalProperties, AnyOfBuilder, ArrayBuilder, ObjectBuilder, Type,
};
use utoipa::openapi::{RefOr, Required};

/// Describes the parameters that a list is filtered and sorted by.
pub(super) fn of(list: &'static List) -> Vec<Parameter> {
    let sorts: Vec<_> = list.sorts().collect();
    let mut all = vec![query("sort", "The order.", one_of(&sorts)).build()];
    for spec in list.specs() {
        match spec.kind {
            FilterKind::Vars => all.push(variables(spec)),
            kind => all.extend(one(spec, kind)),
        }
    }
    all
}

fn one(spec: &FilterSpec, kind: FilterKind) -> Vec<Parameter> {
    let name = spec.name;
    let text = format!("Shows only those with this {name}.");
    let mut all = vec![query(name, &text, value(kind)).build()];
    for modifier in spec.modifiers {
        let schema = match modifier {
            Modifier::Exists | Modifier::Null => in_query(&Kind::Boolean),
            _ => value(kind),
        };
        let text = format!("Shows only those whose {name} {}.", meaning(*modifier));
        all.push(query(&format!("{name}[{}]", modifier.as_str()), &text, schema).build());
    }
    all
}

/// Filters by custom variables have free names, each with the same modifiers.
fn variables(spec: &FilterSpec) -> Parameter {
    let modifiers: Vec<_> = spec
        .modifiers
        .iter()
        .map(|modifier| modifier.as_str())
        .collect();
    let text = format!(
        "Shows only those with this value of a variable: `vars[NAME]=value`, or \
         `vars[NAME][modifier]=value` with one of {}.",
        modifiers.join(", ")
    );
    let object = ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(schema::of(&Kind::Text(4_096), Way::Out)));
    query(spec.name, &text, RefOr::T(object.into()))
        .style(Some(ParameterStyle::DeepObject))
        .explode(Some(true))
        .build()
}

fn query(name: &str, text: &str, schema: AnySchema) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(text))
        .schema(Some(schema))
}

fn one_of(words: &[&'static str]) -> AnySchema {
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.iter().copied()));
    RefOr::T(text.into())
}

fn value(kind: FilterKind) -> AnySchema {
    let kind = match kind {
        FilterKind::Text | FilterKind::Address | FilterKind::Id | FilterKind::Vars => {
            Kind::Text(4_096)
        }
        FilterKind::Integer => Kind::Integer(i64::MIN, i64::MAX),
        FilterKind::Timestamp => Kind::Time,
        FilterKind::Boolean => Kind::Boolean,
        FilterKind::OneOf(names) => Kind::Word(names),
    };
    in_query(&kind)
}

const fn meaning(modifier: Modifier) -> &'static str {
    match modifier {
        Modifier::Eq => "is this",
        Modifier::Ne => "is not this",
        Modifier::Prefix => "begins with this",
        Modifier::NotPrefix => "does not begin with this",
        Modifier::Exists => "is there, or is not",
        Modifier::Null => "is missing, or is not",
        Modifier::Gte | Modifier::Min => "is this or higher",
        Modifier::Gt => "is higher than this",
        Modifier::Lt | Modifier::Max => "is lower than this",
        Modifier::Lte => "is this or lower",
    }
}

/// Describes a page of a list, or with `count` the number of its items.
pub(super) fn page(item: AnySchema) -> AnySchema {
    let text = |about| RefOr::T(ObjectBuilder::new().schema_type(about).into());
    let marker = schema::of(&Kind::Either(&[Kind::Text(1_024), Kind::Null]), Way::Out);
    let page = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("data", RefOr::T(ArrayBuilder::new().items(item).into()))
        .required("data")
        .property("truncated", text(Type::Boolean))
        .required("truncated")
        .property("next_marker", marker)
        .required("next_marker")
        .property("sort", text(Type::String))
        .required("sort")
        .property(
            "sort_dir",
            schema::of(&Kind::Word(&["asc", "desc"]), Way::Out),
        )
        .required("sort_dir")
        .additional_properties(Some(AdditionalProperties::FreeForm(false)));
    let count = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("count", schema::of(&Kind::Integer(0, i64::MAX), Way::Out))
        .required("count")
        .additional_properties(Some(AdditionalProperties::FreeForm(false)));
    either(RefOr::T(page.into()), RefOr::T(count.into()))
}

/// Describes one of two.
pub(super) fn either(one: AnySchema, other: AnySchema) -> AnySchema {
    RefOr::T(AnyOfBuilder::new().item(one).item(other).into())
}

/// Returns how an object is written in a query string: `name[member]=value`.
pub(super) fn style(kind: &Kind) -> Option<ParameterStyle> {
    matches!(kind, Kind::Object(_)).then_some(ParameterStyle::DeepObject)
}

/// Describes a parameter of a query string.
pub(super) fn in_query(kind: &Kind) -> AnySchema {
    match kind {
        Kind::Object(members) => {
            let described = |object: ObjectBuilder, member: &Member| {
                object.property(member.name, in_query(&member.kind))
            };
            let object = ObjectBuilder::new().schema_type(Type::Object);
            RefOr::T(members.iter().fold(object, described).into())
        }
        kind => schema::of(kind, Way::Out),
    }
}

/// Returns what stands at a place of a path.
pub(super) fn of_path(place: &str) -> Kind {
    Kind::Id(match place {
        "organization_id" => kind::Organization::PREFIX,
        "project_id" => kind::Project::PREFIX,
        "template_id" => kind::MessageTemplate::PREFIX,
        "message_id" => kind::Message::PREFIX,
        "campaign_id" => kind::Campaign::PREFIX,
        "broadcast_id" => kind::Broadcast::PREFIX,
        "phone_id" => kind::Phone::PREFIX,
        "route_id" => kind::Route::PREFIX,
        "contact_id" => kind::Contact::PREFIX,
        "group_id" => kind::Group::PREFIX,
        "label_id" => kind::Label::PREFIX,
        "scheduled_id" => kind::Scheduled::PREFIX,
        "relative_scheduled_id" => kind::RelativeScheduled::PREFIX,
        "table_id" => kind::DataTable::PREFIX,
        "row_id" => kind::DataRow::PREFIX,
        "view_id" => kind::DataView::PREFIX,
        "webhook_delivery_id" => kind::WebhookDelivery::PREFIX,
        "webhook_id" => kind::Webhook::PREFIX,
        "file_id" => kind::File::PREFIX,
        "usage_type" => return Kind::Word(UsageType::NAMES),
        _ => return Kind::Text(64),
    })
}
