//! Close codes of the link's WebSocket.

use std::fmt;

/// Why a connection is closed, as the code of the WebSocket's close frame.
///
/// Source: the design of the link, "Liveness and reconnect"; 1001 and 1011 are RFC 6455's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CloseCode {
    /// 1001: the other end goes away; the phone redials.
    GoingAway,
    /// 1011: the hub could not store something; the phone redials and everything is resumed.
    Internal,
    /// 4400: the other end broke the protocol; the phone resumes after a growing wait.
    ProtocolError,
    /// 4401: the hub does not know this phone, or the signature fits none of the hub's names. The
    /// phone keeps everything, sends none of the hub's messages, and keeps trying.
    NotKnown,
    /// 4403: the hub knows that the phone was revoked, unpaired or replaced. The phone stops and
    /// keeps only incoming messages without an ack.
    NotPaired,
    /// 4406: a frame that must be understood was not; the phone needs a newer app.
    NeedsNewerApp,
    /// 4409: the same phone opened a newer connection.
    Replaced,
    /// 4410: the phone's journal was copied or went backwards; it must pair again.
    JournalWentBack,
    /// 4426: there is no version of the link that both speak.
    VersionNotSpoken,
}

impl CloseCode {
    /// Every code, in declaration order.
    pub const ALL: &'static [Self] = &[
        Self::GoingAway,
        Self::Internal,
        Self::ProtocolError,
        Self::NotKnown,
        Self::NotPaired,
        Self::NeedsNewerApp,
        Self::Replaced,
        Self::JournalWentBack,
        Self::VersionNotSpoken,
    ];

    /// Returns the number that travels in the close frame.
    pub const fn code(self) -> u16 {
        match self {
            Self::GoingAway => 1001,
            Self::Internal => 1011,
            Self::ProtocolError => 4400,
            Self::NotKnown => 4401,
            Self::NotPaired => 4403,
            Self::NeedsNewerApp => 4406,
            Self::Replaced => 4409,
            Self::JournalWentBack => 4410,
            Self::VersionNotSpoken => 4426,
        }
    }

    /// Returns the close code with this number, or `None` for one without a meaning here.
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|close| close.code() == code)
    }

    /// Returns a short reason for the close frame: no ids, no numbers, no texts.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::GoingAway => "going away",
            Self::Internal => "could not store",
            Self::ProtocolError => "protocol error",
            Self::NotKnown => "not known here",
            Self::NotPaired => "not paired",
            Self::NeedsNewerApp => "needs a newer app",
            Self::Replaced => "replaced by a newer connection",
            Self::JournalWentBack => "journal copied or rolled back",
            Self::VersionNotSpoken => "version not spoken",
        }
    }
}

impl fmt::Display for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code(), self.reason())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back() {
        for close in CloseCode::ALL {
            assert_eq!(CloseCode::from_code(close.code()), Some(*close));
        }
        assert_eq!(CloseCode::from_code(1000), None);
    }

    #[test]
    fn each_code_has_its_number_and_a_reason_of_its_own() {
        let said: Vec<_> = CloseCode::ALL.iter().map(CloseCode::to_string).collect();
        let expected = [
            "1001 going away",
            "1011 could not store",
            "4400 protocol error",
            "4401 not known here",
            "4403 not paired",
            "4406 needs a newer app",
            "4409 replaced by a newer connection",
            "4410 journal copied or rolled back",
            "4426 version not spoken",
        ];
        assert_eq!(said, expected);
    }
}
