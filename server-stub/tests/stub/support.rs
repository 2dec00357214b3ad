//! A stub with a virtual phone at it.

use postrider_agent::{TlsConfig, Trust};
use server_stub::scenario::{Scenario, Wait};
use server_stub::verdict::Verdict;
use server_stub::{Stub, StubConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::timeout;
use virtual_phone::{RadioLog, VirtualPhone, VirtualPhoneConfig};

/// How long a test waits before it calls a condition unmet.
const PATIENCE: Duration = Duration::from_secs(120);

/// One run: a folder with a radio log, and the stub that compares with it.
pub(crate) struct Run {
    pub folder: TempDir,
    pub stub: Stub,
    pub tls: Option<Arc<TlsConfig>>,
}

impl Run {
    /// Starts a stub.
    pub(crate) async fn start(scenario: &str) -> Self {
        Self::of(Scenario::parse(scenario).unwrap()).await
    }

    /// Starts a stub of a scenario.
    pub(crate) async fn of(scenario: Scenario) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = StubConfig::new(scenario);
        config.radio_log = Some(radio_log(folder.path()));
        let stub = Stub::start(config).await.unwrap();
        Self {
            folder,
            stub,
            tls: None,
        }
    }

    /// Lets the phone trust as `trust` says.
    pub(crate) fn trusting(mut self, trust: &Trust) -> Self {
        self.tls = Some(trust.client_config().unwrap());
        self
    }

    /// Returns how the phone of this run is made.
    pub(crate) fn phone_config(&self) -> VirtualPhoneConfig {
        let mut config = VirtualPhoneConfig::new(self.folder.path().join("phone"));
        config.hub = Some(self.stub.base_url().parse().unwrap());
        config.code = Some(postrider_model::Secret::new(self.stub.code()));
        config.numbers = vec!["+15005550001".parse().unwrap()];
        config.tls.clone_from(&self.tls);
        let log = RadioLog::open(&radio_log(self.folder.path())).unwrap();
        config.radio_log = Some(Arc::new(log));
        config
    }

    /// Starts the phone, which joins.
    pub(crate) async fn phone(&self) -> VirtualPhone {
        let starting = VirtualPhone::start(self.phone_config());
        timeout(PATIENCE, starting).await.unwrap().unwrap()
    }

    /// Waits for the verdict.
    pub(crate) async fn finish(self) -> Verdict {
        timeout(PATIENCE, self.stub.finish()).await.unwrap()
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, wait: &str) {
        let wait: Wait = serde_json::from_str(wait).unwrap();
        timeout(PATIENCE, self.stub.until(&wait)).await.unwrap();
    }
}

pub(crate) fn radio_log(folder: &Path) -> PathBuf {
    folder.join("radio.log")
}

/// Plays a scenario with a phone that keeps the rules.
pub(crate) async fn play(scenario: &str) -> Verdict {
    let run = Run::start(scenario).await;
    let phone = run.phone().await;
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    verdict
}

/// Plays several scenarios at once, each with a stub and a phone of its own; every rule must hold.
pub(crate) async fn all_hold(scenarios: &[String]) -> Vec<Verdict> {
    let runs: Vec<_> = scenarios
        .iter()
        .cloned()
        .map(|scenario| tokio::spawn(async move { play(&scenario).await }))
        .collect();
    let mut verdicts = Vec::new();
    for (run, scenario) in runs.into_iter().zip(scenarios) {
        let verdict = run.await.unwrap();
        assert!(verdict.held, "{scenario}\n{verdict}");
        assert_eq!(verdict.ended, Some("reached"), "{scenario}\n{verdict}");
        verdicts.push(verdict);
    }
    verdicts
}

/// A scenario that sends `count` messages and breaks something.
pub(crate) fn with_fault(count: u32, fault: &str) -> String {
    format!("[[step]]\nwait.connected = 1\nsend = {{ count = {count} }}\n[[fault]]\n{fault}\n")
}
