//! What is given of a message that is scheduled relative to a date.

use crate::commands::stored_message::MessagePatch;
use crate::messages::planned::Planned;
use crate::schedules::recipient::RecipientPatch;
use crate::schedules::timing::{Recurrence, RecurrencePatch};
use hub_domain::{OffsetScale, Project, RelativeSchedule, TimeOfDay};
use hub_view::Refusal;

/// What is given of one that is to be made or changed; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct RelativePatch {
    /// What it sends.
    pub message: MessagePatch,
    /// Whom it is for.
    pub to: RecipientPatch,
    /// The variable that has the date.
    pub date_variable: Option<String>,
    /// When on that day.
    pub time_of_day: Option<TimeOfDay>,
    /// What `offset_count` counts.
    pub offset_scale: Option<OffsetScale>,
    /// How long after the date; negative: before it.
    pub offset_count: Option<i64>,
    /// What recurs.
    pub recurrence: RecurrencePatch,
}

impl RelativePatch {
    /// Puts it into one that is there, but for the message and the recipient.
    pub(super) fn apply(
        self,
        project: &Project,
        relative: &mut RelativeSchedule,
    ) -> Result<(), Refusal> {
        set(&mut relative.date_variable, self.date_variable);
        set(&mut relative.time_of_day, self.time_of_day);
        set(&mut relative.offset_scale, self.offset_scale);
        set(&mut relative.offset_count, self.offset_count);
        let before = Recurrence {
            rrule: relative.rrule.clone(),
            timezone_id: relative.timezone_id.clone(),
            end_time: relative.end_time,
        };
        let recurrence = self.recurrence.apply(project, before)?;
        relative.rrule = recurrence.rrule;
        relative.timezone_id = recurrence.timezone_id;
        relative.end_time = recurrence.end_time;
        Ok(())
    }
}

fn set<T>(place: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *place = given;
    }
}

/// Refuses a message to a code.
pub(super) fn refuse_code(planned: &Planned) -> Result<(), Refusal> {
    let rule = "cannot be ussd here: contacts are no codes";
    if planned.is_for_code() {
        Err(Refusal::invalid_param("message_type", rule))
    } else {
        Ok(())
    }
}
