//! Labels of messages.

pub mod view;

use crate::failure::Failure;
use crate::hub::Hub;
use crate::parse;
use hub_domain::Project;
use hub_store::labels;
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
    let (project_id, asked) = (project.id, ids.clone());
    let reading = hub.store.of(project_id).read(move |tx| {
        let known = asked.iter();
        let known = known.map(|id| Ok(labels::get(tx, project_id, *id)?.is_some()));
        known.collect::<Result<Vec<_>, hub_store::StoreError>>()
    });
    let known = reading.await?;
    if let Some(at) = known.iter().position(|known| !known) {
        return Err(parse::no_such(&items[at], "label").into());
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}
