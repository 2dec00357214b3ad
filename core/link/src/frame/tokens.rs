//! Names that hello signs: checked, so that they are unambiguous in what is signed.

use serde::{Deserialize, Deserializer, Serialize, de};
use std::{borrow::Cow, fmt, str::FromStr};

/// The text is not valid for an [`InstallId`] or a [`Nonce`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidToken;

impl fmt::Display for InvalidToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not 16 to 128 letters, digits, `-` or `_`")
    }
}

impl std::error::Error for InvalidToken {}

fn check_token(text: &str) -> Result<(), InvalidToken> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (16..=128).contains(&text.len()) && text.bytes().all(allowed) {
        Ok(())
    } else {
        Err(InvalidToken)
    }
}

macro_rules! token {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Returns the text that travels.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidToken;
            fn from_str(text: &str) -> Result<Self, InvalidToken> {
                check_token(text).map(|()| Self(text.to_owned()))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    };
}

token! {
    /// One installation of the agent: made at its first start, kept outside backups.
    ///
    /// 16 to 128 letters, digits, `-` or `_`, so that it is unambiguous in what hello signs.
    InstallId
}

token! {
    /// What the hub asks a phone to sign: used for one connection, never again.
    Nonce
}
