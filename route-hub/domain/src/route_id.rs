//! What a route's id may be: a phone's or a custom route's.

use postrider_model::{CustomRouteId, InvalidId, PhoneId};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The id of what sends: a phone (basic route), or a custom route that picks one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RouteId {
    /// A phone.
    Phone(PhoneId),
    /// A custom route.
    Custom(CustomRouteId),
}

impl RouteId {
    /// Returns the integer that is stored: a phone's key as it is, a custom route's with every bit
    /// turned, which makes it negative.
    pub const fn code(self) -> i64 {
        match self {
            Self::Phone(id) => id.get(),
            Self::Custom(id) => !id.get(),
        }
    }

    /// Returns the id of a stored integer.
    pub fn from_code(code: i64) -> Option<Self> {
        let custom = || CustomRouteId::from_i64(!code).map(Self::Custom);
        PhoneId::from_i64(code).map(Self::Phone).or_else(custom)
    }
}

impl From<PhoneId> for RouteId {
    fn from(id: PhoneId) -> Self {
        Self::Phone(id)
    }
}

impl From<CustomRouteId> for RouteId {
    fn from(id: CustomRouteId) -> Self {
        Self::Custom(id)
    }
}

impl fmt::Display for RouteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phone(id) => id.fmt(f),
            Self::Custom(id) => id.fmt(f),
        }
    }
}

impl FromStr for RouteId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        match text.parse() {
            Ok(id) => Ok(Self::Custom(id)),
            Err(_) => text.parse().map(Self::Phone),
        }
    }
}

impl Serialize for RouteId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RouteId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_phone_and_a_custom_route_of_one_key_stay_apart() {
        let (phone, route) = ("PN0000000000000007", "RT0000000000000007");
        let read = |text: &str| text.parse::<RouteId>().unwrap();
        assert_ne!(read(phone).code(), read(route).code());
        assert_eq!(
            (read(phone).to_string(), read(route).to_string()),
            (phone.into(), route.into())
        );
        assert!("CT0000000000000007".parse::<RouteId>().is_err());
    }

    proptest! {
        #[test]
        fn every_stored_integer_reads_back(code: i64) {
            let id = RouteId::from_code(code).unwrap();
            prop_assert_eq!(id.code(), code);
            prop_assert_eq!(id.to_string().parse::<RouteId>(), Ok(id));
        }
    }
}
