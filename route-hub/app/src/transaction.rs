//! One unit of work as one job: decided, written, and its effects after the commit.

use crate::actor::{Actor, OrganizationActor};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::hub_work::HubWork;
use crate::plan;
use crate::unit_of_work::{Effects, UnitOfWork};
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::{Gate, Share, StoreError, Tx, projects};
use hub_view::{Refusal, RefusalCode};
use postrider_link::mistake;
use postrider_model::{Now, ProjectId, UnixMs};

/// Runs `decide` in a transaction, and performs what follows its commit.
///
/// `decide` refuses before its first write; what it refuses later is rolled back, and costs a job
/// of its own. It may run twice. It changes the project's rows alone.
pub async fn run<T, E, F>(actor: &Actor, decide: F) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    run_at(actor.hub.store.of(actor.project.id), actor, decide).await
}

/// As [`run`], for what changes the organization's rows too: its audit log, or a name that is unique
/// in it.
pub async fn run_audited<T, E, F>(actor: &Actor, decide: F) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    run_at(audited(actor), actor, decide).await
}

fn audited(actor: &Actor) -> Share<'_> {
    let gate = Gate::Organization(actor.project.organization_id);
    actor.hub.store.of(actor.project.id).and(gate)
}

async fn run_at<T, E, F>(share: Share<'_>, actor: &Actor, mut decide: F) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    let (hub, owner) = (&actor.hub, actor.project.organization_id);
    let limits = plan::limits(hub, owner, actor.now).await?;
    let share = plan::gated(share, limits.as_ref()).prepared_on(actor.basis, owner);
    let inside = actor.clone();
    let job = move |tx: &mut Tx<'_>| {
        plan::hold(tx, limits.as_ref());
        let mut work = UnitOfWork::of(&inside, tx);
        let done = decide(&mut work)?;
        if mistake::is("answer_first") {
            work.tx.answer_early();
        }
        Ok::<_, E>((done, work.finish()?))
    };
    let (done, effects) = share.write(job).await?;
    effects.perform(&actor.hub);
    Ok(done)
}

/// Runs what the hub does by itself in a project, and performs what follows its commit. Nothing is
/// done where the project is gone.
pub(crate) async fn run_by_hub<T, E, F>(
    hub: &Hub,
    project_id: ProjectId,
    now: Now,
    mut step: F,
) -> Result<T, E>
where
    T: Default + Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    let inside = hub.clone();
    let job = move |tx: &mut Tx<'_>| {
        let Some(project) = projects::get(tx, project_id)? else {
            return Ok((T::default(), Effects::default()));
        };
        let mut work = UnitOfWork::new(&inside, tx, &project, now);
        let done = step(&mut work)?;
        Ok::<_, E>((done, work.finish()?))
    };
    let (done, effects) = hub.store.of(project_id).write(job).await?;
    effects.perform(hub);
    Ok(done)
}

/// As [`run`], for what concerns an organization and none of its projects in particular.
pub async fn run_on_hub<T, E, F>(actor: &OrganizationActor, decide: F) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut HubWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    let share = actor.hub.store.of_organization(actor.organization_id);
    run_on_hub_at(share, actor, decide).await
}

/// As [`run_on_hub`], for what changes the rows of one of its projects, too.
pub async fn run_on_project<T, E, F>(
    actor: &OrganizationActor,
    project: ProjectId,
    decide: F,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut HubWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    let share = actor.hub.store.of_organization(actor.organization_id);
    run_on_hub_at(share.and(Gate::Project(project)), actor, decide).await
}

async fn run_on_hub_at<T, E, F>(
    share: Share<'_>,
    actor: &OrganizationActor,
    mut decide: F,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    F: FnMut(&mut HubWork<'_, '_>) -> Result<T, E> + Send + 'static,
{
    let limits = plan::limits(&actor.hub, actor.organization_id, actor.now).await?;
    let share = share.prepared_on(actor.basis, actor.organization_id);
    let inside = actor.clone();
    let job = move |tx: &mut Tx<'_>| {
        plan::hold(tx, limits.as_ref());
        let mut work = HubWork::new(&inside.hub, tx, inside.who.clone(), inside.now);
        let done = decide(&mut work)?;
        Ok::<_, E>((done, work.effects))
    };
    let (done, effects) = share.write(job).await?;
    effects.perform(&actor.hub);
    Ok(done)
}

/// What [`run_once`] comes to.
#[derive(Debug)]
pub enum Once<T> {
    /// Done now, for a request that named no key.
    Done(T),
    /// The answer to a request that named a key: as it was given the first time.
    Answer(String),
}

/// As [`run`], but a request that names a key is done once.
///
/// Its answer, which `show` writes, is kept in the transaction of what it tells of, and a repeat
/// gets the kept one. Without a key the answer is up to the caller, off the thread that writes.
pub async fn run_once<T, E, F, S>(
    actor: &Actor,
    repeat: Option<Repeat>,
    decide: F,
    show: S,
) -> Result<Once<T>, E>
where
    T: Send + 'static,
    E: From<StoreError> + From<Failure> + Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, E> + Send + 'static,
    S: Fn(T) -> String + Send + 'static,
{
    run(actor, once(repeat, decide, show)).await
}

/// The job of [`run_once`].
pub(crate) fn once<T, E: From<StoreError> + From<Failure>>(
    repeat: Option<Repeat>,
    mut decide: impl FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, E>,
    show: impl Fn(T) -> String,
) -> impl FnMut(&mut UnitOfWork<'_, '_>) -> Result<Once<T>, E> {
    move |work| {
        let (project, now) = (work.project.id, work.now.unix);
        let Some(repeat) = &repeat else {
            return decide(work).map(Once::Done);
        };
        if let Some(earlier) = repeat.earlier(work.tx, project)? {
            return Ok(Once::Answer(earlier));
        }
        let answer = show(decide(work)?);
        repeat.keep(work.tx, project, &answer, now)?;
        Ok(Once::Answer(answer))
    }
}

/// The key of a request that may be repeated, and what tells its content from others.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// The key, as whoever asks made it.
    pub key: String,
    /// SHA-256 of the request.
    pub hash: String,
}

impl Repeat {
    /// Returns the answer to the same request before; refuses another one under its key.
    ///
    /// Within the transaction that would do the work: a repeat at the same moment comes after it.
    fn earlier(&self, tx: &mut Tx<'_>, project_id: ProjectId) -> Result<Option<String>, Failure> {
        let Some(kept) = idempotency::get(tx, project_id, &self.key)? else {
            return Ok(None);
        };
        if kept.body_hash != self.hash {
            let text = "this Idempotency-Key was used with another request";
            return Err(Refusal::new(RefusalCode::IdempotencyMismatch, text).into());
        }
        Ok(Some(kept.answer))
    }

    /// Keeps an answer in the transaction of what it tells of.
    fn keep(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        answer: &str,
        now: UnixMs,
    ) -> Result<(), StoreError> {
        let kept = KeptAnswer {
            body_hash: self.hash.clone(),
            answer: answer.to_owned(),
        };
        idempotency::put(tx, project_id, &self.key, &kept, now)
    }
}
