//! `GET /projects` and `GET /organizations/{organization_id}/projects`, and one of them.

use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::messages::TEXT as ANY_TEXT;
use crate::projects::PROJECT;
use crate::{ApiResult, Call, operation};
use hub_app::actor::{Actor, OrganizationActor};
use hub_app::projects::{self, ProjectView};
use hub_domain::{Permission, Project};
use hub_store::list::Sort;
use hub_store::projects::by;
use hub_web::{Answer, Fields, Kind, Member, Shape};

const PROJECTS: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

const USER: Shape = Shape {
    name: "User",
    about: "Somebody who may sign in.",
    members: &[
        Member::new("id", Kind::Id("UR"), "The id that messages name."),
        Member::new("email", ANY_TEXT, "The address."),
        Member::new("name", ANY_TEXT, "The name.").nullable(),
    ],
};

operation! {
    /// Lists the projects that the caller's key reaches.
    LIST = "listProjects": Organization(Permission::ViewProjects), list -> List(&PROJECTS, &PROJECT);
}

async fn list(actor: OrganizationActor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = projects::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one project.
    GET = "getProject": Project(Permission::ViewProjects), get -> Object(&PROJECT);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let view = ProjectView(Project::clone(&actor.project));
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Lists the people who may sign in to a project: nobody yet, there are only API keys.
    USERS = "listUsers": Project(Permission::ViewProjects), users -> Array(&USER);
}

async fn users(_: Actor, call: Call) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    Ok(Answer::value(&[(); 0], &wanted)?)
}
