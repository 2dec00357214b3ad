//! What the hub asks for: send, revoke, cancel; and the expiry of a message.

use super::{Cx, Message, Outbound, WAITING_MAX, queue::Place};
use crate::{
    change::{Change, MessageRow, Progress},
    event::Event,
    parts::Parts,
    timers::{Subject, Timer},
    token::MessageRef,
};
use postrider_link::{
    frame::{Address, Cancel, Kind, Revoke, Send},
    ownership::phone::{Claim, Offer, Step},
};
use postrider_model::{SimSlot, WireState};

impl Outbound {
    /// Accepts an exposure.
    pub(crate) fn accept(&mut self, send: Send, cx: &mut Cx<'_>) {
        let message = MessageRef {
            id: send.id,
            ep: send.ep,
        };
        match Claim::offer(&self.claims(message), send.ep, self.supports(&send)) {
            Offer::Known(claim) => self.answer_known(message, claim, cx),
            Offer::Refused { claim, code } => {
                let mut row = self.row_without_content(message, send.s, cx);
                row.proof = send.proof;
                self.store_ended(row, claim, Some(code), cx);
            }
            Offer::Accepted { claim, supersedes } => {
                if let Some(ep) = supersedes {
                    let older = MessageRef { ep, ..message };
                    self.take_back(older, Claim::revoke(self.claim(older), ep), cx);
                }
                self.store(message, send, claim, cx);
            }
        }
    }

    /// Gives an exposure back to the hub.
    pub(crate) fn revoke(&mut self, revoke: Revoke, cx: &mut Cx<'_>) {
        let message = MessageRef {
            id: revoke.id,
            ep: revoke.ep,
        };
        let answer = Claim::revoke(self.claim(message), revoke.ep);
        self.take_back(message, answer, cx);
    }

    /// Cancels an exposure for its sender.
    pub(crate) fn cancel(&mut self, cancel: Cancel, cx: &mut Cx<'_>) {
        let message = MessageRef {
            id: cancel.id,
            ep: cancel.ep,
        };
        let answer = Claim::cancel(self.claim(message), cancel.ep);
        self.take_back(message, answer, cx);
    }

    pub(super) fn take_back(
        &mut self,
        message: MessageRef,
        answer: postrider_link::ownership::phone::Answer,
        cx: &mut Cx<'_>,
    ) {
        if !answer.changed {
            self.answer_known(message, answer.claim, cx);
        } else if self.live.contains_key(&message) {
            self.leave_queue(message, cx);
            self.write_claim(message, answer.claim, cx);
            self.tell(message, cx);
        } else {
            let row = self.row_without_content(message, 0, cx);
            self.store_ended(row, answer.claim, None, cx);
        }
    }

    /// Ends a message that has expired and is not in the radio's hands.
    pub(super) fn expire(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        if self.step(message, Step::Expire, cx) {
            self.leave_queue(message, cx);
            self.tell(message, cx);
        }
    }

    /// Fails a message that is not in the radio's hands.
    pub(super) fn fail_unsent(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let step = Step::Failed {
            partial: false,
            unsent: true,
        };
        let is_waiting = |live: &Message| live.claim().is_waiting();
        if self.live.get(&message).is_some_and(is_waiting) && self.step(message, step, cx) {
            self.leave_queue(message, cx);
            self.tell(message, cx);
        }
    }

    /// Removes a message from its SIM's queue and stops its timers.
    pub(super) fn leave_queue(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        cx.timers.stop_message(message);
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        live.row.text = None;
        let (kind, sim, place) = (live.row.kind.clone(), live.row.sim, live.place());
        self.leave_lane(&kind, sim, &place);
    }

    /// Puts a waiting message back into the queue of its SIM, or gives it back to the hub if the
    /// phone is being unpaired.
    pub(super) fn resume_waiting(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        if self.is_leaving {
            let claim = self.claim(message);
            return self.take_back(message, Claim::revoke(claim, message.ep), cx);
        }
        let Some(live) = self.live.get(&message) else {
            return;
        };
        let (boot_id, subject) = (&self.boot_id, Subject::Message(message));
        let expiry = live
            .row
            .received
            .due_after(live.row.ttl_ms, boot_id, cx.now);
        cx.timers.set(Timer::Expiry, subject, expiry);
        if live.state() == WireState::Retrying
            && let Some((since, delay_ms)) = &live.row.progress.retry
        {
            let at = since.due_after(*delay_ms, boot_id, cx.now);
            cx.timers.set(Timer::Retry, subject, at);
            return;
        }
        self.make_ready(message);
    }

    /// Puts a message that has nothing else to wait for into the queue.
    pub(super) fn make_ready(&mut self, message: MessageRef) {
        if let Some(live) = self.live.get(&message)
            && live.claim().is_waiting()
        {
            let (sim, place) = (live.row.sim, live.place());
            match live.row.kind {
                Kind::Ussd => self.ussd.lane.enter(sim, place),
                Kind::Call => self.calls.lane.enter(sim, place),
                Kind::Sms | Kind::DataSms | Kind::Mms | Kind::Other(_) => {
                    self.sims.entry(sim).or_default().ready.insert(place);
                }
            }
        }
    }

    pub(super) fn leave_lane(&mut self, kind: &Kind, sim: SimSlot, place: &Place) {
        match kind {
            Kind::Ussd => self.ussd.lane.leave(sim, place),
            Kind::Call => self.calls.lane.leave(sim, place),
            Kind::Sms | Kind::DataSms | Kind::Mms | Kind::Other(_) => {
                if let Some(queue) = self.sims.get_mut(&sim) {
                    queue.ready.remove(place);
                }
            }
        }
    }

    fn store(&mut self, message: MessageRef, send: Send, claim: Claim, cx: &mut Cx<'_>) {
        let examined = self.examine(&send);
        let refusal = examined.err();
        let mut row = self.row_without_content(message, send.s, cx);
        row.proof = send.proof;
        let step = if refusal.is_some() {
            claim.after(Step::Failed {
                partial: false,
                unsent: true,
            })
        } else if send.ttl_ms == 0 {
            claim.after(Step::Expire)
        } else if self.is_full(send.sim) {
            Ok(Claim::revoke(Some(claim), message.ep).claim)
        } else {
            Ok(claim)
        };
        let claim = step.unwrap_or(claim);
        if !claim.is_waiting() {
            return self.store_ended(row, claim, refusal, cx);
        }
        row.parts = examined.unwrap_or(0);
        row.sim = send.sim;
        row.to = send.to;
        if send.kind == Kind::Sms {
            row.text = send.text;
        } else if send.kind == Kind::DataSms {
            row.data = send.data;
        }
        let owners = self.rules.reports.get(&send.sim).copied();
        row.report =
            owners.unwrap_or(send.report) && matches!(send.kind, Kind::Sms | Kind::DataSms);
        row.kind = send.kind;
        row.priority = send.priority;
        row.movable = send.movable;
        row.ttl_ms = send.ttl_ms;
        let sim = row.sim;
        cx.pending
            .changes
            .push(Change::MessageAdded(Box::new(row.clone())));
        self.live.insert(message, Message::new(row));
        self.sims.entry(sim).or_default().waiting += 1;
        self.resume_waiting(message, cx);
        cx.pending
            .events
            .push(Event::MessageAccepted { message, sim });
    }

    fn is_full(&self, sim: SimSlot) -> bool {
        let queue = self.sims.get(&sim);
        self.is_leaving || queue.is_some_and(|queue| queue.waiting >= WAITING_MAX)
    }

    /// Stores an exposure that ended at once, and tells the hub.
    fn store_ended(&mut self, row: MessageRow, claim: Claim, code: Option<&str>, cx: &mut Cx<'_>) {
        let message = row.message;
        let mut live = Message::new(row);
        live.row.progress.code = code.map(str::to_owned);
        live.set_claim(claim);
        cx.pending
            .changes
            .push(Change::MessageAdded(Box::new(live.row.clone())));
        cx.pending.events.push(Event::MessageMoved {
            message,
            state: claim.state,
            code: None,
        });
        self.live.insert(message, live);
        self.tell(message, cx);
    }

    /// Reports the state of an exposure that does not change.
    fn answer_known(&mut self, message: MessageRef, claim: Claim, cx: &mut Cx<'_>) {
        if self.live.contains_key(&message) {
            return self.tell(message, cx);
        }
        let mut live = Message::new(self.row_without_content(message, 0, cx));
        live.set_claim(claim);
        cx.pending.facts.push(live.fact(cx.now));
    }

    fn row_without_content(&mut self, message: MessageRef, s: u64, cx: &Cx<'_>) -> MessageRow {
        let arrived = self.next_arrived;
        self.next_arrived += 1;
        MessageRow {
            message,
            proof: None,
            s,
            arrived,
            kind: Kind::Sms,
            sim: SimSlot::default(),
            to: Address::new(""),
            text: None,
            data: None,
            parts: 0,
            report: false,
            priority: 0,
            movable: false,
            ttl_ms: 0,
            received: self.stamp(cx.now),
            progress: Progress {
                state: WireState::OnPhone,
                attempt: 0,
                tries: 0,
                submitted: None,
                retry: None,
                spent: None,
                parts: Parts::default(),
                code: None,
                partial: false,
                unsent: false,
                call: None,
                fact: 0,
                ended: None,
            },
        }
    }

    pub(super) fn has_sim(&self, sim: SimSlot) -> bool {
        self.sims.get(&sim).is_some_and(|queue| queue.present)
    }

    /// Returns every exposure of the same message, this one included.
    fn claims(&self, message: MessageRef) -> Vec<Claim> {
        let [first, last] = [0, u32::MAX].map(|ep| MessageRef { ep, ..message });
        let live = self.live.range(first..=last).map(|(_, live)| live.claim());
        let ended = self.ended.of(message).map(|row| row.claim());
        live.chain(ended).collect()
    }

    fn claim(&self, message: MessageRef) -> Option<Claim> {
        match self.live.get(&message) {
            Some(live) => Some(live.claim()),
            None => self.ended.get(message).map(|row| row.claim()),
        }
    }
}
