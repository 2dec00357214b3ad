//! What statistics of messages can be asked by.

use crate::code::coded;
use crate::{CountedBy, Currency, Direction, MessageSource, MessageType, UnknownName};
use postrider_model::{MessageStatus, PhoneId};
use std::fmt;
use std::str::FromStr;

coded! {
    /// What messages are put together by.
    Property {
        /// The organization's id.
        OrgId = "org_id" / 1,
        /// The organization's name.
        OrgName = "org_name" / 2,
        /// What the organization does, which nobody tells this hub.
        OrgIndustry = "org_industry" / 3,
        /// The project's id.
        ProjectId = "project_id" / 4,
        /// The project's name.
        ProjectName = "project_name" / 5,
        /// Who sent it: nobody, as long as the hub knows no people.
        UserId = "user_id" / 6,
        /// Their address.
        UserEmail = "user_email" / 7,
        /// Their name.
        UserName = "user_name" / 8,
        /// The phone's id.
        PhoneId = "phone_id" / 9,
        /// The phone's name.
        PhoneName = "phone_name" / 10,
        /// What kind of phone it is.
        PhoneType = "phone_type" / 11,
        /// Which way the message goes.
        Direction = "direction" / 12,
        /// Who made it.
        Source = "source" / 13,
        /// How far it has come.
        Status = "status" / 14,
        /// The network that it went through.
        NetworkCode = "network_code" / 15,
        /// The network's name, which the hub does not know.
        NetworkName = "network_name" / 16,
        /// What kind of message it is.
        MessageType = "message_type" / 17,
        /// The service that handled it: none, as long as there are no services.
        ServiceId = "service_id" / 18,
        /// The service's name.
        ServiceName = "service_name" / 19,
        /// Whether it is only a test.
        Simulated = "simulated" / 20,
        /// Where its short links lead.
        Link = "link" / 21,
    }
}

/// What is added up of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// How many there are.
    Count,
    /// Their SMS parts.
    NumParts,
    /// Seconds of their calls.
    Duration,
    /// What those cost whose price is in a currency.
    Price(Currency),
}

impl FromStr for Metric {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "count" => Ok(Self::Count),
            "num_parts" => Ok(Self::NumParts),
            "duration" => Ok(Self::Duration),
            name => {
                let currency = name.strip_prefix("price.").ok_or(UnknownName)?;
                currency.parse().map(Self::Price).map_err(|_| UnknownName)
            }
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count => f.write_str("count"),
            Self::NumParts => f.write_str("num_parts"),
            Self::Duration => f.write_str("duration"),
            Self::Price(currency) => write!(f, "price.{currency}"),
        }
    }
}

/// Which messages are wanted: those that have all of these.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountFilters {
    /// This phone.
    pub phone_id: Option<PhoneId>,
    /// This direction.
    pub direction: Option<Direction>,
    /// This maker.
    pub source: Option<MessageSource>,
    /// This status.
    pub status: Option<MessageStatus>,
    /// Tests, or not.
    pub simulated: Option<bool>,
    /// This type.
    pub message_type: Option<MessageType>,
    /// This network.
    pub network_code: Option<String>,
    /// A person or a service, whom no message has.
    pub nobody: bool,
}

impl CountFilters {
    /// Says whether what is counted under `by` is wanted.
    pub fn take(&self, by: &CountedBy) -> bool {
        fn is<T: PartialEq>(wanted: &Option<T>, value: &T) -> bool {
            wanted.as_ref().is_none_or(|wanted| wanted == value)
        }
        let network = &self.network_code;
        !self.nobody
            && is(&self.phone_id, &by.phone_id)
            && is(&self.direction, &by.direction)
            && is(&self.source, &by.source)
            && is(&self.status, &by.status)
            && is(&self.simulated, &by.simulated)
            && is(&self.message_type, &by.message_type)
            && (network.is_none() || *network == by.network_code)
    }
}
