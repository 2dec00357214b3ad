//! How the hub speaks with an authority: https alone, and no redirect.

use bytes::Bytes;
use http::Request;
use hub_store::trust;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use reqwest::redirect::Policy;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// What the hub calls itself.
const USER_AGENT: &str = concat!("route-hub/", env!("CARGO_PKG_VERSION"));

/// A client that trusts the system's certificates and those of a file.
pub(super) struct Client(reqwest::Client);

impl Client {
    /// Makes one.
    pub(super) fn new(root: Option<&Path>) -> Result<Self, Error> {
        let trusted = trust(root).map_err(|error| Error::Other(error.into()))?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(trusted)
            .https_only(true)
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .user_agent(USER_AGENT)
            .build();
        client.map(Self).map_err(|error| Error::Other(error.into()))
    }
}

impl HttpClient for Client {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let client = self.0.clone();
        Box::pin(async move {
            let other = |error: reqwest::Error| Error::Other(error.into());
            let request = request.map(reqwest::Body::wrap).try_into().map_err(other)?;
            let answered = client.execute(request).await.map_err(other)?;
            Ok(BytesResponse::from(http::Response::<reqwest::Body>::from(
                answered,
            )))
        })
    }
}
