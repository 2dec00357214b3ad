//! Status reports: what the service centre says became of a part.
//!
//! The platform fires the delivery intent with `RESULT_OK` for every report, good or bad, so this
//! status alone decides. A part may be reported several times.
//!
//! Source: 3GPP TS 23.040, 9.2.3.15 (TP-Status); 3GPP2 C.S0015-B, 4.5.21 (Message Status).

/// What a status report says about a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryOutcome {
    /// The recipient's phone has it, or the service centre ended it as done.
    Delivered,
    /// It was passed on to where nobody can confirm delivery; it stays sent.
    Forwarded,
    /// The service centre is still trying; another report follows.
    Pending,
    /// It was not delivered, and the service centre has ended its tries.
    Failed {
        /// True when another try would end the same way; false when the service centre gave up
        /// over something that may pass.
        permanent: bool,
    },
    /// A reserved value: kept raw, and nothing is concluded from it.
    Unrecognised,
}

impl DeliveryOutcome {
    /// Returns whether the report ends the part, so that no later pending report undoes it.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Delivered | Self::Failed { .. } => true,
            Self::Forwarded | Self::Pending | Self::Unrecognised => false,
        }
    }
}

/// A status report in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryReport {
    /// The status as it came.
    pub raw: u32,
    /// What it says.
    pub outcome: DeliveryOutcome,
    /// A short stable name, for programs.
    pub code: &'static str,
    /// A short text that is safe to show.
    pub detail: &'static str,
}

/// Decodes a TP-Status of 3GPP.
pub const fn decode_3gpp(status: u8) -> DeliveryReport {
    let outcome = match status {
        0x00 | 0x02 | 0x10..=0x1F => DeliveryOutcome::Delivered,
        0x01 => DeliveryOutcome::Forwarded,
        0x20..=0x3F => DeliveryOutcome::Pending,
        0x40..=0x5F => DeliveryOutcome::Failed { permanent: true },
        0x60..=0x7F => DeliveryOutcome::Failed { permanent: false },
        0x03..=0x0F | 0x80..=0xFF => DeliveryOutcome::Unrecognised,
    };
    let (code, detail) = match status {
        0x00 => ("delivered", "delivered"),
        0x01 => ("forwarded", "forwarded, delivery cannot be confirmed"),
        0x02 => ("replaced", "replaced by the service centre"),
        0x20 | 0x60 => ("congestion", "the network is congested"),
        0x21 | 0x61 => ("recipient_busy", "the recipient's phone is busy"),
        0x22 | 0x62 => ("no_response", "the recipient's phone does not answer"),
        0x23 | 0x63 => ("service_rejected", "the service was rejected"),
        0x24 | 0x44 | 0x64 => (
            "quality_unavailable",
            "the quality of service is not available",
        ),
        0x25 | 0x65 => ("recipient_error", "the recipient's phone reported an error"),
        0x40 => ("remote_error", "a remote procedure failed"),
        0x41 => ("incompatible_destination", "the destination cannot take it"),
        0x42 => ("recipient_rejected", "the recipient's phone rejected it"),
        0x43 => ("not_obtainable", "the recipient cannot be reached"),
        0x45 => (
            "no_interworking",
            "no way between the networks is available",
        ),
        0x46 => ("validity_expired", "its life at the service centre ended"),
        0x47 => ("deleted_by_sender", "it was deleted by its sender"),
        0x48 => ("deleted_by_centre", "it was deleted at the service centre"),
        0x49 => ("unknown_message", "the service centre does not know it"),
        _ => named_by_outcome(outcome),
    };
    DeliveryReport {
        raw: status as u32,
        outcome,
        code,
        detail,
    }
}

/// Decodes a message status of 3GPP2 as the platform's `SmsMessage.getStatus` returns it.
///
/// The error class is in bits 25-24 and the status in bits 23-16; with any other bit set the value
/// is no status (the platform writes ones where a message has none).
pub const fn decode_3gpp2(status: u32) -> DeliveryReport {
    let outcome = match (status >> 24, (status >> 16) & 0xFF) {
        _ if status & 0xFC00_FFFF != 0 => DeliveryOutcome::Unrecognised,
        (0, 0) => DeliveryOutcome::Pending,
        (0, 1) => DeliveryOutcome::Forwarded,
        (0, 2) => DeliveryOutcome::Delivered,
        (0, 3) => DeliveryOutcome::Failed { permanent: true },
        (2, _) => DeliveryOutcome::Pending,
        (3, _) => DeliveryOutcome::Failed { permanent: true },
        _ => DeliveryOutcome::Unrecognised,
    };
    let (code, detail) = match (outcome, (status >> 16) & 0xFF) {
        (DeliveryOutcome::Pending, 0) => ("accepted", "accepted by the message centre"),
        (DeliveryOutcome::Delivered, _) => ("delivered", "delivered"),
        (DeliveryOutcome::Forwarded, _) => ("forwarded", "forwarded to the internet"),
        (DeliveryOutcome::Unrecognised, _) => named_by_outcome(outcome),
        (_, 3) => ("cancelled", "cancelled at the message centre"),
        (_, 4) => ("congestion", "the network is congested"),
        (_, 5) => ("network_error", "the network reported an error"),
        (_, 6) => ("cancel_failed", "it could not be cancelled"),
        (_, 7) => ("blocked_destination", "the destination is blocked"),
        (_, 8) => ("text_too_long", "the text is too long"),
        (_, 9) => ("duplicate", "it was taken for a duplicate"),
        (_, 10) => ("invalid_destination", "the destination is not valid"),
        (_, 13) => ("validity_expired", "its life at the message centre ended"),
        _ => named_by_outcome(outcome),
    };
    DeliveryReport {
        raw: status,
        outcome,
        code,
        detail,
    }
}

const fn named_by_outcome(outcome: DeliveryOutcome) -> (&'static str, &'static str) {
    match outcome {
        DeliveryOutcome::Delivered => ("delivered", "delivered"),
        DeliveryOutcome::Forwarded => ("forwarded", "forwarded, delivery cannot be confirmed"),
        DeliveryOutcome::Pending => ("pending", "the service centre is still trying"),
        DeliveryOutcome::Failed { permanent: true } => {
            ("not_deliverable", "it cannot be delivered")
        }
        DeliveryOutcome::Failed { permanent: false } => ("gave_up", "the service centre gave up"),
        DeliveryOutcome::Unrecognised => ("unrecognised", "the report's status is not known"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERMANENT: DeliveryOutcome = DeliveryOutcome::Failed { permanent: true };
    const GAVE_UP: DeliveryOutcome = DeliveryOutcome::Failed { permanent: false };

    #[test]
    fn every_status_of_3gpp_falls_in_its_range() {
        for status in 0..=u8::MAX {
            let expected = match status {
                0x00 | 0x02 => DeliveryOutcome::Delivered,
                0x01 => DeliveryOutcome::Forwarded,
                _ if (0x10..0x20).contains(&status) => DeliveryOutcome::Delivered,
                _ if (0x20..0x40).contains(&status) => DeliveryOutcome::Pending,
                _ if (0x40..0x60).contains(&status) => PERMANENT,
                _ if (0x60..0x80).contains(&status) => GAVE_UP,
                _ => DeliveryOutcome::Unrecognised,
            };
            let report = decode_3gpp(status);
            assert_eq!(report.outcome, expected, "{status:#04x}");
            assert_eq!(report.raw, u32::from(status));
        }
    }

    #[test]
    fn the_same_reason_is_pending_first_and_final_later() {
        assert_eq!(decode_3gpp(0x21).code, decode_3gpp(0x61).code);
        assert!(!decode_3gpp(0x21).outcome.is_final());
        assert!(decode_3gpp(0x61).outcome.is_final());
    }

    #[test]
    fn a_status_of_3gpp2_is_its_class_and_its_code() {
        let outcome = |class: u32, status: u32| decode_3gpp2(class << 24 | status << 16).outcome;
        assert_eq!(outcome(0, 0), DeliveryOutcome::Pending);
        assert_eq!(outcome(0, 1), DeliveryOutcome::Forwarded);
        assert_eq!(outcome(0, 2), DeliveryOutcome::Delivered);
        assert_eq!(outcome(0, 3), PERMANENT);
        assert_eq!(outcome(0, 4), DeliveryOutcome::Unrecognised);
        assert_eq!(outcome(1, 2), DeliveryOutcome::Unrecognised);
        assert_eq!(outcome(2, 4), DeliveryOutcome::Pending);
        assert_eq!(outcome(3, 10), PERMANENT);
        assert_eq!(decode_3gpp2(3 << 24 | 10 << 16).code, "invalid_destination");
    }

    #[test]
    fn a_value_outside_the_two_fields_is_no_status() {
        for raw in [0xFFFF_0000, 0x0400_0000, 2 << 16 | 1] {
            let report = decode_3gpp2(raw);
            assert_eq!(report.outcome, DeliveryOutcome::Unrecognised);
            assert_eq!(report.raw, raw);
        }
    }
}
