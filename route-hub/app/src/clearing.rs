//! Taking away what deleted fields and deleted data tables had, in steps that hold nobody up.
//!
//! What is being cleared is gone for everybody; its row says that something is left, so that a restart
//! goes on where the last process ended.

use crate::hub::Hub;
use crate::steps;
use hub_domain::{CustomField, FieldOwner};
use hub_store::{
    Gate, StoreError, Tx, contacts, data_rows, data_tables, fields, relative_schedules, variables,
};
use postrider_model::{ContactId, DataRowId, DataTableId, ProjectId};

/// Contacts or rows of one step.
const STEP: u32 = 100;
/// Steps that a request waits for; what is left then goes on behind it.
const STEPS_WAITED_FOR: usize = 100;

/// Clears the fields that a request has deleted, and the rest of them behind the request's back.
pub(crate) async fn of_fields(hub: &Hub) -> Result<(), StoreError> {
    for _ in 0..STEPS_WAITED_FOR {
        if !field_step(hub).await? {
            return Ok(());
        }
    }
    soon(hub);
    Ok(())
}

/// Clears what a request has deleted behind the request's back.
pub(crate) fn soon(hub: &Hub) {
    let hub = hub.clone();
    tokio::spawn(async move {
        if let Err(error) = finish(&hub).await {
            hub_store::failed!(error, error, "values of a deleted field or table are left");
        }
    });
}

/// Clears whatever is left to be cleared.
pub(crate) async fn finish(hub: &Hub) -> Result<(), StoreError> {
    loop {
        let began = hub.now().boot;
        if !field_step(hub).await? && !table_step(hub).await? {
            return Ok(());
        }
        steps::pause(hub.now().boot.since_ms(began)).await;
    }
}

/// Takes a step of clearing a field, and says whether there was one to clear.
async fn field_step(hub: &Hub) -> Result<bool, StoreError> {
    let left = hub.store.read(fields::to_clear).await?;
    let Some(field) = left.into_iter().next() else {
        return Ok(false);
    };
    let share = hub.store.hub_at(Gate::Project(field.project_id));
    share.write(move |tx| clear_some(tx, &field)).await?;
    Ok(true)
}

/// Takes a step of clearing a table, and says whether there was one to clear.
async fn table_step(hub: &Hub) -> Result<bool, StoreError> {
    let Some(table) = hub.store.read(data_tables::to_clear).await? else {
        return Ok(false);
    };
    let share = hub.store.hub_at(Gate::Project(table.project_id));
    let clearing = share.write(move |tx| data_tables::clear_some(tx, &table));
    clearing.await?;
    Ok(true)
}

fn clear_some(tx: &mut Tx<'_>, field: &CustomField) -> Result<(), StoreError> {
    let (project, owner, variable) = (field.project_id, field.owner, &*field.variable);
    let anew = fields::key(tx, project, owner, variable)?;
    let followed = relative_schedules::any(tx, project)?;
    for bearer in variables::clear_some(tx, field, STEP)? {
        let is_anew = match anew {
            Some(anew) => variables::has_value(tx, owner, anew, bearer)?,
            None => false,
        };
        if is_anew {
            continue;
        }
        match owner {
            FieldOwner::Contact => clear_contact(tx, project, bearer, variable, followed)?,
            FieldOwner::Table(table) => clear_row(tx, project, table, bearer, variable)?,
            FieldOwner::Message => {}
        }
    }
    Ok(())
}

fn clear_contact(
    tx: &mut Tx<'_>,
    project: ProjectId,
    key: i64,
    variable: &str,
    followed: bool,
) -> Result<(), StoreError> {
    let Some(id) = ContactId::from_i64(key) else {
        return Ok(());
    };
    let Some(mut contact) = contacts::get(tx, project, id)? else {
        return Ok(());
    };
    contact.vars.remove(variable);
    contacts::update(tx, &contact)?;
    if followed {
        relative_schedules::note_change(tx, project, id)?;
    }
    Ok(())
}

fn clear_row(
    tx: &mut Tx<'_>,
    project: ProjectId,
    table: DataTableId,
    key: i64,
    variable: &str,
) -> Result<(), StoreError> {
    let Some(id) = DataRowId::from_i64(key) else {
        return Ok(());
    };
    let Some(mut row) = data_rows::get(tx, project, table, id)? else {
        return Ok(());
    };
    row.vars.remove(variable);
    data_rows::update(tx, &row)
}

#[cfg(test)]
mod tests {
    use crate::actor::{Actor, Who};
    use crate::clearing;
    use crate::contacts::{self, ContactPatch, GroupChanges, Lookup, NewContact};
    use crate::data_tables::get_or_create;
    use crate::data_tables::rows::{self, RowPatch};
    use crate::listing::{ListRequest, Listed};
    use crate::testing::{Office, wait};
    use hub_domain::{FieldOwner, VarsChange};
    use hub_store::fields;
    use hub_store::list::ListQuery;
    use postrider_model::{ContactId, DataRowId, DataTableId};
    use serde_json::{Value, json};

    fn vars(json: Value) -> VarsChange {
        VarsChange::parse(&json).unwrap()
    }

    /// Deletes a field, with all its values still to be taken away.
    fn begin(office: &Office, owner: FieldOwner, variable: &'static str) {
        let project = office.project.id;
        office.rows(move |work| {
            let field = fields::get(work.tx, project, owner, variable)?.unwrap();
            fields::begin_clearing(work.tx, &field, work.now.unix)
        });
    }

    fn row(actor: &Actor, table: DataTableId, id: DataRowId) -> Value {
        wait(rows::get(actor, table, id)).unwrap().0.vars.to_value()
    }

    fn row_patch(json: Value) -> RowPatch {
        RowPatch {
            vars: vars(json),
            ..RowPatch::default()
        }
    }

    #[test]
    fn a_deleted_fields_value_is_gone_from_rows_at_once_and_the_same_may_be_written_anew() {
        let office = Office::new();
        let actor = office.actor(Who::Operator);
        let table = wait(get_or_create(&actor, "Answers".to_owned()))
            .unwrap()
            .0
            .id;
        let make = |json| {
            wait(rows::create(&actor, table, row_patch(json)))
                .unwrap()
                .0
                .id
        };
        let change = |id, json| {
            let changed = wait(rows::update(&actor, table, id, row_patch(json)));
            changed.unwrap().0.vars.to_value()
        };
        let [same, other, none] = [(); 3].map(|()| make(json!({ "q": "yes", "n": 1 })));
        begin(&office, FieldOwner::Table(table), "q");
        assert_eq!(row(&actor, table, same), json!({ "n": 1 }));
        assert_eq!(change(none, json!({ "n": 2 })), json!({ "n": 2 }));
        let written = json!({ "q": "yes", "n": 1 });
        assert_eq!(change(same, json!({ "q": "yes" })), written);
        change(other, json!({ "q": "no" }));
        for _ in 0..2 {
            assert_eq!(row(&actor, table, same), written);
            assert_eq!(row(&actor, table, other), json!({ "q": "no", "n": 1 }));
            assert_eq!(row(&actor, table, none), json!({ "n": 2 }));
            wait(clearing::finish(&office.hub)).unwrap();
        }
        let request = ListRequest {
            query: ListQuery::default(),
            count_only: false,
        };
        let Ok(Listed::Page { items, .. }) = wait(rows::list(&actor, table, None, request)) else {
            panic!("a page was asked for");
        };
        let listed: Vec<_> = items.iter().map(|row| row.0.vars.to_value()).collect();
        assert_eq!(
            listed,
            [written, json!({ "q": "no", "n": 1 }), json!({ "n": 2 })]
        );
    }

    #[test]
    fn a_deleted_fields_value_is_gone_from_contacts_at_once_and_the_same_may_be_written_anew() {
        let office = Office::new();
        let actor = office.actor(Who::Operator);
        let patch = |json| ContactPatch {
            name: Some(Some("Ann".to_owned())),
            vars: vars(json),
            ..ContactPatch::default()
        };
        let make = |json| {
            let new = NewContact {
                lookup: Lookup::Nothing,
                patch: patch(json),
            };
            let made = wait(contacts::create(&actor, new, GroupChanges::default()));
            made.unwrap().contact.id
        };
        let shown = |id: ContactId| {
            let contact = wait(contacts::get(&actor, id)).unwrap().contact;
            contact.vars.to_value()
        };
        let [same, none] = [(); 2].map(|()| make(json!({ "plan": "a", "n": 1 })));
        begin(&office, FieldOwner::Contact, "plan");
        assert_eq!(shown(same), json!({ "n": 1 }));
        let changed = contacts::update(
            &actor,
            same,
            patch(json!({ "plan": "a" })),
            GroupChanges::default(),
        );
        wait(changed).unwrap();
        for _ in 0..2 {
            assert_eq!(shown(same), json!({ "plan": "a", "n": 1 }));
            assert_eq!(shown(none), json!({ "n": 1 }));
            wait(clearing::finish(&office.hub)).unwrap();
        }
    }
}
