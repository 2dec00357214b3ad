//! Programs that use the hub's REST API.

use super::hub::{TestHub, fresh_id};
use axum::Router;
use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hub_app::auth::NewKey;
use hub_domain::{ApiKey, Permissions};
use hub_store::api_keys;
use postrider_model::{ApiKeyId, ProjectId, UnixMs};
use route_hub::router;
use serde_json::Value;
use tower_service::Service;

/// A program with a key that may do everything.
pub(crate) struct Rest {
    router: Router,
    basic: String,
    project: ProjectId,
}

impl TestHub {
    /// Makes a key and returns a client of the project.
    pub(crate) async fn rest(&self) -> Rest {
        let id: ApiKeyId = fresh_id(&self.hub, self.hub.now());
        let new = NewKey::draw(id, &self.hub.random);
        let key = ApiKey {
            id,
            organization_id: self.project.organization_id,
            project_id: Some(self.project.id),
            name: "Key".to_owned(),
            secret_hash: new.hash.clone(),
            permissions: Permissions::all(),
            rate_per_s: None,
            rate_burst: None,
            time_created: UnixMs(0),
            time_last_used: None,
            time_expires: None,
            time_revoked: None,
        };
        self.write(move |tx| api_keys::insert(tx, &key)).await;
        Rest {
            router: router::router(self.state.clone(), Router::new()),
            basic: format!(
                "Basic {}",
                STANDARD.encode(format!("{}:", new.text.as_str()))
            ),
            project: self.project.id,
        }
    }
}

impl Rest {
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.call("GET", path, Body::empty()).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.call("POST", path, Body::from(body.to_string())).await
    }

    async fn call(&self, method: &str, path: &str, body: Body) -> Value {
        let (status, json) = self.answer(method, path, body).await;
        assert_eq!(status, 200, "{json}");
        json
    }

    /// Returns what a request is refused with.
    pub(crate) async fn refused(&self, path: &str, body: Value) -> u16 {
        self.answer("POST", path, Body::from(body.to_string()))
            .await
            .0
    }

    async fn answer(&self, method: &str, path: &str, body: Body) -> (u16, Value) {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("/v1/projects/{}/{path}", self.project).trim_end_matches('/'))
            .header("authorization", &self.basic)
            .header("content-type", "application/json")
            .body(body)
            .expect("a request");
        let answering = self.router.clone().call(request);
        let (parts, body) = answering.await.expect("never fails").into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await;
        let json = serde_json::from_slice(&bytes.expect("a body")).expect("JSON");
        (parts.status.as_u16(), json)
    }
}
