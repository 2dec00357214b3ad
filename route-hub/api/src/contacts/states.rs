//! `GET /projects/{project_id}/contacts/{contact_id}/states`
//!
//! Services come later: a contact has no states yet, so that this list is read as it will be and is
//! empty.

use crate::lists::{DEFAULT, Entry, List, TEXT, VARIABLES};
use crate::members::VARS;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::contacts::{self, VIEW};
use hub_app::listing::Listed;
use hub_store::list::{Column, Kind as Stored};
use hub_web::{Kind, Member, ObjectWriter, Resource, Shape};
use postrider_model::kind;

const OWN_STATES: List = List {
    filters: &[
        Entry::text("id", STATE_ID, TEXT),
        Entry::variables(VARIABLES),
    ],
    sorts: &[DEFAULT],
};
const STATE_ID: Column = Column::new("id", Stored::Text);
const STATE: Shape = Shape {
    name: "ContactServiceState",
    about: "Where a contact stands in a service.",
    members: &[
        Member::new("id", Kind::Text(usize::MAX), "The state.").nullable(),
        Member::id::<kind::Contact>("contact_id", "The contact."),
        Member::new("service_id", Kind::Id("SV"), "The service."),
        VARS,
    ],
};

operation! {
    /// Lists the states that a contact has in services: none.
    STATES = "listContactStates": Project(VIEW), states -> List(&OWN_STATES, &STATE);
}

async fn states(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    contacts::find(&actor, id).await?;
    let asked = call.list()?;
    Ok(asked.show(Listed::<Nothing>::none(&asked.request())))
}

/// What an empty list has items of.
enum Nothing {}

impl Resource for Nothing {
    fn write(&self, _: &mut ObjectWriter<'_>) {
        match *self {}
    }
}
