//! `route-hub demo`: a hub with virtual phones on a folder of its own, ready to be tried.

use crate::commands::demo_phones::{self, Phones};
use crate::commands::demo_screen::{Addresses, Screen};
use crate::commands::demo_setup::{self, Demo};
use crate::commands::logging;
use crate::commands::running::{Running, Start};
use crate::commands::serve::listen;
use crate::commands::stop_signal::StopSignal;
use crate::database::DatabaseSettings;
use crate::files::FileSettings;
use crate::nats::HintSettings;
use crate::settings::ServeSettings;
use crate::upgrading;
use crate::values::{address, log_filter, number};
use clap::Args;
use hub_app::data_folder;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Caps;
use hub_app::random::Random;
use hub_link::pairing::offer::AppOffer;
use hub_outgoing::{Guard, Names};
use hub_web::front::FrontSettings;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Where the demo listens by default; a free port if that is taken.
const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8090);
/// How long a stop waits for requests and phones.
const DRAIN: Duration = Duration::from_secs(5);

/// Runs a hub with virtual phones, joined over the real link.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep data, key and phones in this folder [default: a temporary one].
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The database, if it is no file in the folder; it is empty, or the demo's own.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// How it and the hubs beside it hint to each other.
    #[command(flatten)]
    pub nats: HintSettings,
    /// Where files are.
    #[command(flatten)]
    pub files: FileSettings,
    /// Keep the phones' own folders here [default: `phones` in the data folder].
    #[arg(long, value_name = "DIR")]
    pub phones_dir: Option<PathBuf>,
    /// Address to listen on, loopback only [default: 127.0.0.1:8090, or a free port].
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// Least number of virtual phones.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number(0u16..=1000))]
    pub phones: u16,
    /// Most SMS parts that leave a phone in any minute [default: no limit].
    #[arg(long, value_name = "PARTS_PER_MINUTE", value_parser = number(1u32..))]
    pub pace: Option<u32>,
    /// Append a line of JSON to this file for each hand-over to a phone's radio.
    #[arg(long, value_name = "FILE")]
    pub radio_log: Option<PathBuf>,
    /// Print one line of JSON once ready, and nothing else.
    #[arg(long)]
    pub json: bool,
    /// What to log.
    #[arg(
        long,
        env = "ROUTE_HUB_LOG",
        value_name = "FILTER",
        default_value = "warn",
        value_parser = log_filter
    )]
    pub log: String,
}

/// Runs the demo until it is told to stop.
///
/// # Errors
/// When it cannot start, or a part of it fails.
pub fn demo(args: DemoArgs) -> Result<(), CommandError> {
    logging::start(Some(&args.log), false)?;
    if args
        .listen
        .is_some_and(|address| !address.ip().is_loopback())
    {
        return Err(CommandError::new("the demo listens on loopback only"));
    }
    let folder = Folder::of(args.dir.as_deref())?;
    let runtime = Runtime::new()?;
    let listener = runtime.block_on(bind(args.listen))?;
    let bound = listener.local_addr()?;
    let operator = runtime.block_on(listen(SocketAddr::new(LISTEN.ip(), 0)))?;
    let operator_url = format!("http://{}", operator.local_addr()?);
    let settings = ServeSettings {
        listen: Some(bound),
        ..ServeSettings::default()
    };
    let (data, nats) = args.nats.with(&args.database, &folder.path)?;
    let (_place, store) = data.open_to_serve(true, false, 0, upgrading::logged(true))?;
    let demo = demo_setup::open(&store)?;
    let start = Start {
        parts: data_folder::parts(store, settings.base_url(bound), settings.host_names(bound))?,
        nats,
        files: args.files.place(&folder.path)?,
        listener,
        operator: Some(operator),
        tls: None,
        guard: Guard {
            allow_loopback: true,
            ..Guard::default()
        },
        front: FrontSettings::default(),
        names: Names::of_system(),
        caps: Caps::default(),
        app: AppOffer::default(),
        facts_per_s: 0,
        drain: DRAIN,
    };
    let ended = runtime.block_on(run(&args, &folder.path, start, demo, &operator_url));
    // The place in the folder is given back when nothing of the hub is left.
    drop(runtime);
    ended
}

async fn run(
    args: &DemoArgs,
    folder: &Path,
    start: Start,
    demo: Demo,
    operator_url: &str,
) -> Result<(), CommandError> {
    let mut told = StopSignal::listen()?;
    let mut running = Running::start(start).await?;
    let screen = Screen::new(args.json);
    let wish = demo_phones::Wish {
        folder: args
            .phones_dir
            .clone()
            .unwrap_or_else(|| folder.join("phones")),
        count: args.phones,
        pace: args.pace,
        radio_log: args.radio_log.clone(),
    };
    let started = tokio::select! {
        started = demo_phones::start(&running.hub, &demo, wish, &screen) => started.map(Some),
        () = told.given() => Ok(None),
    };
    let phones = match started {
        Ok(Some(phones)) => phones,
        unfinished => {
            running.stop().await;
            return unfinished.map(drop);
        }
    };
    let addresses = Addresses {
        hub: &running.hub.base_url,
        operator: operator_url,
    };
    screen.ready(&addresses, &demo, &phones.list());
    let ended = until_told(&mut told, &mut running, &phones, &screen).await;
    phones.stop().await;
    running.stop().await;
    ended
}

async fn until_told(
    told: &mut StopSignal,
    running: &mut Running,
    phones: &Phones,
    screen: &Screen,
) -> Result<(), CommandError> {
    let mut typed = screen.typed();
    loop {
        tokio::select! {
            () = told.given() => return Ok(()),
            broken = running.broken() => return Err(broken),
            Some(line) = typed.recv() => phones.receive(&line, screen),
        }
    }
}

async fn bind(wished: Option<SocketAddr>) -> Result<TcpListener, CommandError> {
    if let Some(address) = wished {
        return listen(address).await;
    }
    match listen(LISTEN).await {
        Ok(listener) => Ok(listener),
        Err(_) => listen(SocketAddr::new(LISTEN.ip(), 0)).await,
    }
}

/// The demo's folder; a temporary one is removed on drop.
struct Folder {
    path: PathBuf,
    temporary: bool,
}

impl Folder {
    fn of(dir: Option<&Path>) -> Result<Self, CommandError> {
        let temporary = dir.is_none();
        let path = dir.map_or_else(
            || std::env::temp_dir().join(format!("route-hub-demo-{}", Random::new().token::<12>())),
            Path::to_owned,
        );
        data_folder::make(&path)?;
        Ok(Self { path, temporary })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.temporary {
            // The system cleans up what cannot be removed.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
