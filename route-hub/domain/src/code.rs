//! Enums that travel by name and are stored as an integer.

use std::fmt;

/// Says that a text names no value of the enum that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not one of the allowed values")
    }
}

impl std::error::Error for UnknownName {}

/// Declares an enum whose names are for the API and whose codes are for the database.
///
/// Names and codes are stable: rows and programs keep them.
macro_rules! coded {
    ($(#[$doc:meta])* $type:ident { $($(#[$vdoc:meta])* $variant:ident = $name:literal / $code:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize,
        )]
        pub enum $type { $($(#[$vdoc])* #[serde(rename = $name)] $variant,)* }

        impl $type {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the name that travels.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the integer that is stored.
            pub const fn code(self) -> i64 {
                match self { $(Self::$variant => $code,)* }
            }

            /// Returns the value of a stored integer.
            pub const fn from_code(code: i64) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::code::UnknownName;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text { $($name => Ok(Self::$variant),)* _ => Err($crate::code::UnknownName) }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use coded;
