//! One unit of work per request: decided, written and answered in one transaction.

use crate::Failure;
use crate::idempotency::Idempotency;
use hub_app::dispatch::effects::Effects;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Project;
use hub_store::Tx;
use hub_web::Answer;
use postrider_model::Now;
use std::sync::Arc;

/// Runs `decide` in a transaction, performs what follows its commit, and answers.
///
/// `decide` refuses before its first write; what it refuses later is rolled back, and costs a job
/// of its own. With an `Idempotency-Key` the answer is made and kept
/// within the transaction, and a repeat gets the kept one; without, it is made after the commit,
/// off the thread that writes.
pub(super) async fn answer<T, F, S>(
    hub: &Hub,
    project: &Arc<Project>,
    now: Now,
    idempotency: Idempotency,
    mut decide: F,
    show: S,
) -> Result<Answer, Failure>
where
    T: Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, Failure> + Send + 'static,
    S: Fn(T) -> Answer + Send + Clone + 'static,
{
    let (inside, of, show_inside) = (hub.clone(), Arc::clone(project), show.clone());
    let job = move |tx: &mut Tx<'_>| {
        if let Some(earlier) = idempotency.earlier(tx, of.id)? {
            return Ok((Made::Answer(earlier), Effects::default()));
        }
        let mut work = UnitOfWork::new(&inside, tx, &of, now);
        let mut made = Made::Value(decide(&mut work)?);
        if idempotency.is_keyed() {
            let answer = made.answer(&show_inside);
            idempotency.keep(work.tx, of.id, &answer, now.unix)?;
            made = Made::Answer(answer);
        }
        #[cfg(feature = "fault-order")]
        hub_app::fault::of_request(work.tx);
        Ok::<_, Failure>((made, work.finish()?))
    };
    let (made, effects) = hub.store.of(project.id).write(job).await?;
    effects.perform(hub);
    Ok(made.answer(&show))
}

enum Made<T> {
    Answer(Answer),
    Value(T),
}

impl<T> Made<T> {
    fn answer(self, show: impl Fn(T) -> Answer) -> Answer {
        match self {
            Self::Answer(answer) => answer,
            Self::Value(value) => show(value),
        }
    }
}
