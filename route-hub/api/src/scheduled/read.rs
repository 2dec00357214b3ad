//! What a request says of a scheduled message.

use crate::messages::patch;
use crate::scheduled::timing::timing;
use hub_app::messages::new_message::To;
use hub_app::parse;
use hub_app::schedules::create::SchedulePatch;
use hub_app::schedules::recipient::RecipientPatch;
use hub_domain::Address;
use hub_web::{ApiError, Params};
use postrider_model::Now;

/// Longest number or code that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 200;

pub(super) fn schedule(params: &Params, now: Now) -> Result<SchedulePatch, ApiError> {
    Ok(SchedulePatch {
        message: patch::read(params)?,
        to: recipient(params)?,
        timing: timing(params, now)?,
    })
}

/// Reads whom a request names.
pub(crate) fn recipient(params: &Params) -> Result<RecipientPatch, ApiError> {
    let number = params.get("to_number");
    let number = number.string(NUMBER_LENGTH_MAX)?.and_then(Address::new);
    Ok(RecipientPatch {
        group_id: parse::id(&params.get("group_id"), "group")?,
        to: To {
            number,
            contact_id: parse::id(&params.get("contact_id"), "contact")?,
        },
    })
}
