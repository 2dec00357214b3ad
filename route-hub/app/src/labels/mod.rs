//! Labels of messages.

pub mod view;

use crate::failure::Failure;
use crate::hub::Hub;
use crate::parse;
use hub_domain::Project;
use hub_store::{StoreError, labels};
use hub_view::Refusal;
use hub_web::Params;
use postrider_model::LabelId;

/// Most labels that new messages get.
const LABELS_MAX: usize = 5;

/// Reads the `label_ids` of new messages, each of which must be one of the project.
pub async fn read(hub: &Hub, params: &Params, project: &Project) -> Result<Vec<LabelId>, Failure> {
    let field = params.get("label_ids");
    let items = field.array(LABELS_MAX)?.unwrap_or_default();
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut ids = Vec::with_capacity(items.len());
    for item in &items {
        let id = parse::id(item, "label")?.ok_or_else(|| parse::no_such(item, "label"))?;
        ids.push(id);
    }
    all_known(hub, project, ids).await
}

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
pub async fn still_known(
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
