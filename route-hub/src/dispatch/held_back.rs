//! Which test routes hand nothing over at present: no phone keeps their quiet hours and gaps.

use hub_store::{StoreError, Tx, phones, projects};
use postrider_model::{PhoneId, UnixMs};

/// Most test routes that are held back at once; more than that are an operator's mistake.
const TEST_ROUTES_MAX: usize = 1_000;

/// The test routes that are held back at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldBack {
    /// Those in their quiet hours.
    pub quiet: Vec<PhoneId>,
    /// Those that keep the gap after their last message.
    pub resting: Vec<PhoneId>,
    /// When the first gap ends.
    pub next_slot: Option<UnixMs>,
}

impl HeldBack {
    /// Reads them.
    ///
    /// # Errors
    /// What the database says.
    pub fn read(tx: &mut Tx<'_>, now: UnixMs) -> Result<Self, StoreError> {
        let mut held = Self::default();
        let routes = phones::test_routes_that_wait(tx)?;
        for phone in routes.into_iter().take(TEST_ROUTES_MAX) {
            if let Some(slot) = phone.rests_until(now) {
                held.resting.push(phone.id);
                held.next_slot = Some(held.next_slot.map_or(slot, |first| first.min(slot)));
            }
            let Some(project) = projects::get(tx, phone.project_id)? else {
                continue;
            };
            if phone.quiet_until(&project.timezone_id, now).is_some() {
                held.quiet.push(phone.id);
            }
        }
        Ok(held)
    }
}
