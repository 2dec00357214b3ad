//! The operator clears an alert, whether or not its cause is over.

use crate::alerts;
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use postrider_model::AlertId;
use thiserror::Error;

/// There is no alert of that id, or it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no such alert, or it has ended")]
pub struct NoSuchAlert;

impl From<NoSuchAlert> for NotDone<NoSuchAlert> {
    fn from(reason: NoSuchAlert) -> Self {
        Self::Refused(reason)
    }
}

/// Clears an alert.
pub fn clear_alert(work: &mut HubWork<'_, '_>, id: AlertId) -> Result<(), NotDone<NoSuchAlert>> {
    if alerts::clear_by_id(work, id)? {
        Ok(())
    } else {
        Err(NoSuchAlert.into())
    }
}
