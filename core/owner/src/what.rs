//! What the log can say, in words that never hold a number or a text.

use crate::named::named;
use postrider_machine::Source;
use postrider_model::WireState;

named! {
    /// What happened.
    What {
        /// The agent runs.
        Started = "STARTED",
        /// The owner stopped it.
        StoppedByOwner = "STOPPED_BY_OWNER",
        /// The owner stopped it in the platform's own settings.
        StoppedInAndroid = "STOPPED_IN_ANDROID",
        /// It failed.
        FailedToRun = "FAILED_TO_RUN",
        /// The phone joined a hub.
        Paired = "PAIRED",
        /// The phone left its hub.
        Unpaired = "UNPAIRED",
        /// The hub accepted the connection.
        LinkUp = "LINK_UP",
        /// The connection ended.
        LinkDown = "LINK_DOWN",
        /// The hub and this phone misunderstand each other.
        LinkFailing = "LINK_FAILING",
        /// Something else took this phone's place.
        LinkReplaced = "LINK_REPLACED",
        /// The hub does not know this phone.
        NotKnown = "NOT_KNOWN",
        /// The hub took this phone out of service.
        PairingNeeded = "PAIRING_NEEDED",
        /// The hub needs a newer app.
        UpdateNeeded = "UPDATE_NEEDED",
        /// A message is on this phone's disk.
        Accepted = "ACCEPTED",
        /// A message is handed to the radio.
        Submitted = "SUBMITTED",
        /// A message waits for its own retry.
        Retrying = "RETRYING",
        /// Every part was accepted by the network.
        Sent = "SENT",
        /// Some or all parts failed.
        Failed = "FAILED",
        /// Every part was delivered.
        Delivered = "DELIVERED",
        /// The network gave up delivering.
        NotDelivered = "NOT_DELIVERED",
        /// It is not known whether a message was sent.
        Unknown = "UNKNOWN",
        /// A message was given back.
        Revoked = "REVOKED",
        /// A message was cancelled.
        Cancelled = "CANCELLED",
        /// A message expired.
        Expired = "EXPIRED",
        /// A test is handed to the radio.
        TestSubmitted = "TEST_SUBMITTED",
        /// A test was sent.
        TestSent = "TEST_SENT",
        /// A test failed.
        TestFailed = "TEST_FAILED",
        /// A test was delivered.
        TestDelivered = "TEST_DELIVERED",
        /// A test was not delivered.
        TestNotDelivered = "TEST_NOT_DELIVERED",
        /// The outcome of a test is not known.
        TestUnknown = "TEST_UNKNOWN",
        /// A text came in.
        SmsReceived = "SMS_RECEIVED",
        /// A data message came in.
        DataReceived = "DATA_RECEIVED",
        /// A multimedia message came in.
        MmsReceived = "MMS_RECEIVED",
        /// A USSD code was answered.
        UssdAnswered = "USSD_ANSWERED",
        /// A call was seen.
        CallSeen = "CALL_SEEN",
        /// Another SIM is in a slot.
        SimChanged = "SIM_CHANGED",
        /// The right SIM is in a slot again, or was confirmed.
        SimConfirmed = "SIM_CONFIRMED",
        /// A SIM sends nothing.
        SimHeld = "SIM_HELD",
        /// A SIM sends again.
        SimReleased = "SIM_RELEASED",
        /// The radio says nothing.
        LookAtPhone = "LOOK_AT_PHONE",
        /// The pace is halved.
        PaceHalved = "PACE_HALVED",
        /// A report names a different recipient.
        ReportMismatched = "REPORT_MISMATCHED",
        /// A result names an unknown hand-over.
        StrayResult = "STRAY_RESULT",
    }
}

impl What {
    /// Returns whether this is a known outcome of a message.
    pub(crate) const fn is_known_end(self) -> bool {
        matches!(
            self,
            Self::Sent | Self::Failed | Self::Delivered | Self::NotDelivered
        )
    }

    /// Returns what is logged when a message reaches a state.
    pub(crate) const fn of_message(state: WireState) -> Self {
        match state {
            WireState::OnPhone => Self::Accepted,
            WireState::Retrying => Self::Retrying,
            WireState::Submitting => Self::Submitted,
            WireState::Unknown => Self::Unknown,
            WireState::Sent => Self::Sent,
            WireState::Failed => Self::Failed,
            WireState::NotDelivered => Self::NotDelivered,
            WireState::Delivered => Self::Delivered,
            WireState::Revoked => Self::Revoked,
            WireState::Cancelled => Self::Cancelled,
            WireState::Expired => Self::Expired,
        }
    }

    /// Returns what is logged when a test reaches a state; tests reach only the first five.
    pub(crate) const fn of_test(state: WireState) -> Self {
        match state {
            WireState::Submitting => Self::TestSubmitted,
            WireState::Sent => Self::TestSent,
            WireState::Delivered => Self::TestDelivered,
            WireState::NotDelivered => Self::TestNotDelivered,
            WireState::Failed => Self::TestFailed,
            WireState::Unknown
            | WireState::OnPhone
            | WireState::Retrying
            | WireState::Revoked
            | WireState::Cancelled
            | WireState::Expired => Self::TestUnknown,
        }
    }

    /// Returns what is logged for something that came in.
    pub(crate) const fn of_source(source: Source) -> Self {
        match source {
            Source::Sms => Self::SmsReceived,
            Source::DataSms => Self::DataReceived,
            Source::Mms => Self::MmsReceived,
            Source::Ussd => Self::UssdAnswered,
            Source::Call => Self::CallSeen,
        }
    }
}
