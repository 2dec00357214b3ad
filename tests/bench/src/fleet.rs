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
use hub_store::{StoreError, devices};
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
    net::{Ipv4Addr, SocketAddr},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    task::LocalSet,
};
use tokio_rustls::TlsConnector;
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
const OTHER_FILES: usize = 600;
/// Seconds between two pings.
const PING_S: u64 = 40;
/// Frames that the hub may send without an ack.
const ROOM: u64 = 500;
/// How long all of them may take to connect: at least this, and so long for each.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_EACH: Duration = Duration::from_millis(15);
/// How often to check whether they have.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How many links are open, and how often one ended.
#[derive(Default)]
struct Links {
    open: AtomicUsize,
    ended: AtomicUsize,
}

/// Where phones connect, and whether they do so again.
#[derive(Clone)]
pub(crate) struct Way {
    hubs: Vec<SocketAddr>,
    tls: Option<TlsConnector>,
    /// Phones whose link ended dial the next hub, after a wait like a phone's.
    redials: bool,
}

impl Way {
    /// Leads to one of these hubs, and to the next one when a link ends.
    pub(crate) fn to(hubs: Vec<SocketAddr>) -> Self {
        Self {
            hubs,
            tls: None,
            redials: true,
        }
    }

    /// Leads to one hub, over TLS if there is a connector.
    pub(crate) fn once(hub: SocketAddr, tls: Option<TlsConnector>) -> Self {
        Self {
            hubs: vec![hub],
            tls,
            redials: false,
        }
    }
}

/// Phones with open links, until this is dropped.
pub(crate) struct Fleet {
    count: usize,
    links: Arc<Links>,
    _thread: Beside,
}

impl Fleet {
    /// Makes so many phones of the hub's first project and connects them.
    pub(crate) async fn connect(hub: &Hub, count: usize) -> Result<Self, Failure> {
        let devices = make(hub, count).await?;
        Self::hold(&devices, Way::once(hub.caller.address, None)).await
    }

    /// Connects phones.
    pub(crate) async fn hold(devices: &[DeviceId], way: Way) -> Result<Self, Failure> {
        check_files(devices.len())?;
        let (links, held) = (Arc::new(Links::default()), devices.to_vec());
        let (counted, key) = (links.clone(), key()?);
        let fleet = Self {
            count: devices.len(),
            links,
            _thread: Beside::start(async move |over| {
                hold_all(&way, &held, key, &counted, over).await;
                Ok(())
            }),
        };
        let patience = PATIENCE.max(PATIENCE_EACH * u32::try_from(fleet.count)?);
        fleet.all_open(patience).await?;
        Ok(fleet)
    }

    /// Waits until no link is missing.
    pub(crate) async fn all_open(&self, patience: Duration) -> Result<(), Failure> {
        let until = now() + patience;
        while self.open() < self.count {
            if now() > until {
                let (open, count, ended) = (self.open(), self.count, self.ended());
                return Err(
                    format!("of {count} phones {open} connected, {ended} were closed").into(),
                );
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Counts the links that are open.
    pub(crate) fn open(&self) -> usize {
        self.links.open.load(Ordering::Relaxed)
    }

    /// Counts the links that ended.
    pub(crate) fn ended(&self) -> usize {
        self.links.ended.load(Ordering::Relaxed)
    }
}

fn key() -> Result<Ed25519KeyPair, Failure> {
    let key = Ed25519KeyPair::from_seed_unchecked(&SEED);
    Ok(key.map_err(|error| error.to_string())?)
}

/// Fails if the system does not allow enough open files; the hub inherits the limit.
fn check_files(links: usize) -> Result<(), Failure> {
    match room() {
        room if room < links => Err(format!(
            "{links} phones need {} open files: ulimit -n",
            links + OTHER_FILES
        )
        .into()),
        _ => Ok(()),
    }
}

/// Returns how many links the limit of open files has room for.
pub(crate) fn room() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    let files = files.and_then(|files| usize::try_from(files).ok());
    files.unwrap_or(usize::MAX).saturating_sub(OTHER_FILES)
}

/// Writes the devices' rows, as a pairing leaves them; their hellos make their phones.
pub(crate) async fn make(hub: &Hub, count: usize) -> Result<Vec<DeviceId>, Failure> {
    let operator = hub.operator();
    let projects = operator.admin(&["project", "list"])?;
    let project: ProjectId = hub.project.rsplit('/').next().unwrap_or_default().parse()?;
    let text = project.to_string();
    let mut rows = projects.as_array().into_iter().flatten();
    let row = rows.find(|row| row["id"] == *text);
    let organization = row.and_then(|row| row["organization_id"].as_str());
    let organization: OrganizationId = organization.unwrap_or_default().parse()?;
    let now = UnixMs(i64::try_from(unix_us() / 1_000)?);
    let public_key = STANDARD.encode(key()?.public_key());
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
    let store = operator.store(PROCESS)?;
    for some in devices.chunks(ROWS) {
        let some = some.to_vec();
        let written = store.of(project).write(move |tx| {
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
    way: &Way,
    devices: &[DeviceId],
    key: Ed25519KeyPair,
    links: &Arc<Links>,
    over: Over,
) {
    let (local, key) = (LocalSet::new(), Rc::new(key));
    let coming = Rc::new(tokio::sync::Semaphore::new(AT_ONCE));
    for (place, device) in devices.iter().enumerate() {
        let mut phone = Phone {
            device: *device,
            place,
            key: key.clone(),
            conn: 0,
            down: 0,
        };
        let (way, links, over) = (way.clone(), links.clone(), over.clone());
        let coming = coming.clone();
        local.spawn_local(async move {
            let Ok(mut turn) = coming.acquire().await.map(Some) else {
                return;
            };
            let mut tries = 0;
            while !over.is_over() {
                let opened = Link::open(&way, &mut phone).await;
                turn.take();
                let ended = match opened {
                    Err(failure) => failure,
                    Ok(link) => {
                        tries = 0;
                        links.open.fetch_add(1, Ordering::Relaxed);
                        let ended = link.hold(&mut phone).await;
                        links.open.fetch_sub(1, Ordering::Relaxed);
                        ended
                    }
                };
                if links.ended.fetch_add(1, Ordering::Relaxed) == 0 {
                    eprintln!("  a link ended: {ended}");
                }
                if !way.redials {
                    return;
                }
                tokio::time::sleep(phone.wait(tries)).await;
                tries += 1;
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

/// What a phone knows of its links.
struct Phone {
    device: DeviceId,
    place: usize,
    key: Rc<Ed25519KeyPair>,
    /// Links so far.
    conn: u64,
    /// The last numbered frame that it had.
    down: u64,
}

impl Phone {
    /// Returns a wait like a phone's: anything up to a second, which doubles with each try, up to a
    /// minute.
    fn wait(&self, tries: u32) -> Duration {
        let most_ms = 1_000_u64.saturating_mul(1 << tries.min(6)).min(60_000);
        let seed = (self.place as u64 + 1).wrapping_mul(self.conn + 1);
        let drawn = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        Duration::from_millis(drawn % most_ms)
    }

    /// Returns an address of its own, as a proxy before the hub would tell it.
    fn address(&self) -> Ipv4Addr {
        Ipv4Addr::from(0x0a00_0001 + self.place as u32)
    }
}

/// One phone's connection.
struct Link {
    socket: WebSocketStream<Box<dyn Wire>>,
    pings: Cell<u64>,
}

/// What a WebSocket runs over.
trait Wire: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Wire for T {}

async fn dial(hub: SocketAddr, tls: Option<&TlsConnector>) -> Result<Box<dyn Wire>, Failure> {
    let stream = TcpStream::connect(hub).await?;
    match tls {
        None => Ok(Box::new(stream)),
        Some(tls) => Ok(Box::new(tls.connect(hub.ip().into(), stream).await?)),
    }
}

impl Link {
    /// Connects, and waits for the welcome.
    async fn open(way: &Way, phone: &mut Phone) -> Result<Self, Failure> {
        let hub = way.hubs[(phone.place + phone.conn as usize) % way.hubs.len()];
        phone.conn += 1;
        let wire = dial(hub, way.tls.as_ref()).await?;
        let uri = format!("ws://{hub}/link").parse()?;
        let request = ClientRequestBuilder::new(uri)
            .with_sub_protocol(SUB_PROTOCOL)
            .with_header("X-Forwarded-For", phone.address().to_string());
        let (socket, _) = client_async(request, wire).await?;
        let mut link = Self {
            socket,
            pings: Cell::new(0),
        };
        let HubFrame::Challenge(challenge) = link.next().await? else {
            return Err("no challenge".into());
        };
        let hello = hello(hub, phone, &challenge)?;
        link.write(PhoneFrame::Hello(hello)).await?;
        match link.next().await? {
            HubFrame::Welcome(_) => Ok(link),
            other => Err(format!("no welcome: {other:?}").into()),
        }
    }

    /// Handles what comes, until the link ends.
    async fn hold(mut self, phone: &mut Phone) -> Failure {
        let ended = self.hold_on(phone).await;
        ended.err().unwrap_or_else(|| "the link ended".into())
    }

    async fn hold_on(&mut self, phone: &mut Phone) -> Result<(), Failure> {
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
                phone.down = s;
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

fn hello(hub: SocketAddr, phone: &Phone, challenge: &Challenge) -> Result<Hello, Failure> {
    let mut hello = Hello {
        v: (1, 1),
        features: Vec::new(),
        phone: phone.device,
        install: INSTALL.parse().map_err(|_| "no installation's name")?,
        conn: phone.conn,
        sig: Bytes::default(),
        generation: challenge.generation,
        down: phone.down,
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
    let signed = expected_bytes(&hub.ip().to_string(), &challenge.nonce, &hello);
    hello.sig = Bytes(phone.key.sign(&signed).as_ref().to_vec());
    Ok(hello)
}

/// The boot clock of all phones.
fn mono_ms() -> u64 {
    unix_us() / 1_000
}
