//! The owner's alerts: what to look at, and since when.

use crate::named::named;
use postrider_model::{SimSlot, UnixMs};
use std::cmp::Reverse;

named! {
    /// What an [`Alert`] is about.
    AlertKind {
        /// The radio says nothing: a dialog may be open on the phone.
        LookAtPhone = "LOOK_AT_PHONE",
        /// Another SIM is in a slot; it sends nothing until somebody confirms it.
        SimChanged = "SIM_CHANGED",
        /// A SIM cannot send until its service comes back or somebody looks at it.
        SimHeld = "SIM_HELD",
        /// There has been no connection for a long time.
        Offline = "OFFLINE",
        /// The hub does not know this phone, usually by an operator's mistake. Nothing is lost.
        NotKnown = "NOT_KNOWN",
        /// The hub took this phone out of service: revoked, or replaced.
        PairedElsewhere = "PAIRED_ELSEWHERE",
        /// The hub does not trust this phone's journal, which is set aside.
        JournalNotTrusted = "JOURNAL_NOT_TRUSTED",
        /// The journal could not be read and is set aside.
        JournalSetAside = "JOURNAL_SET_ASIDE",
        /// The keystore has lost the key.
        KeyLost = "KEY_LOST",
        /// The hub needs a newer app.
        UpdateNeeded = "UPDATE_NEEDED",
        /// The hub and this phone misunderstand each other.
        LinkFailing = "LINK_FAILING",
        /// Something else with this phone's key and records took its place at the hub.
        LinkReplaced = "LINK_REPLACED",
        /// The agent failed again and again, or its storage cannot be used.
        AgentFailing = "AGENT_FAILING",
        /// The app may not send texts.
        MayNotSend = "MAY_NOT_SEND",
    }
}

/// Written in place of a SIM when the alert names none.
const NO_SIM: &str = "-";

/// What the owner has to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// The SIM, where it is about one.
    pub sim: Option<SimSlot>,
    /// Since when.
    pub since: UnixMs,
}

impl Alert {
    fn write(self) -> String {
        let sim = self
            .sim
            .map_or(NO_SIM.to_owned(), |sim| sim.get().to_string());
        format!("{} {sim} {}", self.kind.name(), self.since.0)
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let kind = AlertKind::of(words.next()?)?;
        let sim = match words.next()? {
            NO_SIM => None,
            slot => Some(SimSlot::new(slot.parse().ok()?)?),
        };
        let since = UnixMs(words.next()?.parse().ok()?);
        Some(Self { kind, sim, since })
    }
}

/// The standing alerts; those that the owner swiped away still stand, but are not shown again.
#[derive(Debug, Default)]
pub(crate) struct Alerts {
    standing: Vec<Alert>,
    silent: Vec<Alert>,
}

impl Alerts {
    /// Continues from what [`Self::kept`] returned; entries that cannot be read are left out.
    pub(crate) fn new(standing: &[String], silent: &[String]) -> Self {
        let read = |lines: &[String]| lines.iter().filter_map(|line| Alert::read(line)).collect();
        Self {
            standing: read(standing),
            silent: read(silent),
        }
    }

    /// Returns what to keep: the standing alerts, and which of them were swiped away.
    pub(crate) fn kept(&self) -> (Vec<String>, Vec<String>) {
        let write = |alerts: &[Alert]| alerts.iter().map(|alert| alert.write()).collect();
        (write(&self.standing), write(&self.silent))
    }

    /// Returns the standing alerts, newest first.
    pub(crate) fn all(&self) -> Vec<Alert> {
        let mut all = self.standing.clone();
        all.sort_by_key(|alert| (Reverse(alert.since), alert.kind));
        all
    }

    /// Returns the alerts that a new process shows again.
    pub(crate) fn unseen(&self) -> Vec<Alert> {
        let mut unseen = self.all();
        unseen.retain(|alert| !self.silent.contains(alert));
        unseen
    }

    /// Raises an alert, unless it stands already.
    pub(crate) fn raise(
        &mut self,
        kind: AlertKind,
        sim: Option<SimSlot>,
        now: UnixMs,
    ) -> Option<Alert> {
        let stands = |alert: &Alert| alert.kind == kind && alert.sim == sim;
        if self.standing.iter().any(stands) {
            return None;
        }
        let since = now;
        let alert = Alert { kind, sim, since };
        self.standing.push(alert);
        Some(alert)
    }

    /// Clears the alerts that are over, and returns them.
    pub(crate) fn clear(&mut self, is_over: impl Fn(&Alert) -> bool) -> Vec<Alert> {
        self.silent.retain(|alert| !is_over(alert));
        self.standing
            .extract_if(.., |alert| is_over(alert))
            .collect()
    }

    /// Marks an alert as swiped away.
    pub(crate) fn silence(&mut self, alert: Alert) {
        if self.standing.contains(&alert) && !self.silent.contains(&alert) {
            self.silent.push(alert);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_by_its_name() {
        for kind in AlertKind::ALL {
            assert_eq!(AlertKind::of(kind.name()), Some(*kind));
        }
    }

    #[test]
    fn what_the_last_version_of_the_app_kept_is_read() {
        let kept = ["SIM_CHANGED 1 1800000000000", "KEY_LOST - 1800000000001"].map(str::to_owned);
        let alerts = Alerts::new(&kept, &kept[1..]);
        assert_eq!(alerts.kept(), (kept.to_vec(), kept[1..].to_vec()));
        let key_lost = alerts.all()[0];
        assert_eq!((key_lost.kind, key_lost.sim), (AlertKind::KeyLost, None));
        let said: Vec<_> = alerts.unseen().iter().map(|alert| alert.sim).collect();
        assert_eq!(said, [SimSlot::new(1)]);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let odd = [
            "",
            "TELEPATHY - 1",
            "KEY_LOST",
            "KEY_LOST 9 1",
            "KEY_LOST - soon",
        ];
        assert!(Alerts::new(&odd.map(str::to_owned), &[]).all().is_empty());
    }
}
