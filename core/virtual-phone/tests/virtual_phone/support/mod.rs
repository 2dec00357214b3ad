//! What the tests of a virtual phone share: a small hub, and waiting for a condition.

pub(crate) mod hub;
mod link;
mod pairing;

use std::{path::Path, time::Duration};
use virtual_phone::{RadioLog, VirtualPhone, VirtualPhoneConfig};

/// How long a test waits for a condition before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until `condition` holds.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
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
pub(crate) fn config(hub: &hub::TestHub, folder: &Path) -> VirtualPhoneConfig {
    VirtualPhoneConfig {
        hub: Some(hub.url().parse().unwrap()),
        code: Some(postrider_model::Secret::new(hub::CODE)),
        numbers: vec!["+15005550001".parse().unwrap()],
        radio_log: Some(RadioLog::open(&log_of(folder)).unwrap().into()),
        ..VirtualPhoneConfig::new(folder)
    }
}

/// Starts a phone that confirms itself.
pub(crate) async fn start(hub: &hub::TestHub, folder: &Path) -> VirtualPhone {
    hub.confirm();
    VirtualPhone::start(config(hub, folder)).await.unwrap()
}

/// Starts a phone that confirms itself, and returns its screen as well.
pub(crate) async fn start_watched(hub: &hub::TestHub, folder: &Path) -> (VirtualPhone, Screen) {
    hub.confirm();
    let mut config = config(hub, folder);
    let screen = watch(&mut config);
    (VirtualPhone::start(config).await.unwrap(), screen)
}

/// Returns where a phone's radio log is.
pub(crate) fn log_of(folder: &Path) -> std::path::PathBuf {
    folder.join("radio.jsonl")
}

/// Returns the lines of a phone's radio log.
pub(crate) fn radio(folder: &Path) -> Vec<serde_json::Value> {
    let log = std::fs::read_to_string(log_of(folder)).unwrap_or_default();
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a phone showed, line by line.
pub(crate) type Screen = std::sync::Arc<std::sync::Mutex<Vec<String>>>;

/// Lets a phone show what it does on a screen that a test reads.
pub(crate) fn watch(config: &mut VirtualPhoneConfig) -> Screen {
    let screen = Screen::default();
    let shown = screen.clone();
    config.watcher = Some(std::sync::Arc::new(move |seen| {
        shown.lock().unwrap().push(seen.to_string());
    }));
    screen
}

/// Tells whether a line of the screen has these words.
pub(crate) fn shows(screen: &Screen, words: &str) -> bool {
    let lines = screen.lock().unwrap();
    lines.iter().any(|line| line.contains(words))
}

/// Waits until a phone itself has noticed this many ends or beginnings of its link.
///
/// The hub's side is open, or closed, before the phone has read of it. Tests that move the phone's
/// clock must wait for the phone.
pub(crate) async fn noticed(screen: &Screen, words: &str, times: usize) {
    let seen = || {
        let lines = screen.lock().unwrap();
        lines.iter().filter(|line| *line == words).count()
    };
    until(words, || seen() == times).await;
}

/// Makes something happen to a phone, by a line of its standard input.
pub(crate) async fn happen(phone: &VirtualPhone, line: &str) {
    let input = virtual_phone::Input::parse(line).unwrap();
    assert!(phone.take(input).await, "{line}");
}

/// Returns how many lines the radio log has, all of different messages.
pub(crate) fn once_each(folder: &Path) -> usize {
    let lines = radio(folder);
    let ids: std::collections::BTreeSet<_> = lines
        .iter()
        .map(|line| line["message_id"].to_string())
        .collect();
    assert_eq!(ids.len(), lines.len(), "a message was handed over twice");
    lines.len()
}
