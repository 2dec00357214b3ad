//! A small hub: one device, everything in memory, the real session and a real WebSocket.

use super::{link, pairing};
use postrider_agent::{Clock, SystemClock};
use postrider_link::{
    close::CloseCode,
    frame::{
        Address, Bytes, Data, Event, Health, HeldRow, Inbound, InstallId, Kind, PhoneFrame, Send,
    },
    pairing::CodeUse,
    session::hub::{DeviceLink, HubSettings},
};
use postrider_machine::MessageRef;
use postrider_model::{DeviceId, Key, MessageId, MessageText, Now, SimSlot, WireState};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// The one code that the hub accepts.
pub(crate) const CODE: &str = "ABCD-12345678";
/// The name that hello signs.
pub(crate) const HOST: &str = "hub.test";
/// Seconds between two pings at first.
pub(crate) const HEARTBEAT_S: u64 = 45;

/// A hub on a loopback port.
pub(crate) struct TestHub {
    address: std::net::SocketAddr,
    pub shared: Arc<Shared>,
}

/// What the hub's tasks share.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Wakes when there is something to send, or a connection to end.
    pub bell: Notify,
    pub address: std::net::SocketAddr,
    clock: SystemClock,
}

/// What a real hub keeps in its database, and what a test watches.
#[derive(Default)]
pub(crate) struct State {
    pub device: Option<Device>,
    pub is_confirmed: bool,
    pub pair_requests: usize,
    /// Which project the phones join.
    pub project: u64,
    pub code_use: CodeUse,
    /// The six digits that the hub shows.
    pub digits: String,
    pub next_message: i64,
    pub waiting: Vec<Send>,
    pub to_revoke: Vec<MessageRef>,
    pub exposed: BTreeMap<MessageId, Exposed>,
    pub facts: Vec<PhoneFrame>,
    /// Raised by a restore.
    pub restores: u64,
    /// What the phone showed after a restore.
    pub shown: Vec<HeldRow>,
    pub connections: usize,
    pub connected: BTreeSet<usize>,
    pub wants_end: Option<End>,
    pub refuses: Option<CloseCode>,
    pub closed_with: Vec<CloseCode>,
    pub unpaired: bool,
    /// The codes of the phone's byes.
    pub byes: Vec<u16>,
    /// What each ping announced, in seconds.
    pub pings: Vec<u64>,
    /// Loses facts instead of storing them, like a hub that dies before its commit.
    pub loses_facts: bool,
    /// Answers nothing on open connections.
    pub is_mute: bool,
    /// Accepts connections and never writes to them.
    pub hangs: bool,
    pub hanging: usize,
}

impl State {
    /// Returns whether a phone is admitted now.
    pub(crate) fn is_connected(&self) -> bool {
        !self.connected.is_empty()
    }

    /// Returns what the phone reported of its health, in order.
    pub(crate) fn health(&self) -> impl DoubleEndedIterator<Item = &Health> {
        self.facts.iter().filter_map(|fact| match fact {
            PhoneFrame::Health(health) => Some(health),
            _ => None,
        })
    }

    /// Returns what came in, in order.
    pub(crate) fn inbound(&self) -> Vec<Inbound> {
        let inbound = |fact: &PhoneFrame| match fact {
            PhoneFrame::Inbound(inbound) => Some(inbound.clone()),
            _ => None,
        };
        self.facts.iter().filter_map(inbound).collect()
    }

    /// Returns the phone's last report on a message.
    pub(crate) fn last_event(&self, id: MessageId) -> Option<Event> {
        let event = |fact: &PhoneFrame| match fact {
            PhoneFrame::Event(event) if event.id == id && event.part.is_none() => {
                Some(event.clone())
            }
            _ => None,
        };
        self.facts.iter().rev().find_map(event)
    }
}

/// How a test ends a connection.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// Like a broken network.
    Cut,
    /// In good order.
    Close(CloseCode),
    /// With a text that is not a frame.
    Garbage,
    /// Asking the phone to come back after so many milliseconds.
    Drain(u64),
}

/// The device that joined.
#[derive(Clone)]
pub(crate) struct Device {
    pub id: DeviceId,
    pub key: Vec<u8>,
    pub link: DeviceLink,
}

/// One exposure and the phone's reports on it.
pub(crate) struct Exposed {
    pub send: Send,
    pub states: Vec<WireState>,
    pub code: Option<String>,
}

impl TestHub {
    /// Starts listening.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            bell: Notify::new(),
            address,
            clock: SystemClock::of_this_boot().unwrap(),
        });
        tokio::spawn(accept(listener, shared.clone()));
        Self { address, shared }
    }

    /// Returns its base address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets the operator confirm the pairing.
    pub(crate) fn confirm(&self) {
        self.state().is_confirmed = true;
    }

    /// Queues a text message; it is exposed when the phone is connected and its credit allows.
    pub(crate) fn send(&self, to: &str, text: &str) -> MessageId {
        self.send_by(SimSlot::default(), to, text)
    }

    /// Queues a text message for a SIM.
    pub(crate) fn send_by(&self, sim: SimSlot, to: &str, text: &str) -> MessageId {
        let text = Some(MessageText::new(text));
        self.queue(Kind::Sms, |send| Send { text, sim, ..send }, to)
    }

    /// Queues a data message.
    pub(crate) fn send_data(&self, to: &str, port: u16, bytes: &[u8]) -> MessageId {
        let base64 = Bytes(bytes.to_vec());
        let data = Some(Data { port, base64 });
        self.queue(Kind::DataSms, |send| Send { data, ..send }, to)
    }

    /// Queues a USSD code.
    pub(crate) fn dial(&self, code: &str) -> MessageId {
        self.queue(Kind::Ussd, |send| send, code)
    }

    /// Queues a call.
    pub(crate) fn call(&self, to: &str) -> MessageId {
        self.queue(Kind::Call, |send| send, to)
    }

    fn queue(&self, kind: Kind, fill: impl FnOnce(Send) -> Send, to: &str) -> MessageId {
        let mut state = self.state();
        state.next_message += 1;
        let id = MessageId::new(Key::new(state.next_message).unwrap());
        state.waiting.push(fill(Send {
            s: 0,
            id,
            ep: 1,
            proof: None,
            kind,
            to: Address::new(to),
            text: None,
            data: None,
            sim: SimSlot::default(),
            parts_max: None,
            ttl_ms: 72 * 3_600_000,
            report: true,
            priority: 1,
            movable: false,
            media: Vec::new(),
        }));
        drop(state);
        self.shared.bell.notify_waiters();
        id
    }

    /// Takes an exposure back.
    pub(crate) fn revoke(&self, id: MessageId) {
        self.state().to_revoke.push(MessageRef { id, ep: 1 });
        self.shared.bell.notify_waiters();
    }

    /// Ends the present connection.
    pub(crate) fn end(&self, end: End) {
        self.state().wants_end = Some(end);
        self.shared.bell.notify_waiters();
    }

    /// Returns the phone's reports on a message, in order.
    pub(crate) fn states(&self, id: MessageId) -> Vec<WireState> {
        let state = self.state();
        let exposed = state.exposed.get(&id);
        exposed.map_or_else(Vec::new, |it| it.states.clone())
    }

    /// Returns the incoming messages, as sender and text.
    pub(crate) fn incoming(&self) -> Vec<(String, String)> {
        let inbound = self.state().inbound();
        let read = |it: Inbound| {
            let text = it.text.unwrap_or_default();
            (it.from.as_str().to_owned(), text.into_string())
        };
        inbound.into_iter().map(read).collect()
    }

    /// Returns what the hub keeps.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Shared {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns how the hub's sessions are set.
    pub(crate) fn settings(&self) -> HubSettings {
        HubSettings {
            generation: 1 + self.state().restores,
            heartbeat_s: HEARTBEAT_S,
            hub: None,
        }
    }

    /// Returns the hub's time.
    pub(crate) fn now(&self) -> Now {
        self.clock.now()
    }
}

impl Device {
    pub(crate) fn new(key: Vec<u8>, install: InstallId) -> Self {
        Self {
            id: DeviceId::new(Key::new(7).unwrap()),
            key,
            link: DeviceLink::new(install),
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, shared.clone()));
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    stream.set_nodelay(true).unwrap();
    let mut first = [0; 4];
    while matches!(stream.peek(&mut first).await, Ok(read) if (1..4).contains(&read)) {}
    let hangs = {
        let mut state = shared.state();
        state.hanging += usize::from(state.hangs);
        state.hangs
    };
    if hangs {
        // Nothing is ever answered; the phone gives it up.
        while matches!(stream.peek(&mut first).await, Ok(read) if read > 0) {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        return;
    }
    if &first == b"POST" {
        pairing::serve(stream, &shared).await;
    } else {
        link::serve(stream, shared).await;
    }
}
