//! `GET /projects/{project_id}/groups`, the groups of a contact, and the contacts of a group

use crate::contacts::{self, CONTACT};
use crate::groups::GROUP;
use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::contacts::VIEW;
use hub_app::groups;
use hub_store::groups::by;
use hub_store::list::Sort;

const GROUPS: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::presence("dynamic", by::FILTERS),
    ],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

operation! {
    /// Lists the groups of a project.
    LIST = "listGroups": Project(VIEW), list -> List(&GROUPS, &GROUP);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = groups::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Lists the groups that a contact is in, dynamic ones included.
    OF_CONTACT = "listContactGroups": Project(VIEW), of_contact -> List(&GROUPS, &GROUP);
}

async fn of_contact(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    let asked = call.list()?;
    let listed = groups::of_contact(&actor, id, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Lists the contacts of a group; those of a dynamic one are those that meet its filters now.
    CONTACTS = "listGroupContacts": Project(VIEW), contacts -> List(&contacts::CONTACTS, &CONTACT);
}

async fn contacts(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("group_id", "group")?;
    let asked = contacts::asked(&call, actor.project.country.as_deref())?;
    let listed = groups::contacts_of(&actor, id, asked.request()).await?;
    Ok(asked.show(listed))
}
