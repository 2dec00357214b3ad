//! What a request says of a scheduled message.

use crate::messages::patch;
use crate::parse;
use crate::scheduled::timing::timing;
use hub_app::schedules::create::SchedulePatch;
use hub_app::schedules::recipient::RecipientPatch;
use hub_web::{ApiError, Params};
use postrider_model::Now;

pub(super) fn schedule(params: &Params, now: Now) -> Result<SchedulePatch, ApiError> {
    Ok(SchedulePatch {
        message: patch::read(params)?,
        to: recipient(params)?,
        timing: timing(params, now)?,
    })
}

/// Reads whom a request names.
pub(crate) fn recipient(params: &Params) -> Result<RecipientPatch, ApiError> {
    Ok(RecipientPatch {
        group_id: parse::id(&params.get("group_id"), "group")?,
        to: patch::to(|name| params.get(name))?,
    })
}
