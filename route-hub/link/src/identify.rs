//! A hello: who it is, whether it may come in, and what its journal proves.

use hub_app::alerts;
use hub_app::damage;
use hub_app::devices::project_of;
use hub_app::devices::verify::DeviceKey;
use hub_app::devices::{installs, sims};
use hub_app::dispatch::freeze;
use hub_app::dispatch::transitions::Detail;
use hub_app::dispatch::{expose, ownership};
use hub_app::hub::Hub;
use hub_app::hub::links::Fence;
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{AlertKind, Device, DeviceState, Message, Phone};
use hub_store::devices::{self, LinkCounters};
use hub_store::{StoreError, Tx, messages, meta, phones};
use hub_web::front::{Guest, Owner};
use postrider_link::close::CloseCode;
use postrider_link::frame::{Address, Hello, InstallId, Nonce, Send};
use postrider_link::ownership::hub::{Fact, Holder};
use postrider_link::session::hub::{Admission, Circumstances, Decision, DeviceLink, decide};
use postrider_model::{Now, ProjectId};
use std::sync::Arc;

/// What the hub says to a hello.
pub enum Answer {
    /// The phone comes in.
    Admitted(Box<Admitted>),
    /// It does not.
    Refused(CloseCode),
}

/// A phone that came in, as committed.
pub struct Admitted {
    /// How it is admitted.
    pub admission: Admission,
    /// Exposures that it has not received and that are still wanted.
    pub resume: Vec<Send>,
    /// Its device.
    pub device: Device,
    /// Its SIM slots in use.
    pub phones: Vec<Phone>,
}

/// A hello, and what stands around it.
pub struct Greeting {
    /// The hello.
    pub hello: Box<Hello>,
    /// What it had to sign.
    pub nonce: Nonce,
    /// The host name that was dialled, where the request says so.
    pub dialled: Option<String>,
    /// Whether it was overtaken by a newer connection.
    pub overtaken: bool,
}

/// Decides about a hello and commits what follows.
pub async fn identify(
    hub: &Hub,
    greeting: Greeting,
    guest: Option<&Guest>,
) -> Result<Answer, StoreError> {
    let now = hub.now();
    let (key, project) = match signer(hub, &greeting).await? {
        Signer::Device(key, project) => (key, project),
        Signer::Replaced => return Ok(Answer::Refused(CloseCode::NotPaired)),
        Signer::NotKnown => return Ok(Answer::Refused(CloseCode::NotKnown)),
    };
    if guest.is_some_and(|guest| guest.place.prove(Owner::Project(project)).is_err()) {
        tracing::warn!(%project, "a project has too many connections open");
        return Ok(Answer::Refused(CloseCode::GoingAway));
    }
    let overtaken = greeting.overtaken;
    let hello = Arc::new(*greeting.hello);
    let worker = hub.clone();
    let (answer, effects) = hub
        .store
        .of(project)
        .write_whole(move |tx| {
            let deciding = Deciding {
                hub: &worker,
                hello: &hello,
                key: &key,
                now,
            };
            deciding.decide(tx, overtaken)
        })
        .await?;
    effects.perform(hub);
    Ok(answer)
}

/// Who signed a hello.
enum Signer {
    /// The device of this project, with this key of its own.
    Device(DeviceKey, ProjectId),
    /// A phone whose place another one took: it must know that it is out of service.
    Replaced,
    /// Nobody that this hub knows, or for a name that it does not have. That may be the operator's
    /// mistake, so the phone loses nothing by it.
    NotKnown,
}

async fn signer(hub: &Hub, greeting: &Greeting) -> Result<Signer, StoreError> {
    let (hello, nonce) = (&*greeting.hello, &greeting.nonce);
    let (id, install) = (hello.phone, hello.install.clone());
    let find = move |tx: &mut Tx<'_>| {
        let former = installs::former_key(tx, id, install.as_str())?;
        Ok((devices::get(tx, id)?, former))
    };
    let (device, former) = hub.store.read(find).await?;
    let Some(device) = device else {
        return Ok(Signer::NotKnown);
    };
    let key = DeviceKey::of(&device);
    let has_signed = |key: &DeviceKey, hosts: &[String]| key.has_signed(hello, nonce, hosts);
    if has_signed(&key, &hub.host_names) {
        return Ok(Signer::Device(key, device.project_id));
    }
    if former
        .as_ref()
        .is_some_and(|key| has_signed(key, &hub.host_names))
    {
        return Ok(Signer::Replaced);
    }
    if let Some(host) = &greeting.dialled
        && has_signed(&key, std::slice::from_ref(host))
    {
        tracing::warn!(
            device = %id, %host,
            "a phone signs in for a name that this hub is not told to have: start it with --host \
             and this name, if it is this hub's"
        );
    }
    Ok(Signer::NotKnown)
}

struct Deciding<'a> {
    hub: &'a Hub,
    hello: &'a Hello,
    /// The key that the signature was checked with.
    key: &'a DeviceKey,
    now: Now,
}

impl Deciding<'_> {
    fn decide(&self, tx: &mut Tx<'_>, overtaken: bool) -> Result<(Answer, Effects), StoreError> {
        let refused = |code| Ok((Answer::Refused(code), Effects::default()));
        let paired = devices::get(tx, self.hello.phone)?;
        let Some(device) = paired.filter(|device| DeviceKey::of(device) == *self.key) else {
            // It was replaced in between: the next hello is told so.
            return refused(CloseCode::NotKnown);
        };
        match device.state {
            DeviceState::Active => {}
            DeviceState::NeedsPairing => return refused(CloseCode::JournalWentBack),
            DeviceState::Revoked => return refused(CloseCode::NotPaired),
        }
        let Some(mut link) = link_of(&device) else {
            return refused(CloseCode::NotKnown);
        };
        link.down_acked = self.acked(&device, &link).max(link.down_acked);
        let around = Circumstances {
            generation: meta::generation(tx)?,
            own_generation: device.gen_own,
            overtaken,
            install_is_lost: installs::is_lost(tx, device.id, self.hello.install.as_str())?,
        };
        match decide(self.hello, &link, around) {
            Decision::Admit(admission) => {
                let shown = admission.shows_that_hub_went_back(device.frozen);
                self.admit(tx, device, *admission, shown)
            }
            Decision::WentBack => self.went_back(tx, &device),
            Decision::Refuse(code) => refused(code),
        }
    }

    /// Returns what was acked on the newest connection: a second phone of this identity must have
    /// it, though no commit stored it yet.
    fn acked(&self, device: &Device, link: &DeviceLink) -> u64 {
        let newest = Fence {
            device: self.hello.phone,
            project: device.project_id,
            install: link.install.clone(),
            conn: link.conn,
        };
        self.hub.links.acked_on(&newest).min(link.down_sent)
    }

    /// The journal was copied or went backwards: nothing that it held can be known any more.
    fn went_back(&self, tx: &mut Tx<'_>, device: &Device) -> Result<(Answer, Effects), StoreError> {
        let project = project_of(tx, device)?;
        devices::set_state(tx, device.id, DeviceState::NeedsPairing)?;
        let mut work = UnitOfWork::new(self.hub, tx, &project, self.now);
        freeze::gone(&mut work, device)?;
        let kind = AlertKind::PhoneCloned;
        if alerts::raise_for_device(self.hub, work.tx, &project, device.id, kind, self.now)? {
            work.effects.webhooks();
        }
        work.effects.device(project.id, device.id);
        Ok((Answer::Refused(CloseCode::JournalWentBack), work.finish()?))
    }

    fn admit(
        &self,
        tx: &mut Tx<'_>,
        mut device: Device,
        admission: Admission,
        shows_that_we_went_back: bool,
    ) -> Result<(Answer, Effects), StoreError> {
        let project = project_of(tx, &device)?;
        let mut work = UnitOfWork::new(self.hub, tx, &project, self.now);
        if let Some(lost) = &admission.lost_install {
            installs::lose(work.tx, &device, lost.as_str(), self.now.unix)?;
            freeze::gone(&mut work, &device)?;
        } else if device.gen_seen == 0 && admission.reconcile.is_none() {
            // An installation that never was here was given nothing that could have been forgotten.
            freeze::answered(&mut work, &device)?;
        }
        if shows_that_we_went_back {
            freeze::shown_by(&mut work, &device)?;
        }
        let link = &admission.link;
        device.install = link.install.as_str().to_owned();
        device.gen_own = match (admission.raise_generation, admission.reconcile) {
            (Some(raised), _) => raised,
            (None, None) => link.generation,
            (None, Some(_)) => device.gen_own,
        };
        devices::admit(work.tx, &device, &counters(link), self.now.unix)?;
        let offline = AlertKind::PhoneOffline;
        if alerts::clear_for_device(self.hub, work.tx, &project, device.id, offline, self.now)? {
            work.effects.webhooks();
        }
        let made = sims::sync(&mut work, &device, &self.hello.sims)?;
        let phones = phones::of_device(work.tx, device.id)?;
        let resume = self.resume(&mut work, &admission, &phones)?;
        if made {
            work.effects.rows(project.id);
        }
        let effects = work.finish()?;
        let admitted = Admitted {
            admission,
            resume,
            device,
            phones,
        };
        Ok((Answer::Admitted(Box::new(admitted)), effects))
    }

    /// Takes in what the journal shows, and returns what goes out again with its number.
    fn resume(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        admission: &Admission,
        phones: &[Phone],
    ) -> Result<Vec<Send>, StoreError> {
        let by = Holder {
            device: self.hello.phone,
            install: admission.link.install.clone(),
        };
        for row in &self.hello.held {
            let Some(mut message) = damage::message(work, row.id)? else {
                continue;
            };
            let fact = Fact::Shown {
                ep: row.ep,
                by: &by,
                state: row.state,
                page: None,
            };
            drop(work.apply(&mut message, fact, &Detail::default())?);
        }
        let Some(down) = admission.never_received_above else {
            return Ok(Vec::new());
        };
        let mut resume = Vec::new();
        let on_device = messages::on_device(work.tx, by.device, down)?;
        for mut message in damage::readable(work, on_device)? {
            if message.ownership.install.as_deref() != Some(by.install.as_str()) {
                continue;
            }
            match wanted_again(work, &message, phones)? {
                Some(frame) if admission.resumes => resume.push(frame),
                _ => {
                    let fact = Fact::NeverReceived { by: &by, down };
                    let applied = work.apply(&mut message, fact, &Detail::default())?;
                    if applied.is_ok_and(|outcome| outcome.requeued) {
                        freeze::freed(work, &mut message)?;
                    }
                }
            }
        }
        Ok(resume)
    }
}

/// Returns the frame of an exposure that the phone has not received, if it shall still go there.
pub fn wanted_again(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
    phones: &[Phone],
) -> Result<Option<Send>, StoreError> {
    let owned = ownership::of(message)?;
    let alive = message.life_end.is_none_or(|end| work.now.unix < end);
    let wanted = owned.is_wanted_again(alive) && !message.hidden;
    let phone = phones.iter().find(|phone| phone.id == message.phone_id);
    let (Some(s), Some(phone), Some(to)) = (owned.s, phone, &message.to_number) else {
        return Ok(None);
    };
    let Some(sim) = phone.sim.filter(|_| wanted) else {
        return Ok(None);
    };
    if expose::is_held_back(work, phone) {
        return Ok(None);
    }
    let by = (sim, phone.delivery_reports);
    let frame = expose::frame(work, message, s, Address::from(to), by);
    let movable = expose::is_movable(work, message)?;
    Ok(Some(Send { movable, ..frame }))
}

/// Returns the link's part of a device's row; `None` when its installation is no name.
pub fn link_of(device: &Device) -> Option<DeviceLink> {
    Some(DeviceLink {
        install: device.install.parse::<InstallId>().ok()?,
        conn: device.conn,
        generation: device.gen_seen,
        down_sent: device.down_sent,
        down_acked: device.down_acked,
        up: device.up,
    })
}

/// Returns a link's counters as they are stored.
pub fn counters(link: &DeviceLink) -> LinkCounters {
    LinkCounters {
        conn: link.conn,
        gen_seen: link.generation,
        down_sent: link.down_sent,
        down_acked: link.down_acked,
        up: link.up,
    }
}
