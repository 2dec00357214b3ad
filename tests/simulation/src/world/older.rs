//! The hub on older rows: restored from a backup, by the command or behind its back, perhaps from one
//! that is older than a phone's pairing.

use super::{Event, Over, World};
use crate::{
    hub::Rows,
    log::{Line, Who},
    plan::Older,
};
use postrider_link::{close::CloseCode, dispatch::hello::Service, ownership::hub::HubState};
use postrider_model::MessageId;
use std::collections::BTreeSet;

impl World {
    /// A phone joins that was not there from the beginning.
    pub(super) fn joins(&mut self, no: usize) {
        if self.phones[no].joined {
            return;
        }
        if !self.hub.up || self.hub.full_until > self.at {
            return self.push_in(5_000, Event::Over(Over::Joins(no)));
        }
        let Some(install) = self.phones[no].disk.rows().rest().install.clone() else {
            return;
        };
        self.coverage.mark("link", "a phone joins late", "");
        self.note(Line::new(Who::Phone(no), "joins"));
        let phone = &mut self.phones[no];
        (phone.joined, phone.unpaired) = (true, None);
        let sims = self.plan.fleet.sims[no];
        self.hub.rows.joins(&self.phones[no], install, sims);
        self.start_app(no);
    }

    /// The hub is restored from its oldest or its newest backup.
    pub(super) fn restore(&mut self, raised: bool) {
        let oldest = self.draw(&[16, self.at]).percent(30);
        let backup = match (oldest, self.hub.backups.first(), self.hub.backups.last()) {
            (true, Some(first), _) => first.clone(),
            (false, _, Some(last)) => last.clone(),
            _ => return,
        };
        self.put(backup, raised);
    }

    /// The hub is restored from a backup that does not know a phone, which it is told (4401).
    pub(super) fn restore_older(&mut self, older: Older) {
        let phone = &self.phones[older.phone];
        let of_before = |rows: &&Rows| !rows.devices.contains_key(&phone.device);
        let backup = self.hub.backups.iter().rev().find(of_before).cloned();
        let is_mistake = phone.unpaired.is_none() && self.hub.rows.knows(phone);
        let Some(backup) = backup.filter(|_| is_mistake) else {
            return;
        };
        let word = how(older.raised);
        self.coverage
            .mark("fault", "a backup is older than a pairing", word);
        self.hub.newer = Some(self.hub.rows.clone());
        self.put(backup, older.raised);
        self.push_in(older.while_ms, Event::Over(Over::OlderThan(older)));
    }

    /// The operator finds that the backup was a mistake, and mends it.
    pub(super) fn mends(&mut self, older: Older) {
        let newer = self.hub.newer.take();
        let is_known = self.hub.rows.knows(&self.phones[older.phone]);
        if self.calm || is_known || self.phones[older.phone].unpaired.is_some() {
            return;
        }
        match newer {
            Some(newer) if older.puts_back => {
                self.coverage
                    .mark("fault", "a backup is older than a pairing", "put right");
                self.put(newer, older.raised);
            }
            _ => {
                self.coverage
                    .mark("fault", "a backup is older than a pairing", "paired again");
                self.phones[older.phone].unpaired = Some(CloseCode::NotPaired);
                self.pair_again(older.phone);
            }
        }
    }

    /// Other rows take the place of the hub's.
    fn put(&mut self, rows: Rows, raised: bool) {
        let word = how(raised);
        self.coverage.mark("fault", "the hub is restored", word);
        self.note(Line::new(Who::Hub, "is restored from a backup {w}").word(word));
        self.hub_down(false);
        let replaced = std::mem::replace(&mut self.hub.rows, rows);
        let messages = self.hub.rows.messages.values();
        let waits = messages.filter(|message| message.owner.state == HubState::Waiting);
        let waiting: Vec<MessageId> = waits.map(|message| message.id).collect();
        let known: BTreeSet<MessageId> = self.hub.rows.messages.keys().copied().collect();
        let all: Vec<MessageId> = known.iter().copied().collect();
        if raised {
            let devices = self.hub.rows.devices.values();
            let own = devices.map(|device| device.own_generation.max(device.link.generation));
            let highest = own.max().unwrap_or(0).max(self.hub.rows.generation);
            self.hub.rows.generation = highest.max(replaced.generation) + 1;
            self.freeze_all();
            self.taint_given(&waiting, &self.forgetful_phones());
            self.taint_moved(&waiting);
        } else {
            self.taint_given(&all, &self.forgetful_phones());
            self.taint_given(&all, &self.unknown_installations());
            self.await_given(&all);
        }
        self.model.taint_handed_over(&all, &self.not_known_phones());
        self.taint_of_known_again(&replaced);
        self.model.hub_restored(&known);
        self.hub.life += 1;
        self.push_in(30_000, Event::HubStarts);
        self.look_at_lives();
    }

    /// Returns the phones that the rows do not know: they hear so when they come (4401), and hand
    /// nothing over from then on.
    fn not_known_phones(&self) -> BTreeSet<usize> {
        let phones = self.phones.iter();
        let unknown = phones.filter(|phone| !self.hub.rows.knows(phone));
        unknown.map(|phone| phone.no).collect()
    }

    /// Rows are put back that know a phone which those before them did not: what it holds goes on,
    /// and what the others gave to another phone in between is known to nobody.
    fn taint_of_known_again(&mut self, replaced: &Rows) {
        let mut doubtful = Vec::new();
        for phone in &self.phones {
            if replaced.knows(phone) || !self.hub.rows.knows(phone) {
                continue;
            }
            self.coverage.mark("link", "a phone is known again", "");
            for row in phone.disk.rows().messages() {
                let id = row.message.id;
                let in_between = replaced.messages.get(&id);
                let holder = in_between.and_then(|message| message.owner.holder.as_ref());
                let is_given = holder.is_some_and(|holder| holder.device != phone.device);
                if is_given || self.model.is_handed_over_beside(id, phone.no) {
                    doubtful.push(id);
                }
            }
        }
        self.model.taint_messages(doubtful);
    }

    /// Returns the phones whose installation the rows do not know, or have out of service, though
    /// they know the key, and those that were sent away: no hub of these rows can be told what they
    /// were given.
    fn unknown_installations(&self) -> BTreeSet<usize> {
        let phones = self.phones.iter().filter(|phone| {
            let row = self.hub.rows.devices.get(&phone.device);
            let install = phone.disk.rows().rest().install.as_ref();
            let is_known = row.is_some_and(|row| {
                row.state == Service::Open && Some(&row.link.install) == install
            });
            (!is_known || phone.unpaired.is_some()) && self.hub.rows.knows(phone)
        });
        phones.map(|phone| phone.no).collect()
    }

    /// Notes which phones have or had what the rows know: until such a one has come back, nobody can
    /// know that another one must not be given its messages.
    fn await_given(&mut self, known: &[MessageId]) {
        self.hub.proof_came = false;
        self.hub.awaited.clear();
        for no in 0..self.phones.len() {
            let device = self.phones[no].device;
            let rows = self.phones[no].disk.rows().messages();
            let mut ids: BTreeSet<MessageId> = rows.map(|row| row.message.id).collect();
            ids.extend(self.model.handed_over_by(no));
            for id in ids.into_iter().filter(|id| known.contains(id)) {
                self.hub.awaited.entry(id).or_default().insert(device);
            }
        }
    }

    /// Nothing can be promised of what waits in older rows and is with one of these phones, or was.
    fn taint_given(&mut self, waiting: &[MessageId], phones: &BTreeSet<usize>) {
        let mut held = Vec::new();
        for no in phones {
            let rows = self.phones[*no].disk.rows().messages();
            let ids = rows.map(|row| row.message.id);
            held.extend(ids.filter(|id| waiting.contains(id)));
        }
        self.model.taint_messages(held);
        self.model.taint_handed_over(waiting, phones);
    }

    /// What the rows have out of service and was paired again since is a phone that they do not
    /// know: what waits for it is held until it is paired, but that another phone's message was
    /// moved to it is known to nobody.
    fn taint_moved(&mut self, waiting: &[MessageId]) {
        let unknown: Vec<usize> = self
            .phones
            .iter()
            .filter(|phone| {
                let row = self.hub.rows.devices.get(&phone.device);
                !row.is_some_and(|row| row.state == Service::Open)
            })
            .map(|phone| phone.no)
            .collect();
        for no in unknown {
            let device = self.phones[no].device;
            let is_moved = |id: &&MessageId| self.hub.rows.messages[id].route.0 != device;
            let moved: Vec<MessageId> = waiting.iter().filter(is_moved).copied().collect();
            self.taint_given(&moved, &BTreeSet::from([no]));
        }
    }

    /// Returns the phones whose clock made them forget what they were given: it was set while nobody
    /// was there to notice.
    fn forgetful_phones(&self) -> BTreeSet<usize> {
        let phones = self.phones.iter();
        let forgetful = phones.filter(|phone| phone.forgets || self.model.is_forgetful(phone.no));
        forgetful.map(|phone| phone.no).collect()
    }
}

const fn how(raised: bool) -> &'static str {
    if raised {
        "by the command"
    } else {
        "behind its back"
    }
}
