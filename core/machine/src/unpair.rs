//! The end of a pairing by the owner.
//!
//! What waits goes back to the hub at once, what the radio has in hand runs to its end, and the
//! phone leaves when the hub has heard of everything.

use crate::agent::Agent;
use postrider_model::Now;

impl Agent {
    /// Gives back what waits, and from now on whatever the hub still sends.
    pub fn handle_unpair(&mut self, now: Now) {
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.give_back_all(&mut cx);
        self.after_call(now);
    }

    /// Tells whether the hub has heard of everything and is there to hear of the end, and nothing is
    /// in the radio's hands.
    pub fn has_told_all(&self) -> bool {
        self.session.is_open() && !self.session.has_unacked() && !self.outbound.has_in_hand()
    }

    /// Tells whether something is on its way that the phone should not sleep over: a hand-over whose
    /// result is not known, or facts that an open link has not acked.
    pub fn has_in_hand(&self) -> bool {
        self.outbound.has_in_hand() || (self.session.is_open() && self.session.has_unacked())
    }

    /// Ends the connection in good order, since the phone is unpaired.
    pub fn handle_unpaired(&mut self, now: Now) {
        self.session.leave_for_good(now);
        self.after_call(now);
    }
}
