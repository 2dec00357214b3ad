//! One call of an operation: who asks, for what, with which parameters.

use crate::{
    body::{read_body, read_stranger_body},
    context::RequestContext,
    credentials,
    error::ApiError,
    limits::STRANGER_BODY_BYTES_MAX,
    params::Params,
    stranger::StrangerBodies,
};
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use bytes::Bytes;
use http::{Extensions, HeaderMap, header, request::Parts};
use postrider_model::{Id, IdKind, Secret};
use std::future::Future;

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
    headers: HeaderMap,
    path: Vec<(String, String)>,
}

impl<C> Call<C> {
    /// Returns the id at this place of the path.
    ///
    /// # Errors
    /// `not_found` for what is no id of the kind: the same answer as for an id of nothing.
    pub fn path_id<K: IdKind>(&self, name: &str, what: &str) -> Result<Id<K>, ApiError> {
        let found = self.path.iter().find(|(key, _)| key == name);
        found
            .and_then(|(_, text)| text.parse().ok())
            .ok_or_else(|| ApiError::not_found(what))
    }

    /// Returns the text at this place of the path.
    pub fn path(&self, name: &str) -> Option<&str> {
        let found = self.path.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| text.as_str())
    }

    /// Returns whether the path has this place.
    pub fn has_path(&self, name: &str) -> bool {
        self.path.iter().any(|(key, _)| key == name)
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

impl<S: Authenticator> FromRequest<S> for Call<S::Caller> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let context = RequestContext::of(&mut parts.extensions);
        let path = RawPathParams::from_request_parts(&mut parts, state)
            .await
            .map_err(|_| ApiError::not_found("this URL is"))?
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let query = parts.uri.query().unwrap_or_default();
        let mut params = Params::from_parts(query, None)?;
        let mut key = credentials::from_header(&parts.headers)?;
        let in_query = credentials::take_parameter(&mut params)?;
        key = key.or(in_query);
        let (caller, bytes) = match key {
            Some(key) => {
                let caller = enter(state, &key, &context, &parts).await?;
                (caller, read_body(&parts.headers, body).await?)
            }
            None => enter_by_body(state, &context, &parts, body).await?,
        };
        if !bytes.is_empty() {
            params = Params::from_parts(query, Some((content_type(&parts), &bytes)))?;
            credentials::take_parameter(&mut params)?;
        }
        Ok(Self {
            caller,
            params,
            headers: parts.headers,
            path,
        })
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
