//! Limits of an organization whose projects two processes write to.

use crate::processes::{fresh, open, project};
use hub_domain::{Organization, Plan, Project, Quarter, UsageType};
use hub_store::usage::{self, Limits};
use hub_store::{Gate, Store, StoreError, organizations, projects};
use postrider_model::{Id, Key, OrganizationId, ProjectId, UnixMs};
use std::sync::Arc;

const MOST: u64 = 25;

fn organization() -> OrganizationId {
    Id::new(Key::new(1_000).unwrap())
}

async fn prepare(store: &Store) {
    let job = store.write(|tx| {
        organizations::insert(
            tx,
            &Organization {
                id: organization(),
                name: "Clinic".to_owned(),
                timezone_id: "UTC".to_owned(),
                plan: Plan::default(),
                time_created: UnixMs(0),
            },
        )
    });
    job.await.unwrap();
    for number in 1..=4 {
        let (id, name) = (project(number), format!("Project {number}"));
        let made = Project::new(id, organization(), name, UnixMs(0));
        let share = store.of_organization(organization()).and(Gate::Project(id));
        let job = share.write::<_, StoreError, _>(move |tx| projects::insert(tx, &made));
        job.await.unwrap();
    }
}

/// Counts one group more in a project, unless that is beyond the limit.
async fn add(store: Store, project: ProjectId) -> bool {
    let limits = Arc::new(Limits {
        organization_id: organization(),
        most: [(UsageType::Groups, MOST)].into(),
        day: Quarter(0),
        period: Quarter(0),
    });
    let share = store.of(project).and(Gate::Organization(organization()));
    let job = share.write(move |tx| {
        usage::limit(tx, &limits);
        usage::count(tx, project, UsageType::Groups, 1, UnixMs(0))
    });
    match job.await {
        Ok(()) => true,
        Err(StoreError::Beyond(_)) => false,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn two_processes_do_not_go_beyond_a_limit_together() {
    let database = fresh();
    let stores = [0, 1].map(|_| open(&database.url(), ""));
    prepare(&stores[0]).await;
    let adding: Vec<_> = (0..80)
        .map(|n| tokio::spawn(add(stores[n % 2].clone(), project(1 + n as i64 % 4))))
        .collect();
    let mut added = 0;
    for one in adding {
        added += u64::from(one.await.unwrap());
    }
    assert_eq!(added, MOST);
    let reading = stores[1].read(|tx| usage::present(tx, organization()));
    let there = reading.await.unwrap().of(UsageType::Groups);
    assert_eq!(there.unsigned_abs(), MOST);
}
