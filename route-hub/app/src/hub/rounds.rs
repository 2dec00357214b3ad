//! Wake-ups of many links: a few at a time, and one round of a kind at once.
//!
//! The links of a project look after a change of it; all links look when any row may have changed.
//! A look costs the database a little, so thousands of links look one after the other. A change
//! during a round adds one more round after it, and no more than one.

use crate::hub::bus::{Bus, Wake};
use postrider_model::ProjectId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;

/// Most links that look at the same time: more than most projects have.
const AT_ONCE: usize = 128;
/// The pause between two steps of a round.
const STEP_EVERY: Duration = Duration::from_millis(10);
/// How many steps a round of all links takes: two seconds.
const STEPS_FOR_EVERYBODY: usize = 200;

/// Whose links look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Round {
    /// Every link of this process.
    Everybody,
    /// The links of a project.
    Project(ProjectId),
}

impl Round {
    fn links(self, bus: &Bus) -> Vec<Arc<Wake>> {
        match self {
            Self::Everybody => bus.links(),
            Self::Project(id) => bus.links_of(id),
        }
    }

    /// Returns how many of `links` look in one step.
    fn step(self, links: usize) -> usize {
        match self {
            Self::Everybody => links.div_ceil(STEPS_FOR_EVERYBODY).max(1),
            Self::Project(_) => AT_ONCE,
        }
    }
}

/// The rounds that are under way, and whether another one follows each.
#[derive(Debug, Clone, Default)]
pub struct Rounds {
    under_way: Arc<Mutex<BTreeMap<Round, bool>>>,
}

impl Rounds {
    /// Begins a round, or another one after the one that is under way.
    pub fn begin(&self, bus: &Arc<Bus>, round: Round) {
        if let Some(again) = self.lock().get_mut(&round) {
            *again = true;
            return;
        }
        let links = round.links(bus);
        let runtime = Handle::try_current().ok();
        let Some(runtime) = runtime.filter(|_| links.len() > AT_ONCE) else {
            return links.iter().for_each(|wake| bus.look(wake));
        };
        self.lock().insert(round, false);
        runtime.spawn(self.clone().go_round(Arc::clone(bus), round, links));
    }

    /// Ends a round; says whether another one follows it.
    fn end(&self, round: Round) -> bool {
        let mut under_way = self.lock();
        match under_way.get_mut(&round) {
            Some(again) if *again => {
                *again = false;
                true
            }
            _ => {
                under_way.remove(&round);
                false
            }
        }
    }

    async fn go_round(self, bus: Arc<Bus>, round: Round, mut links: Vec<Arc<Wake>>) {
        loop {
            for step in links.chunks(round.step(links.len())) {
                step.iter().for_each(|wake| bus.look(wake));
                tokio::time::sleep(STEP_EVERY).await;
            }
            if !self.end(round) {
                return;
            }
            links = round.links(&bus);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Round, bool>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_folder;
    use crate::hub::Hub;
    use postrider_model::{Id, Key};

    async fn hub() -> (Hub, tempfile::TempDir) {
        let make = || {
            let folder = tempfile::tempdir().unwrap();
            let store = data_folder::open(folder.path(), 0).unwrap();
            let parts = data_folder::parts(store, "http://127.0.0.1".into(), Vec::new());
            (Hub::new(parts.unwrap()), folder)
        };
        tokio::task::spawn_blocking(make).await.unwrap()
    }

    fn id<K>(n: usize) -> Id<K> {
        Id::new(Key::new(n as i64 + 1).unwrap())
    }

    fn join(hub: &Hub, project: usize, count: usize) -> Vec<Arc<Wake>> {
        let listen = |n| {
            let wake = Arc::new(Wake::default());
            hub.bus.listen(id(project), id(n), &[], &wake);
            wake
        };
        (0..count).map(listen).collect()
    }

    async fn all_look(links: &[Arc<Wake>]) {
        for wake in links {
            assert!(wake.woken().await.changed);
        }
    }

    #[tokio::test]
    async fn a_hundred_changes_of_a_project_are_two_rounds_of_its_own_links() {
        let (hub, _folder) = hub().await;
        let (ours, _theirs) = (join(&hub, 1, 1_000), join(&hub, 2, 1_000));
        for _ in 0..100 {
            hub.project_changed(id(1));
        }
        while !hub.rounds.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(hub.bus.looks(), 2_000);
        all_look(&ours).await;
    }

    #[test]
    fn a_change_of_everything_is_spread_over_two_seconds() {
        for links in [129, 5_000, 19_900] {
            let step = Round::Everybody.step(links);
            let pauses = u32::try_from(links.div_ceil(step)).unwrap();
            let spread_ms = (STEP_EVERY * pauses).as_millis();
            assert!((1_000..=2_000).contains(&spread_ms), "{links}: {spread_ms}");
        }
    }

    #[tokio::test]
    async fn few_links_look_at_once() {
        let (hub, _folder) = hub().await;
        let links = join(&hub, 1, AT_ONCE);
        hub.project_changed(id(1));
        assert_eq!(hub.bus.looks(), AT_ONCE as u64);
        all_look(&links).await;
    }
}
