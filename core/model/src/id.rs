//! Public ids: the kind's two letters and the sixteen hex digits of the key.

use crate::key::Key;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{cmp, fmt, hash, marker::PhantomData, str::FromStr};

/// A kind of thing that has ids.
pub trait IdKind {
    /// The two capital letters that its ids begin with.
    const PREFIX: &'static str;
}

/// The kinds, one empty type each.
pub mod kind {
    use super::IdKind;
    macro_rules! kinds {
        ($($(#[$doc:meta])* $name:ident $prefix:literal)*) => {
            $($(#[$doc])* #[derive(Debug)] pub enum $name {}
              impl IdKind for $name { const PREFIX: &'static str = $prefix; })*
            /// Every prefix in use, for the test that they differ.
            #[cfg(test)]
            pub(super) const ALL: &[&str] = &[$($prefix),*];
        };
    }
    kinds! {
        /// An organization (account).
        Organization "OR"
        /// A project of an organization.
        Project "PJ"
        /// A key for the API.
        ApiKey "AK"
        /// A contact of a project.
        Contact "CT"
        /// A group of contacts.
        Group "CG"
        /// A hub: made with its database, and kept by every copy of it.
        Hub "HB"
        /// A message, incoming or outgoing.
        Message "SM"
        /// A label of messages.
        Label "LB"
        /// A basic route: one SIM slot of a device, or a test route.
        Phone "PN"
        /// A custom route: rules that pick a phone.
        Route "RT"
        /// The device that runs the agent and holds one link.
        Device "DV"
        /// A webhook object of a project.
        Webhook "WH"
        /// The delivery of an event to a webhook.
        WebhookDelivery "WD"
        /// An alert for operators.
        Alert "AL"
        /// A scheduled message.
        Scheduled "SC"
        /// A relative scheduled message.
        RelativeScheduled "RS"
        /// A broadcast.
        Broadcast "BC"
        /// A data table of a project.
        DataTable "DT"
        /// A row of a data table.
        DataRow "DR"
        /// A view of a data table.
        DataView "VW"
        /// A stored file.
        File "FI"
        /// A task: one operation on many things.
        Task "TK"
        /// A campaign of a project.
        Campaign "CP"
        /// A message template.
        MessageTemplate "MT"
        /// One pairing of a device, from code to confirmation.
        Pairing "PR"
    }
}

/// The id of a `K`: typed, so that a contact's id never stands where a message's should.
pub struct Id<K> {
    key: Key,
    kind: PhantomData<fn() -> K>,
}

/// A hub's id.
pub type HubId = Id<kind::Hub>;
/// A message's id.
pub type MessageId = Id<kind::Message>;
/// A contact's id.
pub type ContactId = Id<kind::Contact>;
/// A group's id.
pub type GroupId = Id<kind::Group>;
/// A label's id.
pub type LabelId = Id<kind::Label>;
/// A phone's (basic route's) id.
pub type PhoneId = Id<kind::Phone>;
/// A custom route's id.
pub type CustomRouteId = Id<kind::Route>;
/// A device's id.
pub type DeviceId = Id<kind::Device>;
/// A project's id.
pub type ProjectId = Id<kind::Project>;
/// An organization's id.
pub type OrganizationId = Id<kind::Organization>;
/// An API key's id.
pub type ApiKeyId = Id<kind::ApiKey>;
/// A webhook object's id.
pub type WebhookId = Id<kind::Webhook>;
/// The id of the delivery of an event.
pub type WebhookDeliveryId = Id<kind::WebhookDelivery>;
/// An alert's id.
pub type AlertId = Id<kind::Alert>;
/// A scheduled message's id.
pub type ScheduledId = Id<kind::Scheduled>;
/// A relative scheduled message's id.
pub type RelativeScheduledId = Id<kind::RelativeScheduled>;
/// A broadcast's id.
pub type BroadcastId = Id<kind::Broadcast>;
/// A data table's id.
pub type DataTableId = Id<kind::DataTable>;
/// The id of a data table's row.
pub type DataRowId = Id<kind::DataRow>;
/// The id of a data table's view.
pub type DataViewId = Id<kind::DataView>;
/// A stored file's id.
pub type FileId = Id<kind::File>;
/// A task's id.
pub type TaskId = Id<kind::Task>;
/// A campaign's id.
pub type CampaignId = Id<kind::Campaign>;
/// A message template's id.
pub type MessageTemplateId = Id<kind::MessageTemplate>;
/// A pairing's id.
pub type PairingId = Id<kind::Pairing>;

/// Says that a text is not an id of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId {
    /// The two letters that such an id begins with.
    pub expected_prefix: &'static str,
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an id here is {} and sixteen hex digits",
            self.expected_prefix
        )
    }
}

impl std::error::Error for InvalidId {}

impl<K> Id<K> {
    /// Makes the id of a key.
    pub const fn new(key: Key) -> Self {
        Self {
            key,
            kind: PhantomData,
        }
    }

    /// Returns the key that databases store.
    pub const fn key(self) -> Key {
        self.key
    }

    /// Returns the key's integer.
    pub const fn get(self) -> i64 {
        self.key.get()
    }

    /// Returns the id of a stored integer, or `None` for a negative one.
    pub const fn from_i64(value: i64) -> Option<Self> {
        match Key::new(value) {
            Some(key) => Some(Self::new(key)),
            None => None,
        }
    }
}

impl<K: IdKind> FromStr for Id<K> {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let invalid = || InvalidId {
            expected_prefix: K::PREFIX,
        };
        let digits = text.strip_prefix(K::PREFIX).ok_or_else(invalid)?;
        let lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() != 16 || !digits.bytes().all(lower_hex) {
            return Err(invalid());
        }
        let value = i64::from_str_radix(digits, 16).map_err(|_| invalid())?;
        Self::from_i64(value).ok_or_else(invalid)
    }
}

impl<K: IdKind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:016x}", K::PREFIX, self.key.get())
    }
}

impl<K: IdKind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: IdKind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, K: IdKind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<K>(PhantomData<K>);
        impl<K: IdKind> de::Visitor<'_> for Visitor<K> {
            type Value = Id<K>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} and sixteen hex digits", K::PREFIX)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id<K>, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor(PhantomData))
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        self.key.cmp(&other.key)
    }
}
impl<K> hash::Hash for Id<K> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_it_was_written() {
        let id = MessageId::new(Key::new(0x0123_4567_89ab_cdef).unwrap());
        assert_eq!(id.to_string(), "SM0123456789abcdef");
        assert_eq!("SM0123456789abcdef".parse(), Ok(id));
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<MessageId>(&json).unwrap(), id);
    }

    #[test]
    fn what_is_no_id_of_the_kind_is_refused() {
        for text in [
            "",
            "SM",
            "CT0123456789abcdef",
            "SM0123456789abcde",
            "SM0123456789abcdef0",
            "SM0123456789ABCDEF",
            "SMf123456789abcdef",
            "SM+123456789abcdef",
            "SM0123456789abcdé",
        ] {
            assert!(text.parse::<MessageId>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_two_kinds_share_a_prefix() {
        let all: std::collections::BTreeSet<_> = kind::ALL.iter().collect();
        assert_eq!(all.len(), kind::ALL.len());
        assert!(kind::ALL.iter().all(|prefix| prefix.len() == 2));
    }
}
