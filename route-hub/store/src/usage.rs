//! Counting what an organization has and uses.

use crate::{StoreError, Tx, Value, list, values};
use hub_domain::{Day, UsageType};
use postrider_model::{Key, OrganizationId, UnixMs};

/// Counts what an organization has of a type: of what is kept now, what was made from `from` until
/// before `until`.
///
/// Walks every such row.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn made_within(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    usage: UsageType,
    from: UnixMs,
    until: UnixMs,
) -> Result<u64, StoreError> {
    let Some(sql) = counting(usage) else {
        return Ok(0);
    };
    let (from, until) = (Key::first_of_ms(from.0), Key::first_of_ms(until.0));
    let values: [Value<'_>; 3] = values![organization_id, from.get(), until.get()];
    let counted = tx.within(list::TIME_MAX, |tx| {
        tx.query_one(sql, &values, |row| row.int(0))
    })?;
    Ok(counted.map_or(0, i64::unsigned_abs))
}

/// Adds to the API requests of an organization's day.
pub fn add_requests(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    day: Day,
    requests: u64,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO api_requests (organization_id, day, requests) VALUES ($1, $2, $3) \
         ON CONFLICT (organization_id, day) \
         DO UPDATE SET requests = api_requests.requests + excluded.requests",
        &values![organization_id, day.to_string(), requests],
    )?;
    Ok(())
}

/// Returns how many API requests are written of an organization's day.
pub fn requests_of(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    day: Day,
) -> Result<u64, StoreError> {
    let written = tx.query_one(
        "SELECT requests FROM api_requests WHERE organization_id = $1 AND day = $2",
        &values![organization_id, day.to_string()],
        |row| row.int(0),
    )?;
    Ok(written.map_or(0, i64::unsigned_abs))
}

/// Returns the statement that counts rows of a type; `None` for what has no rows.
const fn counting(usage: UsageType) -> Option<&'static str> {
    Some(match usage {
        UsageType::Contacts => {
            "SELECT count(*) FROM contacts WHERE id >= $2 AND id < $3 AND project_id IN \
             (SELECT id FROM projects WHERE organization_id = $1)"
        }
        UsageType::Phones => {
            "SELECT count(*) FROM phones WHERE removed = 0 AND id >= $2 AND id < $3 AND \
             project_id IN (SELECT id FROM projects WHERE organization_id = $1)"
        }
        UsageType::StoredMessages => {
            "SELECT count(*) FROM messages WHERE hidden = 0 AND id >= $2 AND id < $3 AND \
             project_id IN (SELECT id FROM projects WHERE organization_id = $1)"
        }
        UsageType::ExternalMessagesDay | UsageType::ExternalMessagesPeriod => {
            concat!(
                "SELECT count(*) FROM messages WHERE hidden = 0 AND direction = ",
                code!(direction Outgoing),
                " AND simulated = 0 AND id >= $2 AND id < $3 AND project_id IN \
                 (SELECT id FROM projects WHERE organization_id = $1)"
            )
        }
        UsageType::Projects => {
            "SELECT count(*) FROM projects WHERE organization_id = $1 AND id >= $2 AND id < $3"
        }
        UsageType::Groups => {
            "SELECT count(*) FROM contact_groups WHERE id >= $2 AND id < $3 AND project_id IN \
             (SELECT id FROM projects WHERE organization_id = $1)"
        }
        UsageType::CustomContactFields => {
            concat!(
                "SELECT count(*) FROM fields WHERE owner = ",
                code!(owner Contact),
                " AND clearing = 0 AND id >= $2 AND id < $3 AND project_id IN \
                 (SELECT id FROM projects WHERE organization_id = $1)"
            )
        }
        UsageType::ActiveServices
        | UsageType::Users
        | UsageType::ServiceInvocationsDay
        | UsageType::ApiRequestsDay
        | UsageType::DataRows
        | UsageType::ScriptModuleMb
        | UsageType::StoredFileMb
        | UsageType::CustomActions
        | UsageType::AiChatCreditsDay => return None,
    })
}
