//! The labels that a message names.

use crate::failure::Failure;
use crate::hub::Hub;
use hub_domain::Project;
use hub_store::{StoreError, labels};
use hub_view::Refusal;
use postrider_model::LabelId;

/// Checks that each of these is a label of the project; returns them in order, each once.
pub async fn all_known(
    hub: &Hub,
    project: &Project,
    mut ids: Vec<LabelId>,
) -> Result<Vec<LabelId>, Failure> {
    let known = are_known(hub, project, &ids).await?;
    if let Some(at) = known.iter().position(|known| !known) {
        let param = format!("label_ids[{at}]");
        let rule = "is not the id of a label of this project";
        return Err(Refusal::invalid_param(param, rule).into());
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns those of these labels that the project still has.
pub(crate) async fn still_known(
    hub: &Hub,
    project: &Project,
    ids: Vec<LabelId>,
) -> Result<Vec<LabelId>, StoreError> {
    let known = are_known(hub, project, &ids).await?;
    let known = ids.into_iter().zip(known);
    Ok(known
        .filter_map(|(id, known)| known.then_some(id))
        .collect())
}

async fn are_known(hub: &Hub, project: &Project, ids: &[LabelId]) -> Result<Vec<bool>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (project, ids) = (project.id, ids.to_vec());
    let reading = hub.store.of(project).read(move |tx| {
        let known = ids.iter();
        let known = known.map(|id| Ok(labels::get(tx, project, *id)?.is_some()));
        known.collect()
    });
    reading.await
}
