//! Why a network refused a message: the RP cause that comes as `errorCode` with a failed part.
//!
//! It explains an ambiguous failure to people; it never makes one retryable, since the network's
//! answer may concern a message that it has already taken.
//!
//! Source: 3GPP TS 24.011, 8.2.5.4.

/// Whether a refusal would come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// The same message would be refused again.
    Permanent,
    /// The network could not take it at that moment.
    Transient,
    /// The cause says nothing about it.
    Unclassified,
}

/// An RP cause in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpCause {
    /// The number that the network gave.
    pub cause: i32,
    /// Whether it would come again.
    pub persistence: Persistence,
    /// A short text that is safe to show.
    pub detail: &'static str,
}

/// Returns what an RP cause means; an unlisted one is unclassified.
pub const fn explain(cause: i32) -> RpCause {
    use Persistence::{Permanent, Transient, Unclassified};
    let (persistence, detail) = match cause {
        1 => (Permanent, "the number is not assigned"),
        8 => (Unclassified, "the operator bars this"),
        10 => (Unclassified, "the recipient's line is barred"),
        21 => (Permanent, "the network rejected the transfer"),
        22 => (Unclassified, "memory is full"),
        27 => (Unclassified, "the destination is out of order"),
        28 => (Permanent, "the subscriber is not identified"),
        29 => (Permanent, "the facility was rejected"),
        30 => (Unclassified, "the subscriber is unknown"),
        38 => (Transient, "the network is out of order"),
        41 => (Transient, "the network has a temporary failure"),
        42 => (Transient, "the network is congested"),
        47 => (Transient, "the network is out of resources"),
        50 => (Permanent, "the SIM is not subscribed to sending"),
        69 => (Permanent, "the network does not offer sending"),
        81 => (Unclassified, "the transfer reference is not valid"),
        95 => (Permanent, "the message is not correct in meaning"),
        96 => (Permanent, "mandatory information is not valid"),
        97 => (Permanent, "the message type does not exist"),
        98 => (
            Unclassified,
            "the message does not fit the protocol's state",
        ),
        99 => (Unclassified, "an information element does not exist"),
        111 => (Unclassified, "the network reported a protocol error"),
        127 => (Unclassified, "another network reported an error"),
        _ => (Unclassified, "the network gave an unknown cause"),
    };
    RpCause {
        cause,
        persistence,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(persistence: Persistence) -> Vec<i32> {
        let found = (-1..256).filter(|cause| explain(*cause).persistence == persistence);
        found.collect()
    }

    #[test]
    fn causes_are_classified_as_the_design_says() {
        assert_eq!(
            of(Persistence::Permanent),
            [1, 21, 28, 29, 50, 69, 95, 96, 97]
        );
        assert_eq!(of(Persistence::Transient), [38, 41, 42, 47]);
    }

    #[test]
    fn an_unlisted_cause_keeps_its_number() {
        assert_eq!(explain(200).cause, 200);
        assert_eq!(explain(200).persistence, Persistence::Unclassified);
    }
}
