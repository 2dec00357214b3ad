//! What a message costs by the tariff of its phone.

use crate::{Amount, Message, MessageType, Phone, Price, Tariff};

const SECONDS_PER_MINUTE: i64 = 60;

impl Tariff {
    /// Returns the price of a message. A call costs what its seconds are
    /// known to be; before that, nothing.
    pub fn price_of(&self, message: &Message) -> Price {
        let to = message.to_number.as_ref().map(crate::Address::as_str);
        let rates = self.rates_to(to.unwrap_or_default());
        let each = |rate: Option<Amount>, times: i64| {
            rate.unwrap_or(Amount::ZERO)
                .millionths()
                .saturating_mul(times)
        };
        let of_parts = match message.message_type {
            MessageType::Sms => message.num_parts.map_or(1, i64::from),
            _ => 0,
        };
        let seconds = message.duration_sec.unwrap_or(0).max(0);
        let minutes = match message.message_type {
            MessageType::Call => {
                seconds.div_euclid(SECONDS_PER_MINUTE) + i64::from(seconds % SECONDS_PER_MINUTE > 0)
            }
            _ => 0,
        };
        let millionths = each(rates.per_message, 1)
            .saturating_add(each(rates.per_part, of_parts))
            .saturating_add(each(rates.per_minute, minutes));
        Price {
            millionths,
            currency: self.currency,
        }
    }
}

impl Message {
    /// Fixes what it costs by its phone's tariff; one that was taken away since leaves what it had said.
    pub fn note_price(&mut self, phone: &Phone) {
        if let Some(tariff) = &phone.tariff {
            self.price = Some(tariff.price_of(self));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PhoneType;
    use postrider_model::{Id, Key, UnixMs};

    const MILLIONTHS: i64 = 1_000_000;

    fn outgoing() -> Message {
        let phone = Phone::new(id(3), id(1), "Desk", PhoneType::Android, UnixMs(0));
        let mut message = Message::outgoing(id(4), &phone, MessageType::Sms, UnixMs(0));
        message.to_number = "+15005550001".parse().ok();
        message
    }

    fn id<K>(key: i64) -> Id<K> {
        Id::new(Key::new(key).unwrap())
    }

    fn tariff(json: &str) -> Tariff {
        Tariff::from_json(json).unwrap()
    }

    #[test]
    fn parts_messages_and_minutes_add_up() {
        let tariff =
            tariff(r#"{"currency":"KES","per_part":"0.5","per_message":"0.25","per_minute":"3"}"#);
        let mut message = outgoing();
        message.num_parts = Some(3);
        assert_eq!(tariff.price_of(&message).millionths, 1_750_000);
        message.message_type = MessageType::Call;
        message.num_parts = None;
        for (seconds, price) in [(None, 250_000), (Some(-1), 250_000), (Some(60), 3_250_000)] {
            message.duration_sec = seconds;
            assert_eq!(tariff.price_of(&message).millionths, price, "{seconds:?}");
        }
        message.duration_sec = Some(61);
        assert_eq!(tariff.price_of(&message).millionths, 6_250_000);
        assert_eq!(Tariff::from_json(&tariff.to_json()), Some(tariff));
    }

    #[test]
    fn the_longest_prefix_that_fits_counts() {
        let tariff = tariff(
            r#"{"currency":"USD","per_part":"1","prefixes":{"1":{"per_part":"2"},
                "1500":{"per_part":"3"},"1501":{"per_part":"4"}}}"#,
        );
        let cost = |number: &str| {
            let mut message = outgoing();
            message.to_number = Some(number.parse().unwrap());
            message.num_parts = Some(1);
            tariff.price_of(&message).millionths / MILLIONTHS
        };
        assert_eq!(cost("+15005550001"), 3);
        assert_eq!(cost("+14005550001"), 2);
        assert_eq!(cost("+254700000001"), 1);
    }
}
