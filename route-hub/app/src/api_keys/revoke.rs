//! Ending a key.

use crate::api_keys::KeyRefused;
use crate::api_keys::create::note;
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use hub_store::{api_keys, projects};
use postrider_model::ApiKeyId;

/// Ends a key: it opens nothing from the commit on.
pub fn revoke(work: &mut HubWork<'_, '_>, id: ApiKeyId) -> Result<(), NotDone<KeyRefused>> {
    let key = api_keys::get(work.tx, id)?.ok_or(KeyRefused::NoSuchKey)?;
    if key.time_revoked.is_some() {
        return Err(KeyRefused::RevokedBefore.into());
    }
    api_keys::revoke(work.tx, id, work.now.unix)?;
    work.effects.keys(key.organization_id);
    let project = match key.project_id {
        Some(id) => projects::get(work.tx, id)?,
        None => None,
    };
    Ok(note(work, &key, project.as_ref(), "key.revoke")?)
}
