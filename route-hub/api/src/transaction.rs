//! One unit of work per request: decided, written and answered in one transaction.

use super::Failure;
use super::idempotency::Idempotency;
use hub_app::actor::Actor;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::transaction::{Once, run_once};
use hub_web::Answer;

/// Runs `decide` in a transaction, performs what follows its commit, and answers.
///
/// As [`run_once`]: with an `Idempotency-Key` the answer is made and kept within the transaction.
pub(super) async fn answer<T, F, S>(
    actor: &Actor,
    idempotency: Idempotency,
    decide: F,
    show: S,
) -> Result<Answer, Failure>
where
    T: Send + 'static,
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<T, Failure> + Send + 'static,
    S: Fn(T) -> Answer + Send + Clone + 'static,
{
    let text = {
        let show = show.clone();
        move |value| show(value).text().to_owned()
    };
    Ok(match run_once(actor, idempotency.0, decide, text).await? {
        Once::Done(value) => show(value),
        Once::Answer(text) => Answer::saved(text),
    })
}
