//! The end of a pairing by the owner.
//!
//! What waits goes back to the hub at once, messages in the radio finish, and the
//! phone leaves when the hub has everything.

use crate::agent::Agent;
use postrider_model::Now;

impl Agent {
    /// Gives back what waits, and from now on whatever the hub still sends.
    pub fn handle_unpair(&mut self, now: Now) {
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.give_back_all(&mut cx);
        self.after_call(now);
    }

    /// Tells whether the hub has everything and is connected to hear of the end, and the radio
    /// has nothing.
    pub fn has_told_all(&self) -> bool {
        self.session.is_open() && !self.session.has_unacked() && !self.outbound.has_in_hand()
    }

    /// Tells whether the phone should stay awake for something: a hand-over without a
    /// result, or facts that an open link has not acked.
    pub fn has_in_hand(&self) -> bool {
        self.outbound.has_in_hand() || (self.session.is_open() && self.session.has_unacked())
    }

    /// Closes the connection in good order, because the phone is unpaired.
    pub fn handle_unpaired(&mut self, now: Now) {
        self.session.leave_for_good(now);
        self.after_call(now);
    }
}
