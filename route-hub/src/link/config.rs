//! What the hub decides about sending, told to the phone whenever it changed.

use hub_domain::Phone;
use postrider_link::frame::Config;
use postrider_model::PhoneId;
use std::collections::BTreeMap;

/// The settings that were sent on a connection, by phone.
pub type Sent = BTreeMap<PhoneId, Config>;

/// Returns the settings that differ from what was sent, still without a number, and remembers
/// them as sent.
///
/// A project that is stopped pauses every phone.
pub fn changed(on: &[Phone], stopped: bool, sent: &mut Sent) -> Vec<Config> {
    let mut frames = Vec::new();
    for phone in on {
        let config = of(phone, stopped);
        if sent.get(&phone.id) != Some(&config) {
            sent.insert(phone.id, config.clone());
            frames.push(config);
        }
    }
    frames
}

fn of(phone: &Phone, stopped: bool) -> Config {
    Config {
        s: 0,
        sim: phone.sim,
        pause: stopped || phone.send_paused || phone.sim_changed,
        send_delay_ms: u64::try_from(phone.send_delay_ms).unwrap_or(0),
        quiet: Vec::new(),
        send_limit_max: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_domain::PhoneType;
    use postrider_model::{Key, SimSlot, UnixMs};

    fn phone() -> Phone {
        let key = |n| Key::new(n).unwrap();
        let (id, project) = (
            PhoneId::new(key(1)),
            postrider_model::ProjectId::new(key(2)),
        );
        let mut phone = Phone::new(id, project, "Front desk", PhoneType::Android, UnixMs(0));
        phone.sim = SimSlot::new(1);
        phone
    }

    #[test]
    fn settings_are_told_once_and_again_when_they_change() {
        let (mut phone, mut sent) = (phone(), Sent::default());
        assert_eq!(
            changed(std::slice::from_ref(&phone), false, &mut sent).len(),
            1
        );
        assert!(changed(std::slice::from_ref(&phone), false, &mut sent).is_empty());
        assert!(changed(std::slice::from_ref(&phone), true, &mut sent)[0].pause);
        phone.send_paused = true;
        phone.send_delay_ms = 1_500;
        let told = changed(&[phone], false, &mut sent);
        assert_eq!(told.len(), 1);
        assert!(told[0].pause && told[0].send_delay_ms == 1_500);
        assert_eq!(told[0].sim, SimSlot::new(1));
    }
}
