//! `virtual-phone`: one phone as a process, which may be killed and started again on its folder.

use clap::Parser;
use postrider_agent::{HubAddress, SpkiPin, Trust};
use postrider_model::{PhoneNumber, Secret};
use std::{
    error::Error,
    io::{BufRead, IsTerminal},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use virtual_phone::{Incoming, Profile, RadioLog, Seen, VirtualPhone, VirtualPhoneConfig};

/// Lines of standard input that may wait to be read.
const LINES_MAX: usize = 64;

/// Runs one virtual phone: it joins a route hub, sends what it is told to, and says so.
///
/// A line on standard input, `NUMBER TEXT` or {"from":…,"text":…}, is a message that comes in.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The hub's address; a phone that has joined may leave it out.
    #[arg(long, value_name = "URL")]
    hub: Option<HubAddress>,
    /// The one-time code to join with; not used once the phone has joined.
    #[arg(long, value_name = "CODE", value_parser = secret)]
    pair: Option<Secret>,
    /// The phone's own folder, made when missing.
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Where each hand-over to the radio is logged.
    #[arg(long, value_name = "FILE")]
    radio_log: Option<PathBuf>,
    /// How the radio behaves: normal, slow, flaky, no-reports or silent.
    #[arg(long, value_name = "PROFILE", default_value_t)]
    radio: Profile,
    /// What the radio's chances follow from.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// At most so many parts leave in any minute; without it there is no limit.
    #[arg(long, value_name = "PARTS_PER_MINUTE", value_parser = clap::value_parser!(u32).range(1..))]
    pace: Option<u32>,
    /// The number of a SIM; repeated for a phone of several SIMs.
    #[arg(long, value_name = "NUMBER")]
    number: Vec<PhoneNumber>,
    /// The name of the phone.
    #[arg(long, default_value = "Virtual Phone")]
    name: String,
    /// Trusts a hub by its public key: the Base64 of its SHA-256; may be repeated.
    #[arg(long, value_name = "SHA256")]
    pin: Vec<SpkiPin>,
    /// Allows an unencrypted hub on another machine.
    #[arg(long)]
    plain: bool,
    /// The wrong order to work in: ack-first or radio-first.
    #[cfg(feature = "fault-order")]
    #[arg(long)]
    fault: Option<postrider_agent::Fault>,
}

fn secret(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("virtual-phone: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start_log() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("VIRTUAL_PHONE_LOG").unwrap_or(EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}

#[tokio::main]
async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let phone = tokio::select! {
        started = VirtualPhone::start(config_of(arguments)?) => started?,
        _ = interrupted.recv() => return Ok(()),
        _ = terminated.recv() => return Ok(()),
    };
    let mut lines = standard_input();
    loop {
        tokio::select! {
            Some(line) = lines.recv() => take_line(&phone, &line),
            _ = interrupted.recv() => break,
            _ = terminated.recv() => break,
            () = phone.closed() => break,
        }
    }
    Ok(phone.stop().await?)
}

fn config_of(arguments: Arguments) -> Result<VirtualPhoneConfig, Box<dyn Error>> {
    let trust = Trust {
        extra_roots: Vec::new(),
        pins: arguments.pin,
    };
    let radio_log = arguments.radio_log.as_deref().map(RadioLog::open);
    Ok(VirtualPhoneConfig {
        hub: arguments.hub,
        code: arguments.pair,
        name: arguments.name,
        numbers: arguments.number,
        profile: arguments.radio,
        seed: arguments.seed,
        parts_per_minute: arguments.pace,
        radio_log: radio_log.transpose()?.map(Arc::new),
        tls: Some(trust.client_config()?),
        plain_allowed: arguments.plain,
        watcher: Some(Arc::new(|seen: &Seen<'_>| eprintln!("{seen}"))),
        #[cfg(feature = "fault-order")]
        fault: arguments.fault,
        ..VirtualPhoneConfig::new(arguments.dir)
    })
}

/// Reads lines in a thread of its own: a read that waits cannot be called off.
fn standard_input() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(LINES_MAX);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn take_line(phone: &VirtualPhone, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    match Incoming::parse(line) {
        Ok(message) => {
            // A phone that has stopped is about to be reported.
            let _is_on = phone.receive(message);
        }
        Err(error) => eprintln!("virtual-phone: {error}"),
    }
}
