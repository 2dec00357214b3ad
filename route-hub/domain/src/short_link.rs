//! Short links: addresses of the hub that stand in the texts of messages for longer ones, or for media.

use postrider_model::{BroadcastId, FileId, GroupId, MessageId, OrganizationId, ProjectId, UnixMs};
use std::fmt;
use std::str::FromStr;

/// How many characters a code has.
pub const CODE_LENGTH: usize = 11;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Longest domain, as DNS has it.
const DOMAIN_LENGTH_MAX: usize = 253;
/// Longest part of a domain.
const LABEL_LENGTH_MAX: usize = 63;

/// What tells one short link from all others: letters and digits that nobody can guess.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkCode([u8; CODE_LENGTH]);

impl LinkCode {
    /// What stands in a text where a code will be.
    pub const BLANK: Self = Self([b'0'; CODE_LENGTH]);

    /// Makes a code of a random number; all codes are as likely, as far as anybody can tell.
    pub fn of_number(mut number: u128) -> Self {
        let code = [(); CODE_LENGTH].map(|()| {
            let digit = usize::try_from(number % 62).unwrap_or_default();
            number /= 62;
            DIGITS[digit]
        });
        Self(code)
    }

    /// Returns it as it stands in a link.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for LinkCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkCode(***)")
    }
}

/// Says that a text is no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCode;

impl FromStr for LinkCode {
    type Err = InvalidCode;

    fn from_str(text: &str) -> Result<Self, InvalidCode> {
        let code: [u8; CODE_LENGTH] = text.as_bytes().try_into().map_err(|_| InvalidCode)?;
        if code.iter().all(u8::is_ascii_alphanumeric) {
            Ok(Self(code))
        } else {
            Err(InvalidCode)
        }
    }
}

/// Where a short link leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkTarget {
    /// To an address that stood in the text.
    Address(String),
    /// To one of the message's media, which is somebody else's.
    Medium {
        /// Its place among the media.
        index: u32,
        /// Where it is.
        address: String,
    },
    /// To one of the message's media, which is a stored file.
    File {
        /// Its place among the media.
        index: u32,
        /// The file.
        id: FileId,
    },
}

impl LinkTarget {
    /// Returns what kind of link leads there, as programs read it.
    pub const fn link_type(&self) -> &'static str {
        match self {
            Self::Address(_) => "redirect",
            Self::Medium { .. } | Self::File { .. } => "media",
        }
    }

    /// Returns the address that it leads to, unless that is a file's.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Address(address) | Self::Medium { address, .. } => Some(address),
            Self::File { .. } => None,
        }
    }

    /// Returns the place among the message's media, of what is one of them.
    pub const fn media_index(&self) -> Option<u32> {
        match self {
            Self::Address(_) => None,
            Self::Medium { index, .. } | Self::File { index, .. } => Some(*index),
        }
    }
}

/// A short link of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortLink {
    /// The project it is in.
    pub project_id: ProjectId,
    /// The message that it is of; that may be gone, by its project's retention.
    pub message_id: MessageId,
    /// Its place among the links of its message.
    pub place: u32,
    /// What it is asked for by.
    pub code: LinkCode,
    /// What stands before the code in the text.
    pub prefix: String,
    /// The short domain that it is at; `None`: the hub's own address.
    pub domain: Option<String>,
    /// Where it leads.
    pub target: LinkTarget,
    /// Whether its clicks count.
    pub is_counted: bool,
    /// When it ends.
    pub expiration_time: Option<UnixMs>,
    /// How long it lasts from the moment at which its message is queued; `None`: it has no end, or an older
    /// hub made it, and its message is as old as it.
    pub life_ms: Option<i64>,
    /// Its first click.
    pub time_clicked: Option<UnixMs>,
    /// The broadcast that its message is part of.
    pub broadcast_id: Option<BroadcastId>,
    /// The group that its message's contact joins by the first click.
    pub clicked_group_id: Option<GroupId>,
}

impl ShortLink {
    /// Returns it as it stands in the text.
    pub fn short_url(&self) -> String {
        format!("{}{}", self.prefix, self.code.as_str())
    }

    /// Returns how long it lasts from the moment at which its message is queued, if it has an end.
    pub fn life_of(&self, time_created: UnixMs) -> Option<i64> {
        let first = |end: UnixMs| end.0 - time_created.0;
        self.life_ms.or_else(|| self.expiration_time.map(first))
    }

    /// Says whether it has ended.
    pub fn is_over(&self, now: UnixMs) -> bool {
        self.expiration_time.is_some_and(|end| end <= now)
    }

    /// Says whether the next click would be its first that counts.
    pub fn awaits_click(&self) -> bool {
        self.is_counted && self.time_clicked.is_none()
    }
}

/// A domain that stands for the hub's address in short links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortDomain {
    /// Its name, in lower case.
    pub name: String,
    /// Whose links may be at it.
    pub owner: DomainOwner,
    /// When it was registered.
    pub time_created: UnixMs,
}

/// Whose links may be at a short domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainOwner {
    /// Everybody's.
    Hub,
    /// Those of an organization's projects.
    Organization(OrganizationId),
    /// Those of a project.
    Project(ProjectId),
}

impl ShortDomain {
    /// Reads the name of a domain, in lower case; `None` for what is none.
    pub fn read_name(text: &str) -> Option<String> {
        let name = text.trim().to_ascii_lowercase();
        let is_label = |label: &str| {
            (1..=LABEL_LENGTH_MAX).contains(&label.len())
                && label
                    .bytes()
                    .all(|it| it.is_ascii_alphanumeric() || it == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let (_, last) = name.rsplit_once('.')?;
        let is_name = name.len() <= DOMAIN_LENGTH_MAX
            && name.split('.').all(is_label)
            && !last.bytes().all(|it| it.is_ascii_digit());
        is_name.then_some(name)
    }

    /// Says whether links of a project may be at it.
    pub fn is_for(&self, project: ProjectId, organization: OrganizationId) -> bool {
        match self.owner {
            DomainOwner::Hub => true,
            DomainOwner::Organization(owner) => owner == organization,
            DomainOwner::Project(owner) => owner == project,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_letters_and_digits_and_any_number_is_one() {
        for number in [0, 61, 62, u128::from(u64::MAX), u128::MAX] {
            let code = LinkCode::of_number(number);
            assert_eq!(code.as_str().parse(), Ok(code));
        }
        assert_eq!(LinkCode::of_number(0), LinkCode::BLANK);
        assert_ne!(LinkCode::of_number(1), LinkCode::of_number(62));
        for text in [
            "",
            "0000000000",
            "000000000000",
            "0000000000/",
            "é000000000",
        ] {
            assert_eq!(text.parse::<LinkCode>(), Err(InvalidCode), "{text}");
        }
    }

    #[test]
    fn a_domain_has_a_dot_and_is_no_address() {
        let name = |text| ShortDomain::read_name(text);
        assert_eq!(name(" Go.Example "), Some("go.example".to_owned()));
        assert_eq!(
            name("xn--bcher-kva.example"),
            Some("xn--bcher-kva.example".to_owned())
        );
        for text in [
            "",
            "localhost",
            "192.0.2.1",
            "[::1]",
            "a..b",
            "-a.example",
            "a.example:80",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
        for text in [
            "https://a.example",
            "a.example/",
            "a b.example",
            "a.example.",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
