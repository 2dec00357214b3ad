//! Making, changing and removing labels.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::labels::{PERMISSION, found};
use crate::purge;
use crate::transaction::run;
use crate::vars;
use crate::views::label::LabelView;
use hub_domain::{Label, VarsChange};
use hub_store::labels;
use hub_view::Refusal;
use postrider_model::LabelId;

/// Finds the label of a name, or makes it.
pub async fn get_or_create(actor: &Actor, name: String) -> Result<LabelView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let project = work.project.id;
        if let Some(label) = labels::by_name(work.tx, project, &name)? {
            return Ok(LabelView(label));
        }
        let label = Label::new(work.id(), project, &name, work.now.unix);
        labels::insert(work.tx, &label)?;
        Ok(LabelView(label))
    })
    .await
}

/// What is to be changed of a label; `None` stays.
#[derive(Debug, Clone, Default)]
pub struct LabelPatch {
    /// Its name.
    pub name: Option<String>,
    /// Its custom variables.
    pub vars: VarsChange,
}

/// Changes a label.
pub async fn update(actor: &Actor, id: LabelId, patch: LabelPatch) -> Result<LabelView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let project = work.project.id;
        let mut label = found(labels::get(work.tx, project, id)?)?;
        if let Some(name) = &patch.name {
            let named = labels::by_name(work.tx, project, name)?;
            if named.is_some_and(|other| other.id != id) {
                return Err(
                    Refusal::invalid_param("name", "is already used by another label").into(),
                );
            }
            label.name.clone_from(name);
        }
        vars::apply(&mut label.vars, &patch.vars)?;
        labels::update(work.tx, &label)?;
        Ok(LabelView(label))
    })
    .await
}

/// Removes a label; its messages stay.
pub async fn delete(actor: &Actor, id: LabelId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let deleted = labels::delete(work.tx, work.project.id, id)?;
        Ok::<_, Failure>(found(deleted.then_some(()))?)
    })
    .await?;
    purge::leftovers_soon(&actor.hub);
    Ok(())
}
