//! `virtual-phone`: one phone as a process, which may be killed and started again on its folder.

use clap::Parser;
use postrider_agent::{HubAddress, SpkiPin, Trust, certificates};
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
use virtual_phone::{Input, Profile, RadioLog, Seen, VirtualPhone, VirtualPhoneConfig};

/// Help on the profiles and the lines.
const HELP: &str = r#"How the radio behaves (--radio):
  normal      sends at once, delivers within 300 ms
  slow        sends within 3 s, delivers within 20 s; USSD within 5 s; calls of 8 s
  flaky       refuses, fails, loses, repeats and delays at random by --seed; sometimes an
              incoming message is not broadcast, and only the platform's log has it
  no-reports  as normal, but without any delivery report
  silent      takes messages, codes and calls and never reports a result
  limit       as normal, but above 5 parts in 5 s the platform's limit is reached (code 5)
  no-service  refuses everything (code 4) until a line gives it service, then as normal
  ambiguous   takes each message and reports a failure that proves nothing
  partial     sends every part of a long message but the last
  late        reports results 2.5 to 4 minutes later, one in four after 11
  repeat      reports everything twice: results, reports, answers, incoming broadcasts
  refused     refuses messages, codes and calls for good; nothing is sent
USSD: *100# is answered with a balance, every other code with OK.

What may happen (a line each; "sim" is a slot, 0 where it is left out):
  +15005550199 any text                               a text message comes in
  {"kind":"sms","from":N,"text":T,"sim":0}            the same; the kind may be left out
  {"kind":"data","from":N,"port":7,"base64":"AQI="}   a data message comes in
  {"kind":"mms","from":N,"subject":S,"text":T}        a multimedia message comes in
  {"kind":"call","from":N,"ring_s":2,"duration_s":5}  somebody calls; without a duration the call
                                                      is missed, with "rejected":true declined,
                                                      without a number withheld
  {"kind":"sim_changed","sim":0,"fingerprint":F}      another SIM in a slot; may name a "number"
  {"kind":"sim_removed","sim":0}                      a SIM is pulled
  {"kind":"confirm_sim","sim":0}                      the owner says that it is the right one
  {"kind":"service","in":false}                       service goes or comes; may name a "sim"
  {"kind":"airplane","on":true}                       airplane mode: no service, no network
  {"kind":"network","up":false}                       the network for data goes, comes or, with a
                                                      "name" such as "mobile", changes
  {"kind":"battery","percent":15,"charging":false}    the battery
  {"kind":"clock","by_ms":-3600000}                   somebody sets the wall clock
  {"kind":"clock","sleep_ms":3600000}                 the phone sleeps: both clocks go on
  {"kind":"pause","on":true}                          the owner stops sending, or goes on
  {"kind":"release","sim":0}                          the owner has looked at a held or silent SIM
  {"kind":"allow_ussd_codes","on":true}               the owner allows codes that change settings
  {"kind":"unpair"}                                   the owner unpairs: what waits goes back, the
                                                      rest is told, everything is erased; may name
                                                      "within_s", 30 where it is left out

In its folder: its journal, its pairing and its key; and what the platform of a phone keeps, which
outlives both: provider.jsonl (sent messages), inbox.jsonl (incoming ones), calls.jsonl, each for
30 days, and reports.jsonl (delivery reports to come), for 3 days."#;

/// Lines of standard input that may wait.
const LINES_MAX: usize = 64;

/// Runs one virtual phone: it joins a route hub, sends messages, and prints what it does.
///
/// Each line on standard input makes something happen to it; see below.
#[derive(Parser)]
#[command(version, after_help = HELP)]
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
    /// How the radio behaves: one of the profiles below.
    #[arg(long, value_name = "PROFILE", default_value_t)]
    radio: Profile,
    /// The seed of the radio's random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// At most so many parts are sent in any minute; no limit without it.
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
    /// Trusts the certificates in this file beside the system's, in PEM or DER; may be repeated.
    #[arg(long, value_name = "FILE")]
    ca: Vec<PathBuf>,
    /// Allows an unencrypted hub on another machine.
    #[arg(long)]
    plain: bool,
    /// A mistake to make, for the crash checker to catch.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_parser = ["ack_first", "radio_first"])]
    fault: Option<String>,
}

fn secret(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    #[cfg(debug_assertions)]
    if let Some(fault) = arguments.fault.clone() {
        postrider_link::mistake::plant(fault);
    }
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
            Some(line) = lines.recv() => take_line(&phone, &line).await,
            _ = interrupted.recv() => break,
            _ = terminated.recv() => break,
            () = phone.closed() => break,
        }
    }
    Ok(phone.stop().await?)
}

fn config_of(arguments: Arguments) -> Result<VirtualPhoneConfig, Box<dyn Error>> {
    let trust = Trust {
        extra_roots: roots(&arguments.ca)?,
        pins: arguments.pin,
        ..Trust::default()
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
        ..VirtualPhoneConfig::new(arguments.dir)
    })
}

fn roots(files: &[PathBuf]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut roots = Vec::new();
    for file in files {
        let read = std::fs::read(file).map_err(Box::<dyn Error>::from);
        let found = read.and_then(|bytes| Ok(certificates(&bytes)?));
        roots.extend(found.map_err(|error| format!("{}: {error}", file.display()))?);
    }
    Ok(roots)
}

/// Reads lines on a thread of its own, because a waiting read cannot be cancelled.
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

async fn take_line(phone: &VirtualPhone, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    match Input::parse(line) {
        Ok(input) => {
            // If the phone has stopped, its end is reported in a moment.
            let _is_on = phone.take(input).await;
        }
        Err(error) => eprintln!("virtual-phone: {error}"),
    }
}
