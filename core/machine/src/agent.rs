//! The agent: every machine of the phone behind one surface.

use crate::{
    change::Change,
    command::{Command, Refused},
    config::AgentConfig,
    effect::Effect,
    event::Event,
    fact::RadioFact,
    out::Out,
    snapshot::Snapshot,
    timers::{Deadline, Timers},
};
use postrider_link::{close::CloseCode, frame::HubFrame};
use postrider_model::Now;

/// Everything that a phone decides.
///
/// Drain in this order after every call: changes, effects, events; then sleep until
/// `poll_timeout`. Changes are committed together, then `handle_committed` is called, and only
/// then the effects that need them show.
#[derive(Debug)]
pub struct Agent {
    config: AgentConfig,
    timers: Timers,
    out: Out,
}

impl Agent {
    /// Goes on from what the journal holds; `seed` is fresh for each start.
    pub fn new(config: AgentConfig, restored: Snapshot, seed: [u8; 32], now: Now) -> Self {
        let _ = (restored, seed, now);
        Self {
            config,
            timers: Timers::default(),
            out: Out::default(),
        }
    }

    /// Does what the owner of the phone asks for.
    ///
    /// # Errors
    /// [`Refused`] says why not.
    pub fn handle_command(&mut self, command: Command, now: Now) -> Result<(), Refused> {
        let _ = (command, now);
        Ok(())
    }

    /// Takes a fact of the radio or the platform.
    pub fn handle_radio(&mut self, fact: RadioFact, now: Now) {
        let _ = (fact, now);
    }

    /// Takes a frame of the present connection.
    pub fn handle_frame(&mut self, frame: HubFrame, now: Now) {
        let _ = (frame, now);
    }

    /// Takes a frame of the present connection that could not be read; the connection is closed.
    pub fn handle_bad_frame(&mut self, close: CloseCode, now: Now) {
        let _ = (close, now);
    }

    /// Takes it that the connection that `Connect` asked for stands.
    pub fn handle_connected(&mut self, now: Now) {
        let _ = now;
    }

    /// Takes it that there is no connection: it ended, or could not be made.
    pub fn handle_disconnected(&mut self, close: Option<CloseCode>, now: Now) {
        let _ = (close, now);
    }

    /// Takes the signature that `SignHello` asked for.
    pub fn handle_signature(&mut self, signature: Vec<u8>, now: Now) {
        let _ = (signature, now);
    }

    /// Takes it that the phone is on another network: the link dials at once.
    pub fn handle_network_change(&mut self, now: Now) {
        let _ = now;
    }

    /// Takes it that every change polled so far is on disk.
    pub fn handle_committed(&mut self, now: Now) {
        let _ = now;
        self.out.committed();
    }

    /// Does what is due; early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Now) {
        let _ = (now, &self.config);
    }

    /// Returns the next row to write.
    pub fn poll_change(&mut self) -> Option<Change> {
        self.out.poll_change()
    }

    /// Returns the next thing to do, once its rows are on disk.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.out.poll_effect()
    }

    /// Returns the next thing to show.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.out.poll_event()
    }

    /// Returns when to call `handle_timeout`, and why.
    pub fn poll_timeout(&self) -> Option<Deadline> {
        self.timers.next()
    }
}
