//! What is done about each result that `SmsManager` reports for a part, and whether it proves
//! that nothing went on the air.
//!
//! One table, [`TABLE`], holds all of it. The rule behind it: a refusal by the platform or by the
//! radio before the message left it is proof; whatever the network or the modem may have answered
//! after a transmission is not, and neither is a code that nobody has listed.

/// The platform's `Activity.RESULT_OK`: the network accepted the part.
pub const RESULT_OK: i32 = -1;

/// Our own: the phone's owner has not let the app send messages, and the platform was not asked.
pub const NOT_PERMITTED: i32 = -1_000;

/// Waits before each further try of one message, in milliseconds; after the last one it fails.
///
/// Source: the design of the phone, "Outbound".
pub const RETRY_DELAYS_MS: [u64; 5] = [20_000, 60_000, 300_000, 900_000, 3_600_000];

/// What the phone does after a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The network accepted the part.
    Accept,
    /// The SIM waits until its service state changes; the message keeps its place and its tries.
    HoldSim,
    /// The platform's own guard stepped in: as [`Action::HoldSim`], at half the pace from then on.
    HoldSimAndHalvePace,
    /// This message is tried again after [`retry_delay_ms`], others go on.
    RetryMessage,
    /// The message failed and provably never left the phone.
    FailWithProof,
    /// The message failed by its code, but it may have gone on the air: never resent by itself.
    FailAmbiguous,
}

impl Action {
    /// Returns whether a result of this kind proves that nothing went on the air.
    pub const fn is_proof(self) -> bool {
        match self {
            Self::HoldSim
            | Self::HoldSimAndHalvePace
            | Self::RetryMessage
            | Self::FailWithProof => true,
            Self::Accept | Self::FailAmbiguous => false,
        }
    }
}

/// One result code with its platform name, what is done, and a text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultCode {
    /// The number that the sent intent carried.
    pub code: i32,
    /// The constant's name in `android.telephony.SmsManager`; `RESULT_UNLISTED` for others.
    pub name: &'static str,
    /// What is done.
    pub action: Action,
    /// A short text that is safe to show.
    pub detail: &'static str,
}

impl ResultCode {
    /// Returns whether the code proves that nothing went on the air.
    pub const fn is_proof(self) -> bool {
        self.action.is_proof()
    }
}

/// Returns what is known of a result code; one that is not listed is ambiguous.
///
/// Source: `android.telephony.SmsManager` of Android 15; the design of the phone, "Outbound".
pub fn look_up(code: i32) -> ResultCode {
    match TABLE.binary_search_by_key(&code, |row| row.code) {
        Ok(index) => TABLE[index],
        Err(_) => ResultCode {
            code,
            name: "RESULT_UNLISTED",
            action: Action::FailAmbiguous,
            detail: "the phone reported an unknown result",
        },
    }
}

/// Returns how long a message waits before its next try.
///
/// `tries_done` counts the tries that ended in [`Action::RetryMessage`], the last one included, so
/// it is at least 1. `None` means that the message has failed, with proof.
pub const fn retry_delay_ms(tries_done: u32) -> Option<u64> {
    match tries_done {
        1 => Some(RETRY_DELAYS_MS[0]),
        2 => Some(RETRY_DELAYS_MS[1]),
        3 => Some(RETRY_DELAYS_MS[2]),
        4 => Some(RETRY_DELAYS_MS[3]),
        5 => Some(RETRY_DELAYS_MS[4]),
        _ => None,
    }
}

macro_rules! table {
    ($($code:literal $name:ident $action:ident $detail:literal;)*) => {
        /// Every listed result code, rising.
        pub const TABLE: &[ResultCode] = &[$(ResultCode {
            code: $code,
            name: stringify!($name),
            action: Action::$action,
            detail: $detail,
        }),*];
    };
}

table! {
    -1000 NOT_PERMITTED HoldSim "the app may not send messages";
    -1 RESULT_OK Accept "accepted by the network";
    1 RESULT_ERROR_GENERIC_FAILURE FailAmbiguous "the phone reported a general failure";
    2 RESULT_ERROR_RADIO_OFF HoldSim "the radio is off";
    3 RESULT_ERROR_NULL_PDU FailWithProof "the message could not be encoded";
    4 RESULT_ERROR_NO_SERVICE HoldSim "there is no service";
    5 RESULT_ERROR_LIMIT_EXCEEDED HoldSimAndHalvePace "the phone's own sending limit was reached";
    6 RESULT_ERROR_FDN_CHECK_FAILURE FailWithProof "the SIM only allows fixed numbers";
    7 RESULT_ERROR_SHORT_CODE_NOT_ALLOWED FailWithProof "the user refused this premium number";
    8 RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED FailWithProof "the user always refuses this premium number";
    9 RESULT_RADIO_NOT_AVAILABLE HoldSim "the radio is not available";
    10 RESULT_NETWORK_REJECT FailAmbiguous "the network rejected the message";
    11 RESULT_INVALID_ARGUMENTS FailWithProof "the platform refused the arguments";
    12 RESULT_INVALID_STATE FailAmbiguous "the phone was in an unexpected state";
    13 RESULT_NO_MEMORY RetryMessage "the phone is out of memory";
    14 RESULT_INVALID_SMS_FORMAT FailWithProof "the message format is not valid";
    15 RESULT_SYSTEM_ERROR FailAmbiguous "the phone reported a system error";
    16 RESULT_MODEM_ERROR FailAmbiguous "the modem reported an error";
    17 RESULT_NETWORK_ERROR FailAmbiguous "the network reported an error";
    18 RESULT_ENCODING_ERROR FailWithProof "the message could not be encoded";
    19 RESULT_INVALID_SMSC_ADDRESS FailWithProof "the SIM's service centre number is not valid";
    20 RESULT_OPERATION_NOT_ALLOWED FailWithProof "the phone does not allow sending";
    21 RESULT_INTERNAL_ERROR FailAmbiguous "the phone reported an internal error";
    22 RESULT_NO_RESOURCES RetryMessage "the phone is out of resources";
    23 RESULT_CANCELLED FailAmbiguous "sending was cancelled on the phone";
    24 RESULT_REQUEST_NOT_SUPPORTED FailWithProof "the phone does not support sending";
    28 RESULT_UNEXPECTED_EVENT_STOP_SENDING FailAmbiguous "the phone stopped sending unexpectedly";
    29 RESULT_SMS_BLOCKED_DURING_EMERGENCY HoldSim "an emergency call is in progress";
    30 RESULT_SMS_SEND_RETRY_FAILED FailAmbiguous "the phone's own retry failed";
    31 RESULT_REMOTE_EXCEPTION FailAmbiguous "the phone's telephony service failed";
    32 RESULT_NO_DEFAULT_SMS_APP FailWithProof "the phone has no default SMS app";
    33 RESULT_USER_NOT_ALLOWED FailWithProof "this user of the phone may not send";
    100 RESULT_RIL_RADIO_NOT_AVAILABLE HoldSim "the radio is not available";
    101 RESULT_RIL_SMS_SEND_FAIL_RETRY FailAmbiguous "the radio failed to send";
    102 RESULT_RIL_NETWORK_REJECT FailAmbiguous "the network rejected the message";
    103 RESULT_RIL_INVALID_STATE FailAmbiguous "the radio was in an unexpected state";
    104 RESULT_RIL_INVALID_ARGUMENTS FailWithProof "the radio refused the arguments";
    105 RESULT_RIL_NO_MEMORY RetryMessage "the radio is out of memory";
    106 RESULT_RIL_REQUEST_RATE_LIMITED RetryMessage "the radio limits how often it is asked";
    107 RESULT_RIL_INVALID_SMS_FORMAT FailWithProof "the message format is not valid";
    108 RESULT_RIL_SYSTEM_ERR FailAmbiguous "the radio reported a system error";
    109 RESULT_RIL_ENCODING_ERR FailWithProof "the message could not be encoded";
    110 RESULT_RIL_INVALID_SMSC_ADDRESS FailWithProof "the SIM's service centre number is not valid";
    111 RESULT_RIL_MODEM_ERR FailAmbiguous "the modem reported an error";
    112 RESULT_RIL_NETWORK_ERR FailAmbiguous "the network reported an error";
    113 RESULT_RIL_INTERNAL_ERR FailAmbiguous "the modem reported an internal error";
    114 RESULT_RIL_REQUEST_NOT_SUPPORTED FailWithProof "the radio does not support sending";
    115 RESULT_RIL_INVALID_MODEM_STATE HoldSim "the modem is not in a state to send";
    116 RESULT_RIL_NETWORK_NOT_READY HoldSim "the network is not ready";
    117 RESULT_RIL_OPERATION_NOT_ALLOWED FailWithProof "the radio does not allow sending";
    118 RESULT_RIL_NO_RESOURCES RetryMessage "the radio is out of resources";
    119 RESULT_RIL_CANCELLED FailAmbiguous "sending was cancelled in the radio";
    120 RESULT_RIL_SIM_ABSENT HoldSim "there is no SIM";
    121 RESULT_RIL_SIMULTANEOUS_SMS_AND_CALL_NOT_ALLOWED HoldSim "the phone cannot send during a call";
    122 RESULT_RIL_ACCESS_BARRED RetryMessage "the network bars access for now";
    123 RESULT_RIL_BLOCKED_DUE_TO_CALL HoldSim "a call blocks sending";
    124 RESULT_RIL_GENERIC_ERROR FailAmbiguous "the radio reported a general failure";
    125 RESULT_RIL_INVALID_RESPONSE FailAmbiguous "the radio gave an answer that is not valid";
    126 RESULT_RIL_SIM_PIN2 FailWithProof "the SIM asks for its PIN2";
    127 RESULT_RIL_SIM_PUK2 FailWithProof "the SIM asks for its PUK2";
    128 RESULT_RIL_SUBSCRIPTION_NOT_AVAILABLE FailWithProof "the subscription is not available";
    129 RESULT_RIL_SIM_ERROR FailWithProof "the SIM reported an error";
    130 RESULT_RIL_INVALID_SIM_STATE FailWithProof "the SIM is not in a state to send";
    131 RESULT_RIL_NO_SMS_TO_ACK FailAmbiguous "the radio had no message to acknowledge";
    132 RESULT_RIL_SIM_BUSY RetryMessage "the SIM is busy";
    133 RESULT_RIL_SIM_FULL FailWithProof "the SIM is full";
    134 RESULT_RIL_NO_SUBSCRIPTION FailWithProof "there is no subscription";
    135 RESULT_RIL_NO_NETWORK_FOUND FailWithProof "no network was found";
    136 RESULT_RIL_DEVICE_IN_USE RetryMessage "the radio is in use";
    137 RESULT_RIL_ABORTED FailAmbiguous "the radio aborted sending";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(action: Action) -> Vec<i32> {
        let listed = TABLE.iter().filter(|row| row.action == action);
        listed.map(|row| row.code).collect()
    }

    #[test]
    fn the_table_rises_so_that_it_can_be_searched() {
        assert!(TABLE.windows(2).all(|pair| pair[0].code < pair[1].code));
        for row in TABLE {
            assert_eq!(look_up(row.code), *row);
        }
    }

    #[test]
    fn each_code_is_treated_as_the_design_says() {
        assert_eq!(
            codes(Action::HoldSim),
            [NOT_PERMITTED, 2, 4, 9, 29, 100, 115, 116, 120, 121, 123]
        );
        assert_eq!(codes(Action::HoldSimAndHalvePace), [5]);
        assert_eq!(
            codes(Action::RetryMessage),
            [13, 22, 105, 106, 118, 122, 132, 136]
        );
        assert_eq!(
            codes(Action::FailWithProof),
            [
                3, 6, 7, 8, 11, 14, 18, 19, 20, 24, 32, 33, 104, 107, 109, 110, 114, 117, 126, 127,
                128, 129, 130, 133, 134, 135
            ]
        );
        assert_eq!(codes(Action::Accept), [RESULT_OK]);
    }

    #[test]
    fn a_code_that_is_not_listed_proves_nothing() {
        for code in [i32::MIN, -2, 0, 25, 26, 27, 34, 99, 138, 500, i32::MAX] {
            let found = look_up(code);
            assert_eq!(found.action, Action::FailAmbiguous, "{code}");
            assert_eq!((found.code, found.is_proof()), (code, false));
        }
    }

    #[test]
    fn success_is_no_proof_that_nothing_went_on_the_air() {
        assert!(!look_up(RESULT_OK).is_proof());
        assert!(look_up(5).is_proof());
        assert!(!look_up(1).is_proof());
    }

    #[test]
    fn a_message_is_tried_again_five_times() {
        let delays: Vec<_> = (1..).map_while(retry_delay_ms).collect();
        assert_eq!(delays, RETRY_DELAYS_MS);
        assert_eq!(retry_delay_ms(0), None);
    }
}
