//! Operations as data: each stands as a constant beside its handler, and what runs is made from it.

use crate::lists::List;
use crate::state::{ApiState, Caller, not_valid};
use crate::{ApiResult, Call, Failure, enter};
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::{IntoResponse as _, Response};
use http::Method;
use hub_app::actor::{Actor, OrganizationActor};
use hub_app::auth;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::StoreError;
use hub_web::{Asked, BodySize, ErrorCode, FIELDS, Kind, Member, PAGE, Shape, Takes};
use std::pin::Pin;

/// How often an operation is prepared; then its caller is told to come again.
const TRIES_MAX: u32 = 20;

/// A handler at work.
pub type Running = Pin<Box<dyn Future<Output = ApiResult> + Send>>;

/// One operation of the API: what it takes, answers, refuses and needs, and its handler.
#[derive(Debug)]
pub struct Operation {
    /// Its name in the interface's description: `listLabels`.
    pub id: &'static str,
    /// The resource that it belongs to.
    pub module: &'static str,
    /// What it does, in a sentence or more.
    pub about: &'static str,
    /// Who may call it, and its handler.
    pub run: Run,
    /// What it answers.
    pub answer: Answers,
    /// Its parameters, in groups.
    pub takes: &'static [&'static [Member]],
    /// How it fails, besides what every operation of its sort may.
    pub errors: &'static [ErrorCode],
    /// What its body may bring.
    pub body: BodySize,
    /// Those of its parameters that stand in the URL where its body is rows as text.
    pub beside_sheet: &'static [Member],
    /// Whether an `Idempotency-Key` makes a repeat answer as the first call did.
    pub is_repeatable: bool,
    /// Parameters of a call that succeeds, as JSON.
    pub example: &'static str,
}

/// A URL of the API, with one method.
#[derive(Debug, Clone)]
pub struct Url {
    /// Its method.
    pub method: Method,
    /// Its path, with its placeholders in braces.
    pub path: String,
    /// What it does.
    pub operation: &'static Operation,
    /// Whether it is an older name of another.
    pub is_alias: bool,
}

/// Who may call an operation, and its handler.
#[derive(Debug)]
pub enum Run {
    /// A key that reaches the project of the path with this permission.
    Project(Permission, fn(Actor, Call) -> Running),
    /// A key of the organization of the path, or of the only one that it can mean, with this
    /// permission.
    Organization(Permission, fn(OrganizationActor, Call) -> Running),
    /// As `Organization`, but not a key for one project alone.
    WholeOrganization(Permission, fn(OrganizationActor, Call) -> Running),
}

/// What an operation answers.
#[derive(Debug)]
pub enum Answers {
    /// One object.
    Object(&'static Shape),
    /// A page of objects, or their number.
    List(&'static List, &'static Shape),
    /// All objects, in a bare array.
    Array(&'static Shape),
    /// All objects of two sorts, in a bare array.
    Either(&'static Shape, &'static Shape),
    /// A bare value.
    Value(Kind),
    /// `{}`.
    Nothing,
}

impl Operation {
    /// Makes an operation that takes nothing and has no failure of its own.
    pub const fn new(
        id: &'static str,
        module: &'static str,
        about: &'static str,
        answer: Answers,
        run: Run,
    ) -> Self {
        Self {
            id,
            module,
            about,
            run,
            answer,
            takes: &[],
            errors: &[],
            body: BodySize::Usual,
            beside_sheet: &[],
            is_repeatable: false,
            example: "{}",
        }
    }

    /// Its parameters, in groups.
    pub const fn takes(mut self, takes: &'static [&'static [Member]]) -> Self {
        self.takes = takes;
        self
    }

    /// How it fails, besides what every operation of its sort may.
    pub const fn errors(mut self, errors: &'static [ErrorCode]) -> Self {
        self.errors = errors;
        self
    }

    /// Its body may bring media; it is read after the key was found and its permission checked.
    pub const fn with_media(mut self) -> Self {
        self.body = BodySize::Media;
        self
    }

    /// As [`Self::with_media`], or its body is rows as text, which come as they are: then these parameters
    /// stand in the URL.
    pub const fn with_media_or_sheet(mut self, beside: &'static [Member]) -> Self {
        self.body = BodySize::MediaOrSheet;
        self.beside_sheet = beside;
        self
    }

    /// It takes an `Idempotency-Key`.
    pub const fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        self
    }

    /// Parameters of a call that succeeds, as JSON.
    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// Returns the permission that it needs.
    pub const fn permission(&self) -> Permission {
        match self.run {
            Run::Project(permission, _)
            | Run::Organization(permission, _)
            | Run::WholeOrganization(permission, _) => permission,
        }
    }

    /// Says whether it answers beyond every limit: what an organization has and uses stays to be seen.
    pub const fn is_beyond_limits(&self) -> bool {
        matches!(self.permission(), Permission::ViewBilling)
    }

    /// Returns every parameter that may be read.
    pub fn parameters(&self) -> Takes {
        let common: &[&[Member]] = match self.answer {
            Answers::List(..) => &[PAGE, FIELDS],
            Answers::Object(_) | Answers::Array(_) | Answers::Either(..) => &[FIELDS],
            Answers::Value(_) | Answers::Nothing => &[],
        };
        Takes {
            own: self.takes,
            common,
        }
    }

    /// Returns the list that it shows.
    pub(crate) fn list(&self) -> &'static List {
        match self.answer {
            Answers::List(list, _) => list,
            _ => {
                debug_assert!(false, "{} answers a list", self.id);
                &List::EMPTY
            }
        }
    }
}

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

/// Declares an operation beside its handler; its comment is what callers read.
///
/// ```text
/// operation! {
///     /// Shows one label.
///     GET = "getLabel": Project(VIEW), get -> Object(&LABEL);
/// }
/// ```
macro_rules! operation {
    ($(#[doc = $doc:literal])+ $name:ident = $id:literal: $reach:ident($permission:expr), $handle:ident
        -> $answer:ident $(($($of:expr),+))?; $($more:tt)*) => {
        $(#[doc = $doc])+
        pub const $name: $crate::Operation = $crate::Operation::new(
            $id,
            module_path!(),
            concat!($($doc, "\n"),+),
            $crate::operation::Answers::$answer $(($($of),+))?,
            $crate::operation::Run::$reach($permission, |actor, call| {
                Box::pin($handle(actor, call))
            }),
        ) $($more)*;
    };
}

pub(crate) use operation;
