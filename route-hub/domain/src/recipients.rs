//! Whom a phone may send to.

use crate::{Phone, numbers};
use postrider_model::PhoneNumber;
use std::fmt;

/// Why a phone's settings do not let a message go to a recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedRecipient {
    /// It is not a valid number, and the phone takes only those.
    NotValid,
    /// It is not in a country that the phone sends to.
    Country,
}

impl fmt::Display for RefusedRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotValid => "is not a valid phone number, and this phone sends to no other",
            Self::Country => "is not in a country that this phone sends to",
        })
    }
}

impl std::error::Error for RefusedRecipient {}

/// Checks a recipient by a phone's settings; `region` is the one in which its numbers are read.
///
/// A short code is taken for one of that region: no table knows which of them exist.
///
/// # Errors
/// [`RefusedRecipient`].
pub fn check(
    phone: &Phone,
    number: &PhoneNumber,
    region: Option<&str>,
) -> Result<(), RefusedRecipient> {
    if phone.validate_recipient_numbers && !numbers::is_valid(number, region) {
        return Err(RefusedRecipient::NotValid);
    }
    let Some(allowed) = &phone.allowed_recipient_countries else {
        return Ok(());
    };
    let is_allowed = |region: &str| allowed.iter().any(|allowed| allowed == region);
    if numbers::regions(number, region).into_iter().any(is_allowed) {
        Ok(())
    } else {
        Err(RefusedRecipient::Country)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PhoneType;
    use postrider_model::{Id, Key, UnixMs};

    fn phone() -> Phone {
        let (id, project) = (Id::new(Key::default()), Id::new(Key::default()));
        Phone::new(id, project, "Phone", PhoneType::Android, UnixMs(0))
    }

    fn checked(phone: &Phone, number: &str) -> Result<(), RefusedRecipient> {
        check(phone, &number.parse().unwrap(), Some("US"))
    }

    #[test]
    fn without_settings_everything_goes() {
        for number in ["+15005550001", "72255", "5005550001", "+19995550001"] {
            assert_eq!(checked(&phone(), number), Ok(()), "{number}");
        }
    }

    #[test]
    fn only_valid_numbers_pass_where_that_is_set() {
        let mut phone = phone();
        phone.validate_recipient_numbers = true;
        assert_eq!(checked(&phone, "+15005550001"), Ok(()));
        assert_eq!(checked(&phone, "72255"), Ok(()));
        for number in ["+19995550001", "1234567890123"] {
            let refused = checked(&phone, number);
            assert_eq!(refused, Err(RefusedRecipient::NotValid), "{number}");
        }
    }

    #[test]
    fn only_the_named_countries_pass_where_that_is_set() {
        let mut phone = phone();
        phone.allowed_recipient_countries = Some(vec!["US".to_owned()]);
        assert_eq!(checked(&phone, "+15005550001"), Ok(()));
        assert_eq!(checked(&phone, "5005550001"), Ok(()));
        assert_eq!(checked(&phone, "72255"), Ok(()));
        phone.allowed_recipient_countries = Some(vec!["KE".to_owned(), "TZ".to_owned()]);
        for number in ["+15005550001", "72255", "5005550001"] {
            let refused = checked(&phone, number);
            assert_eq!(refused, Err(RefusedRecipient::Country), "{number}");
        }
    }
}
