//! One unit of work per request: decided, written and answered in one transaction.

use super::Failure;
use super::idempotency::Idempotency;
use hub_app::actor::Actor;
use hub_app::transaction::{Once, run_once};
use hub_app::unit_of_work::UnitOfWork;
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
    let done = run_once(actor, idempotency.0, decide, text(show.clone())).await?;
    Ok(shown(done, show))
}

/// Makes what keeps an answer as text.
pub(super) fn text<T>(
    show: impl Fn(T) -> Answer + Send + 'static,
) -> impl Fn(T) -> String + Send + 'static {
    move |value| show(value).text().to_owned()
}

/// Answers with what was done, or as it was answered the first time.
pub(super) fn shown<T>(done: Once<T>, show: impl Fn(T) -> Answer) -> Answer {
    match done {
        Once::Done(value) => show(value),
        Once::Answer(text) => Answer::saved(text),
    }
}
