//! Values that statements take.

use hub_domain::{Address, RouteId};
use postrider_model::{Id, MessageText, PhoneNumber, Secret, UnixMs};
use std::borrow::Cow;

/// A value for one parameter of a statement; texts are borrowed where they can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// SQL's NULL.
    Null,
    /// Every integer, moment and truth value.
    Int(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text, JSON among them.
    Text(Cow<'a, str>),
    /// Bytes.
    Blob(&'a [u8]),
}

/// Makes an array of [`Value`]s from anything that converts.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$($crate::Value::from($value)),*] };
}

/// Most keys of one look: so many parameters of [`keys_of_parameters`].
pub(crate) const KEYS_OF_A_LOOK: usize = 64;

/// Returns the parameters of a look at keys, behind the first: `$2, $3, …`.
pub(crate) fn keys_of_parameters() -> String {
    let numbers = 2..KEYS_OF_A_LOOK + 2;
    let numbers: Vec<_> = numbers.map(|number| format!("${number}")).collect();
    numbers.join(", ")
}

/// Returns the values of a look at so many keys or fewer: the first value, the keys, and the last of
/// them again and again.
pub(crate) fn look_at<'a>(first: impl Into<Value<'a>>, keys: &[i64]) -> Vec<Value<'a>> {
    let last = keys.last().into_iter().cycle();
    let keys = keys.iter().chain(last).take(KEYS_OF_A_LOOK);
    let keys = keys.map(|key| Value::Int(*key));
    std::iter::once(first.into()).chain(keys).collect()
}

/// Returns the parameters of so many rows: `($1, $2), ($3, $4)`.
pub(crate) fn rows_of_parameters(count: usize, columns: usize) -> String {
    let row = |row: usize| {
        let first = row * columns + 1;
        let values = (first..first + columns).map(|number| format!("${number}"));
        format!("({})", values.collect::<Vec<_>>().join(", "))
    };
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}

macro_rules! from_int {
    ($($type:ty)*) => {
        $(impl From<$type> for Value<'_> {
            fn from(value: $type) -> Self {
                Self::Int(i64::from(value))
            }
        })*
    };
}
from_int!(i64 i32 u32 u16 u8 bool);

impl From<u64> for Value<'_> {
    /// Counters stay below 2^53; a higher one is kept at the highest integer.
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a PhoneNumber> for Value<'a> {
    fn from(number: &'a PhoneNumber) -> Self {
        Self::from(number.as_str())
    }
}

impl<'a> From<&'a Address> for Value<'a> {
    fn from(address: &'a Address) -> Self {
        Self::from(address.as_str())
    }
}

impl<'a> From<&'a MessageText> for Value<'a> {
    fn from(text: &'a MessageText) -> Self {
        Self::from(text.as_str())
    }
}

impl<'a> From<&'a Secret> for Value<'a> {
    fn from(secret: &'a Secret) -> Self {
        Self::from(secret.as_str())
    }
}

impl<K> From<Id<K>> for Value<'_> {
    fn from(id: Id<K>) -> Self {
        Self::Int(id.get())
    }
}

impl From<RouteId> for Value<'_> {
    fn from(id: RouteId) -> Self {
        Self::Int(id.code())
    }
}

impl From<UnixMs> for Value<'_> {
    fn from(time: UnixMs) -> Self {
        Self::Int(time.0)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! from_option_ref {
    ($($type:ty)*) => {
        $(impl<'a> From<&'a Option<$type>> for Value<'a> {
            fn from(value: &'a Option<$type>) -> Self {
                value.as_ref().map_or(Self::Null, Into::into)
            }
        })*
    };
}
from_option_ref!(String PhoneNumber Address MessageText Secret);
