//! The hub's resources and their transitions.
//!
//! Pure: no clock, no random numbers, no database, no network. Every resource is a plain struct
//! with public fields, named like the columns that keep it; what may change, and how, are
//! functions that take `UnixMs` and give back what is to be stored. Amounts of time end in `_ms`
//! or `_sec`; a field of type `UnixMs` is a moment.

mod access;
mod address;
mod alert;
mod audit;
mod broadcast;
mod campaign;
mod code;
mod conditions;
mod contact;
mod contact_filter;
mod currency;
mod data_sms;
mod data_table;
mod day;
mod device;
mod field;
mod file;
mod fold;
mod group;
mod hub_alert;
mod kind_queue;
mod label;
mod message;
mod message_type;
pub mod networks;
pub mod numbers;
mod organization;
mod phone;
mod phone_account;
mod plan;
mod price;
mod pricing;
mod quiet;
pub mod recipients;
pub mod recurrence;
mod relative;
mod route_id;
pub mod routing;
mod schedule;
mod shares;
mod short_link;
mod sight;
mod statistics;
mod task;
mod template;
mod usage;
pub mod ussd;
mod vars;
mod waiting_for;
mod webhook;

pub use access::{ApiKey, Permission, Permissions};
pub use address::Address;
pub use alert::{Alert, AlertKind};
pub use audit::AuditEntry;
pub use broadcast::{Broadcast, BroadcastCounts, BroadcastShare, BroadcastStage, BroadcastTo};
pub use campaign::{CAMPAIGN_ITEMS_MAX, Campaign, CampaignStatus, CampaignType};
pub use code::UnknownName;
pub use conditions::{Compare, Comparison, Filters, InvalidFilters, Subject, Term};
pub use contact::{Contact, ConversationStatus};
pub use contact_filter::ContactFilter;
pub use currency::{Currency, NotACurrency};
pub use data_sms::{DATA_BYTES_MAX, DataSms, Encoding, InvalidData};
pub use data_table::{DataRow, DataTable, DataView, RowSubject, ViewFilters};
pub use day::{Day, InvalidDay, utc_text};
pub use device::{Device, DeviceState, Pairing, PairingState};
pub use field::{CustomField, FieldItem, FieldOwner, FieldType};
pub use file::{
    DESCRIPTION_LENGTH_MAX, FILENAME_LENGTH_MAX, FileCategory, FileHolder, FileSource, MEDIA_MAX,
    Medium, StoredFile, files_of,
};
pub use fold::fold;
pub use group::{Condition, ContactSubject, Group, GroupFilters};
pub use hub_alert::{HubAlert, HubAlertKind};
pub use kind_queue::KindQueue;
pub use label::Label;
pub use message::{Direction, Message, MessageSource, OnUnknown, status_code, status_from_code};
pub use message_type::MessageType;
pub use organization::{Organization, Project};
pub use phone::{Phone, PhoneType, PhoneWaits, QuietMode};
pub use phone_account::PhoneAccount;
pub use plan::{Exceeded, Feature, Overage, Plan};
pub use price::{Amount, NotAnAmount, Price, RATE_MAX, Rate, Rates, TARIFF_PREFIXES_MAX, Tariff};
pub use quiet::{InvalidTime, QuietHours, TimeOfDay, Window, Zone};
pub use relative::{OFFSET_COUNT_MAX, OffsetScale, RelativeSchedule};
pub use route_id::RouteId;
pub use schedule::{Schedule, ScheduledTo};
pub use shares::{ProjectShares, SHARES, share_of};
pub use short_link::{
    CODE_LENGTH, DomainOwner, InvalidCode, LinkCode, LinkTarget, ShortDomain, ShortLink,
};
pub use sight::{Disclosure, Sight};
pub use statistics::{
    Amounts, CountFilters, Counted, CountedBy, CountedLink, Interval, Metric, Property, Quarter,
    Rollup, destinations_of_day, intervals,
};
pub use task::{FilterType, Task, TaskStatus, TaskType};
pub use template::MessageTemplate;
pub use usage::UsageType;
pub use vars::{InvalidVars, VarValue, Vars, VarsChange, is_name as is_variable};
pub use waiting_for::WaitingFor;
pub use webhook::{
    DeliveryAttempt, DeliveryStatus, OutboxRow, Webhook, WebhookDelivery, WebhookEvent,
};
