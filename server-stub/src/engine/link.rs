//! One connection: between its session and its socket stand the faults.

use super::faults::{Passing, name_of};
use super::outgoing::{Outgoing, PIECES_MAX};
use super::{Engine, Wire, bytes};
use crate::scenario::{Direction, FrameFault, StallSide, UnknownAction};
use crate::watch::{Delivered, EndedBy};
use postrider_link::close::CloseCode;
use postrider_link::codec;
use postrider_link::dispatch;
use postrider_link::dispatch::hello::Service;
use postrider_link::dispatch::newest::Fence;
use postrider_link::frame::{HubFrame, Nonce, PhoneFrame};
use postrider_link::session::hub::{HubOutput, HubSession, HubSettings};
use postrider_model::{BootMs, MessageId, Now};
use std::collections::{BTreeMap, VecDeque};

/// One connection.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) dial: u64,
    /// What it commits, by the rules of the real hub.
    pub(super) of: dispatch::link::Link<Fence, u64, ()>,
    /// Places that are written as frames of a type that nobody knows.
    pub(super) unknown: BTreeMap<u64, UnknownAction>,
    out: Outgoing,
    /// Frames of the phone that come late, in their order.
    late: VecDeque<(BootMs, PhoneFrame)>,
    late_until: BootMs,
    /// Frames of the phone that let others pass.
    aside: Vec<(u64, PhoneFrame)>,
    read_again_at: Option<BootMs>,
    /// Whether its end is queued: the session has nothing to say any more.
    ending: bool,
}

impl Link {
    pub(super) fn new(dial: u64, settings: HubSettings, nonce: Nonce, now: Now) -> Self {
        Self {
            dial,
            of: dispatch::link::Link::new(HubSession::new(settings, nonce, now)),
            unknown: BTreeMap::new(),
            out: Outgoing::default(),
            late: VecDeque::new(),
            late_until: BootMs(0),
            aside: Vec::new(),
            read_again_at: None,
            ending: false,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.of.session.is_open() && !self.ending
    }

    /// Queues the end with a close frame.
    pub(super) fn close(&mut self, code: u16, now: Now) {
        if !self.ending {
            self.ending = true;
            let reason =
                CloseCode::from_code(code).map_or("as the scenario says", CloseCode::reason);
            let frame = bytes::close(code, reason);
            self.out.piece(Wire::Bytes(frame), None, now);
            self.out.piece(Wire::Finish(code), None, now);
        }
    }

    /// Queues the end without a word.
    pub(super) fn cut(&mut self, now: Now) {
        self.ending = true;
        self.out.piece(Wire::Cut, None, now);
    }

    /// Queues bytes as they are, without a fault.
    pub(super) fn raw(&mut self, bytes: Vec<u8>, delivers: Delivered, now: Now) {
        self.out.frame(bytes, delivers, now);
    }

    pub(super) fn poll_timeout(&self) -> Option<BootMs> {
        let session = self.of.session.poll_timeout().map(|due| due.at);
        let late = self.late.front().map(|(at, _)| *at);
        let due = [session, late, self.read_again_at, self.out.poll_timeout()];
        due.into_iter().flatten().min()
    }
}

impl Engine {
    /// Does what a connection's session wants; returns whether there was anything.
    pub(super) fn drain(&mut self, dial: u64, now: Now) -> bool {
        let Some(mut link) = self.links.remove(&dial) else {
            return false;
        };
        let mut moved = self.take_late(&mut link, now);
        while let Some(output) = link.of.session.poll_output() {
            moved = true;
            if link.ending {
                continue;
            }
            match output {
                HubOutput::Write(frame) => self.write_down(&mut link, frame, now),
                HubOutput::Identify(hello) => self.identify(&mut link, &hello, now),
                HubOutput::HeldPage { rows } => self.take_page(&link, &rows, now),
                HubOutput::Reconciled {
                    link: row,
                    restarts,
                } => {
                    self.reconciled(&mut link, row, restarts, now);
                }
                HubOutput::Fact(frame) => {
                    link.of.fact(frame);
                    self.commit_turn(&mut link, now);
                }
                HubOutput::Acked { down } => {
                    if let Some(row) = &mut self.memory.link {
                        row.acks(down);
                    }
                }
                HubOutput::Unpaired => {
                    if let Some(device) = &mut self.device {
                        device.service = Service::Ended;
                    }
                    self.holder_lost(now);
                }
                HubOutput::Close(code) => link.close(code.code(), now),
            }
        }
        self.links.insert(dial, link);
        moved
    }

    /// Writes what is due, and tells the watch what is really on its way.
    pub(super) fn pump(&mut self, now: Now) {
        let mut over = Vec::new();
        for (dial, link) in &mut self.links {
            if link.read_again_at.is_some_and(|at| at <= now.boot) {
                link.read_again_at = None;
                self.wires.push_back((*dial, Wire::Reading(true)));
            }
            if link.out.len() > PIECES_MAX {
                self.wires.push_back((*dial, Wire::Cut));
                over.push((*dial, EndedBy::Broken));
                continue;
            }
            while let Some(piece) = link.out.pop(now) {
                if let Some(delivers) = &piece.delivers {
                    self.watch.wrote(*dial, delivers, now);
                }
                match piece.wire {
                    Wire::Finish(code) => over.push((*dial, EndedBy::Hub(code))),
                    Wire::Cut => over.push((*dial, EndedBy::Broken)),
                    Wire::Bytes(_) | Wire::Reading(_) => {}
                }
                self.wires.push_back((*dial, piece.wire));
            }
        }
        for (dial, by) in over {
            self.gone(dial, by, now);
        }
    }

    fn write_down(&mut self, link: &mut Link, mut frame: HubFrame, now: Now) {
        let unknown = frame
            .s()
            .and_then(|s| link.unknown.remove(&s).map(|it| (s, it)));
        let passing = Passing {
            direction: Direction::Down,
            frame: if unknown.is_some() {
                "unknown"
            } else {
                name_of(&frame)
            },
            connection: link.dial,
            label: message_of(&frame)
                .and_then(|id| self.made.get(&id))
                .map(|it| it.label.as_str()),
            state: None,
        };
        let (lie, fault) = self.faults.on_frame(passing);
        lie.about(&mut frame);
        let (text, delivers) = match unknown {
            Some((s, it)) => unknown_frame(Some(s), it.crit),
            None => match codec::encode(&frame) {
                Ok(text) => (text, Delivered::Frame(frame)),
                Err(_) => return link.of.session.close(CloseCode::Internal),
            },
        };
        let bytes = bytes::text(text.as_bytes());
        match fault {
            None => link.out.frame(bytes, delivers, now),
            Some(fault) => self.write_faulty(link, &text, bytes, delivers, fault, now),
        }
    }

    fn write_faulty(
        &mut self,
        link: &mut Link,
        text: &str,
        frame: Vec<u8>,
        delivers: Delivered,
        fault: FrameFault,
        now: Now,
    ) {
        match fault {
            FrameFault::Drop => {}
            FrameFault::Duplicate => {
                link.out.frame(frame.clone(), delivers.clone(), now);
                link.out.frame(frame, delivers, now);
            }
            FrameFault::Delay { ms } => {
                link.out.wait(ms, now);
                link.out.frame(frame, delivers, now);
            }
            FrameFault::Reorder { by } => link.out.set_aside(by, frame, delivers),
            FrameFault::Cut { bytes } => {
                let length = bytes.unwrap_or(frame.len() / 2).min(frame.len() - 1);
                let start = frame.into_iter().take(length).collect();
                link.out.piece(Wire::Bytes(start), None, now);
                link.cut(now);
            }
            FrameFault::Close { code } => {
                link.out.frame(frame, delivers, now);
                link.close(code, now);
            }
            FrameFault::Stall { side, ms } => {
                self.stall(link, side, ms, now);
                link.out.frame(frame, delivers, now);
            }
            FrameFault::Drip { bytes, every_ms } => {
                link.out.drip(&frame, bytes, every_ms, delivers, now);
            }
            FrameFault::Malformed(how) => {
                let bytes = bytes::malformed(how, text);
                link.out.frame(bytes, Delivered::Malformed, now);
            }
            // Lies were told before.
            FrameFault::Lie(_) => link.out.frame(frame, delivers, now),
        }
    }

    /// Stops reading or writing.
    pub(super) fn stall(&mut self, link: &mut Link, side: StallSide, ms: Option<u64>, now: Now) {
        self.watch.stalled(link.dial);
        if matches!(side, StallSide::Write | StallSide::Both) {
            link.out.stall(ms, now);
        }
        if matches!(side, StallSide::Read | StallSide::Both) {
            link.read_again_at = ms.map(|ms| now.boot.plus_ms(ms));
            self.wires.push_back((link.dial, Wire::Reading(false)));
        }
    }

    /// Takes in a frame of the phone, through the faults.
    pub(super) fn take_up(&mut self, link: &mut Link, frame: PhoneFrame, now: Now) {
        let (name, id, state) = match &frame {
            PhoneFrame::Event(event) => ("event", Some(event.id), Some(event.state)),
            PhoneFrame::Hello(_) => ("hello", None, None),
            PhoneFrame::Held(_) => ("held", None, None),
            PhoneFrame::Inbound(_) => ("inbound", None, None),
            PhoneFrame::Health(_) => ("health", None, None),
            PhoneFrame::Ack(_) => ("ack", None, None),
            PhoneFrame::Ping(_) => ("ping", None, None),
            PhoneFrame::Pong(_) => ("pong", None, None),
            PhoneFrame::Bye(_) => ("bye", None, None),
            PhoneFrame::Unknown(_) => ("unknown", None, None),
        };
        let passing = Passing {
            direction: Direction::Up,
            frame: name,
            connection: link.dial,
            label: id
                .and_then(|id| self.made.get(&id))
                .map(|it| it.label.as_str()),
            state,
        };
        let (_, fault) = self.faults.on_frame(passing);
        match fault {
            None
            | Some(FrameFault::Lie(_) | FrameFault::Drip { .. } | FrameFault::Malformed(_)) => {
                self.deliver(link, frame, now);
            }
            Some(FrameFault::Drop) => {}
            Some(FrameFault::Duplicate) => {
                self.deliver(link, frame.clone(), now);
                self.deliver(link, frame, now);
            }
            Some(FrameFault::Delay { ms }) => {
                link.late_until = link.late_until.max(now.boot).plus_ms(ms);
                link.late.push_back((link.late_until, frame));
            }
            Some(FrameFault::Reorder { by }) => link.aside.push((by, frame)),
            Some(FrameFault::Cut { .. }) => link.cut(now),
            Some(FrameFault::Close { code }) => link.close(code, now),
            Some(FrameFault::Stall { side, ms }) => {
                self.stall(link, side, ms, now);
                if let Some(ms) = ms {
                    link.late_until = link.late_until.max(now.boot).plus_ms(ms);
                    link.late.push_back((link.late_until, frame));
                }
            }
        }
    }

    /// Hands a frame of the phone on, behind those that come late and before those set aside.
    fn deliver(&mut self, link: &mut Link, frame: PhoneFrame, now: Now) {
        if link.late_until > now.boot {
            return link.late.push_back((link.late_until, frame));
        }
        let is_numbered = frame.s().is_some();
        self.hand_on(link, frame, now);
        if !is_numbered {
            return;
        }
        for (left, _) in &mut link.aside {
            *left = left.saturating_sub(1);
        }
        while let Some(at) = link.aside.iter().position(|(left, _)| *left == 0) {
            let (_, frame) = link.aside.remove(at);
            self.hand_on(link, frame, now);
        }
    }

    fn hand_on(&mut self, link: &mut Link, frame: PhoneFrame, now: Now) {
        if !link.ending {
            link.of.session.handle_frame(frame, now);
        }
    }

    fn take_late(&mut self, link: &mut Link, now: Now) -> bool {
        let mut moved = false;
        while link.late.front().is_some_and(|(at, _)| *at <= now.boot) {
            if let Some((_, frame)) = link.late.pop_front() {
                self.hand_on(link, frame, now);
                moved = true;
            }
        }
        moved
    }
}

/// Returns a frame that no version of the link knows.
pub(super) fn unknown_frame(s: Option<u64>, crit: bool) -> (String, Delivered) {
    let place = s.map_or_else(String::new, |s| format!(",\"s\":{s}"));
    let must = if crit { ",\"crit\":true" } else { "" };
    let text = format!("{{\"t\":\"of_a_later_version\"{place}{must}}}");
    (text, Delivered::Unknown { s, crit })
}

const fn message_of(frame: &HubFrame) -> Option<MessageId> {
    match frame {
        HubFrame::Send(frame) => Some(frame.id),
        HubFrame::Revoke(frame) => Some(frame.id),
        HubFrame::Cancel(frame) => Some(frame.id),
        _ => None,
    }
}
