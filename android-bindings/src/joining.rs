//! Joining a hub: one task, from the invitation to its outcome.

use crate::{
    error::AgentError,
    invitation::Invitation,
    running::trust,
    shell::{PairingFailure, PairingOutcome, Shell},
};
use postrider_agent::{
    DeviceDescription, HubAddress, Identity, Pairing, PairingError, TlsConfig, adopt_pairing,
    install_of, pair,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::task::spawn_blocking;

/// The checked input for joining a hub.
pub(crate) struct Asked {
    folder: PathBuf,
    hub: HubAddress,
    tls: Arc<TlsConfig>,
    invitation: Invitation,
    device: DeviceDescription,
}

impl Asked {
    /// Checks the invitation and the roots.
    pub(crate) fn new(
        folder: &Path,
        roots: &[Vec<u8>],
        is_plain_allowed: bool,
        invitation: Invitation,
        device: DeviceDescription,
    ) -> Result<Self, AgentError> {
        let hub = invitation.check()?;
        let hub = if is_plain_allowed {
            hub
        } else {
            hub.require_encrypted_or_local()?
        };
        Ok(Self {
            folder: folder.to_owned(),
            hub: hub.clone(),
            tls: trust(roots, &invitation.pins, hub.is_secure())?.client_config()?,
            invitation,
            device,
        })
    }
}

/// Joins, and tells the shell how it ended, even if it was aborted.
pub(crate) async fn run(asked: Asked, identity: Arc<dyn Identity>, shell: Arc<dyn Shell>) {
    let mut unsaid = Unsaid(Some(shell.clone()));
    let outcome = match join(asked, identity.as_ref(), shell.as_ref()).await {
        Ok(()) => PairingOutcome::Paired,
        Err(outcome) => outcome,
    };
    unsaid.0 = None;
    shell.on_pairing_over(outcome);
}

/// Tells the shell that pairing was cancelled, unless another outcome was told before.
struct Unsaid(Option<Arc<dyn Shell>>);

impl Drop for Unsaid {
    fn drop(&mut self) {
        if let Some(shell) = self.0.take() {
            shell.on_pairing_over(PairingOutcome::Cancelled);
        }
    }
}

async fn join(
    asked: Asked,
    identity: &dyn Identity,
    shell: &dyn Shell,
) -> Result<(), PairingOutcome> {
    let folder = asked.folder.clone();
    let reading = spawn_blocking(move || {
        install_of(&folder).or_else(|error| {
            if !error.is_unreadable() {
                return Err(error);
            }
            tracing::error!(%error, "the journal is set aside");
            Pairing::set_aside(&folder).map_err(std::io::Error::other)?;
            install_of(&folder)
        })
    });
    let install = reading
        .await
        .map_err(|error| failed(PairingFailure::App, error))?
        .map_err(not_kept)?;
    let show = |digits: &str| shell.on_pairing_digits(digits.to_owned());
    let code = &asked.invitation.code;
    let joined = pair(
        &asked.hub,
        &asked.tls,
        code,
        &install,
        identity,
        &asked.device,
        show,
    );
    let pairing = Pairing {
        pins: asked.invitation.pins.clone(),
        ..joined.await?
    };
    adopt_pairing(&asked.folder, install, &pairing).map_err(not_kept)
}

fn not_kept(error: impl std::fmt::Display) -> PairingOutcome {
    failed(PairingFailure::Storage, error)
}

fn failed(why: PairingFailure, error: impl std::fmt::Display) -> PairingOutcome {
    tracing::error!(%error, "pairing failed");
    PairingOutcome::Failed { why }
}

impl From<PairingError> for PairingOutcome {
    fn from(error: PairingError) -> Self {
        match error {
            PairingError::Refused { code, message } => Self::Refused { code, message },
            PairingError::OtherDigits => Self::OtherDigits,
            PairingError::TimedOut => Self::TimedOut,
            PairingError::Answer(_) => failed(PairingFailure::NotAHub, error),
            PairingError::UnsafeLink => failed(PairingFailure::UnsafeLink, error),
            PairingError::Random(_) => failed(PairingFailure::App, error),
        }
    }
}
