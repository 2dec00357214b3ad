//! `POST /projects/{project_id}/contacts` and `POST /projects/{project_id}/import_contacts`

use crate::contacts::read::{self, Key};
use crate::contacts::{CONTACT, READ_ONLY};
use crate::members::ids;
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::contacts::{self, NewContact, NewContacts, PERMISSION};
use hub_web::{Answer, ApiError, ErrorCode, Fields, Kind, Member, Params, Shape};
use postrider_model::{ContactId, kind};
use serde::Serialize;

/// Most groups that one contact joins, or leaves, at once.
const GROUPS_MAX: usize = 20;
/// Most contacts of an import.
const IMPORT_MAX: usize = 200;
/// Most groups that the contacts of an import join, or leave.
const IMPORT_GROUPS_MAX: usize = 5;

/// The groups that a contact is to join and leave.
pub(super) const GROUPS: &[Member] = &groups(GROUPS_MAX);
const LOOKUP_KEY: Member = Member::new(
    "lookup_key",
    Kind::Text(64),
    "What finds a contact: phone_number, name, id, vars.NAME, or none for a new one.",
)
.or("\"phone_number\"");
const ITEM: &[Member] = &read::ITEM;
const IMPORT_TAKES: &[Member] = &[
    Member::new(
        "contacts",
        Kind::Array(&Kind::Object(ITEM), IMPORT_MAX),
        "The contacts.",
    )
    .required(),
    Member::new(
        "lookup_key",
        Kind::Text(64),
        "What finds contacts: phone_number, id, vars.NAME, or none for new ones.",
    )
    .or("\"phone_number\""),
    groups(IMPORT_GROUPS_MAX)[0],
    groups(IMPORT_GROUPS_MAX)[1],
    read::DEFAULT_ROUTE_ID,
];

const IMPORTED: Shape = Shape {
    name: "ImportedContacts",
    about: "The contacts, in the order of the request.",
    members: &[Member::new(
        "contacts",
        Kind::Array(
            &Kind::Object(&[Member::id::<kind::Contact>("id", "Its id.")]),
            IMPORT_MAX,
        ),
        "The contacts.",
    )],
};

const fn groups(items_max: usize) -> [Member; 2] {
    [
        ids::<kind::Group>("add_group_ids", items_max, "Groups to join."),
        ids::<kind::Group>("remove_group_ids", items_max, "Groups to leave."),
    ]
}

operation! {
    /// Finds the contact that is meant, or makes it, and changes what is given.
    CREATE = "createContact": Project(PERMISSION), create -> Object(&CONTACT);
    .takes(&[&[LOOKUP_KEY], read::ID, read::TAKES, GROUPS, READ_ONLY])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"name":"Ann","phone_number":"+15005550101"}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let key = Key::read(&call.params.get("lookup_key"), true)?;
    let region = actor.project.country.as_deref();
    let contact = key.single(|name| call.params.get(name), region)?;
    let groups = read::groups(&call.params)?;
    let view = contacts::create(&actor, contact, groups).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Finds or makes up to 200 contacts, all of them or none, and answers in their order.
    IMPORT = "importContacts": Project(PERMISSION), import -> Object(&IMPORTED);
    .takes(&[IMPORT_TAKES])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"contacts":[{"name":"Ann","phone_number":"+15005550101"}]}"#)
}

async fn import(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let command = read_import(&call.params, actor.project.country.as_deref())?;
    let ids = contacts::import(&actor, command).await?;
    let contacts = ids.into_iter().map(|id| Imported { id }).collect();
    Ok(Answer::value(&Import { contacts }, &fields).unwrap_or_else(|_| Answer::void()))
}

#[derive(Serialize)]
struct Import {
    contacts: Vec<Imported>,
}

#[derive(Serialize)]
struct Imported {
    id: ContactId,
}

fn read_import(params: &Params, region: Option<&str>) -> Result<NewContacts, ApiError> {
    let route = params.get("default_route_id");
    let route_id = parse::route_id(&route)?;
    Ok(NewContacts {
        default_route_id: route.is_present().then_some(route_id),
        groups: read::groups(params)?,
        contacts: read_items(params, region)?,
    })
}

fn read_items(params: &Params, region: Option<&str>) -> Result<Vec<NewContact>, ApiError> {
    let key = Key::read(&params.get("lookup_key"), false)?;
    let field = params.get("contacts");
    let items = field.array()?;
    let items = items.ok_or_else(|| field.refuse("is required"))?;
    let contacts = items.iter().map(|item| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        key.item(|name| object.get(name), region)
    });
    contacts.collect()
}
