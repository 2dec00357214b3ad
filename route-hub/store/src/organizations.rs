//! Organizations.

use crate::changes;
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Organization, Plan};
use postrider_model::OrganizationId;

/// Stores a new organization.
pub fn insert(tx: &mut Tx<'_>, organization: &Organization) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO organizations (id, name, timezone_id, plan, time_created) \
         VALUES ($1, $2, $3, $4, $5)",
        &values![
            organization.id,
            &organization.name,
            &organization.timezone_id,
            plan_json(&organization.plan),
            organization.time_created,
        ],
    )?;
    Ok(())
}

/// Stores a changed name, zone and plan.
pub fn update(tx: &mut Tx<'_>, organization: &Organization) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE organizations SET name = $2, timezone_id = $3, plan = $4 WHERE id = $1",
        &values![
            organization.id,
            &organization.name,
            &organization.timezone_id,
            plan_json(&organization.plan),
        ],
    )?;
    changes::raise(tx, changes::Scope::Keys(organization.id))?;
    Ok(changed == 1)
}

/// Returns an organization.
pub fn get(tx: &mut Tx<'_>, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
    tx.query_one(
        "SELECT id, name, timezone_id, plan, time_created FROM organizations WHERE id = $1",
        &values![id],
        read,
    )
}

/// Returns every organization, oldest first.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Organization>, StoreError> {
    tx.query(
        "SELECT id, name, timezone_id, plan, time_created FROM organizations ORDER BY id",
        &[],
        read,
    )
}

fn plan_json(plan: &Plan) -> Option<String> {
    let plan = (*plan != Plan::default()).then_some(plan)?;
    serde_json::to_string(plan).ok()
}

fn read(row: &Row<'_>) -> Result<Organization, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Organization {
        id: columns.id()?,
        name: columns.text()?,
        timezone_id: columns.text()?,
        plan: columns
            .opt_parsed(|text| serde_json::from_str(text).ok())?
            .unwrap_or_default(),
        time_created: columns.time()?,
    })
}
