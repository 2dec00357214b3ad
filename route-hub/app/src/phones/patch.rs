//! What is to be set of a phone.

use crate::phones::{AccountPatch, PhoneRefused, QuietPatch, WaitsPatch};
use hub_domain::{Phone, Tariff, VarsChange};
use postrider_model::PhoneNumber;

/// What is to be set; what is `None` stays, and an inner `None` takes the setting away.
#[derive(Debug, Clone, Default)]
pub struct PhonePatch {
    /// Its name.
    pub name: Option<String>,
    /// Its number.
    pub phone_number: Option<Option<PhoneNumber>>,
    /// The region in which numbers typed on it are read.
    pub country: Option<Option<String>>,
    /// Whether it sends nothing.
    pub send_paused: Option<bool>,
    /// After how many messages it pauses.
    pub sent_message_limit: Option<Option<u32>>,
    /// Least seconds between two messages.
    pub send_delay_sec: Option<i64>,
    /// Most parts of the SIM in the platform's window.
    pub send_limit_max: Option<Option<u32>>,
    /// Most parts of the whole device in the platform's window.
    pub device_send_limit_max: Option<Option<u32>>,
    /// How long it waits for its platform's word.
    pub waits: WaitsPatch,
    /// The languages whose shift tables its platform uses.
    pub shift_tables: Option<Vec<u8>>,
    /// Whether it asks for delivery reports.
    pub delivery_reports: Option<bool>,
    /// Whether recipients must be numbers that can be.
    pub validate_recipient_numbers: Option<bool>,
    /// The regions that it may send to.
    pub allowed_recipient_countries: Option<Option<Vec<String>>>,
    /// What its messages cost.
    pub tariff: Option<Option<Tariff>>,
    /// Its quiet hours and zone.
    pub quiet: QuietPatch,
    /// Its custom variables.
    pub vars: VarsChange,
    /// Its account at a provider.
    pub account: AccountPatch,
}

impl PhonePatch {
    /// Changes a phone.
    pub(super) fn apply(&self, phone: &mut Phone) -> Result<(), PhoneRefused> {
        put(&mut phone.name, &self.name);
        put(&mut phone.phone_number, &self.phone_number);
        put(&mut phone.country, &self.country);
        if let Some(delay_sec) = self.send_delay_sec {
            phone.set_send_delay(delay_sec * 1_000);
        }
        put(&mut phone.send_limit_max, &self.send_limit_max);
        put(
            &mut phone.device_send_limit_max,
            &self.device_send_limit_max,
        );
        put(&mut phone.shift_tables, &self.shift_tables);
        put(&mut phone.delivery_reports, &self.delivery_reports);
        put(
            &mut phone.validate_recipient_numbers,
            &self.validate_recipient_numbers,
        );
        put(
            &mut phone.allowed_recipient_countries,
            &self.allowed_recipient_countries,
        );
        put(&mut phone.tariff, &self.tariff);
        self.account.check(phone)?;
        self.quiet.apply(phone)?;
        self.waits.apply(&mut phone.waits)?;
        if let Some(limit) = self.sent_message_limit {
            set_limit(phone, limit);
        }
        if let Some(paused) = self.send_paused {
            phone.set_paused(paused);
        }
        let applied = phone.vars.apply(self.vars.clone());
        applied.map_err(PhoneRefused::Vars)
    }
}

fn put<T: Clone>(setting: &mut T, given: &Option<T>) {
    if let Some(value) = given {
        setting.clone_from(value);
    }
}

/// A limit that is reached pauses at once; a phone that its limit paused goes on under a new one.
fn set_limit(phone: &mut Phone, limit: Option<u32>) {
    phone.sent_message_limit = limit;
    if phone.auto_paused && phone.sends_left() != Some(0) {
        phone.set_paused(false);
    }
    phone.count_sent(0);
}
