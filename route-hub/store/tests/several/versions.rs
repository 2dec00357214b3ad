//! Whether a job runs that was prepared on what another process has changed since.

use crate::processes::{fresh, open, project};
use hub_store::changes::{self, Scope};
use hub_store::testing::PostgresDatabase;
use hub_store::{Basis, Gate, Store, StoreError};
use postrider_model::{Id, Key, OrganizationId};
use std::sync::{Arc, Mutex};

fn organization() -> OrganizationId {
    Id::new(Key::new(1_000).unwrap())
}

/// Two processes on a database, the first with a planted mistake.
struct Two {
    ours: Store,
    other: Store,
    /// Goes after the stores.
    _database: PostgresDatabase,
}

impl Two {
    fn new(mistake: &'static str) -> Self {
        let database = fresh();
        let [ours, other] = [0, 1].map(|_| open(&database.url(), mistake));
        Self {
            ours,
            other,
            _database: database,
        }
    }

    /// Runs a job of the first process that was prepared on this.
    async fn job(&self, basis: Basis) -> Result<(), StoreError> {
        let share = self.ours.of(project(1));
        let job = share.prepared_on(basis, organization()).write(|_| Ok(()));
        job.await
    }

    /// Has the other process change something.
    async fn change(&self, scope: Scope) {
        Self::change_by(&self.other, scope).await;
    }

    async fn change_by(process: &Store, scope: Scope) {
        let share = match scope {
            Scope::Keys(id) => process.of_organization(id),
            _ => process.of(project(1)),
        };
        let changing = share.write::<_, StoreError, _>(move |tx| changes::raise(tx, scope));
        changing.await.unwrap();
    }

    /// Says whether a job runs that was prepared before the other process changed this.
    #[cfg(debug_assertions)]
    async fn runs_after(&self, scope: Scope) -> bool {
        let basis = self.ours.basis();
        self.change(scope).await;
        self.job(basis).await.is_ok()
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_job_that_was_prepared_before_another_process_changed_something_is_not_run() {
    let two = Two::new("");
    for scope in [Scope::Rows(project(1)), Scope::Keys(organization())] {
        let basis = two.ours.basis();
        two.change(scope).await;
        let stale = two.job(basis).await;
        assert!(matches!(stale, Err(StoreError::Stale)), "{stale:?}");
        two.job(two.ours.basis()).await.unwrap();
    }
    assert_eq!(two.ours.cluster_load().unwrap().stale, 2);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn what_a_process_changes_itself_has_none_of_its_jobs_prepared_anew() {
    let two = Two::new("");
    let basis = two.ours.basis();
    for scope in [Scope::Rows(project(1)), Scope::Keys(organization())] {
        Two::change_by(&two.ours, scope).await;
        two.job(basis).await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn what_is_kept_in_memory_is_forgotten_before_a_job_of_its_project_runs() {
    let two = Two::new("");
    let forgotten = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&forgotten);
    two.ours
        .forget_by(move |gate| told.lock().unwrap().push(gate));
    two.change(Scope::Rows(project(1))).await;
    let seen = Arc::clone(&forgotten);
    let job = two.ours.of(project(1));
    let job = job.write(move |_| Ok::<_, StoreError>(seen.lock().unwrap().clone()));
    assert_eq!(job.await.unwrap(), [Gate::Project(project(1))]);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn what_nobody_prepares_jobs_on_has_none_prepared_anew() {
    let two = Two::new("");
    let basis = two.ours.basis();
    let device = Id::new(Key::new(7).unwrap());
    let other = two.other.of(project(1));
    let noting =
        other.write::<_, StoreError, _>(move |tx| changes::note(tx, Scope::Presence(device)));
    noting.await.unwrap();
    two.job(basis).await.unwrap();
}

#[cfg(debug_assertions)]
#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_version_that_is_not_compared_or_not_raised_is_caught() {
    for two in [Two::new("stale_version"), Two::new("version_not_raised")] {
        assert!(two.runs_after(Scope::Rows(project(1))).await);
    }
}
