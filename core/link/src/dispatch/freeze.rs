//! What a freeze concerns: a hub that went backwards sends nothing before it knows what it forgot.
//!
//! A hub on older data than its phones saw (a restore, or a folder that somebody copied back) may
//! have given a phone what it now believes to be in its queue. Each phone's own pages tell what it
//! holds; until then the phone is *frozen*: nothing is exposed to it. A message may also have gone
//! to another phone of its project, so when the whole project is concerned, what it had queued up
//! to the freeze waits for the word of all its phones; what is made later goes on with each phone
//! that has answered. No message ever goes to a phone of another project, so neither does a freeze.
//!
//! How far a project is frozen:
//!
//! - a restore freezes every project ([`freeze_all`]). What the backup has out of service may have
//!   been paired again since, so it is frozen, too, with what is queued for it; but no other message
//!   waits for it, as none waits for a phone that joined since;
//! - one phone whose numbers show more than the hub ever sent or acked freezes itself alone
//!   ([`freeze_alone`]), for it may be the phone that is wrong: any phone can say any number. It is
//!   asked for its pages under a generation of its own. A row of them that carries the hub's own
//!   proof, of an exposure that the hub does not know, is the hub's own word: it freezes the project.
//!
//! It ends with the pages of the last frozen phone ([`answered`]), or with the operator's word for
//! those that will not come back ([`gone`]): what they were given, or may have been, is then unknown.
//! Where all messages wait for their word, that is all of them. See ADR 6 and ADR 14.

#[cfg(test)]
mod tests;

use crate::mistake;
use postrider_model::DeviceId;

/// What a project waits with until its phones have answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freeze {
    /// Whose word its messages wait for.
    pub scope: Scope,
    /// The newest key when it was frozen: later messages do not wait.
    pub up_to: i64,
}

/// Whose word a frozen project's messages wait for; the codes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Their own phone's.
    Own = 1,
    /// That of all phones in service.
    All = 2,
    /// That of all phones, one of which will never give it.
    AllButLost = 3,
}

impl Scope {
    /// Returns the code that is stored.
    pub const fn code(self) -> i64 {
        self as i64
    }

    /// Returns the scope stored as `code`, or `None` for a code that no version wrote.
    pub const fn from_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Own),
            2 => Some(Self::All),
            3 => Some(Self::AllButLost),
            _ => None,
        }
    }
}

/// A device, as far as a freeze goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Which.
    pub id: DeviceId,
    /// Whether nothing is exposed to it until it has shown what it holds.
    pub frozen: bool,
    /// Whether it may connect: a device out of service is frozen, but nobody waits for its word.
    pub in_service: bool,
    /// The generation that it has answered to.
    pub gen_seen: u64,
    /// The generation that it alone is to agree on.
    pub gen_own: u64,
}

/// Who of a project is frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frozen {
    /// Whether a device in service is.
    pub waits: bool,
    /// Whether any is.
    pub any: bool,
}

/// Whose queue may have been given to a phone that will never tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queues {
    /// Those of this device's own SIMs.
    OfDevice(DeviceId),
    /// All of the project.
    OfProject,
}

/// The rows of one project that a freeze reads and writes.
pub trait Rows {
    /// What the storage says when it fails.
    type Error;

    /// Reads the hub's generation.
    fn generation(&mut self) -> Result<u64, Self::Error>;
    /// Reads the newest key that the hub made.
    fn newest_key(&mut self) -> Result<i64, Self::Error>;
    /// Reads how far the project is frozen.
    fn freeze(&mut self) -> Result<Option<Freeze>, Self::Error>;
    /// Stores how far the project is frozen.
    fn put_freeze(&mut self, freeze: Option<Freeze>) -> Result<(), Self::Error>;
    /// Reads every device of the project.
    fn devices(&mut self) -> Result<Vec<Device>, Self::Error>;
    /// Returns which devices of the project are frozen.
    fn frozen(&mut self) -> Result<Frozen, Self::Error>;
    /// Freezes a device until it has answered to a generation of its own.
    fn freeze_device(&mut self, id: DeviceId, gen_own: u64) -> Result<(), Self::Error>;
    /// Ends a device's freeze.
    fn thaw_device(&mut self, id: DeviceId) -> Result<(), Self::Error>;
    /// Stores whether a device is frozen by its own numbers alone.
    fn put_alone(&mut self, id: DeviceId, alone: bool) -> Result<(), Self::Error>;
    /// Ends what waits in these queues, up to a key, as unknown.
    fn forget_exposures(&mut self, of: Queues, up_to: i64) -> Result<(), Self::Error>;
}

impl Freeze {
    /// Returns the key up to which queued messages wait, whichever phone they are for.
    pub fn holds_up_to(self) -> Option<i64> {
        (self.is_whole() && !mistake::is("freeze_holds_nothing")).then_some(self.up_to)
    }

    /// Returns whether messages wait for the word of all phones, not only of their own.
    pub fn is_whole(self) -> bool {
        self.scope != Scope::Own
    }

    /// Returns whether a queued message may be on a phone that has not answered: nobody can say of it
    /// that it was not sent. `is_own_frozen` is asked about the phone that it is queued for.
    pub fn may_be_out<E>(
        self,
        key: i64,
        is_own_frozen: impl FnOnce() -> Result<bool, E>,
    ) -> Result<bool, E> {
        if key > self.up_to {
            return Ok(false);
        }
        if self.is_whole() {
            return Ok(true);
        }
        is_own_frozen()
    }

    /// Returns whether its own phone may have a queued message and is waited for by nobody else: then
    /// the message goes to another one by its sender's choice alone (R4).
    pub fn may_be_with_its_phone(self, key: i64, own: Device) -> bool {
        let is_waited_for = self.is_whole() && own.in_service;
        key <= self.up_to && own.frozen && !is_waited_for
    }

    /// Returns whether a message that its phone gave back may still be on one that all waited for and
    /// that will never answer.
    pub fn may_be_with_a_lost_phone(self, key: i64) -> bool {
        self.scope == Scope::AllButLost && key <= self.up_to
    }
}

impl Device {
    /// Returns whether it has to connect again and show what it holds, under the hub's generation or
    /// its own, whichever is higher.
    pub fn must_come_again(self, generation: u64) -> bool {
        self.frozen && self.gen_seen < generation.max(self.gen_own)
    }

    /// Returns the generation of its own under which it is asked: a new one, unless it has not
    /// answered the last one.
    fn asked_under(self, generation: u64) -> u64 {
        if self.gen_seen >= generation.max(self.gen_own) {
            self.gen_seen + 1
        } else {
            self.gen_own
        }
    }
}

/// Freezes a project, each of its devices until it has answered. What is out of service may have
/// been paired again since, so it is frozen, too. Returns whether anybody is waited for.
///
/// # Errors
/// What the storage says.
pub fn freeze_all<R: Rows>(rows: &mut R) -> Result<bool, R::Error> {
    let before = rows.freeze()?;
    let generation = rows.generation()?;
    for device in rows.devices()? {
        rows.put_alone(device.id, false)?;
        let asked_under = device.asked_under(generation);
        if !device.frozen || asked_under != device.gen_own {
            rows.freeze_device(device.id, asked_under)?;
        }
    }
    let frozen = rows.frozen()?;
    if frozen.any {
        let scope = match before.map(|freeze| freeze.scope) {
            _ if !frozen.waits => Scope::Own,
            Some(Scope::AllButLost) => Scope::AllButLost,
            _ => Scope::All,
        };
        let up_to = rows.newest_key()?;
        rows.put_freeze(Some(Freeze { scope, up_to }))?;
    }
    Ok(frozen.waits)
}

/// Freezes one device whose numbers show that the hub went backwards: it may be the one that is
/// wrong, so nobody else waits.
///
/// # Errors
/// What the storage says.
pub fn freeze_alone<R: Rows>(rows: &mut R, device: Device) -> Result<(), R::Error> {
    rows.put_alone(device.id, true)?;
    rows.freeze_device(device.id, device.gen_own)?;
    let before = rows.freeze()?;
    let freeze = Freeze {
        scope: before.map_or(Scope::Own, |freeze| freeze.scope),
        up_to: rows.newest_key()?,
    };
    rows.put_freeze(Some(freeze))
}

/// Ends a device's freeze: it has shown all that it holds, or was never given anything. Returns
/// whether its project waits for nobody any more.
///
/// # Errors
/// What the storage says.
pub fn answered<R: Rows>(rows: &mut R, device: Device) -> Result<bool, R::Error> {
    if !device.frozen {
        return Ok(false);
    }
    rows.thaw_device(device.id)?;
    rows.put_alone(device.id, false)?;
    let Some(freeze) = rows.freeze()? else {
        return Ok(false);
    };
    let frozen = rows.frozen()?;
    if frozen.waits && !mistake::is("first_answer_thaws") {
        return Ok(false);
    }
    let scope = Scope::Own;
    rows.put_freeze(frozen.any.then_some(Freeze { scope, ..freeze }))?;
    Ok(true)
}

/// Ends the freeze of a device that will never say what it holds; `device` is its row as it was
/// until then. What waits and may have been given to it is unknown: what its own SIMs had queued,
/// and all that the project had queued where everything waits for its word. Returns whether its
/// project waits for nobody any more.
///
/// # Errors
/// What the storage says.
pub fn gone<R: Rows>(rows: &mut R, device: Device) -> Result<bool, R::Error> {
    if !device.frozen {
        return Ok(false);
    }
    if let Some(freeze) = rows.freeze()? {
        let of_all = freeze.is_whole() && device.in_service;
        let queues = if of_all {
            Queues::OfProject
        } else {
            Queues::OfDevice(device.id)
        };
        rows.forget_exposures(queues, freeze.up_to)?;
        if of_all {
            let scope = Scope::AllButLost;
            rows.put_freeze(Some(Freeze { scope, ..freeze }))?;
        }
    }
    answered(rows, device)
}
