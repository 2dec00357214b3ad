//! A small hub: one device, everything in memory, the real session and a real WebSocket.

use super::{link, pairing};
use postrider_agent::{Clock, SystemClock};
use postrider_link::{
    close::CloseCode,
    frame::{Address, InstallId, Kind, PhoneFrame, Send},
    session::hub::{DeviceLink, HubSettings},
};
use postrider_model::{DeviceId, Key, MessageId, MessageText, Now, SimSlot, WireState};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// The one code that the hub takes.
pub const CODE: &str = "ABCD-12345678";
/// The name that hello signs.
pub const HOST: &str = "hub.test";
/// How the hub's sessions are set.
pub const SETTINGS: HubSettings = HubSettings {
    generation: 1,
    heartbeat_s: 45,
};

/// A hub on a loopback port.
pub struct TestHub {
    address: std::net::SocketAddr,
    pub shared: Arc<Shared>,
}

/// What the hub's tasks share.
pub struct Shared {
    state: Mutex<State>,
    /// Rings when there is something to send, or a connection to end.
    pub bell: Notify,
    pub address: std::net::SocketAddr,
    clock: SystemClock,
}

/// What a real hub keeps in its database.
#[derive(Default)]
pub struct State {
    pub device: Option<Device>,
    pub is_confirmed: bool,
    pub pair_requests: usize,
    pub next_message: i64,
    pub waiting: Vec<Send>,
    pub exposed: BTreeMap<MessageId, Exposed>,
    pub facts: Vec<PhoneFrame>,
    pub connections: usize,
    pub is_connected: bool,
    pub wants_end: Option<End>,
    pub refuses: Option<CloseCode>,
    pub closed_with: Vec<CloseCode>,
    /// Loses facts instead of storing them, as a hub that dies before its commit.
    pub loses_facts: bool,
}

/// How a test ends a connection.
#[derive(Clone, Copy)]
pub enum End {
    /// As a broken network does.
    Cut,
    /// In good order.
    Close(CloseCode),
    /// With a text that is no frame.
    Garbage,
}

/// The device that joined.
#[derive(Clone)]
pub struct Device {
    pub id: DeviceId,
    pub key: Vec<u8>,
    pub link: DeviceLink,
}

/// One exposure and what the phone said about it.
pub struct Exposed {
    pub send: Send,
    pub states: Vec<WireState>,
    pub code: Option<String>,
}

impl TestHub {
    /// Starts listening.
    pub async fn start() -> Self {
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
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets the operator confirm the pairing.
    pub fn confirm(&self) {
        self.state().is_confirmed = true;
    }

    /// Queues a message; it is exposed when the phone is connected and its credit allows.
    pub fn send(&self, to: &str, text: &str) -> MessageId {
        let mut state = self.state();
        state.next_message += 1;
        let id = MessageId::new(Key::new(state.next_message).unwrap());
        state.waiting.push(Send {
            s: 0,
            id,
            ep: 1,
            kind: Kind::Sms,
            to: Address::new(to),
            text: Some(MessageText::new(text)),
            data: None,
            sim: SimSlot::default(),
            parts_max: None,
            ttl_ms: 3_600_000,
            report: true,
            priority: 1,
            movable: false,
            media: Vec::new(),
        });
        drop(state);
        self.shared.bell.notify_waiters();
        id
    }

    /// Ends the present connection.
    pub fn end(&self, end: End) {
        self.state().wants_end = Some(end);
        self.shared.bell.notify_waiters();
    }

    /// Returns what the phone reported of a message, in order.
    pub fn states(&self, id: MessageId) -> Vec<WireState> {
        let state = self.state();
        let exposed = state.exposed.get(&id);
        exposed.map_or_else(Vec::new, |it| it.states.clone())
    }

    /// Returns the messages that came in, as sender and text.
    pub fn incoming(&self) -> Vec<(String, String)> {
        let inbound = |fact: &PhoneFrame| match fact {
            PhoneFrame::Inbound(it) => {
                let text = it.text.clone().unwrap_or_default();
                Some((it.from.as_str().to_owned(), text.into_string()))
            }
            _ => None,
        };
        self.state().facts.iter().filter_map(inbound).collect()
    }

    /// Returns what the hub keeps.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Shared {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns the hub's time.
    pub fn now(&self) -> Now {
        self.clock.now()
    }
}

impl Device {
    pub fn new(key: Vec<u8>, install: InstallId) -> Self {
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
    if &first == b"POST" {
        pairing::serve(stream, &shared).await;
    } else {
        link::serve(stream, shared).await;
    }
}
