//! `GET /projects/{project_id}/contacts/{contact_id}/groups`

use crate::contacts::found;
use crate::groups::LIST;
use crate::lists::each;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::groups::view::GroupView;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::{contacts, groups};

/// Lists the groups that a contact is in, dynamic ones included.
pub async fn groups(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewContacts).await?;
    let (project_id, id) = (project.id, call.path_id("contact_id", "contact")?);
    let reading =
        hub.store
            .of(project_id)
            .read(move |tx| match contacts::get(tx, project_id, id)? {
                Some(_) => groups::filter_of_contact(tx, project_id, id).map(Some),
                None => Ok(None),
            });
    let within = found(reading.await?)?;
    let mut asked = LIST.read(&call.params)?;
    asked.query.filters.push(within);
    asked
        .answer(
            hub.store.of(project_id),
            move |tx, query| groups::list(tx, project_id, query),
            move |tx, query| groups::count(tx, project_id, query),
            each(GroupView),
        )
        .await
}
