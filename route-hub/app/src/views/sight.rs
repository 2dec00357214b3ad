//! Who may see whom a message is for.

use hub_domain::Project;
use hub_store::{StoreError, Tx, api_keys};

/// Says whether whoever made something could view contacts.
///
/// Where that was not kept, the answer is yes if every key that may send has always had that
/// permission.
pub(crate) fn sees(
    tx: &mut Tx<'_>,
    project: &Project,
    kept: Option<bool>,
) -> Result<bool, StoreError> {
    match kept {
        Some(sees) => Ok(sees),
        None => Ok(!api_keys::any_sends_unseeing(
            tx,
            project.organization_id,
            project.id,
        )?),
    }
}
