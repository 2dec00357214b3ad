//! A hub with two organizations, and a client for it.

use axum::Router;
use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hub_api::state::ApiState;
use hub_app::auth::NewKey;
use hub_app::clock::SystemClock;
use hub_app::hub::{Hub, HubParts};
use hub_domain::{
    ApiKey, Device, DeviceState, Organization, Permission, Permissions, Phone, PhoneType, Project,
};
use hub_media::Blobs;
use hub_store::testing::{PostgresDatabase, server};
use hub_store::{
    SqliteSettings, Store, StoreError, api_keys, devices, organizations, phones, projects,
};
use hub_web::front::FrontSettings;
use postrider_model::{
    ApiKeyId, DeviceId, Id, MessageId, Now, OrganizationId, PhoneId, PhoneNumber, ProjectId, UnixMs,
};
use route_hub::router;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use tower_service::Service;

/// The number of the first phone.
pub(crate) const OWN: &str = "+15005550100";
/// A recipient.
pub(crate) const TO: &str = "+15005550101";

/// A hub on a folder of its own.
pub(crate) struct TestHub {
    dir: TempDir,
    pub hub: Hub,
    pub router: Router,
    pub project: Project,
    pub phone: Phone,
    pub key: String,
}

/// Who asks: a key and the project that it means.
#[derive(Clone)]
pub(crate) struct Client {
    router: Router,
    key: String,
    pub project: ProjectId,
}

/// An answer.
pub(crate) struct Reply {
    pub status: u16,
    pub headers: http::HeaderMap,
    pub json: Value,
}

impl Reply {
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.json);
        self.json
    }

    /// Checks for the envelope and returns the code and the parameter.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> (String, Option<String>) {
        assert_eq!(self.status, status, "{}", self.json);
        let error = &self.json["error"];
        assert!(error["message"].is_string());
        let text = |name: &str| error[name].as_str().map(str::to_owned);
        (text("code").expect("a code"), text("param"))
    }

    #[track_caller]
    pub(crate) fn invalid(&self, param: &str) {
        let (code, named) = self.refused(400);
        assert_eq!(
            (code.as_str(), named.as_deref()),
            ("invalid_param", Some(param))
        );
    }
}

pub(crate) async fn hub() -> TestHub {
    hub_with(|_| {}).await
}

/// Starts a hub whose first project is changed by `change`.
pub(crate) async fn hub_with(change: impl FnOnce(&mut Project)) -> TestHub {
    let dir = tempfile::tempdir().expect("a folder");
    let hub = hub_on(&dir, 0);
    filled(dir, hub, change).await
}

/// Starts a hub on a database of the server that tests are to use, if they are to use one.
pub(crate) async fn hub_on_server() -> Option<(PostgresDatabase, TestHub)> {
    let database = PostgresDatabase::fresh(&server()?);
    let dir = tempfile::tempdir().expect("a folder");
    let hub = hub_over(database.open().expect("a database"), 0);
    Some((database, filled(dir, hub, |_| {}).await))
}

async fn filled(dir: TempDir, hub: Hub, change: impl FnOnce(&mut Project)) -> TestHub {
    let organization = add_organization(&hub).await;
    let mut project = new_project(&hub, organization, "First");
    change(&mut project);
    add_project(&hub, &project).await;
    let phone = add_phone(&hub, project.id, PhoneType::Android, OWN).await;
    let key = add_key(&hub, organization, Some(project.id), &Permissions::all()).await;
    TestHub {
        dir,
        router: router(&hub),
        hub,
        project,
        phone,
        key,
    }
}

/// Returns the routes of a hub with a front of its own.
pub(crate) fn router(hub: &Hub) -> Router {
    router::router(state(hub), Router::new())
}

/// Opens a front before a hub.
pub(crate) fn state(hub: &Hub) -> ApiState {
    ApiState::new(hub.clone(), FrontSettings::default())
}

fn hub_on(dir: &TempDir, process: u8) -> Hub {
    hub_in(dir.path(), process)
}

/// Opens a hub on the database of a folder.
pub(crate) fn hub_in(folder: &Path, process: u8) -> Hub {
    let store = Store::open_sqlite(SqliteSettings {
        process,
        ..SqliteSettings::new(folder.join("hub.db"))
    });
    let hub = hub_over(store.expect("a database"), process);
    hub.files
        .keep_in(Blobs::in_folder(&folder.join("files")).expect("a folder"));
    hub
}

/// Opens a hub over a store.
pub(crate) fn hub_over(store: Store, process: u8) -> Hub {
    Hub::new(HubParts {
        id: postrider_model::HubId::new(postrider_model::Key::first_of_ms(1)),
        process,
        store,
        clock: SystemClock::start(),
        generation: 1,
        proofs: hub_app::hub::proofs::Proofs::new("a key of tests"),
        base_url: "http://127.0.0.1:1".to_owned(),
        host_names: vec!["127.0.0.1".to_owned()],
    })
}

/// Makes an id as a job would, also within a runtime.
pub(crate) fn fresh_id<K>(hub: &Hub, now: Now) -> Id<K> {
    let store = hub.store.clone();
    let drawing = move || store.write_blocking(move |tx| Ok::<_, StoreError>(tx.key(now.unix)));
    let key = std::thread::spawn(drawing).join().expect("a job");
    Id::new(key.expect("a key"))
}

pub(crate) async fn add_organization(hub: &Hub) -> OrganizationId {
    let organization = Organization {
        id: fresh_id(hub, hub.now()),
        name: "Organization".to_owned(),
        timezone_id: "UTC".to_owned(),
        plan: hub_domain::Plan::default(),
        time_created: hub.now().unix,
    };
    let id = organization.id;
    let job = hub
        .store
        .write(move |tx| organizations::insert(tx, &organization));
    job.await.expect("an organization");
    id
}

pub(crate) fn new_project(hub: &Hub, organization: OrganizationId, name: &str) -> Project {
    let now = hub.now();
    let project = Project::new(fresh_id(hub, now), organization, name, now.unix);
    Project {
        country: Some("US".to_owned()),
        ..project
    }
}

pub(crate) async fn add_project(hub: &Hub, project: &Project) {
    let project = project.clone();
    let job = hub.store.write(move |tx| projects::insert(tx, &project));
    job.await.expect("a project");
}

/// Adds a phone; an Android one with the device that holds it.
pub(crate) async fn add_phone(
    hub: &Hub,
    project: ProjectId,
    phone_type: PhoneType,
    number: &str,
) -> Phone {
    let now = hub.now();
    let mut phone = Phone::new(fresh_id(hub, now), project, "Phone", phone_type, now.unix);
    phone.phone_number = number.parse::<PhoneNumber>().ok();
    let device = (phone_type == PhoneType::Android).then(|| device(hub, project));
    phone.device_id = device.as_ref().map(|device| device.id);
    phone.sim = device
        .as_ref()
        .and_then(|_| postrider_model::SimSlot::new(0));
    let stored = phone.clone();
    let job = hub.store.write(move |tx| {
        if let Some(device) = &device {
            devices::insert(tx, device)?;
        }
        phones::insert(tx, &stored)
    });
    job.await.expect("a phone");
    phone
}

fn device(hub: &Hub, project_id: ProjectId) -> Device {
    let now = hub.now();
    Device {
        id: fresh_id(hub, now),
        organization_id: fresh_id(hub, now),
        project_id,
        name: "Device".to_owned(),
        public_key: String::new(),
        key_algorithm: "ed25519".to_owned(),
        install: INSTALL.to_owned(),
        conn: 1,
        gen_seen: 1,
        gen_own: 0,
        down_sent: 0,
        down_acked: 0,
        up: 0,
        state: DeviceState::Active,
        frozen: false,
        time_paired: now.unix,
        time_last_seen: None,
        facts: None,
        offline_since: None,
        connected_to: None,
    }
}

/// The installation of every device here.
pub(crate) const INSTALL: &str = "install-of-tests-0001";

pub(crate) async fn add_key(
    hub: &Hub,
    organization_id: OrganizationId,
    project_id: Option<ProjectId>,
    permissions: &Permissions,
) -> String {
    add_limited_key(hub, organization_id, project_id, permissions, None).await
}

pub(crate) async fn add_limited_key(
    hub: &Hub,
    organization_id: OrganizationId,
    project_id: Option<ProjectId>,
    permissions: &Permissions,
    rate_per_s: Option<u32>,
) -> String {
    let id: ApiKeyId = fresh_id(hub, hub.now());
    let new = NewKey::draw(id, &hub.random);
    let key = ApiKey {
        id,
        organization_id,
        project_id,
        name: "Key".to_owned(),
        secret_hash: new.hash.clone(),
        permissions: permissions.clone(),
        rate_per_s,
        rate_burst: None,
        time_created: UnixMs(0),
        time_last_used: None,
        time_expires: None,
        time_revoked: None,
    };
    let job = hub.store.write(move |tx| api_keys::insert(tx, &key));
    job.await.expect("a key");
    new.text.as_str().to_owned()
}

pub(crate) fn only(permission: Permission) -> Permissions {
    [permission].into_iter().collect()
}

impl TestHub {
    pub(crate) fn client(&self) -> Client {
        self.client_of(&self.key, self.project.id)
    }

    pub(crate) fn client_of(&self, key: &str, project: ProjectId) -> Client {
        Client::new(self.router.clone(), key.to_owned(), project)
    }

    /// Returns the folder with the database.
    pub(crate) fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// Starts another hub on the same database, as after a crash of this one.
    pub(crate) fn start_again(&self) -> Hub {
        hub_on(&self.dir, 1)
    }

    pub(crate) async fn test_phone(&self) -> Phone {
        add_phone(
            &self.hub,
            self.project.id,
            PhoneType::Simulated,
            "+15005550199",
        )
        .await
    }
}

impl Client {
    pub(crate) fn new(router: Router, key: String, project: ProjectId) -> Self {
        Self {
            router,
            key,
            project,
        }
    }

    /// Asks another hub from now on.
    pub(crate) fn to(self, router: Router) -> Self {
        Self { router, ..self }
    }

    /// Calls a path below the project's, or below `/v1` when it begins with a slash.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        self.call_with(method, path, body, &[]).await
    }

    pub(crate) async fn call_with(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Reply {
        let uri = match path.strip_prefix('/') {
            Some(path) => format!("/v1/{path}"),
            None => format!("/v1/projects/{}/{path}", self.project),
        };
        let basic = format!("Basic {}", STANDARD.encode(format!("{}:", self.key)));
        let mut request = http::Request::builder()
            .method(method)
            .uri(uri.trim_end_matches('/'))
            .header("authorization", basic);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let request = request.body(body).expect("a request");
        reply(&self.router, request).await
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.call("GET", path, None).await.ok()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.call("POST", path, Some(body)).await.ok()
    }

    pub(crate) async fn send(&self, content: &str) -> Value {
        let body = json!({ "to_number": TO, "content": content });
        self.post("messages/send", body).await
    }

    /// Returns the ids of a list.
    pub(crate) async fn ids(&self, path: &str) -> Vec<String> {
        let list = self.get(path).await;
        let data = list["data"].as_array().expect("a list");
        data.iter().map(id).collect()
    }
}

pub(crate) async fn reply(router: &Router, request: http::Request<Body>) -> Reply {
    let answering = router.clone().call(request);
    let (parts, body) = answering.await.expect("never fails").into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX)
        .await
        .expect("a body");
    Reply {
        status: parts.status.as_u16(),
        headers: parts.headers,
        json: serde_json::from_slice(&bytes).expect("every answer is JSON"),
    }
}

pub(crate) fn id(object: &Value) -> String {
    object["id"].as_str().expect("an id").to_owned()
}

pub(crate) fn message_id(object: &Value) -> MessageId {
    id(object).parse().expect("a message's id")
}

/// The device of a phone.
pub(crate) fn device_of(phone: &Phone) -> DeviceId {
    phone.device_id.expect("a device")
}

pub(crate) fn ids_of(phones: &[&Phone]) -> Vec<PhoneId> {
    phones.iter().map(|phone| phone.id).collect()
}
