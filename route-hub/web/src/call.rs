//! One call of an operation: who asks, for what, with which parameters.

use crate::{
    body::{read_body, read_media_body, read_stranger_body},
    context::RequestContext,
    credentials,
    error::ApiError,
    limits::{SHEET_BYTES_HELD, STRANGER_BODY_BYTES_MAX},
    media_bodies::{BodySize, MediaBodies, MediaBody},
    params::{Params, Takes},
    sheet::{SheetBody, is_sheet},
    stranger::StrangerBodies,
};
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use bytes::Bytes;
use http::{Extensions, HeaderMap, header, request::Parts};
use postrider_model::{Id, IdKind, Secret};
use std::future::Future;
use std::sync::Arc;

/// The application's side of a call: it turns an API key into a caller.
pub trait Authenticator: Send + Sync {
    /// Who asks.
    type Caller: Send + Sync;

    /// Finds the caller of a key and takes a token from its rate limit.
    ///
    /// # Errors
    /// `unauthorized` for a key that is not valid, `rate_limited` for one that asks too often.
    fn authenticate(
        &self,
        key: &Secret,
        context: &RequestContext,
    ) -> impl Future<Output = Result<Self::Caller, ApiError>> + Send;

    /// Says that the sender of a request with these extensions is a stranger no more.
    ///
    /// # Errors
    /// `unavailable` when there is no room for another request of its kind.
    fn came_in(&self, _caller: &Self::Caller, _extensions: &Extensions) -> Result<(), ApiError> {
        Ok(())
    }

    /// Says that the sender of a request with these extensions stays a stranger until its body was
    /// read.
    ///
    /// # Errors
    /// `unavailable` when there are too many of its kind.
    fn stays(&self, _extensions: &Extensions) -> Result<(), ApiError> {
        Ok(())
    }

    /// Returns the room that bodies share whose senders have shown no key.
    fn stranger_bodies(&self) -> &StrangerBodies;

    /// Returns the room that bodies share which may bring media.
    fn media_bodies(&self) -> &MediaBodies;
}

/// One call: the caller is known, the body was read and is within its limits.
///
/// A key in header or query string is checked before the body is read; a body that brings the key
/// itself is read within the bounds of a stranger.
#[derive(Debug, Clone)]
pub struct Call<C> {
    /// Who asks.
    pub caller: C,
    /// Query string and body, without the key.
    pub params: Params,
    /// The values of the path, by name.
    pub path: PathValues,
    headers: HeaderMap,
    /// The body, where it is no parameters.
    sheet: Option<SheetBody>,
    /// What its body holds until the call is answered.
    _held: Option<Arc<MediaBody>>,
}

impl<C> Call<C> {
    /// Returns the id at this place of the path.
    ///
    /// # Errors
    /// `not_found` for what is no id of the kind: the same answer as for an id of nothing.
    pub fn path_id<K: IdKind>(&self, name: &str, what: &str) -> Result<Id<K>, ApiError> {
        self.path.id(name, what)
    }

    /// Returns the text at this place of the path.
    pub fn path(&self, name: &str) -> Option<&str> {
        self.path.get(name)
    }

    /// Returns the body, where it is no parameters but rows as text.
    pub fn sheet(&self) -> Option<&SheetBody> {
        self.sheet.as_ref()
    }

    /// Returns whether a header came.
    pub fn has_header(&self, name: &'static str) -> bool {
        self.headers.contains_key(name)
    }

    /// Returns a header's text, if it came and is readable.
    pub fn header(&self, name: &'static str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A request whose body was not read yet.
#[derive(Debug)]
pub struct Asked<C> {
    /// Who asks, if the key stands in header or query string.
    pub caller: Option<C>,
    /// The values of the path, by name.
    pub path: PathValues,
    context: RequestContext,
    query: Params,
    parts: Parts,
    body: Body,
}

impl<C: Send + Sync> Asked<C> {
    /// Reads all but the body, and finds who asks.
    ///
    /// # Errors
    /// `unauthorized` for a key that is not valid, and what else a query string may be refused for.
    pub async fn read<S>(request: Request, state: &S) -> Result<Self, ApiError>
    where
        S: Authenticator<Caller = C>,
    {
        let (mut parts, body) = request.into_parts();
        let context = RequestContext::of(&mut parts.extensions);
        let path = PathValues::read(&mut parts).await?;
        let mut query = Params::from_parts(parts.uri.query().unwrap_or_default(), None)?;
        let key = credentials::from_header(&parts.headers)?;
        let in_query = credentials::take_parameter(&mut query)?;
        let caller = match key.or(in_query) {
            Some(key) => Some(enter(state, &key, &context, &parts).await?),
            None => None,
        };
        Ok(Self {
            caller,
            path,
            context,
            query,
            parts,
            body,
        })
    }

    /// Reads the body, of at most this size.
    ///
    /// # Errors
    /// `unauthorized` when no key came, and what else a body may be refused for.
    pub async fn call<S>(self, state: &S, takes: Takes, size: BodySize) -> Result<Call<C>, ApiError>
    where
        S: Authenticator<Caller = C>,
    {
        let (parts, mut params) = (self.parts, self.query);
        let (mut held, mut sheet) = (None, None);
        let (caller, bytes) = match (self.caller, size) {
            (Some(caller), BodySize::MediaOrSheet) if is_sheet(content_type(&parts)) => {
                let mut body = state.media_bodies().begin();
                body.grow(SHEET_BYTES_HELD)?;
                held = Some(Arc::new(body));
                sheet = Some(SheetBody::new(&parts.headers, self.body)?);
                (caller, Bytes::new())
            }
            (Some(caller), BodySize::Usual) => {
                (caller, read_body(&parts.headers, self.body).await?)
            }
            (Some(caller), BodySize::Media | BodySize::MediaOrSheet) => {
                let bodies = state.media_bodies();
                let reading = read_media_body(&parts.headers, self.body, bodies);
                let (bytes, body) = Box::pin(reading).await?;
                held = Some(Arc::new(body));
                (caller, bytes)
            }
            (None, _) => Box::pin(enter_by_body(state, &self.context, &parts, self.body)).await?,
        };
        if !bytes.is_empty() {
            let query = parts.uri.query().unwrap_or_default();
            params = Params::from_parts(query, Some((content_type(&parts), &bytes)))?;
            credentials::take_parameter(&mut params)?;
        }
        Ok(Call {
            caller,
            params: params.taking(takes),
            headers: parts.headers,
            path: self.path,
            sheet,
            _held: held,
        })
    }
}

/// The values of a path, by name.
#[derive(Debug, Clone)]
pub struct PathValues(Vec<(String, String)>);

impl PathValues {
    async fn read(parts: &mut Parts) -> Result<Self, ApiError> {
        let values = RawPathParams::from_request_parts(parts, &()).await;
        let values = values.map_err(|_| ApiError::not_found("this URL is"))?;
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Ok(Self(values.iter().map(owned).collect()))
    }

    /// Returns the text at a place.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| text.as_str())
    }

    /// Returns the id at a place.
    ///
    /// # Errors
    /// `not_found` for what is no id of the kind: the same answer as for an id of nothing.
    pub fn id<K: IdKind>(&self, name: &str, what: &str) -> Result<Id<K>, ApiError> {
        let id = self.get(name).and_then(|text| text.parse().ok());
        id.ok_or_else(|| ApiError::not_found(what))
    }
}

/// Finds the caller of a key, who is a stranger no more.
async fn enter<S: Authenticator>(
    state: &S,
    key: &Secret,
    context: &RequestContext,
    parts: &Parts,
) -> Result<S::Caller, ApiError> {
    let caller = state.authenticate(key, context).await?;
    state.came_in(&caller, &parts.extensions)?;
    Ok(caller)
}

/// Reads a body for the key in it. While the key is looked up nothing but the bytes is held: a
/// tree of parameters is many times as large.
async fn enter_by_body<S: Authenticator>(
    state: &S,
    context: &RequestContext,
    parts: &Parts,
    body: Body,
) -> Result<(S::Caller, Bytes), ApiError> {
    state.stays(&parts.extensions)?;
    let bodies = state.stranger_bodies();
    let read = read_stranger_body(parts, body, bodies, STRANGER_BODY_BYTES_MAX).await?;
    let mut key = None;
    if !read.is_empty() {
        let query = parts.uri.query().unwrap_or_default();
        let mut params = Params::from_parts(query, Some((content_type(parts), &read)))?;
        key = credentials::take_parameter(&mut params)?;
    }
    let missing = "an API key is required: HTTP Basic with the key as user, or api_key";
    let key = key.ok_or_else(|| ApiError::unauthorized(missing))?;
    let caller = enter(state, &key, context, parts).await?;
    Ok((caller, Bytes::clone(&read)))
}

fn content_type(parts: &Parts) -> &str {
    let value = parts.headers.get(header::CONTENT_TYPE);
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}
