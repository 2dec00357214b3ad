//! The end of a pairing by the owner: what waits goes back to the hub.

use super::{Cx, Outbound, trial::Trial};
use crate::token::MessageRef;
use postrider_link::ownership::phone::Claim;
use postrider_model::WireState;

impl Outbound {
    /// Gives everything back as revoked that the radio does not have, and from now on whatever
    /// comes.
    pub(crate) fn give_back_all(&mut self, cx: &mut Cx<'_>) {
        self.is_leaving = true;
        let is_waiting = |message: &MessageRef| {
            let live = self.live.get(message);
            live.is_some_and(|live| live.claim().is_waiting())
        };
        let waiting: Vec<_> = self.live.keys().copied().filter(is_waiting).collect();
        for message in waiting {
            let claim = self.live.get(&message).map(|live| live.claim());
            self.take_back(message, Claim::revoke(claim, message.ep), cx);
        }
    }

    /// Tells whether the radio has something without a known outcome.
    pub(crate) fn has_in_hand(&self) -> bool {
        let mut live = self.live.values();
        let trial = self.trial.as_ref();
        live.any(|live| live.state() == WireState::Submitting)
            || trial.is_some_and(Trial::is_with_radio)
    }
}
