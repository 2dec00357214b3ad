//! The loop of one phone: facts in, one commit, effects out.
//!
//! # A turn
//! One input comes in (a frame, a fact of the radio, a wish, a deadline), together with whatever
//! else is there already. Then [`order`](crate::order) ends the turn. The machine decides
//! everything; nothing here knows what a message is.

#[cfg(debug_assertions)]
mod fault;

use crate::{
    backoff::Redial,
    clock::Clock,
    disk::{Disk, RingError},
    identity::Identity,
    outlook::{Outlook, Watch},
    radio::{DialUssd, PlaceCall, Radio, RadioFactsInbox, SentRowAsked, Told},
    socket::{Incoming, Socket, SocketError},
};
use postrider_link::{
    close::CloseCode,
    codec::{self, DecodeError},
    frame::{Inbound, PhoneFrame},
};
use postrider_machine::{Agent, Change, Command, Effect, Event, Refused, SimStatus};
use postrider_model::{BootMs, Now};
use std::{
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::sleep,
};

/// Most frames and facts of one turn, so that a busy phone still commits and answers.
const TURN_MAX: usize = 256;

/// Gets what happens; called from the phone's own task, it must not block.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// How a phone's loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As it was asked to.
    Stopped,
    /// The hub took the phone out of service, or does not trust its journal.
    ///
    /// The folder's pairing is gone. For a phone out of service only the incoming messages that
    /// were not uploaded are set aside; for an untrusted journal everything is.
    PairingNeeded(CloseCode),
    /// The owner unpaired it: its pairing and its journal are erased.
    Unpaired {
        /// Whether the hub got everything before.
        is_told: bool,
    },
}

/// What a phone's owner asks of the loop.
pub(crate) enum Wish {
    Command(Command, oneshot::Sender<Result<(), Refused>>),
    /// Incoming messages of another installation, and whom to tell when they are on disk.
    TellAlso(Vec<Inbound>, oneshot::Sender<()>),
    Slots(oneshot::Sender<Vec<SimStatus>>),
    NetworkChanged,
    NetworkLost,
    /// Look at the clocks; answered when all that follows is done.
    Wake(oneshot::Sender<()>),
    Unpair {
        within: Duration,
    },
    Stop,
}

type Connecting = Pin<Box<dyn Future<Output = Result<Socket, SocketError>> + Send>>;

/// How a new connection is made.
pub(crate) type Dial = Box<dyn Fn() -> Connecting + Send + Sync>;

/// Everything that one phone's loop owns.
pub(crate) struct Ring {
    pub(crate) agent: Agent,
    pub(crate) disk: Disk,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) identity: Arc<dyn Identity>,
    pub(crate) radio: Arc<dyn Radio>,
    pub(crate) facts: RadioFactsInbox,
    pub(crate) wishes: mpsc::Receiver<Wish>,
    pub(crate) observer: Option<Observer>,
    pub(crate) dial: Dial,
    pub(crate) redial: Redial,
    pub(crate) is_offline: bool,
    pub(crate) connecting: Option<Connecting>,
    pub(crate) socket: Option<Socket>,
    pub(crate) goodbye: Option<JoinHandle<()>>,
    /// Until when the phone waits for its hub to get the rest before it leaves.
    pub(crate) leaving: Option<BootMs>,
    pub(crate) ended: Option<Ended>,
    /// Who waits until this turn's rows are on disk.
    pub(crate) awaiting_disk: Vec<oneshot::Sender<()>>,
    pub(crate) watch: Option<Watch>,
    pub(crate) outlook: Option<Outlook>,
}

enum Input {
    Frame(Incoming),
    Connected(Result<Socket, SocketError>),
    Fact(Option<Told>),
    Wish(Option<Wish>),
    Due,
}

impl Ring {
    /// Runs until the owner stops the phone, the hub refuses it for good, or the journal fails.
    pub(crate) async fn run(mut self) -> Result<Ended, RingError> {
        loop {
            self.end_turn().await?;
            self.show_events();
            // Whoever waits for the disk may let the phone sleep, so the outlook is updated first.
            self.show_outlook();
            self.tell_kept();
            self.leave_when_told();
            if let Some(ended) = self.ended.take() {
                return self.leave(ended).await.map(|()| ended);
            }
            let input = self.next_input().await;
            self.take(input);
            self.take_what_is_ready();
            self.take_what_must_not_wait();
        }
    }

    async fn end_turn(&mut self) -> Result<(), RingError> {
        #[cfg(debug_assertions)]
        if fault::is_planted() {
            return self.world_then_rows().await;
        }
        self.rows_then_world().await
    }

    /// The socket comes first, because waiting for a frame also writes the frames of this turn.
    async fn next_input(&mut self) -> Input {
        let deadline = self.agent.poll_timeout().map(|due| due.at);
        let due = wait_ms(deadline.into_iter().chain(self.leaving).min(), self.now());
        tokio::select! {
            biased;
            incoming = next_frame(&mut self.socket) => Input::Frame(incoming),
            connected = next_connection(&mut self.connecting) => Input::Connected(connected),
            fact = self.facts.0.recv() => Input::Fact(fact),
            wish = self.wishes.recv() => Input::Wish(wish),
            () = due_in(due) => Input::Due,
        }
    }

    /// Facts of the radio are taken before a frame or a wish: they are true already.
    fn take(&mut self, input: Input) {
        if !matches!(input, Input::Fact(_)) {
            self.take_facts();
        }
        let now = self.now();
        match input {
            Input::Frame(incoming) => self.take_incoming(incoming, now),
            Input::Connected(connected) => self.take_connection(connected, now),
            Input::Fact(Some(told)) => self.take_fact(told, now),
            Input::Wish(Some(wish)) => self.take_wish(wish, now),
            Input::Due => self.agent.handle_timeout(now),
            // Nobody is left who could report or want anything.
            Input::Fact(None) | Input::Wish(None) => self.ended = Some(Ended::Stopped),
        }
    }

    fn take_what_is_ready(&mut self) {
        self.take_facts();
        for _ in 0..TURN_MAX {
            let Some(frame) = self.socket.as_mut().and_then(Socket::next_ready) else {
                return;
            };
            self.take_incoming(frame, self.now());
        }
    }

    fn take_facts(&mut self) {
        for _ in 0..TURN_MAX {
            let Ok(told) = self.facts.0.try_recv() else {
                return;
            };
            self.take_fact(told, self.now());
        }
    }

    fn take_fact(&mut self, told: Told, now: Now) {
        self.agent.handle_radio(told.fact, now);
        self.awaiting_disk.extend(told.on_disk);
    }

    fn tell_kept(&mut self) {
        for waiter in self.awaiting_disk.drain(..) {
            // Whoever waited may have given up.
            let _gone = waiter.send(());
        }
    }

    /// A hub that never stops writing must not hold up a wish or a timer.
    fn take_what_must_not_wait(&mut self) {
        let now = self.now();
        if let Ok(wish) = self.wishes.try_recv() {
            self.take_wish(wish, now);
        }
        if self
            .agent
            .poll_timeout()
            .is_some_and(|due| due.at <= now.boot)
        {
            self.agent.handle_timeout(now);
        }
    }

    fn take_incoming(&mut self, incoming: Incoming, now: Now) {
        match incoming {
            Incoming::Text(text) => match codec::decode_hub(text.as_bytes()) {
                Ok(frame) => self.agent.handle_frame(frame, now),
                Err(error) => {
                    tracing::warn!(%error, "the hub sent a frame that cannot be read");
                    self.agent.handle_bad_frame(error, now);
                }
            },
            Incoming::Binary => {
                tracing::warn!("the hub sent a binary message");
                self.agent.handle_bad_frame(DecodeError::NotJson, now);
            }
            Incoming::Closed(close) => {
                self.socket = None;
                self.agent.handle_disconnected(close, now);
            }
        }
    }

    fn take_connection(&mut self, connected: Result<Socket, SocketError>, now: Now) {
        self.connecting = None;
        match connected {
            Ok(socket) => {
                self.socket = Some(socket);
                self.agent.handle_connected(now);
            }
            Err(error) => {
                tracing::debug!(%error, "no link");
                self.agent.handle_disconnected(None, now);
            }
        }
    }

    fn take_wish(&mut self, wish: Wish, now: Now) {
        match wish {
            // Whoever asked may have gone; the command is carried out anyway.
            Wish::Command(command, answer) => {
                let answered = self.agent.handle_command(command, now);
                let _gone = answer.send(answered);
            }
            Wish::TellAlso(messages, on_disk) => {
                self.agent.handle_inbound_loaded(messages, now);
                self.awaiting_disk.push(on_disk);
            }
            Wish::Slots(answer) => {
                let _gone = answer.send(self.agent.slots(now));
            }
            Wish::NetworkChanged => {
                self.is_offline = false;
                self.agent.handle_network_change(now);
            }
            Wish::NetworkLost => self.lose_network(now),
            Wish::Wake(woken) => {
                self.agent.handle_timeout(now);
                self.awaiting_disk.push(woken);
            }
            Wish::Unpair { within } => self.begin_leaving(within, now),
            Wish::Stop => self.ended = Some(Ended::Stopped),
        }
    }

    /// Does one thing in the world; everything before it is on disk.
    pub(crate) async fn perform(&mut self, effect: Effect) -> Result<(), RingError> {
        match effect {
            Effect::LoadFacts(range) => {
                let facts = self.disk.facts(range).await?;
                self.agent.handle_facts_loaded(facts, self.now());
            }
            Effect::LoadInbound => {
                let messages = self.disk.inbound().await?;
                self.agent.handle_inbound_loaded(messages, self.now());
            }
            Effect::LoadEnded(asked) => {
                let (asked, rows) = self.disk.ended(asked).await?;
                self.agent.handle_ended_loaded(asked, rows, self.now());
            }
            Effect::LoadMessage(message) => {
                let row = self.disk.message_over(message).await?;
                self.agent.handle_message_loaded(message, row, self.now());
            }
            Effect::PlanRedial(pace) => {
                let delay_ms = self.redial.next_wait_ms(pace);
                self.agent.handle_redial(delay_ms, self.now());
            }
            Effect::ResetRedial => self.redial.reset(),
            Effect::Connect => self.connecting = Some(self.dial()),
            Effect::SignHello { bytes } => self.sign(&bytes),
            Effect::WriteFrame(frame) => self.write(&frame),
            Effect::CloseLink(close) => self.close(close),
            Effect::SendParts(task) => self.radio.send_parts(&task),
            Effect::DialUssd { token, sim, code } => {
                self.radio.dial_ussd(&DialUssd { token, sim, code });
            }
            Effect::PlaceCall { token, sim, to } => {
                self.radio.place_call(&PlaceCall { token, sim, to });
            }
            Effect::ReadLog { log, from } => self.radio.read_log(log, from),
            Effect::ReadSentRow {
                token,
                sim,
                to,
                text,
                since,
            } => self.radio.read_sent_row(&SentRowAsked {
                token,
                sim,
                to,
                text,
                since,
            }),
            Effect::ConfirmReceived { receipt } => self.radio.confirm_received(receipt),
        }
        Ok(())
    }

    fn dial(&self) -> Connecting {
        if self.is_offline {
            Box::pin(ready(Err(SocketError::NoNetwork)))
        } else {
            (self.dial)()
        }
    }

    /// What was sent on a network that is gone is sent again on the next one.
    fn lose_network(&mut self, now: Now) {
        self.is_offline = true;
        self.connecting = None;
        self.socket = None;
        self.agent.handle_network_lost(now);
    }

    fn sign(&mut self, bytes: &[u8]) {
        match self.identity.sign(bytes) {
            Ok(signature) => self.agent.handle_signature(signature, self.clock.now()),
            Err(error) => {
                tracing::error!(%error, "the phone cannot sign");
                self.socket = None;
                self.agent.handle_disconnected(None, self.clock.now());
            }
        }
    }

    fn write(&mut self, frame: &PhoneFrame) {
        let Some(socket) = &mut self.socket else {
            return;
        };
        match codec::encode(frame) {
            Ok(text) => socket.write(text),
            Err(error) => tracing::error!(%error, "a frame cannot be written"),
        }
    }

    fn close(&mut self, close: CloseCode) {
        self.connecting = None;
        if let Some(socket) = self.socket.take() {
            self.goodbye = Some(tokio::spawn(socket.close(close)));
        }
    }

    /// Gives back what waits, and goes on until the hub has everything.
    pub(crate) fn begin_leaving(&mut self, within: Duration, now: Now) {
        self.agent.handle_unpair(now);
        let within_ms = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        self.leaving = Some(now.boot.plus_ms(within_ms));
    }

    fn leave_when_told(&mut self) {
        let Some(until) = self.leaving else {
            return;
        };
        let is_told = self.agent.has_told_all();
        if is_told || self.now().boot >= until {
            self.ended.get_or_insert(Ended::Unpaired { is_told });
        }
    }

    /// Closes the link with its own close code, and waits until that is sent.
    async fn leave(&mut self, ended: Ended) -> Result<(), RingError> {
        let now = self.now();
        match ended {
            Ended::Unpaired { .. } => self.agent.handle_unpaired(now),
            Ended::Stopped | Ended::PairingNeeded(_) => self.agent.handle_stop(now),
        }
        self.end_turn().await?;
        self.tell_kept();
        self.close(CloseCode::GoingAway);
        if let Some(goodbye) = self.goodbye.take() {
            // If the close failed, the hub finds out by itself.
            drop(goodbye.await);
        }
        Ok(())
    }

    /// Commits rows; while it runs, what comes in waits for the next turn.
    pub(crate) async fn commit(&mut self, changes: Vec<Change>) -> Result<(), RingError> {
        self.disk.commit(changes).await
    }

    pub(crate) fn tell_committed(&mut self) {
        self.agent.handle_committed(self.clock.now());
    }

    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        std::iter::from_fn(|| self.agent.poll_change()).collect()
    }

    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::iter::from_fn(|| self.agent.poll_effect()).collect()
    }

    fn show_events(&mut self) {
        while let Some(event) = self.agent.poll_event() {
            if let Event::PairingNeeded { close } = event {
                self.ended = Some(Ended::PairingNeeded(close));
            }
            match &self.observer {
                Some(observer) => observer(&event),
                None => tracing::debug!(?event, "phone"),
            }
        }
    }

    fn show_outlook(&mut self) {
        let Some(watch) = &self.watch else {
            return;
        };
        let now = self.clock.now();
        let outlook = Outlook::of(&self.agent, self.leaving, now);
        if self.outlook.as_ref() != Some(&outlook) {
            watch(&outlook);
            self.outlook = Some(outlook);
        }
    }

    fn now(&self) -> Now {
        self.clock.now()
    }
}

async fn next_frame(socket: &mut Option<Socket>) -> Incoming {
    match socket {
        Some(socket) => socket.next().await,
        None => std::future::pending().await,
    }
}

async fn next_connection(connecting: &mut Option<Connecting>) -> Result<Socket, SocketError> {
    match connecting {
        Some(connecting) => connecting.await,
        None => std::future::pending().await,
    }
}

fn wait_ms(at: Option<BootMs>, now: Now) -> Option<u64> {
    at.map(|at| at.since_ms(now.boot))
}

async fn due_in(wait_ms: Option<u64>) {
    match wait_ms {
        Some(wait_ms) => sleep(Duration::from_millis(wait_ms)).await,
        None => std::future::pending().await,
    }
}
