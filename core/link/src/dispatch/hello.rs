//! A hello: whether its phone may come in, and what its admission stores.

#[cfg(test)]
mod tests;

use super::{freeze::Device, held, newest::Fence};
use crate::{
    close::CloseCode,
    frame::{Hello, InstallId, Send, SimInfo},
    mistake,
    session::hub::{self, Admission, Circumstances, Decision, DeviceLink},
};

/// Whether a device may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// It may.
    Open,
    /// Its journal was copied or went back.
    NeedsPairing,
    /// It was taken out of service.
    Ended,
}

impl Service {
    /// Returns what a device is told that may not connect.
    pub const fn refusal(self) -> Option<CloseCode> {
        match self {
            Self::Open => None,
            Self::NeedsPairing => Some(CloseCode::JournalWentBack),
            Self::Ended => Some(CloseCode::NotPaired),
        }
    }
}

/// Decides about a hello that was signed with the device's key. `acked` is what its phone acked on the
/// newest connection and no commit stored yet: a copy of the phone that lacks it is found out.
pub fn decide(
    hello: &Hello,
    service: Service,
    row: &DeviceLink,
    acked: u64,
    around: Circumstances,
) -> Decision {
    if let Some(code) = service.refusal() {
        return Decision::Refuse(code);
    }
    let mut row = row.clone();
    row.acks(acked);
    hub::decide(hello, &row, around)
}

/// Returns why a connection may not commit any more; `None` when it may. `device` and `row` are the
/// stored ones, and `generation` reads the hub's.
///
/// # Errors
/// What `generation` says.
pub fn must_end<E>(
    fence: &Fence,
    service: Service,
    (device, row): (Device, &DeviceLink),
    generation: impl FnOnce() -> Result<u64, E>,
) -> Result<Option<CloseCode>, E> {
    if let Some(code) = service.refusal() {
        return Ok(Some(code));
    }
    if !fence.admits(row) {
        return Ok(Some(CloseCode::Replaced));
    }
    // It must connect again and show what it holds.
    let is_asked = device.frozen && !mistake::is("frozen_may_stay");
    let comes_again = is_asked && device.must_come_again(generation()?);
    Ok(comes_again.then_some(CloseCode::GoingAway))
}

/// The rows of one device and its messages.
pub trait Rows: held::Rows {
    /// Another installation took the place of this one. It is never believed again, and what it held
    /// is unknown, see [`super::freeze::gone`].
    fn lose(&mut self, install: &InstallId) -> Result<(), Self::Error>;
    /// It was never given anything, see [`super::freeze::answered`].
    fn answered(&mut self) -> Result<(), Self::Error>;
    /// Its numbers show that the hub went backwards, see [`super::freeze::freeze_alone`].
    fn went_backwards(&mut self) -> Result<(), Self::Error>;
    /// Stores the link's part of its row, and the generation that it alone is to agree on.
    fn admit(&mut self, link: &DeviceLink, gen_own: u64) -> Result<(), Self::Error>;
    /// Takes in which SIMs it has.
    fn sync_sims(&mut self, sims: &[SimInfo]) -> Result<(), Self::Error>;
}

/// Stores an admission; `device` is the row before it. Returns the exposures that the phone has not
/// received and shall still get.
///
/// # Errors
/// What the storage says.
pub fn admit<R: Rows>(
    rows: &mut R,
    device: Device,
    hello: &Hello,
    admission: &Admission,
) -> Result<Vec<Send>, R::Error> {
    if let Some(lost) = &admission.lost_install {
        rows.lose(lost)?;
    } else if device.gen_seen == 0 && admission.reconcile.is_none() {
        // An installation that never was here was given nothing that could have been forgotten.
        rows.answered()?;
    }
    if admission.shows_that_hub_went_back(device.frozen) {
        rows.went_backwards()?;
    }
    rows.admit(&admission.link, admission.own_generation(device.gen_own))?;
    rows.sync_sims(&hello.sims)?;
    let by = Fence::of(hello.phone, &admission.link).holder();
    let (above, resumes) = (admission.never_received_above, admission.resumes);
    held::in_hello(rows, &by, &hello.held, above, resumes)
}
