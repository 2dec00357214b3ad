//! A hello: who it is, whether it may come in, and what its journal proves.

use crate::held::{Held, link_of};
use hub_app::alerts::{self, About};
use hub_app::devices::project_of;
use hub_app::devices::verify::DeviceKey;
use hub_app::dispatch::freeze;
use hub_app::hub::Hub;
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{AlertKind, Device, DeviceState, Phone};
use hub_store::{StoreError, Tx, devices, lost_installs, meta};
use hub_web::front::{Guest, Owner};
use postrider_link::close::CloseCode;
use postrider_link::dispatch::hello;
use postrider_link::dispatch::newest::Fence;
use postrider_link::frame::{Hello, Nonce, Send};
use postrider_link::session::hub::{Admission, Circumstances, Decision};
use postrider_model::{BootMs, Now, ProjectId};
use std::sync::Arc;

/// What the hub says to a hello.
pub(crate) enum Answer {
    /// The phone comes in.
    Admitted(Box<Admitted>),
    /// It does not.
    Refused(CloseCode),
}

/// A phone that came in, as committed.
pub(crate) struct Admitted {
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
pub(crate) struct Greeting {
    /// The hello.
    pub hello: Box<Hello>,
    /// What it had to sign.
    pub nonce: Nonce,
    /// The host name that was dialled, where the request says so.
    pub dialled: Option<String>,
    /// When its socket was accepted.
    pub accepted_at: BootMs,
}

/// Decides about a hello and commits what follows.
pub(crate) async fn identify(
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
    let accepted_at = greeting.accepted_at;
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
            deciding.decide(tx, accepted_at)
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
        let former = lost_installs::former_key(tx, id, install.as_str())?;
        Ok((devices::get(tx, id)?, former.map(DeviceKey::from)))
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
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        accepted_at: BootMs,
    ) -> Result<(Answer, Effects), StoreError> {
        let refused = |code| Ok((Answer::Refused(code), Effects::default()));
        let paired = devices::get(tx, self.hello.phone)?;
        let Some(device) = paired.filter(|device| DeviceKey::of(device) == *self.key) else {
            // It was replaced in between: the next hello is told so.
            return refused(CloseCode::NotKnown);
        };
        let Some(row) = link_of(&device) else {
            return refused(CloseCode::NotKnown);
        };
        let (links, newest) = (&self.hub.links, Fence::of(device.id, &row));
        // Not the time of the hello: the row may name a connection that was admitted since.
        let read_at = self.hub.now().boot;
        let around = Circumstances {
            generation: meta::generation(tx)?,
            own_generation: device.gen_own,
            overtaken: links.has_overtaken(&newest, accepted_at, read_at),
            install_is_lost: lost_installs::is_lost(tx, device.id, self.hello.install.as_str())?,
        };
        let acked = links.acked_on(&newest);
        match hello::decide(self.hello, device.state.service(), &row, acked, around) {
            Decision::Admit(admission) => self.admit(tx, device, *admission),
            Decision::WentBack => self.went_back(tx, &device),
            Decision::Refuse(code) => refused(code),
        }
    }

    /// The journal was copied or went backwards: nothing that it held can be known any more.
    fn went_back(&self, tx: &mut Tx<'_>, device: &Device) -> Result<(Answer, Effects), StoreError> {
        let project = project_of(tx, device)?;
        devices::set_state(tx, device.id, DeviceState::NeedsPairing)?;
        let mut work = UnitOfWork::new(self.hub, tx, &project, self.now);
        freeze::gone(&mut work, device)?;
        alerts::raise(&mut work, About::Device(device.id), AlertKind::PhoneCloned)?;
        work.effects.device(project.id, device.id);
        Ok((Answer::Refused(CloseCode::JournalWentBack), work.finish()?))
    }

    fn admit(
        &self,
        tx: &mut Tx<'_>,
        device: Device,
        admission: Admission,
    ) -> Result<(Answer, Effects), StoreError> {
        let project = project_of(tx, &device)?;
        let before = freeze::seen_by_rules(&device);
        let mut rows = Held {
            work: UnitOfWork::new(self.hub, tx, &project, self.now),
            by: Fence::of(device.id, &admission.link).holder(),
            device,
            on: Vec::new(),
        };
        let resume = hello::admit(&mut rows, before, self.hello, &admission)?;
        let Held {
            mut work,
            device,
            on: phones,
            ..
        } = rows;
        let effects = work.finish()?;
        let admitted = Admitted {
            admission,
            resume,
            device,
            phones,
        };
        Ok((Answer::Admitted(Box::new(admitted)), effects))
    }
}
