//! What each kind of message needs before it may wait here.

use super::{Outbound, refusals};
use postrider_link::frame::{Address, Kind, Send};
use postrider_model::{NumberShape, PhoneNumber};
use postrider_text::{
    DATA_OCTETS_MAX, PARTS_MAX_LIMIT,
    gsm7::Language,
    parts::count_within,
    ussd::{CodeUse, read_code},
};

impl Outbound {
    /// Tells whether this phone can do what a frame asks for at all.
    pub(super) fn supports(&self, send: &Send) -> bool {
        let is_known = match send.kind {
            Kind::Sms => send.text.is_some(),
            Kind::DataSms => send.data.is_some(),
            Kind::Ussd | Kind::Call => true,
            Kind::Mms | Kind::Other(_) => false,
        };
        is_known && self.has_sim(send.sim)
    }

    /// Returns how many parts a supported message is expected to make, or why it is refused.
    pub(super) fn examine(&self, send: &Send) -> Result<u8, &'static str> {
        match send.kind {
            Kind::Ussd => self.examine_code(send).map(|()| 0),
            Kind::Call => callable(&send.to).map(|()| 0),
            Kind::DataSms => numbered(&send.to).and_then(|_| one_part(send)).map(|()| 1),
            Kind::Sms | Kind::Mms | Kind::Other(_) => {
                numbered(&send.to).map(drop)?;
                counted(send, &self.rules.languages(send.sim))
            }
        }
    }

    /// Anything that is not a code would be dialled as a voice call.
    fn examine_code(&self, send: &Send) -> Result<(), &'static str> {
        match read_code(send.to.as_str()) {
            CodeUse::Operator => Ok(()),
            CodeUse::Settings if self.ussd.codes_allowed => Ok(()),
            CodeUse::Settings => Err(refusals::USSD_REFUSED),
            CodeUse::None => Err(refusals::INVALID_USSD),
        }
    }
}

fn numbered(to: &Address) -> Result<PhoneNumber, &'static str> {
    to.number().ok_or(refusals::INVALID_RECIPIENT)
}

/// Checks that somebody can be called there at all.
pub(super) fn callable(to: &Address) -> Result<(), &'static str> {
    match numbered(to)?.shape() {
        NumberShape::E164 | NumberShape::ShortCode | NumberShape::National => Ok(()),
        NumberShape::Alphanumeric => Err(refusals::INVALID_RECIPIENT),
    }
}

fn one_part(send: &Send) -> Result<(), &'static str> {
    match send.data.as_ref().map_or(0, |data| data.base64.0.len()) {
        0 => Err(refusals::NO_DATA),
        1..=DATA_OCTETS_MAX => Ok(()),
        _ => Err(refusals::TOO_LONG),
    }
}

fn counted(send: &Send, languages: &[Language]) -> Result<u8, &'static str> {
    let parts_max = send
        .parts_max
        .map_or(PARTS_MAX_LIMIT, u32::from)
        .min(PARTS_MAX_LIMIT);
    let text = send.text.as_ref().map_or("", |text| text.as_str());
    let count = count_within(text, languages, parts_max).map_err(|_| refusals::TOO_MANY_PARTS)?;
    Ok(u8::try_from(count.parts).unwrap_or(u8::MAX))
}
