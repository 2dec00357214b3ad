//! Thousands of phones that only hold their links: memory for each, and how soon all are back.

use super::{Scale, empty_database};
use crate::{
    Failure,
    clock::now,
    fleet::{self, Fleet, Way},
    hub::{Hub, Serving},
    load::block_on,
    process::{anonymous_mib, memory_mib},
    report::{Figure, Limit},
    stats::median,
};
use std::{path::Path, sync::Arc, time::Duration};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore},
};

pub(super) const IDLE_NAMES: &[&str] = &[
    "idle_phone_kib",
    "idle_phone_anonymous_kib",
    "idle_phone_tls_kib",
    "idle_phone_tls_anonymous_kib",
];
pub(super) const BACK_NAMES: &[&str] = &[
    "phones_back_after_restart_s",
    "phones_back_after_one_of_three_s",
];

/// Nothing but the links is to take memory then.
const SETTLE: Duration = Duration::from_secs(5);
/// How long phones may take to come back until it is an error.
const PATIENCE: Duration = Duration::from_secs(300);
/// Lets one project have all the phones.
const ROOM: [&str; 4] = ["--project-connections", "20000", "--phones-max", "20000"];

/// Measures what the hub's process holds for each admitted phone.
pub(super) fn measure_idle(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let wanted = usize::try_from(scale.many * 199 / 10_000)?;
    let count = wanted.min(fleet::room());
    eprintln!("  {count} phones");
    let mut kib = block_on(idle_kib(count, false))?.to_vec();
    kib.extend(block_on(idle_kib(count, true))?);
    let limits = [
        Limit::AtMost(16.0),
        Limit::None,
        Limit::AtMost(24.0),
        Limit::None,
    ];
    let figures = IDLE_NAMES.iter().zip(kib.into_iter().zip(limits));
    let figures = figures.map(|(name, (value, limit))| Figure::new(name, value, "KiB", limit));
    Ok(figures.collect())
}

/// Returns what the hub holds for each phone, in all and of its own.
async fn idle_kib(count: usize, has_tls: bool) -> Result<[f64; 2], Failure> {
    let mut hub = Hub::start(0)?;
    let devices = fleet::make(&hub, count).await?;
    hub.kill();
    let tls = has_tls.then(|| Tls::make(hub.disk())).transpose()?;
    let files = tls
        .iter()
        .flat_map(|tls| tls.arguments.iter().map(String::as_str));
    let arguments: Vec<_> = ROOM.into_iter().chain(files).collect();
    let serving = hub.serve(0, &arguments).await?;
    let held = || Ok::<_, Failure>([memory_mib(serving.pid())?, anonymous_mib(serving.pid())?]);
    let before = held()?;
    let way = Way::once(serving.address, tls.map(|tls| tls.connector));
    let fleet = Fleet::hold(&devices, way).await?;
    tokio::time::sleep(SETTLE).await;
    let after = held()?;
    match fleet.ended() {
        0 => Ok([0, 1].map(|at| (after[at] - before[at]) * 1024.0 / count as f64)),
        ended => Err(format!("{ended} of {count} links ended").into()),
    }
}

/// A certificate of a hub on loopback, and what trusts it.
struct Tls {
    arguments: [String; 4],
    connector: TlsConnector,
}

impl Tls {
    fn make(folder: &Path) -> Result<Self, Failure> {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name));
        std::fs::write(&cert, made.cert.pem())?;
        std::fs::write(&key, made.signing_key.serialize_pem())?;
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone())?;
        let trusting = ClientConfig::builder().with_root_certificates(roots);
        let file = |path: &Path| path.display().to_string();
        Ok(Self {
            arguments: [
                "--tls-cert".into(),
                file(&cert),
                "--tls-key".into(),
                file(&key),
            ],
            connector: Arc::new(trusting.with_no_client_auth()).into(),
        })
    }
}

/// Measures how long phones take to come back, on a hub that restarts and on those that are left.
pub(super) fn measure_back(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let count = usize::try_from(scale.many / 100)?;
    let back = |hubs| {
        let runs = (0..scale.runs).map(|_| block_on(back_s(count, hubs)));
        Ok::<_, Failure>(median(runs.collect::<Result<_, _>>()?))
    };
    let figures = BACK_NAMES.iter().zip([back(1)?, back(3)?]);
    let figures = figures.map(|(name, value)| Figure::new(name, value, "s", Limit::AtMost(90.0)));
    Ok(figures.collect())
}

async fn back_s(count: usize, hubs: usize) -> Result<f64, Failure> {
    let mut hub = Hub::start_on(Some(empty_database()?), 0)?;
    let devices = fleet::make(&hub, count).await?;
    hub.kill();
    let mut serving: Vec<Serving> = Vec::new();
    for _ in 0..hubs {
        serving.push(hub.serve(0, &ROOM).await?);
    }
    let addresses = serving.iter().map(|hub| hub.address).collect();
    let fleet = Fleet::hold(&devices, Way::to(addresses)).await?;
    let began = now();
    let gone = &mut serving[0];
    gone.kill();
    let port = gone.address.port();
    if hubs == 1 {
        serving.push(hub.serve(port, &ROOM).await?);
    }
    while fleet.open() == count {
        tokio::task::yield_now().await;
    }
    fleet.all_open(PATIENCE).await?;
    Ok(began.elapsed().as_secs_f64())
}
