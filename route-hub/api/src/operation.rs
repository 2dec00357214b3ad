//! Operations as data: each stands as a constant beside its handler, and what runs ([`crate::run`]) is made
//! from it.

use crate::ApiResult;
use crate::lists::{Asked, List};
use crate::state::Caller;
use http::Method;
use hub_app::actor::{Actor, OrganizationActor};
use hub_domain::Permission;
use hub_web::{ApiError, BodySize, ErrorCode, FIELDS, Kind, Member, PAGE, Shape, Takes};
use std::ops::Deref;
use std::pin::Pin;

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

/// One call of an operation by the holder of a key.
#[derive(Debug, Clone)]
pub struct Call {
    pub(crate) operation: &'static Operation,
    pub(crate) inner: hub_web::Call<Caller>,
}

impl Call {
    /// Reads what is asked of the list that the operation shows.
    pub(crate) fn list(&self) -> Result<Asked, ApiError> {
        self.operation.list().read(&self.params)
    }
}

impl Deref for Call {
    type Target = hub_web::Call<Caller>;

    fn deref(&self) -> &hub_web::Call<Caller> {
        &self.inner
    }
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
