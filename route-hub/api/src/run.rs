//! Running an operation: its caller is let in, its parameters are read, and its handler answers.

use crate::operation::Run;
use crate::state::{ApiState, Caller, not_valid};
use crate::{ApiResult, Call, Failure, Operation, enter};
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::{IntoResponse as _, Response};
use hub_app::auth;
use hub_app::hub::Hub;
use hub_store::StoreError;
use hub_web::{Asked, BodySize};
use std::pin::Pin;

/// How often an operation is prepared; then its caller is told to come again.
const TRIES_MAX: u32 = 20;

impl Handler<(), ApiState> for &'static Operation {
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, request: Request, state: ApiState) -> Self::Future {
        Box::pin(async move {
            let answer = match self.read(request, &state).await {
                Ok(call) => self.run(state.hub, call).await,
                Err(failure) => Err(failure),
            };
            answer.into_response()
        })
    }
}

impl Operation {
    async fn read(&'static self, request: Request, state: &ApiState) -> Result<Call, Failure> {
        let asked: Asked<Caller> = Asked::read(request, state).await?;
        if let (BodySize::Media | BodySize::MediaOrSheet, Some(caller)) = (self.body, &asked.caller)
        {
            let permission = self.permission();
            Box::pin(enter::allowed(&state.hub, caller, &asked.path, permission)).await?;
        }
        let inner = asked.call(state, self.parameters(), self.body).await?;
        Ok(Call {
            operation: self,
            inner,
        })
    }

    async fn run(&self, hub: Hub, call: Call) -> ApiResult {
        auth::take_request(&hub, &call.caller.holder, self.is_beyond_limits()).await?;
        // What runs seldom has a box of its own: else each request would have room for it, and move it.
        if hub.store.is_shared() {
            Box::pin(self.run_beside_others(hub, call)).await
        } else {
            self.run_once(&hub, call).await
        }
    }

    /// Runs it. What it was prepared on may change before it is written, through another process of
    /// this hub: then it is prepared anew.
    async fn run_beside_others(&self, hub: Hub, mut call: Call) -> ApiResult {
        for _ in 1..TRIES_MAX {
            match self.run_once(&hub, call.clone()).await {
                Err(Failure::Store(StoreError::Stale)) => {
                    let holder = call.caller.holder.again(&hub).await?;
                    call.inner.caller.holder = holder.ok_or_else(not_valid)?;
                }
                done => return done,
            }
        }
        self.run_once(&hub, call).await
    }

    async fn run_once(&self, hub: &Hub, call: Call) -> ApiResult {
        #[cfg(debug_assertions)]
        let unread = call.params.unread();
        let answer = self.handle(hub, call).await;
        #[cfg(debug_assertions)]
        if let (Ok(_), Some(name)) = (&answer, unread()) {
            panic!("{} ignores {name}", self.id);
        }
        answer
    }

    async fn handle(&self, hub: &Hub, call: Call) -> ApiResult {
        match self.run {
            Run::Project(permission, handle) => {
                let actor = enter::project(hub, &call, permission).await?;
                call.params.check()?;
                handle(actor, call).await
            }
            Run::Organization(permission, handle) => {
                let actor = enter::organization(hub, &call, permission)?;
                call.params.check()?;
                handle(actor, call).await
            }
            Run::WholeOrganization(permission, handle) => {
                let actor = enter::whole_organization(hub, &call, permission)?;
                call.params.check()?;
                handle(actor, call).await
            }
        }
    }
}
