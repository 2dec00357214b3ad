//! Request conventions of the REST API, written once and knowing nothing of resources.
//!
//! # The way of a request
//! [`conventions`] gives it an id and catches what goes wrong; [`Asked`] finds the caller of its key, and
//! [`Call`] has query string and body as one set of [`Params`]; an operation reads typed [`Field`]s
//! or a [`ListQuery`] from them and returns an [`Answer`] or an [`ApiError`].
//!
//! # Rules
//! - A parameter in the query string and in the body, or twice in one of them, is refused.
//! - An operation reads only parameters that it declares ([`Takes`]). Others are ignored; those that
//!   are declared to come later are refused by name unless they say nothing ([`Params::check`]).
//! - Forms carry text, which is read as the type that is expected; JSON must have the right type.
//!   An empty text in a form counts as not given, except where a text is expected.
//! - Every error is the envelope, with a message that never repeats what came in.

mod answer;
mod body;
mod call;
mod context;
mod conventions;
mod credentials;
mod error;
mod field;
mod fields;
mod filter;
pub mod front;
mod json;
pub mod limits;
mod list;
mod media_bodies;
mod members;
mod node;
mod params;
mod query;
mod shape;
mod sheet;
mod steps;
mod stranger;

pub use answer::{Answer, Page};
pub use body::{StrangerBody, read_body, read_stranger_body};
pub use call::{Asked, Authenticator, Call, PathValues};
pub use context::{RateLimit, RequestContext, RequestIds};
pub use conventions::{conventions, no_such_method, no_such_url};
pub use error::{ApiError, ErrorCode, Unanswered};
pub use field::{Bracketed, Field, Object, Path};
pub use fields::{FIELDS, Fields};
pub use filter::{Filter, FilterKind, FilterSpec, FilterValue, Modifier};
pub use hub_view::{ObjectWriter, Resource};
pub use list::{ListQuery, PAGE, PAGE_SIZE_MAX};
pub use media_bodies::{BodySize, MediaBodies, MediaBody};
pub use params::{Params, Takes};
pub use shape::{Kind, Later, Member, Shape};
pub use sheet::SheetBody;
pub use stranger::{Party, StrangerBodies};
