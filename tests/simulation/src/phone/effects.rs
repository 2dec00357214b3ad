//! What a phone's process does in the world, once its rows are on disk.

use crate::{
    log::{Line, Who},
    mistakes,
    model::{HandOver, Paced},
    net::Wire,
    plan::Point,
    world::{Event, RadioEvent, World},
};
use postrider_link::{
    frame::{PhoneFrame, WaitingFor},
    mistake,
};
use postrider_machine::{Effect, SEND_LIMIT_SPAN_MS, SendToken};
use postrider_model::{SimSlot, WireState};

impl World {
    /// Does everything that the machine asks for; returns whether there was anything.
    pub(crate) fn do_effects(&mut self, no: usize) -> bool {
        let Some(agent) = &mut self.phones[no].agent else {
            return false;
        };
        let effects: Vec<Effect> = std::iter::from_fn(|| agent.poll_effect()).collect();
        let has_any = !effects.is_empty();
        for effect in effects {
            let is_hand_over = matches!(
                effect,
                Effect::SendParts(_) | Effect::DialUssd { .. } | Effect::PlaceCall { .. }
            );
            if self.dies_at(no, Point::BeforeEffect)
                || (is_hand_over && self.dies_at(no, Point::BeforeHandOver))
            {
                return has_any;
            }
            self.perform(no, effect);
            if self.dies_at(no, Point::AfterEffect)
                || (is_hand_over && self.dies_at(no, Point::AfterHandOver))
            {
                return has_any;
            }
        }
        has_any
    }

    fn perform(&mut self, no: usize, effect: Effect) {
        let at = self.at;
        let now = self.phones[no].now(at);
        let never_calls = mistake::is("never_calls_the_radio");
        let phone = &mut self.phones[no];
        let Some(agent) = &mut phone.agent else {
            return;
        };
        match effect {
            Effect::Connect => {
                phone.diallings += 1;
                phone.dialling = Some(phone.diallings);
                let (life, dialling) = (phone.life, phone.diallings);
                let delay_ms = self.draw(&[5, no as u64, life, dialling]).between(20, 900);
                let dialled = Event::Dialled {
                    phone: no,
                    life,
                    dialling,
                };
                self.push_in(delay_ms, dialled);
            }
            Effect::PlanRedial(pace) => {
                let most = pace.longest_ms().min(1_000_u64 << phone.redials.min(10));
                phone.redials += 1;
                let name = [6, no as u64, phone.life, at];
                let delay_ms = self.draw(&name).between(0, most);
                self.step();
                if let Some(agent) = &mut self.phones[no].agent {
                    agent.handle_redial(delay_ms, now);
                }
            }
            Effect::ResetRedial => phone.redials = 0,
            Effect::LoadFacts(range) => {
                let facts = phone.disk.facts(range);
                agent.handle_facts_loaded(facts, now);
                self.step();
            }
            Effect::LoadEnded(asked) => {
                let rows = phone.disk.ended(&asked);
                agent.handle_ended_loaded(asked, rows, now);
                self.step();
            }
            Effect::LoadMessage(message) => {
                let row = phone.disk.message_over(message);
                agent.handle_message_loaded(message, row, now);
                self.coverage.mark("journal", "read for late news", "");
                self.step();
            }
            Effect::LoadInbound => {
                let inbound = phone.disk.inbound();
                agent.handle_inbound_loaded(inbound, now);
                self.coverage.mark("link", "inbound told again", "");
                self.step();
            }
            Effect::SignHello { .. } => {
                agent.handle_signature(phone.key.to_be_bytes().to_vec(), now);
                self.step();
            }
            Effect::WriteFrame(frame) => self.write_frame(no, frame),
            Effect::CloseLink(code) => {
                self.coverage
                    .mark("close code", "of the phone", code.reason());
                phone.dialling = None;
                if let Some(socket) = phone.socket.take() {
                    self.carry(socket, false, Wire::Close(Some(code)));
                }
            }
            Effect::SendParts(_) if never_calls => {}
            Effect::SendParts(task) => {
                self.hands_over(no, task.token, task.sim, Some(task.parts));
                if mistake::is("hands_over_twice") {
                    self.hands_over(no, task.token, task.sim, Some(task.parts));
                }
                self.send_parts(no, &task);
            }
            Effect::ReadSentRow { token, .. } => {
                let asked = Line::new(Who::Phone(no), "asks the provider for exposure {}");
                self.note(asked.of_exposure(token.message));
                let mut random = self.draw(&[7, no as u64, at, u64::from(token.attempt)]);
                let epoch = self.phones[no].platform.intents;
                if random.percent(97) {
                    let looks = Event::Radio {
                        phone: no,
                        epoch,
                        event: RadioEvent::LooksUp(token),
                    };
                    self.push_in(random.between(50, 4_000), looks);
                } else {
                    self.coverage
                        .mark("radio", "the provider does not answer", "");
                }
            }
            Effect::ReadLog { log, from } => {
                let epoch = phone.platform.intents;
                let name = [18, no as u64, at, from.row.unsigned_abs()];
                let delay_ms = self.draw(&name).between(20, 3_000);
                let reads = Event::Radio {
                    phone: no,
                    epoch,
                    event: RadioEvent::Reads(log, from),
                };
                self.push_in(delay_ms, reads);
            }
            Effect::DialUssd { token, sim, .. } => {
                self.hands_over(no, token, sim, None);
                self.dial_ussd(no, token, sim);
                if mistake::is("dials_twice") {
                    self.dial_ussd(no, token, sim);
                }
            }
            Effect::PlaceCall { token, sim, to } => {
                self.hands_over(no, token, sim, None);
                self.place_call(no, token, sim, &to);
            }
            Effect::ConfirmReceived { receipt } => {
                let told = phone.platform.receipts.get(&receipt);
                let is_safe = told.is_some_and(|told| phone.stored.contains(told));
                if !is_safe {
                    let text =
                        format!("phone {no} confirms receipt {receipt} of what is not stored");
                    self.fail(
                        "an incoming message is on disk before it is confirmed",
                        None,
                        text,
                    );
                }
            }
        }
    }

    /// Nothing is written that is not on disk.
    fn write_frame(&mut self, no: usize, mut frame: PhoneFrame) {
        mistakes::alter(&mut frame);
        let phone = &self.phones[no];
        let rows = phone.disk.rows();
        let link = &rows.rest().link;
        let is_durable = match &frame {
            PhoneFrame::Ack(ack) => ack.a <= link.down,
            PhoneFrame::Hello(hello) => {
                hello.conn == link.conn && hello.down <= link.down && hello.up_hi <= link.up_highest
            }
            PhoneFrame::Event(_) | PhoneFrame::Inbound(_) | PhoneFrame::Health(_) => {
                frame.s().is_some_and(|s| rows.has_fact(s))
            }
            _ => true,
        };
        if !is_durable {
            let text = format!("phone {no} writes {frame:?}");
            return self.fail("a phone writes only what is on its disk", None, text);
        }
        self.lie(no, &mut frame);
        if let PhoneFrame::Health(health) = &frame {
            let waits = health
                .sims
                .iter()
                .filter_map(|sim| sim.waiting_for.as_deref());
            let kinds = health.sims.iter().flat_map(|sim| &sim.kinds);
            let kinds = kinds.filter_map(|kind| kind.waiting_for.as_deref());
            let waits = waits.chain(health.waiting_for.as_deref()).chain(kinds);
            for waiting_for in waits {
                let known = WaitingFor::from_word(waiting_for);
                let word = known.map_or("another thing", WaitingFor::as_str);
                self.coverage.mark("waits for", word, "");
            }
        }
        if let Some(socket) = self.phones[no].socket {
            self.carry(socket, false, Wire::ToHub(Box::new(frame)));
        }
    }

    /// A message goes to the radio: `parts` of a text or data message, whose pace is judged.
    fn hands_over(&mut self, no: usize, token: SendToken, sim: SimSlot, parts: Option<u8>) {
        let row = self.phones[no].disk.rows().message(token.message);
        let is_written = row.is_some_and(|row| {
            row.progress.state == WireState::Submitting && row.progress.attempt == token.attempt
        });
        if !is_written {
            let text = format!("phone {no} hands {token} over, which its journal does not say");
            let id = Some(token.message.id);
            return self.fail("a hand-over is on disk before it is made", id, text);
        }
        let line = Line::new(
            Who::Phone(no),
            "hands exposure {} over: attempt {}, {} parts",
        );
        let numbers = [
            u64::from(token.message.ep),
            u64::from(token.attempt),
            u64::from(parts.unwrap_or(1)),
        ];
        self.note(line.of(token.message.id).with(numbers));
        let phone = &mut self.phones[no];
        if phone.gives_back {
            let text = format!("phone {no} hands {token} over, and its owner has unpaired it");
            let id = Some(token.message.id);
            return self.fail("a phone that is unpaired hands nothing over", id, text);
        }
        let decided_at = phone.decided_at.remove(&token).unwrap_or(self.at);
        let since = phone.limited_since.get(&sim.get()).copied().unwrap_or(0);
        let (limits, install) = (phone.judged_limits(decided_at), phone.installs);
        let was_slow = phone.slow_until + SEND_LIMIT_SPAN_MS > decided_at;
        let slack_ms = if was_slow { 2 * phone.slow_ms } else { 0 };
        let hub_limit = self.hub_limit_on(no, sim.get());
        let paced = Paced {
            decided_at,
            limits,
            slack_ms,
            hub_limit: hub_limit.map(|limit| (limit, since)),
        };
        if !self.hub.rows.knows(&self.phones[no]) {
            // A hub that is older than its pairing may give it to another one: it was not told yet.
            self.model.taint_messages(vec![token.message.id]);
        }
        let found = self.model.handed_over(HandOver {
            phone: no,
            install,
            token,
            sim: sim.get(),
            parts: parts.unwrap_or(1),
            paced: parts.map(|_| paced),
        });
        self.judge(found);
    }

    /// Returns the limit that the hub set, as the phone has it on its disk.
    fn hub_limit_on(&self, no: usize, sim: u8) -> Option<u32> {
        let configs = &self.phones[no].disk.rows().rest().configs;
        let own = configs
            .iter()
            .find(|config| config.sim.is_some_and(|slot| slot.get() == sim));
        let all = || configs.iter().find(|config| config.sim.is_none());
        own.or_else(all)?.send_limit_max
    }
}
