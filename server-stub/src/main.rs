//! `server-stub`: plays a scenario, prints a verdict.

use clap::Parser;
use server_stub::scenario::Scenario;
use server_stub::{Stub, StubConfig, StubError};
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

/// Loopback, on a free port.
const FREE_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A hub double for agents and emulator runs: speaks the link, breaks it on purpose, judges the
/// phone.
///
/// Exit code 0: every rule held. 1: a rule was broken. 2: the scenario or an option is not valid.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// What to do and what to break; without one, the control interface leads and the run ends
    /// when it is told to.
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Check the scenario, and do nothing.
    #[arg(long, requires = "scenario")]
    check: bool,
    /// Where phones find the stub; port 0 is a free one.
    #[arg(long, value_name = "ADDR:PORT", default_value_t = FREE_PORT)]
    listen: SocketAddr,
    /// Where the control interface listens; loopback only.
    #[arg(long, value_name = "ADDR:PORT", default_value_t = FREE_PORT)]
    control: SocketAddr,
    /// The address that phones use, when it is not the one the stub listens on.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Let phones come unencrypted from other machines.
    #[arg(long)]
    allow_plain_http: bool,
    /// Compare with this log of hand-overs to the radio, as a virtual phone writes it.
    #[arg(long, value_name = "FILE")]
    radio_log: Option<PathBuf>,
    /// End the run after so many seconds, whatever the scenario says.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=604_800))]
    timeout: Option<u64>,
    /// Write the root certificate of the run here, for phones that trust roots.
    #[arg(long, value_name = "FILE")]
    root_out: Option<PathBuf>,
    /// Print one line of JSON once ready, and the verdict as another.
    #[arg(long)]
    json: bool,
    /// What to log, to standard error.
    #[arg(
        long,
        env = "SERVER_STUB_LOG",
        value_name = "FILTER",
        default_value = "warn"
    )]
    log: String,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("server-stub: {message}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether every rule held.
fn run(args: Args) -> Result<bool, String> {
    start_log(&args.log)?;
    let scenario = scenario(&args)?;
    if args.check {
        return Ok(true);
    }
    if !args.control.ip().is_loopback() {
        return Err("--control must be on loopback: whoever reaches it leads the run".to_owned());
    }
    let plain = scenario.tls.is_none() && !args.listen.ip().is_loopback();
    if plain && !args.allow_plain_http {
        let text = "plain HTTP is for loopback: give the scenario a [tls], or --allow-plain-http";
        return Err(text.to_owned());
    }
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime
        .block_on(play(args, scenario))
        .map_err(|error| error.to_string())
}

fn scenario(args: &Args) -> Result<Scenario, String> {
    let mut scenario = match &args.scenario {
        Some(path) => {
            Scenario::read(path).map_err(|error| format!("{}: {error}", path.display()))?
        }
        None => Scenario::led_by_hand(),
    };
    if let Some(seconds) = args.timeout {
        scenario.end.timeout_s = seconds;
    }
    Ok(scenario)
}

async fn play(args: Args, scenario: Scenario) -> Result<bool, StubError> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let stub = Stub::start(StubConfig {
        scenario,
        listen: args.listen,
        control: args.control,
        public_url: args.public_url,
        radio_log: args.radio_log,
    })
    .await?;
    if let (Some(path), Some((_, pem))) = (&args.root_out, stub.root()) {
        std::fs::write(path, pem)?;
    }
    print(&ready_text(&stub, args.json));
    let stopper = stub.stopper();
    let finished = stub.finish();
    tokio::pin!(finished);
    let verdict = tokio::select! {
        verdict = &mut finished => verdict,
        () = async { tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} } } => {
            stopper.stop();
            finished.await
        }
    };
    let text = if args.json {
        serde_json::to_string(&verdict).map_err(io::Error::from)?
    } else {
        verdict.to_string()
    };
    print(&text);
    Ok(verdict.held)
}

fn ready_text(stub: &Stub, json: bool) -> String {
    let ready = stub.ready();
    if json {
        return ready.to_string();
    }
    let shown = |key: &str| ready[key].as_str().unwrap_or_default().to_owned();
    let (hub, control) = (shown("base_url"), shown("control_url"));
    let (code, link) = (shown("pairing_code"), shown("pairing_uri"));
    format!(
        "phones join at  {hub}\ncontrol         {control}\ncode            {code}\nlink            {link}"
    )
}

fn print(text: &str) {
    let mut out = io::stdout().lock();
    // Nobody is left to be told that nobody reads.
    let _ = writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush());
}

fn start_log(filter: &str) -> Result<(), String> {
    let filter = tracing_subscriber::EnvFilter::try_new(filter)
        .map_err(|error| format!("--log is no filter: {error}"))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .init();
    Ok(())
}
