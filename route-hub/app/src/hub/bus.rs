//! Wake-ups between requests, links and deliverers of this process.
//!
//! A wake-up is a hint: whoever misses one finds the work in the database when it next looks, so a
//! lost hint costs time and nothing else.

use postrider_link::dispatch::turn::Woken;
use postrider_model::{DeviceId, MessageId, PhoneId, ProjectId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};

/// What one link (or the test route's worker) listens to.
#[derive(Debug, Default)]
pub struct Wake {
    notify: Notify,
    queued: AtomicBool,
    asked: AtomicBool,
    changed: AtomicBool,
}

impl Wake {
    /// Waits until something was said, and takes it.
    pub async fn woken(&self) -> Woken {
        loop {
            let woken = self.take();
            if woken != Woken::default() {
                return woken;
            }
            self.notify.notified().await;
        }
    }

    fn take(&self) -> Woken {
        Woken {
            queued: self.queued.swap(false, Ordering::AcqRel),
            asked: self.asked.swap(false, Ordering::AcqRel),
            changed: self.changed.swap(false, Ordering::AcqRel),
        }
    }

    /// Says that a message was queued.
    pub fn say_queued(&self) {
        self.say(&self.queued);
    }

    /// Says that a revoke or a cancel was recorded.
    pub fn say_asked(&self) {
        self.say(&self.asked);
    }

    /// Says that settings changed.
    pub fn say_changed(&self) {
        self.say(&self.changed);
    }

    /// Says that anything may have changed.
    pub fn say_everything(&self) {
        self.say_changed();
        self.say_queued();
        self.say_asked();
    }

    fn say(&self, flag: &AtomicBool) {
        if !flag.swap(true, Ordering::AcqRel) {
            self.notify.notify_one();
        }
    }
}

/// The links of each project, by their devices.
type ByProject = BTreeMap<ProjectId, BTreeMap<DeviceId, Arc<Wake>>>;

/// The hub's in-process bus.
#[derive(Debug, Default)]
pub struct Bus {
    phones: Mutex<HashMap<PhoneId, Arc<Wake>>>,
    projects: Mutex<ByProject>,
    /// How many links were told that settings may have changed.
    looks: AtomicU64,
    idle_turns: AtomicU64,
    watched: Mutex<HashMap<MessageId, Vec<oneshot::Sender<()>>>>,
    watchers: AtomicUsize,
    webhooks: Notify,
    simulated: Notify,
    broadcasts: Notify,
    tasks: Notify,
    blocked: Notify,
    followers: Notify,
    elsewhere: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bus {
    /// Says that a message was queued for a phone; returns whether anything listens for it here.
    pub fn wake_phone(&self, phone: PhoneId) -> bool {
        let phones = lock(&self.phones);
        let wake = phones.get(&phone);
        wake.inspect(|wake| wake.say_queued()).is_some()
    }

    /// Returns whether anything listens for a phone: its link, or the test route's worker.
    pub fn is_heard(&self, phone: PhoneId) -> bool {
        lock(&self.phones).contains_key(&phone)
    }

    /// Says that a revoke or a cancel was recorded for a message of this phone; returns whether
    /// anything listens for it here.
    pub fn wake_asked(&self, phone: PhoneId) -> bool {
        let phones = lock(&self.phones);
        let wake = phones.get(&phone);
        wake.inspect(|wake| wake.say_asked()).is_some()
    }

    /// As [`Self::wake_asked`], for all phones of a device.
    pub fn wake_asked_of(&self, project: ProjectId, device: DeviceId) {
        let projects = lock(&self.projects);
        if let Some(wake) = projects.get(&project).and_then(|links| links.get(&device)) {
            wake.say_asked();
        }
    }

    /// Returns the phones for which anything listens here.
    #[expect(clippy::disallowed_methods, reason = "they are looked at in any order")]
    pub fn heard_phones(&self) -> Vec<PhoneId> {
        lock(&self.phones).keys().copied().collect()
    }

    /// Returns the devices with a link here.
    pub fn linked_devices(&self) -> Vec<(ProjectId, DeviceId)> {
        let projects = lock(&self.projects);
        let of_project = |(project, links): (&ProjectId, &BTreeMap<DeviceId, _>)| {
            let project = *project;
            links
                .keys()
                .map(move |device| (project, *device))
                .collect::<Vec<_>>()
        };
        projects.iter().flat_map(of_project).collect()
    }

    /// Says that another process has changed something that is kept here.
    pub fn changed_elsewhere(&self) {
        self.elsewhere.notify_one();
    }

    /// Waits until another process says so.
    pub async fn elsewhere(&self) {
        self.elsewhere.notified().await;
    }

    /// Says that a phone's settings changed.
    pub fn phone_changed(&self, phone: PhoneId) {
        if let Some(wake) = lock(&self.phones).get(&phone) {
            self.looks.fetch_add(1, Ordering::Relaxed);
            wake.say_changed();
        }
    }

    /// Says that a phone's settings, its queue and what is asked of it may have changed.
    pub fn phone_changed_elsewhere(&self, phone: PhoneId) {
        let wake = lock(&self.phones).get(&phone).cloned();
        if let Some(wake) = wake {
            self.look(&wake);
        }
    }

    /// Says that a device's right to be connected, or anything of its phones, may have changed.
    pub fn device_changed(&self, project: ProjectId, device: DeviceId) {
        let projects = lock(&self.projects);
        let wake = projects.get(&project).and_then(|links| links.get(&device));
        if let Some(wake) = wake.cloned() {
            drop(projects);
            self.look(&wake);
        }
    }

    /// Has one link look at everything that it goes by.
    pub fn look(&self, wake: &Wake) {
        self.looks.fetch_add(1, Ordering::Relaxed);
        wake.say_everything();
    }

    /// Counts how often a link was told that what it goes by may have changed.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Returns the links of a project.
    pub fn links_of(&self, project: ProjectId) -> Vec<Arc<Wake>> {
        let projects = lock(&self.projects);
        let links = projects.get(&project).map(BTreeMap::values);
        links.into_iter().flatten().cloned().collect()
    }

    /// Returns the links of every project.
    pub fn links(&self) -> Vec<Arc<Wake>> {
        let projects = lock(&self.projects);
        let links = projects.values().flat_map(BTreeMap::values);
        links.cloned().collect()
    }

    /// Makes `wake` the listener of a device's phones, in place of an older connection's.
    pub fn listen(
        &self,
        project: ProjectId,
        device: DeviceId,
        phones: &[PhoneId],
        wake: &Arc<Wake>,
    ) {
        lock(&self.projects)
            .entry(project)
            .or_default()
            .insert(device, Arc::clone(wake));
        let mut map = lock(&self.phones);
        for phone in phones {
            map.insert(*phone, Arc::clone(wake));
        }
    }

    /// Ends a listener, unless a newer one took its place.
    pub fn leave(
        &self,
        project: ProjectId,
        device: DeviceId,
        phones: &[PhoneId],
        wake: &Arc<Wake>,
    ) {
        self.leave_project(project, device, wake);
        let mut map = lock(&self.phones);
        for phone in phones {
            if map
                .get(phone)
                .is_some_and(|current| Arc::ptr_eq(current, wake))
            {
                map.remove(phone);
            }
        }
    }

    fn leave_project(&self, project: ProjectId, device: DeviceId, wake: &Arc<Wake>) {
        let mut projects = lock(&self.projects);
        let Some(links) = projects.get_mut(&project) else {
            return;
        };
        let current = links.get(&device);
        if current.is_some_and(|current| Arc::ptr_eq(current, wake)) {
            links.remove(&device);
        }
        if links.is_empty() {
            projects.remove(&project);
        }
    }

    /// Says that a message's row changed; cheap when nobody watches.
    pub fn message_changed(&self, message: MessageId) {
        if self.watchers.load(Ordering::Acquire) == 0 {
            return;
        }
        if let Some(senders) = lock(&self.watched).remove(&message) {
            self.watchers.fetch_sub(1, Ordering::AcqRel);
            for sender in senders {
                let _ = sender.send(());
            }
        }
    }

    /// Watches a message for its next change.
    pub fn watch_message(&self, message: MessageId) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let mut watched = lock(&self.watched);
        watched
            .entry(message)
            .or_insert_with(|| {
                self.watchers.fetch_add(1, Ordering::AcqRel);
                Vec::new()
            })
            .push(sender);
        receiver
    }

    /// Forgets watchers that gave up.
    pub fn unwatch_message(&self, message: MessageId) {
        let mut watched = lock(&self.watched);
        if let Some(senders) = watched.get_mut(&message) {
            senders.retain(|sender| !sender.is_closed());
            if senders.is_empty() {
                watched.remove(&message);
                self.watchers.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }

    /// Counts a turn over the test routes in which there was nothing to play.
    pub fn count_idle_turn(&self) {
        self.idle_turns.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many turns over the test routes had nothing to play.
    pub fn idle_turns(&self) -> u64 {
        self.idle_turns.load(Ordering::Relaxed)
    }

    /// Says that a message was queued that is only simulated.
    pub fn wake_simulated(&self) {
        self.simulated.notify_one();
    }

    /// Waits for a message that is only simulated.
    pub async fn simulated_woken(&self) {
        self.simulated.notified().await;
    }

    /// Says that a broadcast was made or cancelled.
    pub fn wake_broadcasts(&self) {
        self.broadcasts.notify_one();
    }

    /// Waits for a broadcast to be made or cancelled.
    pub async fn broadcasts_woken(&self) {
        self.broadcasts.notified().await;
    }

    /// Says that a task was made.
    pub fn wake_tasks(&self) {
        self.tasks.notify_one();
    }

    /// Waits for a task to be made.
    pub async fn tasks_woken(&self) {
        self.tasks.notified().await;
    }

    /// Says that messages of blocked contacts are left to be looked at.
    pub fn wake_blocked(&self) {
        self.blocked.notify_one();
    }

    /// Waits for messages of blocked contacts to be left.
    pub async fn blocked_woken(&self) {
        self.blocked.notified().await;
    }

    /// Says that a relative schedule was made, changed or deleted.
    pub fn wake_followers(&self) {
        self.followers.notify_one();
    }

    /// Waits for a relative schedule to be made, changed or deleted.
    pub async fn followers_woken(&self) {
        self.followers.notified().await;
    }

    /// Has every worker look that waits to be woken.
    pub fn wake_workers(&self) {
        self.wake_webhooks();
        self.wake_simulated();
        self.wake_broadcasts();
        self.wake_tasks();
        self.wake_blocked();
        self.wake_followers();
    }

    /// Says that outbox rows were written.
    pub fn wake_webhooks(&self) {
        self.webhooks.notify_one();
    }

    /// Waits for outbox rows to be written.
    pub async fn webhooks_woken(&self) {
        self.webhooks.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn phone(n: i64) -> PhoneId {
        PhoneId::new(Key::new(n).unwrap())
    }

    fn device(n: i64) -> DeviceId {
        DeviceId::new(Key::new(n).unwrap())
    }

    fn project(n: i64) -> ProjectId {
        ProjectId::new(Key::new(n).unwrap())
    }

    #[tokio::test]
    async fn a_wake_up_before_the_wait_is_not_lost() {
        let bus = Bus::default();
        let wake = Arc::new(Wake::default());
        bus.listen(project(1), device(9), &[phone(1)], &wake);
        bus.wake_phone(phone(1));
        bus.wake_asked(phone(1));
        assert_eq!(
            wake.woken().await,
            Woken {
                queued: true,
                asked: true,
                changed: false
            }
        );
    }

    #[tokio::test]
    async fn an_older_link_that_leaves_does_not_silence_the_newer() {
        let bus = Bus::default();
        let (older, newer) = (Arc::new(Wake::default()), Arc::new(Wake::default()));
        bus.listen(project(1), device(9), &[phone(1)], &older);
        bus.listen(project(1), device(9), &[phone(1)], &newer);
        bus.leave(project(1), device(9), &[phone(1)], &older);
        bus.wake_phone(phone(1));
        assert!(newer.woken().await.queued);
        bus.device_changed(project(1), device(9));
        assert!(newer.woken().await.changed);
    }

    #[tokio::test]
    async fn a_link_that_left_is_its_projects_no_more() {
        let bus = Bus::default();
        let (ours, theirs) = (Arc::new(Wake::default()), Arc::new(Wake::default()));
        bus.listen(project(1), device(8), &[phone(1)], &ours);
        bus.listen(project(2), device(9), &[phone(2)], &theirs);
        assert_eq!((bus.links_of(project(1)).len(), bus.links().len()), (1, 2));
        bus.device_changed(project(1), device(9));
        assert_eq!(bus.looks(), 0, "the device is another project's");
        bus.leave(project(1), device(8), &[phone(1)], &ours);
        assert_eq!((bus.links_of(project(1)).len(), bus.links().len()), (0, 1));
        assert_eq!(lock(&bus.projects).len(), 1);
    }

    #[tokio::test]
    async fn a_watcher_hears_of_the_change() {
        let bus = Bus::default();
        let message = MessageId::new(Key::new(5).unwrap());
        let watched = bus.watch_message(message);
        bus.message_changed(message);
        assert!(watched.await.is_ok());
        let gone = bus.watch_message(message);
        drop(gone);
        bus.unwatch_message(message);
        assert_eq!(bus.watchers.load(Ordering::Acquire), 0);
    }
}
