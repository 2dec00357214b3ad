//! `GET …_fields`

use crate::fields::Kind;
use crate::{ApiResult, Call, enter};
use hub_app::fields::view::FieldView;
use hub_app::hub::Hub;
use hub_store::{StoreError, Tx, fields};
use hub_web::{Answer, Fields};
use postrider_model::ProjectId;

/// Lists the fields of one kind, in their order.
pub(super) async fn list(hub: &Hub, call: &Call, kind: Kind) -> ApiResult {
    let project = enter(hub, call, kind.view).await?;
    let wanted = Fields::read(&call.params)?;
    let id = project.id;
    let views = hub.store.of(id).read(move |tx| all(tx, id, kind)).await?;
    Ok(Answer::value(&views, &wanted)?)
}

pub(super) fn all(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    kind: Kind,
) -> Result<Vec<FieldView>, StoreError> {
    let fields = fields::all(tx, project_id, kind.owner)?;
    Ok(fields.into_iter().map(FieldView::from).collect())
}
