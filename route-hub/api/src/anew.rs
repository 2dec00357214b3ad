//! Operations that write: prepared anew where another process changed what they were prepared on.

use crate::state::{ApiState, not_valid};
use crate::{ApiResult, Call, Failure};
use axum::extract::{FromRequest as _, Request, State};
use axum::handler::Handler;
use axum::response::{IntoResponse as _, Response};
use hub_app::hub::Hub;
use hub_store::StoreError;
use std::pin::Pin;

/// How often an operation is prepared; then its caller is told to come again.
const TRIES_MAX: u32 = 20;

/// An operation that writes.
#[derive(Clone)]
pub struct Anew<O>(pub O);

impl<O, F> Handler<(), ApiState> for Anew<O>
where
    O: Fn(State<Hub>, Call) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = ApiResult> + Send,
{
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, request: Request, state: ApiState) -> Self::Future {
        Box::pin(async move {
            let call = match Call::from_request(request, &state).await {
                Ok(call) => call,
                Err(error) => return error.into_response(),
            };
            let operation = self.0;
            match state.hub.store.is_shared() {
                true => prepared_anew(state.hub, call, operation).await,
                false => operation(State(state.hub), call).await,
            }
            .into_response()
        })
    }
}

async fn prepared_anew<F: Future<Output = ApiResult>>(
    hub: Hub,
    mut call: Call,
    operation: impl Fn(State<Hub>, Call) -> F,
) -> ApiResult {
    for _ in 1..TRIES_MAX {
        match operation(State(hub.clone()), call.clone()).await {
            Err(Failure::Store(StoreError::Stale)) => {
                let holder = call.caller.holder.again(&hub).await?;
                call.caller.holder = holder.ok_or_else(not_valid)?;
            }
            done => return done,
        }
    }
    operation(State(hub), call).await
}
