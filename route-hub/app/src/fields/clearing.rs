//! Taking a deleted field's values away from its contacts, in steps that hold nobody up.
//!
//! A field that is being cleared is gone for everybody; its row says that values are left, so that
//! a restart goes on where the last process ended.

use crate::hub::Hub;
use crate::steps;
use hub_domain::{CustomField, VarsChange};
use hub_store::{Gate, StoreError, Tx, contacts, fields, relative_schedules};
use serde_json::json;

/// Contacts of one step.
const STEP: u32 = 100;
/// Steps that a request waits for; what is left then goes on behind it.
const STEPS_WAITED_FOR: usize = 100;

/// Clears what a request has begun, and the rest of it behind the request's back.
pub(crate) async fn begin(hub: &Hub) -> Result<(), StoreError> {
    for _ in 0..STEPS_WAITED_FOR {
        if step(hub).await? == 0 {
            return Ok(());
        }
    }
    let hub = hub.clone();
    tokio::spawn(async move {
        if let Err(error) = finish(&hub).await {
            tracing::error!(%error, "values of a deleted field are left");
        }
    });
    Ok(())
}

/// Clears whatever is left to be cleared.
pub(crate) async fn finish(hub: &Hub) -> Result<(), StoreError> {
    loop {
        let began = hub.now().boot;
        if step(hub).await? == 0 {
            return Ok(());
        }
        steps::pause(hub.now().boot.since_ms(began)).await;
    }
}

/// Takes one step, and returns how many fields were left before it.
async fn step(hub: &Hub) -> Result<usize, StoreError> {
    let left = hub.store.read(fields::to_clear).await?;
    let count = left.len();
    if let Some(field) = left.into_iter().next() {
        let share = hub.store.hub_at(Gate::Project(field.project_id));
        share.write(move |tx| clear_some(tx, &field)).await?;
    }
    Ok(count)
}

fn clear_some(tx: &mut Tx<'_>, field: &CustomField) -> Result<(), StoreError> {
    let Ok(without) = VarsChange::parse(&json!({ &field.variable: null })) else {
        return Ok(());
    };
    let anew = fields::key(tx, field.project_id, field.owner, &field.variable)?;
    let followed = relative_schedules::any(tx, field.project_id)?;
    for bearer in fields::clear_some(tx, field.key, STEP)? {
        let Some(mut contact) = contacts::get(tx, field.project_id, bearer)? else {
            continue;
        };
        let is_anew = match anew {
            Some(anew) => fields::has_value(tx, anew, bearer)?,
            None => false,
        };
        if !is_anew {
            drop(contact.vars.apply(without.clone()));
            contacts::update(tx, &contact)?;
            if followed {
                relative_schedules::note_change(tx, field.project_id, bearer)?;
            }
        }
    }
    Ok(())
}
