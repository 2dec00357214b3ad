//! What the end of a connection means, and when to dial the hub again.

use super::{Phase, PhoneEffect, PhoneSession};
use crate::{
    close::CloseCode,
    limits::{
        DAILY_MS, PROTOCOL_ERRORS_TO_ALERT, REDIAL_BATTERY_MS_MAX, REDIAL_MS_MAX,
        REDIAL_UNKNOWN_MS_MAX,
    },
    mistake,
};
use postrider_model::{BootMs, Now};

/// Why the link ended for good or for long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Unpaired, revoked or replaced: incoming messages without an ack are set aside, the rest is
    /// erased, and the owner is told. No more dialling.
    Unpaired,
    /// The journal was copied or went back: nothing is sent, inbound facts are kept, and the owner
    /// is told to pair again. No more dialling.
    PairAgain,
    /// A newer app is needed: the owner is told, and the hub is dialled once a day.
    NeedsNewerApp,
}

/// Which schedule of redials applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedialPace {
    /// The hub is away.
    Away,
    /// The hub is away, and the phone is not on the charger.
    AwayOnBattery,
    /// The hub is there, but does not know this phone.
    NotKnown,
}

impl RedialPace {
    /// Returns the longest wait of the schedule, in milliseconds.
    pub const fn longest_ms(self) -> u64 {
        match self {
            Self::Away => REDIAL_MS_MAX,
            Self::AwayOnBattery => REDIAL_BATTERY_MS_MAX,
            Self::NotKnown => REDIAL_UNKNOWN_MS_MAX,
        }
    }
}

/// What the owner should know of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhoneAlert {
    /// Three connections in a row ended with a protocol error.
    ProtocolErrors,
    /// A newer connection with this phone's key replaced the present one, and this phone did
    /// not open it: its key and journal are in use elsewhere.
    Replaced,
    /// The hub does not know this phone, or another hub answered in its place. Repeated each time.
    NotKnown,
}

/// When to dial the hub again, and what earlier ends have shown.
#[derive(Debug)]
pub(super) struct Redial {
    at: Option<BootMs>,
    /// From the hub's `bye`: milliseconds after the end of this connection.
    told_ms: Option<u64>,
    protocol_errors: u32,
    /// No dialling until the app starts again.
    stopped: bool,
    /// Only the daily try, whatever the network does.
    daily: bool,
    /// There is no network: no dialling before the next one.
    offline: bool,
    on_battery: bool,
}

impl Redial {
    pub(super) const fn new() -> Self {
        Self {
            at: None,
            told_ms: None,
            protocol_errors: 0,
            stopped: false,
            daily: false,
            offline: false,
            on_battery: false,
        }
    }

    pub(super) const fn set_on_battery(&mut self, on_battery: bool) {
        self.on_battery = on_battery;
    }

    const fn away(&self) -> RedialPace {
        if self.on_battery {
            RedialPace::AwayOnBattery
        } else {
            RedialPace::Away
        }
    }

    pub(super) const fn at(&self) -> Option<BootMs> {
        self.at
    }

    pub(super) const fn told(&mut self, retry_ms: u64) {
        self.told_ms = Some(retry_ms);
    }

    pub(super) const fn stay_down(&mut self) {
        self.stopped = true;
        self.at = None;
    }

    pub(super) const fn session_was_good(&mut self) {
        self.protocol_errors = 0;
    }
}

impl PhoneSession {
    /// Sets the time of the next dialling, as [`PhoneEffect::PlanRedial`] asked for.
    pub fn redial_after(&mut self, delay_ms: u64, now: Now) {
        let waits = self.redial.stopped || self.redial.offline;
        if matches!(self.phase, Phase::Down) && !waits {
            self.redial.at = Some(now.boot.plus_ms(delay_ms));
        }
    }

    /// Dialling failed.
    pub fn dial_failed(&mut self) {
        if matches!(self.phase, Phase::Dialing) {
            self.phase = Phase::Down;
            self.effect(PhoneEffect::PlanRedial(self.redial.away()));
        }
    }

    /// The phone has no network: it hangs up, and no timer of the link runs before
    /// [`PhoneSession::network_changed`].
    pub fn network_lost(&mut self) {
        self.redial.offline = true;
        self.redial.told_ms = None;
        if !self.redial.daily {
            self.redial.at = None;
        }
        if matches!(self.phase, Phase::Down) {
            return;
        }
        let is_dialing = matches!(self.phase, Phase::Dialing);
        let (conn, code) = (self.conn, CloseCode::GoingAway);
        self.down_now();
        if !is_dialing {
            self.effect(PhoneEffect::Disconnect { conn, code });
        }
    }

    /// Another network carries the phone's data now: reconnects at once.
    pub fn network_changed(&mut self) {
        self.redial.offline = false;
        if self.redial.stopped || self.redial.daily {
            return;
        }
        if !matches!(self.phase, Phase::Down | Phase::Dialing) {
            let (conn, code) = (self.conn, CloseCode::GoingAway);
            self.down_now();
            self.effect(PhoneEffect::Disconnect { conn, code });
        }
        self.dial();
    }

    /// A connection's socket has ended; `code` is the close frame's, if one came.
    pub fn closed(&mut self, conn: u64, code: Option<CloseCode>, now: Now) {
        if self.is_present(conn) {
            self.down_now();
            self.plan(code.unwrap_or(CloseCode::GoingAway), now);
        }
    }

    /// Closes the present connection.
    pub(super) fn hang_up(&mut self, code: CloseCode, now: Now) {
        let conn = self.conn;
        if self.is_present(conn) {
            self.down_now();
            self.effect(PhoneEffect::Disconnect { conn, code });
            self.plan(code, now);
        }
    }

    pub(super) fn is_present(&self, conn: u64) -> bool {
        (conn == self.conn || mistake::is("no_conn_fence"))
            && !matches!(self.phase, Phase::Down | Phase::Dialing)
    }

    pub(super) fn dial(&mut self) {
        self.redial.at = None;
        self.redial.told_ms = None;
        self.redial.daily = false;
        if self.redial.offline {
            self.phase = Phase::Down;
            return;
        }
        self.phase = Phase::Dialing;
        self.effect(PhoneEffect::Dial);
    }

    fn down_now(&mut self) {
        self.phase = Phase::Down;
        self.heart.stop();
        self.uplink.disconnect();
    }

    fn plan(&mut self, code: CloseCode, now: Now) {
        let told_ms = self.redial.told_ms.take();
        if self.redial.stopped {
            return;
        }
        match code {
            CloseCode::NotKnown if mistake::is("erases_when_unknown") => {
                self.stop(Stopped::Unpaired);
            }
            CloseCode::NotKnown => {
                self.set_not_known(true);
                self.effect(PhoneEffect::Alert(PhoneAlert::NotKnown));
                self.effect(PhoneEffect::PlanRedial(RedialPace::NotKnown));
            }
            CloseCode::NotPaired => self.stop(Stopped::Unpaired),
            CloseCode::JournalWentBack => self.stop(Stopped::PairAgain),
            CloseCode::NeedsNewerApp | CloseCode::VersionNotSpoken => {
                self.redial.daily = true;
                self.redial.at = Some(now.boot.plus_ms(DAILY_MS));
                self.effect(PhoneEffect::Stopped(Stopped::NeedsNewerApp));
            }
            CloseCode::ProtocolError => {
                self.redial.protocol_errors += 1;
                if self.redial.protocol_errors == PROTOCOL_ERRORS_TO_ALERT {
                    self.effect(PhoneEffect::Alert(PhoneAlert::ProtocolErrors));
                }
                self.effect(PhoneEffect::PlanRedial(self.redial.away()));
            }
            CloseCode::GoingAway | CloseCode::Internal => match told_ms {
                Some(told_ms) => self.redial.at = Some(now.boot.plus_ms(told_ms)),
                None => self.effect(PhoneEffect::PlanRedial(self.redial.away())),
            },
            CloseCode::Replaced => {
                self.effect(PhoneEffect::Alert(PhoneAlert::Replaced));
                self.effect(PhoneEffect::PlanRedial(self.redial.away()));
            }
        }
    }

    fn stop(&mut self, why: Stopped) {
        self.redial.stay_down();
        self.effect(PhoneEffect::Stopped(why));
    }
}
