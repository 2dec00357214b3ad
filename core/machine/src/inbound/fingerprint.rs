//! Fingerprints that identify incoming things.

use crate::{
    fact::{ReceivedData, ReceivedMms, ReceivedSms},
    log::CallLogRow,
    token::SendToken,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, UnixMs};

/// Identifies something that came in, without its content.
///
/// It is stored, so it must never depend on a library's version: FNV-1a over its fields. For
/// a text message it begins with its SIM; for everything else with a mark that is not a SIM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

const DATA: u8 = 0xf1;
const MMS: u8 = 0xf2;
const CALL: u8 = 0xf3;
const USSD: u8 = 0xf4;
const SENT: u8 = 0xf5;
/// How many last digits two spellings of a recipient share.
const RECIPIENT_DIGITS: usize = 7;

impl Fingerprint {
    /// Takes the fingerprint of a text message: SIM, sender, service-centre time and text.
    ///
    /// The platform's provider writes a form feed as a line feed; both are one text.
    pub fn of(sms: &ReceivedSms) -> Self {
        let text: Vec<u8> = sms.text.as_str().bytes().map(unix_line).collect();
        Self::over(&[
            &[sms.sim.get()],
            sms.from.as_str().as_bytes(),
            &[0],
            &moment(sms.sent_at),
            &text,
        ])
    }

    /// Takes the fingerprint of a data message: SIM, sender, service-centre time, port and bytes.
    pub fn of_data(data: &ReceivedData) -> Self {
        Self::over(&[
            &[DATA, data.sim.get()],
            data.from.as_str().as_bytes(),
            &[0],
            &moment(data.sent_at),
            &data.data.port.to_be_bytes(),
            &data.data.base64.0,
        ])
    }

    /// Takes the fingerprint of a multimedia message: SIM, sender, time, subject and text.
    pub fn of_mms(mms: &ReceivedMms) -> Self {
        let bytes = |text: &Option<MessageText>| -> Vec<u8> {
            let text = text.as_ref().map_or("", |text| text.as_str());
            text.as_bytes().to_vec()
        };
        Self::over(&[
            &[MMS, mms.sim.get()],
            mms.from.as_str().as_bytes(),
            &[0],
            &moment(mms.sent_at),
            &bytes(&mms.subject),
            &[0],
            &bytes(&mms.text),
        ])
    }

    /// Takes the fingerprint of a call: SIM, the other end, and when it began.
    pub fn of_call(call: &CallLogRow) -> Self {
        let number = call.number.as_ref().map_or("", |number| number.as_str());
        Self::over(&[
            &[CALL, call.sim.get()],
            number.as_bytes(),
            &[0],
            &moment(Some(call.started_at)),
        ])
    }

    /// Takes the fingerprint of the answer to a USSD code: the hand-over that it answers.
    pub fn of_answer(token: SendToken) -> Self {
        Self::over(&[
            &[USSD],
            &token.message.id.get().to_be_bytes(),
            &token.message.ep.to_be_bytes(),
            &token.attempt.to_be_bytes(),
        ])
    }

    /// Takes the fingerprint of a text that was sent: the last digits of its recipient, however it
    /// is written, and the text.
    pub(crate) fn of_sent(to: &Address, text: &MessageText) -> Self {
        let digits = to.as_str().bytes().rev().filter(u8::is_ascii_digit);
        let digits: Vec<u8> = digits.take(RECIPIENT_DIGITS).collect();
        Self::over(&[&[SENT], &digits, &[0], text.as_str().as_bytes()])
    }

    fn over(fields: &[&[u8]]) -> Self {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let bytes = fields.iter().copied().flatten();
        Self(bytes.fold(OFFSET, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
        }))
    }
}

fn moment(at: Option<UnixMs>) -> [u8; 8] {
    at.map_or(i64::MIN, |at| at.0).to_be_bytes()
}

fn unix_line(byte: u8) -> u8 {
    if byte == 0x0c { b'\n' } else { byte }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{log::CallKind, token::MessageRef};
    use postrider_link::frame::{Address, Bytes, Data};
    use postrider_model::{Key, MessageId, MessageText, SimSlot};

    const FROM: &str = "+15005550001";

    /// The journal has fingerprints that are years old: none may ever change.
    #[test]
    fn a_fingerprint_of_any_kind_never_changes() {
        let sim = SimSlot::default();
        let from = Address::new(FROM);
        let data = Fingerprint::of_data(&ReceivedData {
            receipt: 0,
            sim,
            from: from.clone(),
            data: Data {
                port: 16_001,
                base64: Bytes(vec![1, 2, 3]),
            },
            sent_at: Some(UnixMs(7_000)),
        });
        let mms = Fingerprint::of_mms(&ReceivedMms {
            receipt: 0,
            sim,
            from: from.clone(),
            to: None,
            subject: Some(MessageText::new("Lunch")),
            text: Some(MessageText::new("yes")),
            sent_at: Some(UnixMs(7_000)),
            received_at: UnixMs(8_000),
            row: 1,
        });
        let call = Fingerprint::of_call(&CallLogRow {
            row: 1,
            sim,
            number: Some(from),
            kind: CallKind::Missed,
            started_at: UnixMs(7_000),
            duration_s: 0,
        });
        let id = MessageId::new(Key::new(7).unwrap());
        let answer = Fingerprint::of_answer(SendToken {
            message: MessageRef { id, ep: 2 },
            attempt: 3,
        });
        assert_eq!([data, mms, call, answer].map(|it| it.0), KNOWN);
    }

    const KNOWN: [u128; 4] = [
        1_146_820_429_690_757_945_654_732_329_987_060_169,
        166_678_159_691_415_334_585_233_411_520_607_288_366,
        310_537_258_554_467_394_882_864_965_271_788_292_304,
        327_471_230_561_817_599_857_609_995_939_541_650_437,
    ];
}
