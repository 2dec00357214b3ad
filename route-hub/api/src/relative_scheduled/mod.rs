//! Messages scheduled relative to a date that contacts have in a variable.

mod existing;
pub(crate) mod read;
mod save;

pub use existing::{DELETE, GET, LIST};
pub use save::{CREATE, UPDATE};

use crate::members::{PROJECT_ID, TIME_CREATED, joined, own_id};
use crate::scheduled::planned;
use hub_web::{Member, Shape};
use postrider_model::kind;

const RELATIVE: Shape = Shape {
    name: "RelativeScheduledMessage",
    about: "A message for each contact by the contact's own date.",
    members: &joined::<31>(&[
        &[
            own_id::<kind::RelativeScheduled>(),
            read::TIME_OF_DAY,
            read::DATE_VARIABLE,
            read::OFFSET_SCALE,
            read::OFFSET_COUNT,
            planned::RRULE,
            planned::TIMEZONE_ID,
            planned::END_TIME,
        ],
        planned::RECIPIENT_IDS,
        planned::MESSAGE,
        &[
            planned::MEDIA,
            TIME_CREATED,
            Member::id::<kind::Campaign>("campaign_id", "The campaign that it is an item of.")
                .nullable(),
            PROJECT_ID,
        ],
    ]),
};
