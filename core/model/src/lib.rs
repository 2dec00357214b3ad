//! Ids, phone numbers, statuses and time: the words that phone and hub share.
//!
//! Nothing here reads a clock or draws a random number, and whatever is somebody's (a number, a
//! text, a secret) prints masked in `Debug` and `Display`; `as_str` is the one way to its content.

mod id;
mod key;
mod masked;
mod number;
mod status;
mod time;

pub use id::{
    AlertId, ApiKeyId, BroadcastId, CampaignId, ContactId, CustomRouteId, DataRowId, DataTableId,
    DataViewId, DeviceId, FileId, GroupId, HubId, Id, IdKind, InvalidId, LabelId, MessageId,
    MessageTemplateId, OrganizationId, PairingId, PhoneId, ProjectId, RelativeScheduledId,
    ScheduledId, TaskId, WebhookDeliveryId, WebhookId, kind,
};
pub use key::{Key, KeyMaker};
pub use masked::{MessageText, Secret};
pub use number::{InvalidNumber, NumberShape, PhoneNumber};
pub use status::{InvalidStatus, MessageStatus, WireState};
pub use time::{BootMs, Now, SimSlot, UnixMs};
