//! Certificates from an authority that vouches for names by itself (ACME, RFC 8555): one for each name, so that a name
//! that does not lead here keeps no other from being renewed.

mod account;
mod client;
mod due;
mod error;
mod names;
mod order;
mod settings;
mod shelf;
mod shown;

pub(crate) use self::names::is_certifiable;
pub use self::settings::AcmeSettings;
pub(crate) use self::shown::CHALLENGE;

use self::due::{Tries, Validity};
use self::error::AcmeError;
use self::shelf::Shelf;
use self::shown::Shown;
use crate::tls::TlsError;
use hub_app::alerts::of_hub;
use hub_app::hub::Hub;
use hub_domain::HubAlertKind;
use instant_acme::Account;
use postrider_model::UnixMs;
use rustls::server::ResolvesServerCert;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Where the authorities' folders are, in the hub's folder for TLS.
const FOLDER: &str = "acme";
/// How often the hub looks whether a name is new or a certificate due.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// The least pause between two looks.
const LOOK_PAUSE_MIN: Duration = Duration::from_secs(1);

/// Asks for certificates and renews them.
pub(super) struct Acme {
    settings: AcmeSettings,
    shelf: Shelf,
    shown: Arc<Shown>,
    account: Option<Account>,
    names: BTreeMap<String, Name>,
}

/// What is known of a name.
#[derive(Default)]
struct Name {
    /// Its certificate.
    held: Option<Validity>,
    tries: Tries,
}

impl Name {
    fn due(&self) -> UnixMs {
        self.tries.due(self.held)
    }
}

impl Acme {
    /// Reads the certificates that are there.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(super) fn open(folder: &Path, settings: AcmeSettings) -> Result<Self, TlsError> {
        let mut acme = Self {
            shelf: Shelf::open(&folder.join(FOLDER), &settings.directory)?,
            shown: Arc::new(Shown::new(settings.public.clone())),
            account: None,
            names: BTreeMap::new(),
            settings,
        };
        for name in names::needed(&acme.settings, [].into_iter()) {
            acme.take_up(&name);
        }
        Ok(acme)
    }

    /// Returns what handshakes are shown.
    pub(super) fn shown(&self) -> Arc<dyn ResolvesServerCert> {
        Arc::clone(&self.shown) as _
    }

    /// Keeps a certificate for each name, for as long as the hub runs.
    pub(super) async fn run(mut self, hub: Hub) {
        loop {
            let needed = self.needed(&hub).await;
            self.names.retain(|name, _| needed.contains(name));
            for name in &needed {
                self.take_up(name);
            }
            for name in &needed {
                self.renew_if_due(name, &hub).await;
            }
            let now = hub.now().unix;
            renewal_failing(&hub, self.failing_since(now)).await;
            tokio::time::sleep(self.pause(now)).await;
        }
    }

    /// Returns the names that need certificates now; the names of before while the database does not say.
    async fn needed(&self, hub: &Hub) -> Vec<String> {
        match hub.cache.short_domains(&hub.store).await {
            Ok(all) => names::needed(&self.settings, all.keys().cloned()),
            Err(_) => self.names.keys().cloned().collect(),
        }
    }

    /// Shows the certificate that a new name has from an earlier run.
    fn take_up(&mut self, name: &str) {
        if self.names.contains_key(name) {
            return;
        }
        let kept = self.shelf.certificate(name).unwrap_or_else(|error| {
            tracing::warn!(%error, "a certificate cannot be used: another one is asked for");
            None
        });
        let held = kept.as_ref().map(|kept| kept.validity);
        if let Some(kept) = kept {
            self.shown.show(name, kept.certified);
        }
        let tries = Tries::default();
        self.names.insert(name.to_owned(), Name { held, tries });
    }

    async fn renew_if_due(&mut self, name: &str, hub: &Hub) {
        let is_due = |known: &Name| known.due() <= hub.now().unix;
        if !self.names.get(name).is_some_and(is_due) {
            return;
        }
        let issued = self.issue(name).await;
        let now = hub.now().unix;
        if issued.as_ref().is_err_and(AcmeError::is_no_account) {
            self.forget_account();
        }
        let Some(known) = self.names.get_mut(name) else {
            return;
        };
        match issued {
            Ok(validity) => {
                known.held = Some(validity);
                known.tries.succeeded(now, validity);
                tracing::info!(name, "a certificate was issued");
            }
            Err(error) => {
                known.tries.failed(now);
                let again_s = (known.due().0 - now.0) / 1_000;
                tracing::warn!(name, %error, again_s, "no certificate was issued");
            }
        }
    }

    /// Asks for a certificate, keeps it and shows it.
    async fn issue(&mut self, name: &str) -> Result<Validity, AcmeError> {
        let account = match &self.account {
            Some(account) => account.clone(),
            None => account::open(&self.shelf, &self.settings).await?,
        };
        self.account = Some(account.clone());
        let issued = order::certificate(&account, name, &self.shown).await?;
        let kept = self.shelf.keep_certificate(name, &issued)?;
        self.shown.show(name, kept.certified);
        Ok(kept.validity)
    }

    /// Has the next try make an account anew.
    fn forget_account(&mut self) {
        self.account = None;
        if let Err(error) = self.shelf.forget_account() {
            tracing::warn!(%error, "an account that the authority does not know cannot be removed");
        }
    }

    fn failing_since(&self, now: UnixMs) -> Option<UnixMs> {
        let alarms = self.names.values();
        alarms.filter_map(|it| it.tries.alarm(it.held, now)).min()
    }

    /// Returns how long nothing is to be done.
    fn pause(&self, now: UnixMs) -> Duration {
        let next = self.names.values().map(Name::due).min();
        let left_ms = next.map_or(0, |next| next.0.saturating_sub(now.0));
        let left = Duration::from_millis(u64::try_from(left_ms).unwrap_or(0));
        left.clamp(LOOK_PAUSE_MIN, LOOK_EVERY)
    }
}

/// Tells the operator since when certificates could not be renewed; `None`: they are.
async fn renewal_failing(hub: &Hub, since: Option<UnixMs>) {
    let kind = HubAlertKind::CertificateNotRenewed;
    if let Err(error) = of_hub::follow(hub, kind, since.is_some()).await {
        tracing::debug!(%error, "the alert of certificates is stored later");
    }
}
