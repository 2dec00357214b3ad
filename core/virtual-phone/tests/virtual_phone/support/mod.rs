//! What the tests of a virtual phone share: a small hub, and waiting for a condition.

pub mod hub;
mod link;
mod pairing;

pub use pairing::digits;

use std::{path::Path, time::Duration};
use virtual_phone::{RadioLog, VirtualPhone, VirtualPhoneConfig};

/// How long a test waits before it calls a condition unmet.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until `condition` holds.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert!(
        tokio::time::timeout(PATIENCE, waiting).await.is_ok(),
        "{what}"
    );
}

/// Returns a phone's usual configuration at a hub: its folder, its log and its code.
pub fn config(hub: &hub::TestHub, folder: &Path) -> VirtualPhoneConfig {
    VirtualPhoneConfig {
        hub: Some(hub.url().parse().unwrap()),
        code: Some(postrider_model::Secret::new(hub::CODE)),
        numbers: vec!["+15005550001".parse().unwrap()],
        radio_log: Some(RadioLog::open(&log_of(folder)).unwrap().into()),
        ..VirtualPhoneConfig::new(folder)
    }
}

/// Starts a phone that confirms itself.
pub async fn start(hub: &hub::TestHub, folder: &Path) -> VirtualPhone {
    hub.confirm();
    VirtualPhone::start(config(hub, folder)).await.unwrap()
}

/// Returns where a phone's radio log is.
pub fn log_of(folder: &Path) -> std::path::PathBuf {
    folder.join("radio.jsonl")
}

/// Returns the lines of a phone's radio log.
pub fn radio(folder: &Path) -> Vec<serde_json::Value> {
    let log = std::fs::read_to_string(log_of(folder)).unwrap_or_default();
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
