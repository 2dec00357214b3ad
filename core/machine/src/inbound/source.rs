//! The ways in which something comes in.

use crate::log::Log;
use postrider_link::frame::Kind;
use std::{fmt, str::FromStr};

/// How something came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A text message.
    Sms,
    /// A data message.
    DataSms,
    /// A multimedia message.
    Mms,
    /// The answer to a USSD code.
    Ussd,
    /// A call.
    Call,
}

impl Source {
    /// Returns the name that the journal keeps.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::DataSms => "data_sms",
            Self::Mms => "mms",
            Self::Ussd => "ussd",
            Self::Call => "call",
        }
    }

    /// Returns the kind for the hub.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Sms => Kind::Sms,
            Self::DataSms => Kind::DataSms,
            Self::Mms => Kind::Mms,
            Self::Ussd => Kind::Ussd,
            Self::Call => Kind::Call,
        }
    }
}

impl Source {
    /// Returns the platform's log that has a row of it; `None` if it is reported only once.
    pub const fn log(self) -> Option<Log> {
        match self {
            Self::Sms => Some(Log::Sms),
            Self::Mms => Some(Log::Mms),
            Self::Call => Some(Log::Calls),
            Self::DataSms | Self::Ussd => None,
        }
    }
}

/// The name is not that of a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchSource;

impl fmt::Display for NoSuchSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not the name of a source")
    }
}

impl std::error::Error for NoSuchSource {}

impl FromStr for Source {
    type Err = NoSuchSource;

    fn from_str(name: &str) -> Result<Self, NoSuchSource> {
        let all = [Self::Sms, Self::DataSms, Self::Mms, Self::Ussd, Self::Call];
        let source = all.into_iter().find(|source| source.as_str() == name);
        source.ok_or(NoSuchSource)
    }
}
