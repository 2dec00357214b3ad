//! What the library costs its process, measured without a shell in Kotlin: values as JSON.
//!
//! `join FOLDER LINK COUNT` joins the hub of an invitation and stops once so many messages wait;
//! `start FOLDER` is the process made anew on the same folder, until it is connected.

mod clock;
mod shell;

use postrider_agent::{
    Command, Condition, DeviceDescription, Event, PaceLimits, SimInfo, WaitChoice,
};
use postrider_android::{
    Agent, AgentConfig, AgentError, PairingOutcome, PhoneState, SimQueue, read_invitation,
};
use serde_json::{Value, json};
use shell::{Ear, Heard, Key};
use std::{env, fs, path::Path, process::ExitCode, sync::Arc};

/// What ends a measurement early, in words.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let began = clock::now();
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    let measured = match words[..] {
        ["join", folder, link, count] => join(Path::new(folder), link, count),
        ["start", folder] => start(Path::new(folder), began),
        _ => Err("join FOLDER LINK COUNT | start FOLDER".into()),
    };
    match measured {
        Ok(values) => {
            println!("{values}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("shell_figures: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Joins, and takes what the hub sends; nothing leaves, since the owner has paused the phone.
fn join(folder: &Path, link: &str, count: &str) -> Result<Value, Failure> {
    let count: u32 = count.parse()?;
    let (agent, ear) = agent(folder)?;
    agent.begin_pairing(read_invitation(link.to_owned())?, device())?;
    ear.wait_for(|heard| match heard {
        Heard::Pairing(PairingOutcome::Paired) => Some(Ok(())),
        Heard::Pairing(other) => Some(Err(format!("it did not join: {other:?}"))),
        _ => None,
    })??;
    agent.start(state(false))?;
    agent.command(Command::SetPaused(true))?;
    agent.network_changed();
    ear.wait_for(|heard| matches!(heard, Heard::Event(Event::LinkUp)).then_some(()))?;
    while waiting(&agent)? < count {
        std::thread::yield_now();
    }
    agent.stop()?;
    Ok(json!({}))
}

/// Starts on what waits, and says how long it took to connect and what is resident then.
fn start(folder: &Path, began: std::time::Instant) -> Result<Value, Failure> {
    let (agent, ear) = agent(folder)?;
    agent.start(state(true))?;
    ear.wait_for(|heard| matches!(heard, Heard::Event(Event::LinkUp)).then_some(()))?;
    let took = began.elapsed();
    let waiting = waiting(&agent)?;
    let values = json!({
        "connected_ms": took.as_secs_f64() * 1e3,
        "mib": resident_kib()? / 1024.0,
        "waiting": waiting,
    });
    agent.stop()?;
    Ok(values)
}

fn agent(folder: &Path) -> Result<(Arc<Agent>, Arc<Ear>), Failure> {
    let ear = Arc::new(Ear::default());
    let of_agent = folder.join("agent");
    let config = AgentConfig {
        folder: of_agent
            .to_str()
            .ok_or("a folder without a name")?
            .to_owned(),
        roots: Vec::new(),
        is_plain_allowed: false,
    };
    let key = Arc::new(Key::of(folder)?);
    let agent = Agent::new(config, ear.clone(), key, ear.clone())?;
    Ok((agent, ear))
}

fn waiting(agent: &Agent) -> Result<u32, AgentError> {
    let queues: Vec<SimQueue> = agent.queues()?;
    Ok(queues.iter().map(|queue| queue.waiting).sum())
}

fn device() -> DeviceDescription {
    DeviceDescription {
        name: "Measured phone".to_owned(),
        manufacturer: "Example".to_owned(),
        model: "One".to_owned(),
        app_version: "0.1.0".to_owned(),
        android_sdk: Some(35),
        sims: Vec::new(),
    }
}

fn state(is_online: bool) -> PhoneState {
    PhoneState {
        sims: vec![SimInfo {
            fingerprint: Some("sim-a".to_owned()),
            ..SimInfo::default()
        }],
        condition: Condition::default(),
        limits: PaceLimits::DEFAULT,
        quiet_hours: Vec::new(),
        waits: WaitChoice::default(),
        is_online,
        is_paused: false,
        boot_count: Some(1),
    }
}

/// The most that was resident so far: the library, its program and its stacks.
fn resident_kib() -> Result<f64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib
        .ok_or("the system does not say what is resident")?
        .parse()?)
}
