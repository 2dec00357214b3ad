//! The demo's virtual phones: the real agent over the real link, confirmed by the demo itself.

use crate::commands::demo_screen::{DemoPhone, Screen};
use crate::commands::demo_setup::Demo;
use futures_util::future::{join, join_all};
use hub_app::actor::{OrganizationActor, Who};
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Hub;
use hub_app::hub_work::HubWork;
use hub_app::pairing::confirm;
use hub_app::pairing::open::{self, Purpose};
use hub_app::transaction::run_on_project;
use hub_domain::{Device, PairingState};
use hub_store::{Basis, devices, pairings, phones};
use postrider_agent::{Pairing, TlsConfig, Trust};
use postrider_model::{DeviceId, PairingId, PhoneNumber, Secret};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use virtual_phone::{Incoming, RadioLog, VirtualPhone, VirtualPhoneConfig};

/// How often a new phone's pairing, or its link, is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long the demo waits for phones to connect before it says that it is ready.
const CONNECT_MAX: Duration = Duration::from_secs(20);
/// The first phone's number ends with this; the others follow.
const FIRST_NUMBER: u32 = 101;

/// Which phones the demo should have.
pub(super) struct Wish {
    pub(super) folder: PathBuf,
    pub(super) count: u16,
    pub(super) pace: Option<u32>,
    pub(super) radio_log: Option<PathBuf>,
}

/// The running phones, in order.
pub(super) struct Phones(Vec<(DemoPhone, VirtualPhone)>);

impl Phones {
    pub(super) fn list(&self) -> Vec<DemoPhone> {
        self.0.iter().map(|(phone, _)| phone.clone()).collect()
    }

    /// Lets the first phone receive what was typed.
    pub(super) fn receive(&self, line: &str, screen: &Screen) {
        let Some((_, first)) = self.0.first() else {
            return;
        };
        if line.trim().is_empty() {
            return;
        }
        match Incoming::parse(line) {
            Ok(message) => {
                // A phone that stopped said so.
                let _is_on = first.receive(message);
            }
            Err(error) => screen.say(format_args!("that line {error}")),
        }
    }

    /// Stops every phone in good order.
    pub(super) async fn stop(self) {
        let stop = |(phone, running): (DemoPhone, VirtualPhone)| async move {
            if let Err(error) = running.stop().await {
                tracing::warn!(phone = %phone.id, %error, "a phone stopped by itself");
            }
        };
        join_all(self.0.into_iter().map(stop)).await;
    }
}

/// Starts the phones of the folder, and new ones until there are enough; returns when all of them
/// are connected.
pub(super) async fn start(
    hub: &Hub,
    demo: &Demo,
    wish: Wish,
    screen: &Screen,
) -> Result<Phones, CommandError> {
    let project = demo.project_id;
    let known = hub
        .store
        .read(move |tx| devices::of_project(tx, project))
        .await?;
    let tls = Trust::default().client_config();
    let log = wish.radio_log.as_deref().map(RadioLog::open).transpose();
    let starter = Starter {
        hub,
        demo,
        screen,
        tls: tls.map_err(|error| CommandError::of("phones", &error))?,
        radio_log: log
            .map_err(|error| CommandError::of("--radio-log", &error))?
            .map(Arc::new),
        wish: &wish,
    };
    let count = usize::from(wish.count).max(known.len());
    let mut running = Vec::with_capacity(count);
    let mut numbers = 1..=count;
    // The first one joins alone: it becomes the project's default route.
    if let Some(first) = numbers.next() {
        running.push(starter.start(first, &known).await?);
    }
    for started in join_all(numbers.map(|n| starter.start(n, &known))).await {
        running.push(started?);
    }
    let connected = async {
        while hub.links.connected() < running.len() {
            sleep(LOOK_EVERY).await;
        }
    };
    if timeout(CONNECT_MAX, connected).await.is_err() {
        tracing::warn!("not every phone has connected yet");
    }
    Ok(Phones(running))
}

struct Starter<'s> {
    hub: &'s Hub,
    demo: &'s Demo,
    screen: &'s Screen,
    tls: Arc<TlsConfig>,
    radio_log: Option<Arc<RadioLog>>,
    wish: &'s Wish,
}

impl Starter<'_> {
    /// Starts the `n`th phone; if it has not joined yet, it joins first.
    async fn start(
        &self,
        n: usize,
        known: &[Device],
    ) -> Result<(DemoPhone, VirtualPhone), CommandError> {
        let name = format!("Phone {n}");
        let number = number(n);
        let folder = self.wish.folder.join(format!("phone-{n}"));
        let failed = |error: &dyn std::error::Error| CommandError::of(&name, error);
        let joined = Pairing::load(&folder)
            .map_err(|error| failed(&error))?
            .is_some();
        let device = known.iter().find(|device| device.name == name);
        let mut config = VirtualPhoneConfig {
            hub: self.hub.base_url.parse().ok(),
            name: name.clone(),
            numbers: number.clone().into_iter().collect(),
            seed: n as u64,
            parts_per_minute: self.wish.pace,
            radio_log: self.radio_log.clone(),
            tls: Some(Arc::clone(&self.tls)),
            watcher: self.screen.watcher(&name),
            ..VirtualPhoneConfig::new(folder)
        };
        let started = if joined {
            VirtualPhone::start(config).await
        } else {
            let (pairing, code) = self.open(&name, device.map(|it| it.id)).await?;
            config.code = Some(code);
            let (started, confirmed) =
                join(VirtualPhone::start(config), self.confirm(pairing)).await;
            confirmed?;
            started
        };
        let running = started.map_err(|error| failed(&error))?;
        let phone = self.listed(&running, name).await?;
        Ok((phone, running))
    }

    async fn open(
        &self,
        name: &str,
        replaced: Option<DeviceId>,
    ) -> Result<(PairingId, Secret), CommandError> {
        let name = name.to_owned();
        let purpose = match replaced {
            Some(device) => Purpose::Replace(device),
            None => Purpose::Join(self.demo.project_id),
        };
        let opening = move |work: &mut HubWork<'_, '_>| open::open(work, &purpose, &name);
        let (pairing, code) =
            run_on_project(&self.operator(), self.demo.project_id, opening).await?;
        Ok((pairing.id, Secret::new(code.full())))
    }

    /// Confirms as soon as the phone has used its code: nobody else has it.
    async fn confirm(&self, id: PairingId) -> Result<(), CommandError> {
        loop {
            let pairing = self.hub.store.read(move |tx| pairings::get(tx, id)).await?;
            match pairing.map(|pairing| pairing.state) {
                Some(PairingState::Open | PairingState::Committed) => sleep(LOOK_EVERY).await,
                _ => break,
            }
        }
        let confirming = move |work: &mut HubWork<'_, '_>| confirm::confirm(work, id);
        run_on_project(&self.operator(), self.demo.project_id, confirming).await?;
        Ok(())
    }

    fn operator(&self) -> OrganizationActor {
        OrganizationActor {
            hub: self.hub.clone(),
            who: Who::Operator,
            organization_id: self.demo.organization_id,
            now: self.hub.now(),
            basis: Basis::default(),
        }
    }

    async fn listed(
        &self,
        running: &VirtualPhone,
        name: String,
    ) -> Result<DemoPhone, CommandError> {
        let device = running.pairing().device_id;
        let mut of_device = self
            .hub
            .store
            .read(move |tx| phones::of_device(tx, device))
            .await?
            .into_iter();
        let Some(phone) = of_device.next() else {
            return Err(CommandError::new(format!(
                "{name} is not this hub's: the phones' folder belongs to another demo"
            )));
        };
        let number = phone.phone_number.map(|number| number.as_str().to_owned());
        Ok(DemoPhone {
            id: phone.id,
            number: number.unwrap_or_default(),
            name,
        })
    }
}

fn number(n: usize) -> Option<PhoneNumber> {
    let last = FIRST_NUMBER + u32::try_from(n).ok()? - 1;
    format!("+1500555{last:04}").parse().ok()
}
