//! What a scheduled message looks like.

use crate::members::{NEXT_TRY_TIME, PROJECT_ID, TIME_CREATED, WAITING_FOR, joined, own_id};
use crate::messages::{COUNT, ERROR_MESSAGE};
use crate::scheduled::planned;
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// A scheduled message.
pub(crate) const SCHEDULED: Shape = Shape {
    name: "ScheduledMessage",
    about: "A message that is sent later, once or again and again.",
    members: &joined::<35>(&[
        &[
            own_id::<kind::Scheduled>(),
            planned::RRULE,
            planned::TIMEZONE_ID,
            planned::RECIPIENTS,
        ],
        planned::RECIPIENT_IDS,
        planned::MESSAGE,
        &[
            planned::MEDIA,
            TIME_CREATED,
            Member::new("start_time", Kind::Time, "When it sends first."),
            planned::END_TIME,
            Member::new("prev_time", Kind::Time, "When it last sent.").nullable(),
            Member::new("next_time", Kind::Time, "When it sends next.").nullable(),
            WAITING_FOR,
            NEXT_TRY_TIME,
            Member::new("occurrences", COUNT, "How often it has sent."),
            ERROR_MESSAGE.optional(),
            Member::id::<kind::RelativeScheduled>("relative_scheduled_id", "What made it.")
                .nullable(),
            PROJECT_ID,
        ],
    ]),
};
