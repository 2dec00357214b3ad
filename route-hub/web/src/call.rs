//! One call of an operation: who asks, for what, with which parameters.

use crate::{
    body::read_body, context::RequestContext, credentials, error::ApiError, params::Params,
};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use http::{HeaderMap, header};
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
}

/// One call: the caller is known, the body was read and is within its limits.
///
/// A key in header or query string is checked before the body is read.
#[derive(Debug)]
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
        let mut caller = None;
        if let Some(key) = &key {
            caller = Some(state.authenticate(key, &context).await?);
        }
        let bytes = read_body(&parts.headers, body).await?;
        if !bytes.is_empty() {
            let content_type = parts
                .headers
                .get(header::CONTENT_TYPE)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default();
            params = Params::from_parts(query, Some((content_type, &bytes)))?;
            let in_body = credentials::take_parameter(&mut params)?;
            if let (None, Some(key)) = (&caller, in_body) {
                caller = Some(state.authenticate(&key, &context).await?);
            }
        }
        let missing = "an API key is required: HTTP Basic with the key as user, or api_key";
        Ok(Self {
            caller: caller.ok_or_else(|| ApiError::unauthorized(missing))?,
            params,
            headers: parts.headers,
            path,
        })
    }
}
