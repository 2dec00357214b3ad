//! A relative scheduled message.

use crate::commands::stored_message::StoredMessage;
use crate::hub::files::Addresses;
use crate::views::schedule::{write_recipient, write_rule};
use crate::views::stored_message::{Named, media, write_message};
use hub_domain::RelativeSchedule;
use hub_store::{StoreError, Tx};
use hub_view::{ObjectWriter, Resource};
use postrider_model::UnixMs;

/// One with the name of whom it is for.
#[derive(Debug, Clone)]
pub struct RelativeView {
    relative: RelativeSchedule,
    message: StoredMessage,
    named: Named,
    addresses: Addresses,
}

impl RelativeView {
    /// Looks up whom it is for.
    pub fn read(
        tx: &mut Tx<'_>,
        relative: RelativeSchedule,
        addresses: &Addresses,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            addresses: addresses.clone(),
            named: Named::read(tx, relative.project_id, &relative.to)?,
            message: StoredMessage::read(&relative.message).unwrap_or_default(),
            relative,
        })
    }
}

impl Resource for RelativeView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let relative = &self.relative;
        out.put("id", &relative.id);
        out.put("time_of_day", &relative.time_of_day.to_string());
        out.put("date_variable", &relative.date_variable);
        out.put("offset_scale", relative.offset_scale.as_str());
        out.put("offset_count", &relative.offset_count);
        write_rule(out, &relative.rrule, &relative.timezone_id);
        out.put("end_time", &relative.end_time.map(UnixMs::seconds));
        write_recipient(out, &relative.to, &self.named);
        write_message(out, &self.message, relative.message_type.as_str());
        out.put("media", &media(&self.message, &self.addresses));
        out.put("time_created", &relative.time_created.seconds());
        out.put("campaign_id", &relative.campaign_id);
        out.put("project_id", &relative.project_id);
    }
}
