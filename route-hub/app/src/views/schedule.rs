//! A scheduled message.

use crate::commands::stored_message::StoredMessage;
use crate::holds::{self, Hold, Holds};
use crate::hub::files::Addresses;
use crate::views::stored_message::{Named, media, write_message};
use hub_domain::{Schedule, ScheduledTo};
use hub_store::{StoreError, Tx};
use hub_view::{ObjectWriter, Resource};
use postrider_model::{ScheduledId, UnixMs};
use std::collections::BTreeMap;

/// A schedule with the names of whom it is for.
#[derive(Debug, Clone)]
pub struct ScheduleView {
    schedule: Schedule,
    message: StoredMessage,
    named: Named,
    pub(crate) hold: Option<Hold>,
    addresses: Addresses,
}

impl ScheduleView {
    /// Returns the id of the schedule.
    pub fn id(&self) -> ScheduledId {
        self.schedule.id
    }

    /// Looks up whom a schedule is for, and what it waits for.
    pub(crate) fn read(
        tx: &mut Tx<'_>,
        schedule: Schedule,
        addresses: &Addresses,
        holds: &mut Holds<'_>,
    ) -> Result<Self, StoreError> {
        let named = Named::read(tx, schedule.project_id, &schedule.to)?;
        Self::with(tx, schedule, named, addresses, holds)
    }

    /// Looks up whom the schedules of a page are for, each contact and group once, and what they wait for.
    pub(crate) fn read_all(
        tx: &mut Tx<'_>,
        rows: Vec<Schedule>,
        addresses: &Addresses,
        holds: &mut Holds<'_>,
    ) -> Result<Vec<Self>, StoreError> {
        let mut known = BTreeMap::new();
        let mut views = Vec::with_capacity(rows.len());
        for schedule in rows {
            let key = match &schedule.to {
                ScheduledTo::Number(_) | ScheduledTo::Filter(_) => None,
                ScheduledTo::Contact(id) => Some((0, id.get())),
                ScheduledTo::Group(id) => Some((1, id.get())),
            };
            let named = match key.and_then(|key| known.get(&key)) {
                Some(named) => Named::clone(named),
                None => Named::read(tx, schedule.project_id, &schedule.to)?,
            };
            if let Some(key) = key {
                known.insert(key, named.clone());
            }
            views.push(Self::with(tx, schedule, named, addresses, holds)?);
        }
        Ok(views)
    }

    fn with(
        tx: &mut Tx<'_>,
        schedule: Schedule,
        named: Named,
        addresses: &Addresses,
        holds: &mut Holds<'_>,
    ) -> Result<Self, StoreError> {
        let message = StoredMessage::read(&schedule.message).unwrap_or_default();
        Ok(Self {
            addresses: addresses.clone(),
            hold: holds.of_schedule(tx, &schedule, &message)?,
            message,
            schedule,
            named,
        })
    }
}

impl Resource for ScheduleView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let schedule = &self.schedule;
        out.put("id", &schedule.id);
        write_rule(out, &schedule.rrule, &schedule.timezone_id);
        let recipients: Vec<_> = self.named.shown().into_iter().collect();
        out.put("recipients", &recipients);
        write_recipient(out, &schedule.to, &self.named);
        write_message(out, &self.message, schedule.message_type.as_str());
        out.put("media", &media(&self.message, &self.addresses));
        out.put("time_created", &schedule.time_created.seconds());
        out.put("start_time", &schedule.start_time.seconds());
        out.put("end_time", &schedule.end_time.map(UnixMs::seconds));
        out.put("prev_time", &schedule.prev_time.map(UnixMs::seconds));
        out.put("next_time", &schedule.next_time.map(UnixMs::seconds));
        holds::write(out, self.hold);
        out.put("occurrences", &schedule.occurrences);
        out.put_some("error_message", schedule.problem.as_deref());
        out.put("relative_scheduled_id", &schedule.relative_id);
        out.put("project_id", &schedule.project_id);
    }
}

/// Writes what recurs, and where.
pub(crate) fn write_rule(out: &mut ObjectWriter<'_>, rrule: &str, timezone_id: &str) {
    out.put("rrule", rrule);
    out.put("timezone_id", timezone_id);
}

/// Writes whom something is for, but for `recipients`.
pub(crate) fn write_recipient(out: &mut ObjectWriter<'_>, to: &ScheduledTo, named: &Named) {
    let (group, contact, number) = match to {
        ScheduledTo::Group(id) => (Some(id), None, None),
        ScheduledTo::Contact(id) => (None, Some(id), None),
        ScheduledTo::Number(number) => (None, None, Some(number.as_str())),
        ScheduledTo::Filter(_) => (None, None, None),
    };
    out.put("recipients_str", named.text());
    out.put("group_id", &group);
    out.put("contact_id", &contact);
    out.put("to_number", &number);
}
