//! Who goes next: projects in turn, and the endpoints of each in turn.
//!
//! However many endpoints a project has, it has one turn among the projects.

use crate::webhooks::lane::Endpoint;
use postrider_model::ProjectId;
use std::collections::{BTreeMap, BTreeSet};

/// Endpoints that wait for their turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    tickets: u64,
    projects: BTreeMap<ProjectId, Waiting>,
    /// Projects in the order of their tickets.
    order: BTreeSet<(u64, ProjectId)>,
}

/// A project's endpoints that wait.
#[derive(Debug, Default)]
struct Waiting {
    ticket: u64,
    tickets: BTreeMap<Endpoint, u64>,
    order: BTreeSet<(u64, Endpoint)>,
}

impl Turns {
    /// Puts an endpoint at the end of its project's, unless it waits already.
    pub(crate) fn insert(&mut self, endpoint: &Endpoint) {
        let ticket = self.ticket();
        let project = endpoint.project_id;
        let order = &mut self.order;
        let waiting = self.projects.entry(project).or_insert_with(|| {
            order.insert((ticket, project));
            Waiting {
                ticket,
                ..Waiting::default()
            }
        });
        if !waiting.tickets.contains_key(endpoint) {
            waiting.tickets.insert(endpoint.clone(), ticket);
            waiting.order.insert((ticket, endpoint.clone()));
        }
    }

    /// Takes an endpoint out, if it waits.
    pub(crate) fn remove(&mut self, endpoint: &Endpoint) {
        let project = endpoint.project_id;
        let Some(waiting) = self.projects.get_mut(&project) else {
            return;
        };
        if let Some(ticket) = waiting.tickets.remove(endpoint) {
            waiting.order.remove(&(ticket, endpoint.clone()));
        }
        if waiting.order.is_empty() {
            self.order.remove(&(waiting.ticket, project));
            self.projects.remove(&project);
        }
    }

    /// Takes the first endpoint of the first project that `may` go; the project is then the last.
    pub(crate) fn next(&mut self, may: impl Fn(ProjectId) -> bool) -> Option<Endpoint> {
        let mut order = self.order.iter();
        let (_, project) = *order.find(|(_, project)| may(*project))?;
        let endpoint = self.projects.get(&project)?.order.first()?.1.clone();
        self.remove(&endpoint);
        let ticket = self.ticket();
        if let Some(waiting) = self.projects.get_mut(&project) {
            self.order.remove(&(waiting.ticket, project));
            self.order.insert((ticket, project));
            waiting.ticket = ticket;
        }
        Some(endpoint)
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::testing::project;
    use proptest::prelude::*;

    fn endpoint(n: i64, k: u8) -> Endpoint {
        Endpoint {
            project_id: project(n),
            origin: format!("https://{k}.example:443").into(),
        }
    }

    #[test]
    fn a_project_with_many_endpoints_has_one_turn_among_the_projects() {
        let mut turns = Turns::default();
        for k in 0..100 {
            turns.insert(&endpoint(1, k));
        }
        turns.insert(&endpoint(2, 0));
        turns.insert(&endpoint(2, 1));
        let served: Vec<_> = std::iter::from_fn(|| turns.next(|_| true)).collect();
        let projects: Vec<_> = served.iter().map(|one| one.project_id.get()).collect();
        assert_eq!(projects[..5], [1, 2, 1, 2, 1]);
        assert_eq!(served.len(), 102);
    }

    #[test]
    fn who_may_not_go_keeps_its_place() {
        let mut turns = Turns::default();
        turns.insert(&endpoint(1, 0));
        turns.insert(&endpoint(2, 0));
        assert_eq!(turns.next(|id| id == project(2)), Some(endpoint(2, 0)));
        turns.insert(&endpoint(2, 0));
        assert_eq!(turns.next(|_| true), Some(endpoint(1, 0)));
        assert_eq!(turns.next(|id| id == project(3)), None);
    }

    proptest! {
        /// Who waits is served before anybody is served for the third time since.
        #[test]
        fn nobody_is_passed_by_twice(
            steps in proptest::collection::vec((1..6_i64, 0..4_u8, any::<bool>()), 1..300)
        ) {
            let mut turns = Turns::default();
            let mut waits: BTreeMap<Endpoint, BTreeMap<Endpoint, u32>> = BTreeMap::new();
            for (n, k, insert) in steps {
                if insert {
                    turns.insert(&endpoint(n, k));
                    waits.entry(endpoint(n, k)).or_default();
                    continue;
                }
                let Some(served) = turns.next(|_| true) else {
                    prop_assert!(waits.is_empty());
                    continue;
                };
                prop_assert!(waits.remove(&served).is_some(), "nobody is served who does not wait");
                for (other, passed) in &mut waits {
                    if other.project_id == served.project_id {
                        let times = passed.entry(served.clone()).or_default();
                        *times += 1;
                        prop_assert!(*times <= 1, "an endpoint went twice before another's turn");
                    }
                }
            }
            while let Some(served) = turns.next(|_| true) {
                prop_assert!(waits.remove(&served).is_some());
            }
            prop_assert!(waits.is_empty(), "everybody is served in the end");
        }

        /// A project that keeps waiting has every second turn at least, against one other.
        #[test]
        fn projects_alternate(many in 2..50_u8, few in 2..10_u8) {
            let mut turns = Turns::default();
            (0..many).for_each(|k| turns.insert(&endpoint(1, k)));
            (0..few).for_each(|k| turns.insert(&endpoint(2, k)));
            let both = many.min(few);
            for _ in 0..both {
                let pair = [turns.next(|_| true), turns.next(|_| true)];
                let ids: BTreeSet<_> = pair.iter().flatten().map(|one| one.project_id).collect();
                prop_assert_eq!(ids.len(), 2);
            }
        }

        /// Taking out leaves the others as they were.
        #[test]
        fn who_is_taken_out_is_not_served(
            all in proptest::collection::btree_set((1..6_i64, 0..6_u8), 1..20),
            gone in proptest::collection::btree_set((1..6_i64, 0..6_u8), 0..20),
        ) {
            let mut turns = Turns::default();
            all.iter().for_each(|(n, k)| turns.insert(&endpoint(*n, *k)));
            gone.iter().for_each(|(n, k)| turns.remove(&endpoint(*n, *k)));
            let served: BTreeSet<_> = std::iter::from_fn(|| turns.next(|_| true)).collect();
            let left: BTreeSet<_> =
                all.difference(&gone).map(|(n, k)| endpoint(*n, *k)).collect();
            prop_assert_eq!(served, left);
        }
    }
}
