//! The whole agent: pairing, TLS, socket, journal, machines.

use postrider_agent::{
    Condition, DeviceDescription, DialUssd, HubAddress, InstallError, Log, PaceLimits, Phone,
    PhoneConfig, PlaceCall, Radio, RadioFacts, ScanMark, SendParts, SentRowAsked, SoftwareIdentity,
    SystemClock, Trust, WaitChoice, install_of, pair,
};
use std::{error::Error, path::PathBuf, sync::Arc};

struct Silent;

impl Radio for Silent {
    fn send_parts(&self, _task: &SendParts) {}
    fn dial_ussd(&self, _task: &DialUssd) {}
    fn place_call(&self, _task: &PlaceCall) {}
    fn read_sent_row(&self, _asked: &SentRowAsked) {}
    fn read_log(&self, _log: Log, _from: ScanMark) {}
    fn confirm_received(&self, _receipt: u64) {}
}

/// Pairs with the hub of the second word by the code of the third, and runs until it ends.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [folder, hub, code, ..] = words else {
        return Err("FOLDER HUB CODE".into());
    };
    tokio::runtime::Runtime::new()?.block_on(phone(folder.into(), hub, code))
}

async fn phone(folder: PathBuf, hub: &str, code: &str) -> Result<(), Box<dyn Error>> {
    let hub: HubAddress = hub.parse()?;
    let install = install_of(&folder).map_err(|error: InstallError| error.to_string())?;
    let tls = Trust::default().client_config()?;
    let identity = Arc::new(SoftwareIdentity::open(&folder)?);
    let device = DeviceDescription::default();
    let show = |digits: &str| println!("{digits}");
    let pairing = pair(&hub, &tls, code, &install, identity.as_ref(), &device, show).await?;
    let (_facts, inbox) = RadioFacts::channel();
    let config = PhoneConfig {
        folder,
        pairing,
        hub: Some(hub),
        tls,
        identity,
        clock: Arc::new(SystemClock::of_this_boot()?),
        sims: Vec::new(),
        condition: Condition::default(),
        limits: PaceLimits::UNLIMITED,
        quiet_hours: Vec::new(),
        waits: WaitChoice::default(),
        is_paused: false,
        observer: None,
        watch: None,
    };
    let phone = Phone::start(config, Arc::new(Silent), inbox).await?;
    phone.closed().await;
    println!("{:?}", phone.stop().await?);
    Ok(())
}
