//! What can happen next, and who is told of it.

use super::World;
use crate::{
    hub::{Answer, Job},
    net::Wire,
    phone::Input,
    platform::CallBeat,
};
use postrider_link::codec::DecodeError;
use postrider_machine::{Log, RadioFact, ScanMark, SendToken};

/// Something that happens at its time.
#[derive(Debug)]
pub enum Event {
    /// A step of the plan.
    Action(usize),
    /// The weather clears.
    Calm,
    /// A part of the calm, after the last of the plan.
    Settle(u32),
    /// A phone's process starts, if it is still the life that was meant.
    StartApp {
        /// The phone.
        phone: usize,
        /// The life that ended before.
        life: u64,
    },
    /// A phone has booted.
    Booted {
        /// The phone.
        phone: usize,
        /// The boot that ended before.
        boot: u64,
    },
    /// A deadline of a phone's machine.
    Due {
        /// The phone.
        phone: usize,
        /// Its life.
        life: u64,
    },
    /// A slow commit of a phone is synced.
    Synced {
        /// The phone.
        phone: usize,
        /// Its life.
        life: u64,
    },
    /// A phone's dialling has come to something.
    Dialled {
        /// The phone.
        phone: usize,
        /// Its life.
        life: u64,
        /// Which dialling.
        dialling: u64,
    },
    /// Something arrives on a connection.
    Arrives {
        /// The connection.
        socket: u64,
        /// Whether at the phone.
        at_phone: bool,
        /// What.
        wire: Wire,
    },
    /// Something of a phone's radio or platform.
    Radio {
        /// The phone.
        phone: usize,
        /// Of which epoch: a boot for the modem, an installation's intents for results.
        epoch: u64,
        /// What.
        event: RadioEvent,
    },
    /// A fault of a phone or the hub is over.
    Over(Over),
    /// The hub does a job.
    Job {
        /// The hub's life.
        life: u64,
        /// The connection that it is for.
        socket: u64,
        /// What.
        job: Job,
    },
    /// The hub's job is done: what follows from it.
    Done {
        /// The hub's life.
        life: u64,
        /// The connection that it is for.
        socket: u64,
        /// What came out.
        answer: Answer,
    },
    /// A deadline of a hub's session.
    HubDue {
        /// The hub's life.
        life: u64,
        /// The connection.
        socket: u64,
    },
    /// The hub looks for ends of lives.
    Sweep,
    /// The hub starts.
    HubStarts,
}

/// A fault that ends.
#[derive(Debug, Clone, Copy)]
pub enum Over {
    /// A SIM is in its slot again.
    SimPulled(crate::plan::Route),
    /// The operator confirms another SIM.
    SimConfirmed(crate::plan::Route),
    /// The radio is on again.
    Airplane(usize),
    /// There is service again.
    NoService(crate::plan::Route, bool),
    /// A phone is paired again.
    Unpaired(usize),
    /// A phone joins.
    Joins(usize),
    /// A backup from before a phone's pairing is found to be a mistake.
    OlderThan(crate::plan::Older),
}

/// What a radio does or tells.
#[derive(Debug)]
pub enum RadioEvent {
    /// A part goes on the air.
    OnAir(SendToken, u8),
    /// The platform tells something.
    Tells(RadioFact),
    /// The platform tells something to the life of the process that asked.
    CallsBack(u64, RadioFact),
    /// A call goes on.
    Call(usize, CallBeat),
    /// The platform looks a hand-over up.
    LooksUp(SendToken),
    /// The shell reads a log after a mark.
    Reads(Log, ScanMark),
}

impl World {
    /// Lets an event happen; returns false at the end of the run.
    pub(super) fn happen(&mut self, event: Event) -> bool {
        match event {
            Event::Action(index) => self.act(index),
            Event::Calm => self.become_calm(),
            Event::Settle(turn) => return self.settle(turn),
            Event::StartApp { phone, life } => {
                if self.phones[phone].life == life {
                    self.start_app(phone);
                }
            }
            Event::Booted { phone, boot } => self.booted(phone, boot),
            Event::Due { phone, life } => self.phone_due(phone, life),
            Event::Synced { phone, life } => {
                if self.phones[phone].life == life {
                    self.synced(phone);
                }
            }
            Event::Dialled {
                phone,
                life,
                dialling,
            } => self.dialled(phone, life, dialling),
            Event::Arrives {
                socket,
                at_phone,
                wire,
            } => self.arrives(socket, at_phone, wire),
            Event::Radio {
                phone,
                epoch,
                event,
            } => self.radio(phone, epoch, event),
            Event::Over(over) => self.is_over(over),
            Event::Job { life, socket, job } => {
                if self.hub.is_alive(life) {
                    self.do_job(socket, job);
                }
            }
            Event::Done {
                life,
                socket,
                answer,
            } => {
                if self.hub.is_alive(life) {
                    self.job_done(socket, answer);
                }
            }
            Event::HubDue { life, socket } => {
                if self.hub.is_alive(life) {
                    self.hub_due(socket);
                }
            }
            Event::Sweep => self.sweep(),
            Event::HubStarts => self.hub_starts(),
        }
        true
    }

    fn arrives(&mut self, socket: u64, at_phone: bool, wire: Wire) {
        let Some(of) = self.sockets.get(&socket).copied() else {
            return;
        };
        if !at_phone {
            return self.hub_hears(socket, wire);
        }
        let phone = &self.phones[of.phone];
        if phone.life != of.life || phone.socket != Some(socket) {
            return;
        }
        let input = match wire {
            Wire::ToPhone(frame) => Input::Frame(socket, frame),
            Wire::Noise => Input::Bad(socket, DecodeError::NotJson),
            Wire::Critical => Input::Bad(socket, DecodeError::MustUnderstand),
            Wire::Close(code) => Input::Closed(socket, code),
            Wire::ToHub(_) => return,
        };
        self.phone_input(of.phone, input);
    }
}
