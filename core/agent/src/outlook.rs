//! What the platform must do for a phone: wake it, or keep it awake.

use postrider_machine::Agent;
use postrider_model::{BootMs, Now};
use std::sync::Arc;

/// A wait that is too short for a sleep: the phone stays awake for it.
const SHORT_WAIT_MS: u64 = 60_000;

/// Who is told when the outlook changes; called from the phone's own task, it must not wait.
pub type Watch = Arc<dyn Fn(&Outlook) + Send + Sync>;

/// What the platform must do for the phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    /// When the phone must run at the latest; the platform has to wake it then.
    pub wake_at: Option<BootMs>,
    /// Whether a message is in hand: with the radio, on its way to the hub, or about to be sent.
    /// The phone must stay awake for it.
    pub is_busy: bool,
}

impl Outlook {
    pub(crate) fn of(agent: &Agent, leaving: Option<BootMs>, now: Now) -> Self {
        let due = agent.poll_wake().map(|due| due.at);
        let is_soon = |in_ms: Option<u64>| in_ms.is_some_and(|in_ms| in_ms <= SHORT_WAIT_MS);
        let mut nexts = agent.slots(now).into_iter().filter_map(|slot| slot.next);
        Self {
            wake_at: due.into_iter().chain(leaving).min(),
            is_busy: leaving.is_some()
                || agent.has_in_hand()
                || nexts.any(|next| is_soon(next.in_ms)),
        }
    }
}
