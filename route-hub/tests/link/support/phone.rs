//! A phone that does what a test says.

use super::hub::{PATIENCE, TestHub, fresh_id};
use futures_util::{SinkExt as _, StreamExt as _};
use hub_domain::{Device, DeviceState, PhoneType};
use hub_store::{devices, phones};
use postrider_link::codec;
use postrider_link::frame::{
    Ack, Address, Bytes, Challenge, Config, Event, Health, Held, Hello, HubFrame, Inbound, Kind,
    PhoneFrame, Ping, Send, SimInfo, Welcome,
};
use postrider_link::limits::SUB_PROTOCOL;
use postrider_link::signature::hello_bytes;
use postrider_model::{DeviceId, SimSlot, WireState};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{ClientRequestBuilder, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// What the phone keeps between connections, and its key.
pub(crate) struct Phone {
    hub: SocketAddr,
    key: Ed25519KeyPair,
    pub device: DeviceId,
    pub row: hub_domain::Phone,
    pub install: String,
    /// The name that it signs for.
    pub host: String,
    pub conn: u64,
    pub generation: u64,
    pub down: u64,
    pub up: u64,
    pub up_acked: u64,
    /// How many frames above `down` the phone allows.
    pub room: u64,
    pub sims: Vec<SimInfo>,
}

/// One connection.
pub(crate) struct Line {
    socket: WebSocketStream<TcpStream>,
    pub down: u64,
    pub up: u64,
    pub up_acked: u64,
    room: u64,
}

pub(crate) fn slot(number: u8) -> SimSlot {
    SimSlot::new(number).expect("a slot")
}

pub(crate) fn sim(number: u8, fingerprint: &str) -> SimInfo {
    SimInfo {
        slot: slot(number),
        fingerprint: Some(fingerprint.to_owned()),
        ..SimInfo::default()
    }
}

impl TestHub {
    /// Pairs a phone with one SIM.
    pub(crate) async fn pair(&self) -> Phone {
        let seed: [u8; 32] = self.hub.random.bytes();
        let key = Ed25519KeyPair::from_seed_unchecked(&seed).expect("a key");
        let now = self.hub.now();
        let device = Device {
            id: fresh_id(&self.hub, now),
            organization_id: self.project.organization_id,
            project_id: self.project.id,
            name: "Device".to_owned(),
            public_key: base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                key.public_key().as_ref(),
            ),
            key_algorithm: "ed25519".to_owned(),
            install: "install-of-tests-1".to_owned(),
            conn: 0,
            gen_seen: 0,
            gen_own: 0,
            down_sent: 0,
            down_acked: 0,
            up: 0,
            state: DeviceState::Active,
            frozen: false,
            time_paired: now.unix,
            time_last_seen: None,
            facts: None,
            offline_since: None,
            connected_to: None,
        };
        let android = PhoneType::Android;
        let mut row = hub_domain::Phone::new(
            fresh_id(&self.hub, now),
            self.project.id,
            "Phone",
            android,
            now.unix,
        );
        row.device_id = Some(device.id);
        row.sim = Some(slot(0));
        let (id, install, stored) = (device.id, device.install.clone(), row.clone());
        self.write(move |tx| {
            devices::insert(tx, &device)?;
            phones::insert(tx, &stored)
        })
        .await;
        Phone {
            hub: self.address,
            key,
            device: id,
            row,
            install,
            host: "127.0.0.1".to_owned(),
            conn: 0,
            generation: 1,
            down: 0,
            up: 0,
            up_acked: 0,
            room: 500,
            sims: vec![sim(0, "first")],
        }
    }
}

impl Phone {
    /// Opens a socket and reads the challenge.
    pub(crate) async fn open(&self) -> (Line, Challenge) {
        let stream = TcpStream::connect(self.hub).await.expect("the hub listens");
        let uri = format!("ws://{}/link", self.hub)
            .parse()
            .expect("an address");
        let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUB_PROTOCOL);
        let (socket, _) = client_async(request, stream).await.expect("an upgrade");
        let (down, up, up_acked) = (self.down, self.up, self.up_acked);
        let mut line = Line {
            socket,
            down,
            up,
            up_acked,
            room: self.room,
        };
        match line.next().await {
            HubFrame::Challenge(challenge) => (line, challenge),
            other => panic!("no challenge: {other:?}"),
        }
    }

    /// Dials another process of its hub from now on.
    pub(crate) fn turn_to(&mut self, hub: &TestHub) {
        self.hub = hub.address;
    }

    /// Makes the next hello, which `change` may change before it is signed.
    pub(crate) fn hello(
        &mut self,
        challenge: &Challenge,
        change: impl FnOnce(&mut Hello),
    ) -> Hello {
        self.conn += 1;
        let mut hello = Hello {
            v: (1, 1),
            features: Vec::new(),
            phone: self.device,
            install: self.install.parse().expect("a name"),
            conn: self.conn,
            sig: Bytes::default(),
            generation: self.generation,
            down: self.down,
            up_lo: self.up_acked + 1,
            up_hi: self.up,
            limit: self.down + self.room,
            boot: "boot".to_owned(),
            wall: 0,
            mono: 1_000_000,
            sims: self.sims.clone(),
            held: Vec::new(),
        };
        change(&mut hello);
        let nonce = &challenge.nonce;
        let signed = hello_bytes(&self.host, nonce, hello.phone, &hello.install, hello.conn);
        hello.sig = Bytes(self.key.sign(&signed).as_ref().to_vec());
        hello
    }

    /// Connects up to the hub's first word after hello.
    pub(crate) async fn greet(&mut self, change: impl FnOnce(&mut Hello)) -> Line {
        let (mut line, challenge) = self.open().await;
        let hello = self.hello(&challenge, change);
        line.write(PhoneFrame::Hello(hello)).await;
        line
    }

    /// Connects, and is welcome.
    pub(crate) async fn connect(&mut self) -> Line {
        self.connect_with(|_| {}).await
    }

    /// Connects with a hello that `change` changed, and is welcome.
    pub(crate) async fn connect_with(&mut self, change: impl FnOnce(&mut Hello)) -> Line {
        let mut line = self.greet(change).await;
        self.generation = line.welcome().await.generation;
        line
    }

    /// Cuts a connection; the phone keeps what it has on disk.
    pub(crate) fn cut(&mut self, line: Line) {
        (self.down, self.up, self.up_acked) = (line.down, line.up, line.up_acked);
    }
}

impl Line {
    pub(crate) async fn write(&mut self, frame: PhoneFrame) {
        self.write_text(&codec::encode(&frame).expect("a frame"))
            .await;
    }

    pub(crate) async fn write_text(&mut self, text: &str) {
        self.socket
            .send(Message::text(text))
            .await
            .expect("the hub reads");
    }

    /// Returns the next frame; numbered ones must come without a gap.
    pub(crate) async fn next(&mut self) -> HubFrame {
        let message = timeout(PATIENCE, self.socket.next())
            .await
            .expect("the hub speaks");
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            other => panic!("no frame: {other:?}"),
        };
        let frame = codec::decode_hub(text.as_bytes()).expect("a frame");
        if let Some(s) = frame.s() {
            assert_eq!(s, self.down + 1, "{frame:?}");
            self.down = s;
        }
        if let HubFrame::Ack(ack) = &frame {
            self.up_acked = ack.a;
        }
        frame
    }

    /// Returns what `pick` picks of the frames to come.
    pub(crate) async fn wait<T>(&mut self, pick: impl Fn(HubFrame) -> Option<T>) -> T {
        loop {
            if let Some(picked) = pick(self.next().await) {
                return picked;
            }
        }
    }

    pub(crate) async fn welcome(&mut self) -> Welcome {
        match self.next().await {
            HubFrame::Welcome(welcome) => {
                self.up_acked = welcome.up;
                welcome
            }
            other => panic!("not welcome: {other:?}"),
        }
    }

    /// Returns the next exposure.
    pub(crate) async fn send(&mut self) -> Send {
        self.wait(|frame| match frame {
            HubFrame::Send(send) => Some(send),
            _ => None,
        })
        .await
    }

    /// Returns the next setting: whether to pause.
    pub(crate) async fn pause(&mut self) -> bool {
        self.config().await.pause
    }

    /// Returns the next settings.
    pub(crate) async fn config(&mut self) -> Config {
        self.wait(|frame| match frame {
            HubFrame::Config(config) => Some(config),
            _ => None,
        })
        .await
    }

    /// Returns the next revoke or cancel.
    pub(crate) async fn asked(&mut self) -> HubFrame {
        self.wait(|frame| match frame {
            HubFrame::Revoke(_) | HubFrame::Cancel(_) => Some(frame),
            _ => None,
        })
        .await
    }

    /// Acks everything that came.
    pub(crate) async fn ack(&mut self) {
        let (a, limit) = (self.down, self.down + self.room);
        self.write(PhoneFrame::Ack(Ack {
            a,
            limit,
            mono: 1_000_000,
        }))
        .await;
    }

    /// Reports that an exposure got somewhere.
    pub(crate) async fn event(&mut self, of: &Send, state: WireState) {
        self.event_with(of, state, |_| {}).await;
    }

    /// Reports with an event that `change` changed.
    pub(crate) async fn event_with(
        &mut self,
        of: &Send,
        state: WireState,
        change: impl FnOnce(&mut Event),
    ) {
        self.up += 1;
        let mut event = Event {
            s: self.up,
            id: of.id,
            ep: of.ep,
            state,
            part: None,
            of: None,
            code: None,
            detail: None,
            partial: false,
            unsent: false,
            duration_s: None,
            ring_s: None,
            wall: 0,
            mono: 1_000_000,
            boot: None,
        };
        change(&mut event);
        self.write(PhoneFrame::Event(event)).await;
    }

    /// Uploads an incoming message, the phone's `n`th.
    pub(crate) async fn inbound(&mut self, n: u64, text: &str) {
        self.inbound_with(n, |inbound| inbound.text = Some(text.into()))
            .await;
    }

    /// Uploads what `change` made of an incoming message without a text.
    pub(crate) async fn inbound_with(&mut self, n: u64, change: impl FnOnce(&mut Inbound)) {
        self.up += 1;
        let mut inbound = Inbound {
            s: self.up,
            n,
            install: None,
            kind: Kind::Sms,
            sim: slot(0),
            from: Address::new(super::SENDER),
            to: None,
            text: None,
            data: None,
            parts: None,
            sent_at: None,
            duration_s: None,
            ring_s: None,
            wall: 0,
            mono: 1_000_000,
            boot: None,
        };
        change(&mut inbound);
        self.write(PhoneFrame::Inbound(inbound)).await;
    }

    /// Reports how its SIM slots are.
    pub(crate) async fn health(&mut self, sims: Vec<SimInfo>) {
        self.health_with(|health| health.sims = sims).await;
    }

    /// Reports the health that `change` changed.
    pub(crate) async fn health_with(&mut self, change: impl FnOnce(&mut Health)) {
        self.up += 1;
        let mut health = Health {
            s: self.up,
            ..Health::default()
        };
        change(&mut health);
        self.write(PhoneFrame::Health(health)).await;
    }

    /// Shows everything on one page.
    pub(crate) async fn held(&mut self, rows: Vec<postrider_link::frame::HeldRow>) {
        self.write(PhoneFrame::Held(Held { rows, last: true }))
            .await;
    }

    /// Waits until every fact is acked, and returns the exposures that came meanwhile.
    pub(crate) async fn settle(&mut self) -> Vec<Send> {
        let mut came = Vec::new();
        while self.up_acked < self.up {
            if let HubFrame::Send(send) = self.next().await {
                came.push(send);
            }
        }
        came
    }

    /// Waits until the hub has taken in what was written.
    pub(crate) async fn pong(&mut self) {
        let ping = Ping {
            n: 9,
            mono: 1_000_000,
            next_s: 45,
        };
        self.write(PhoneFrame::Ping(ping)).await;
        self.wait(|frame| matches!(frame, HubFrame::Pong(_)).then_some(()))
            .await;
    }

    /// Makes the hub commit a few times more, and returns the exposures that came meanwhile.
    pub(crate) async fn idle(&mut self) -> Vec<Send> {
        let mut came = Vec::new();
        for n in 1..=3 {
            self.health(Vec::new()).await;
            came.extend(self.settle().await);
            let ping = Ping {
                n,
                mono: 1_000_000,
                next_s: 45,
            };
            self.write(PhoneFrame::Ping(ping)).await;
            loop {
                match self.next().await {
                    HubFrame::Pong(_) => break,
                    HubFrame::Send(send) => came.push(send),
                    _ => {}
                }
            }
        }
        came
    }

    /// Reads to the end of the connection and returns its close code.
    pub(crate) async fn close_code(&mut self) -> u16 {
        let reading = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                    Some(Ok(_)) => {}
                    other => panic!("no close code: {other:?}"),
                }
            }
        };
        timeout(PATIENCE, reading).await.expect("the hub closes")
    }
}
