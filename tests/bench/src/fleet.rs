//! Phones that only hold their links: thousands of them, on a separate thread.
//!
//! Their rows are written directly, because pairing would take minutes. Each link is a real
//! WebSocket: hello, welcome, acks, a ping now and then.

use crate::{
    Failure,
    clock::{now, unix_us},
    hub::Hub,
    load::{Beside, Over},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::{SinkExt as _, StreamExt as _};
use hub_domain::{Device, DeviceState};
use hub_store::{SqliteSettings, Store, StoreError, devices};
use postrider_link::{
    codec::{decode_hub, encode},
    frame::{Ack, Bytes, Challenge, Hello, HubFrame, PhoneFrame, Ping, Pong, SimInfo},
    limits::SUB_PROTOCOL,
    signature::expected_bytes,
};
use postrider_model::{DeviceId, Id, Key, OrganizationId, ProjectId, SimSlot, UnixMs};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use rustix::process::{Resource, getrlimit};
use std::{
    cell::Cell,
    net::SocketAddr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpStream, task::LocalSet};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{ClientRequestBuilder, Message},
};

/// The key of all phones: a seed that is no secret.
const SEED: [u8; 32] = [7; 32];
/// The installation of all phones.
const INSTALL: &str = "install-of-a-fleet";
/// Above the process numbers that the hub and the admin commands use in keys.
const PROCESS: u8 = 255;
/// Rows of one job.
const ROWS: usize = 500;
/// Links that are opened at once.
const AT_ONCE: usize = 32;
/// Files that a hub and this program need besides the links.
const OTHER_FILES: usize = 1_000;
/// Seconds between two pings.
const PING_S: u64 = 40;
/// Frames that the hub may send without an ack.
const ROOM: u64 = 500;
/// How long all of them may take to connect.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often to check whether they have.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How many links are open, and how many ended by themselves.
#[derive(Default)]
struct Links {
    open: AtomicUsize,
    ended: AtomicUsize,
}

/// Phones with open links, until this is dropped.
pub(crate) struct Fleet {
    links: Arc<Links>,
    _thread: Beside,
}

impl Fleet {
    /// Makes so many phones of the hub's first project and connects them.
    pub(crate) async fn connect(hub: &Hub, count: usize) -> Result<Self, Failure> {
        check_files(count)?;
        let key = Ed25519KeyPair::from_seed_unchecked(&SEED).map_err(|error| error.to_string())?;
        let devices = write_rows(hub, count, &key).await?;
        let links = Arc::new(Links::default());
        let (counted, address) = (links.clone(), hub.caller.address);
        let fleet = Self {
            links,
            _thread: Beside::start(async move |over| {
                hold_all(address, &devices, key, &counted, over).await;
                Ok(())
            }),
        };
        let until = now() + PATIENCE;
        while fleet.links.open.load(Ordering::Relaxed) < count {
            let ended = fleet.ended();
            if ended > 0 || now() > until {
                let open = fleet.links.open.load(Ordering::Relaxed);
                return Err(
                    format!("of {count} phones {open} connected, {ended} were closed").into(),
                );
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(fleet)
    }

    /// Counts the links that ended.
    pub(crate) fn ended(&self) -> usize {
        self.links.ended.load(Ordering::Relaxed)
    }
}

/// Fails if the system does not allow enough open files; the hub inherits the limit.
fn check_files(links: usize) -> Result<(), Failure> {
    let needed = links + OTHER_FILES;
    match getrlimit(Resource::Nofile).current {
        Some(files) if (files as usize) < needed => Err(format!(
            "{links} phones need {needed} open files, and the limit is {files}: ulimit -n {needed}"
        )
        .into()),
        _ => Ok(()),
    }
}

/// Writes the devices' rows, as a pairing leaves them; their hellos make their phones.
async fn write_rows(
    hub: &Hub,
    count: usize,
    key: &Ed25519KeyPair,
) -> Result<Vec<DeviceId>, Failure> {
    let operator = hub.operator();
    let projects = operator.admin(&["project", "list"])?;
    let project: ProjectId = hub.project.rsplit('/').next().unwrap_or_default().parse()?;
    let text = project.to_string();
    let mut rows = projects.as_array().into_iter().flatten();
    let row = rows.find(|row| row["id"] == *text);
    let organization = row.and_then(|row| row["organization_id"].as_str());
    let organization: OrganizationId = organization.unwrap_or_default().parse()?;
    let now = UnixMs(i64::try_from(unix_us() / 1_000)?);
    let public_key = STANDARD.encode(key.public_key());
    let devices = (0..count).map(|n| Device {
        // The job that stores it makes its id.
        id: Id::new(Key::default()),
        organization_id: organization,
        project_id: project,
        name: format!("Idle {n}"),
        public_key: public_key.clone(),
        key_algorithm: "ed25519".to_owned(),
        install: INSTALL.to_owned(),
        conn: 0,
        gen_seen: 0,
        gen_own: 0,
        down_sent: 0,
        down_acked: 0,
        up: 0,
        state: DeviceState::Active,
        frozen: false,
        time_paired: now,
        time_last_seen: None,
        facts: None,
        offline_since: None,
        connected_to: None,
    });
    let devices: Vec<Device> = devices.collect();
    let mut ids = Vec::with_capacity(count);
    let store = Store::open_sqlite(SqliteSettings {
        create: false,
        readers: 1,
        process: PROCESS,
        ..SqliteSettings::new(operator.database())
    })?;
    for some in devices.chunks(ROWS) {
        let some = some.to_vec();
        let written = store.write(move |tx| {
            let stored = some.iter().map(|device| {
                let id = tx.id(now);
                devices::insert(
                    tx,
                    &Device {
                        id,
                        ..device.clone()
                    },
                )?;
                Ok(id)
            });
            stored.collect::<Result<Vec<_>, StoreError>>()
        });
        ids.extend(written.await?);
    }
    Ok(ids)
}

async fn hold_all(
    address: SocketAddr,
    devices: &[DeviceId],
    key: Ed25519KeyPair,
    links: &Arc<Links>,
    over: Over,
) {
    let (local, key) = (LocalSet::new(), Rc::new(key));
    let coming = Rc::new(tokio::sync::Semaphore::new(AT_ONCE));
    for device in devices {
        let (device, key, links, over) = (*device, key.clone(), links.clone(), over.clone());
        let coming = coming.clone();
        local.spawn_local(async move {
            let Ok(place) = coming.acquire().await else {
                return;
            };
            if over.is_over() {
                return;
            }
            let held = async {
                let link = Link::open(address, device, &key).await?;
                links.open.fetch_add(1, Ordering::Relaxed);
                drop(place);
                link.hold().await
            };
            let ended: Result<(), Failure> = held.await;
            if let Err(failure) = ended
                && links.ended.fetch_add(1, Ordering::Relaxed) == 0
            {
                eprintln!("a link ended: {failure}");
            }
        });
    }
    let ended = async {
        while !over.is_over() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    local.run_until(ended).await;
}

/// One phone's connection.
struct Link {
    socket: WebSocketStream<TcpStream>,
    pings: Cell<u64>,
}

impl Link {
    /// Connects, and waits for the welcome.
    async fn open(
        address: SocketAddr,
        device: DeviceId,
        key: &Ed25519KeyPair,
    ) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        let uri = format!("ws://{address}/link").parse()?;
        let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUB_PROTOCOL);
        let (socket, _) = client_async(request, stream).await?;
        let mut link = Self {
            socket,
            pings: Cell::new(0),
        };
        let HubFrame::Challenge(challenge) = link.next().await? else {
            return Err("no challenge".into());
        };
        link.write(PhoneFrame::Hello(hello(address, device, key, &challenge)?))
            .await?;
        match link.next().await? {
            HubFrame::Welcome(_) => Ok(link),
            other => Err(format!("no welcome: {other:?}").into()),
        }
    }

    /// Handles what comes, until the link ends.
    async fn hold(mut self) -> Result<(), Failure> {
        let mut pings = tokio::time::interval(Duration::from_secs(PING_S));
        loop {
            let frame = tokio::select! {
                frame = self.next() => frame?,
                _ = pings.tick() => {
                    self.ping().await?;
                    continue;
                }
            };
            if let Some(s) = frame.s() {
                let ack = Ack {
                    a: s,
                    limit: s + ROOM,
                    mono: mono_ms(),
                };
                self.write(PhoneFrame::Ack(ack)).await?;
            } else if let HubFrame::Ping(Ping { n, .. }) = frame {
                let pong = Pong { n, mono: mono_ms() };
                self.write(PhoneFrame::Pong(pong)).await?;
            }
        }
    }

    async fn ping(&mut self) -> Result<(), Failure> {
        self.pings.set(self.pings.get() + 1);
        let ping = Ping {
            n: self.pings.get(),
            mono: mono_ms(),
            next_s: PING_S,
        };
        self.write(PhoneFrame::Ping(ping)).await
    }

    async fn next(&mut self) -> Result<HubFrame, Failure> {
        loop {
            let message = self.socket.next().await.ok_or("the hub went away")??;
            match message {
                Message::Text(text) => {
                    let frame = decode_hub(text.as_bytes());
                    return frame.map_err(|error| error.to_string().into());
                }
                Message::Close(frame) => return Err(format!("closed: {frame:?}").into()),
                _ => {}
            }
        }
    }

    async fn write(&mut self, frame: PhoneFrame) -> Result<(), Failure> {
        let text = encode(&frame).map_err(|error| error.to_string())?;
        Ok(self.socket.send(Message::text(text)).await?)
    }
}

fn hello(
    address: SocketAddr,
    device: DeviceId,
    key: &Ed25519KeyPair,
    challenge: &Challenge,
) -> Result<Hello, Failure> {
    let mut hello = Hello {
        v: (1, 1),
        features: Vec::new(),
        phone: device,
        install: INSTALL.parse().map_err(|_| "no installation's name")?,
        conn: 1,
        sig: Bytes::default(),
        generation: challenge.generation,
        down: 0,
        up_lo: 1,
        up_hi: 0,
        limit: ROOM,
        boot: "fleet".to_owned(),
        wall: i64::try_from(unix_us() / 1_000)?,
        mono: mono_ms(),
        sims: vec![SimInfo {
            slot: SimSlot::new(0).ok_or("no slot")?,
            ..SimInfo::default()
        }],
        held: Vec::new(),
    };
    let signed = expected_bytes(&address.ip().to_string(), &challenge.nonce, &hello);
    hello.sig = Bytes(key.sign(&signed).as_ref().to_vec());
    Ok(hello)
}

/// The boot clock of all phones.
fn mono_ms() -> u64 {
    unix_us() / 1_000
}
