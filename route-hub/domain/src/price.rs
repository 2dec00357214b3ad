//! What messages cost: tariffs of phones, and prices that are fixed when a message is sent.

use crate::Currency;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Places after the point that a price has at most.
const PLACES: u32 = 6;
const MILLIONTHS: i64 = 1_000_000;

/// The most prefixes that a tariff has.
pub const TARIFF_PREFIXES_MAX: usize = 1_000;
/// The highest amount of a rate.
pub const RATE_MAX: i64 = 1_000_000;

/// An amount of money: 0 to [`RATE_MAX`], with up to six places after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

/// A text is no amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnAmount;

impl std::fmt::Display for NotAnAmount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("must be a number from 0 to 1000000 with at most 6 places after the point")
    }
}

impl std::error::Error for NotAnAmount {}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// Returns so many millionths.
    pub fn of_millionths(millionths: i64) -> Self {
        Self(Decimal::new(millionths, PLACES).normalize())
    }

    /// Returns it in millionths, begun ones rounded to the nearest.
    pub fn millionths(self) -> i64 {
        let whole = self.0 * Decimal::from(MILLIONTHS);
        let rounded = whole.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
        i64::try_from(rounded.mantissa()).unwrap_or(i64::MAX)
    }

    /// Returns it as the number that is nearest.
    pub fn to_f64(self) -> f64 {
        f64::try_from(self.0).unwrap_or(0.0)
    }
}

impl std::str::FromStr for Amount {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, NotAnAmount> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let amount = Decimal::from_str_exact(text).map_err(|_| NotAnAmount)?;
        let fits = amount.normalize().scale() <= PLACES && amount <= Decimal::from(RATE_MAX);
        if plain && fits {
            Ok(Self(amount))
        } else {
            Err(NotAnAmount)
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// An amount in a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// How much.
    pub amount: Amount,
    /// Of what.
    pub currency: Currency,
}

impl Rate {
    /// Makes one.
    pub const fn new(amount: Amount, currency: Currency) -> Self {
        Self { amount, currency }
    }
}

/// What a message cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// How many millionths of the currency.
    pub millionths: i64,
    /// The currency.
    pub currency: Currency,
}

impl Price {
    /// Returns how much it is.
    pub fn amount(self) -> Amount {
        Amount::of_millionths(self.millionths)
    }
}

/// What a message to some number costs. What is `None` costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rates {
    /// Each part of an SMS.
    pub per_part: Option<Amount>,
    /// Each message, whatever its parts.
    pub per_message: Option<Amount>,
    /// Each minute of a call, begun ones too.
    pub per_minute: Option<Amount>,
}

/// What a phone's messages cost. Stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tariff {
    /// The currency of all of it.
    pub currency: Currency,
    /// What messages cost whose number no prefix fits.
    #[serde(default, flatten)]
    pub rates: Rates,
    /// What messages cost to numbers that begin with these digits; the longest that fits counts.
    #[serde(default)]
    pub prefixes: BTreeMap<String, Rates>,
}

impl Tariff {
    /// Reads a stored one.
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Writes it to be stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns what a message to this number costs.
    pub(crate) fn rates_to(&self, number: &str) -> &Rates {
        let digits = number.strip_prefix('+').unwrap_or(number);
        let fits = self
            .prefixes
            .iter()
            .filter(|(prefix, _)| digits.starts_with(&***prefix));
        let longest = fits.max_by_key(|(prefix, _)| prefix.len());
        longest.map_or(&self.rates, |(_, rates)| rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn an_amount_is_exact_and_has_at_most_six_places() {
        assert_eq!(amount("0.1").millionths() * 3, amount("0.3").millionths());
        assert_eq!(amount("1000000").to_string(), "1000000");
        assert_eq!(Amount::of_millionths(2_500).to_string(), "0.0025");
        for wrong in [
            "",
            "-1",
            "1e3",
            "0.0000001",
            "1000000.1",
            "1,5",
            "+1",
            "NaN",
            "1_0",
        ] {
            assert_eq!(wrong.parse::<Amount>(), Err(NotAnAmount), "{wrong}");
        }
    }
}
