//! The hub under measurement: `route-hub demo` as a process, with its phones.

use crate::{
    Failure,
    clock::now,
    http::{Caller, Connection},
};
use hub_store::{
    PostgresSettings, SqliteSettings, Store, StoreError, Tx, testing::PostgresDatabase,
};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// How long a hub may take until it is ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is asked whether it is.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A demo hub that ends, with its folders, when this is dropped.
pub(crate) struct Hub {
    process: Child,
    /// Address and key for requests.
    pub(crate) caller: Caller,
    /// The path of the project, from `/v1` on.
    pub(crate) project: String,
    /// Ids of the virtual phones.
    pub(crate) phones: Vec<String>,
    /// Where each hand-over is written.
    pub(crate) radio_log: PathBuf,
    metrics: SocketAddr,
    /// Where its data are, if they are in no file.
    database: Option<Arc<PostgresDatabase>>,
    folder: TempDir,
    _memory: TempDir,
}

/// Returns the folder of this program, where the others are, too.
pub(crate) fn built() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()?;
    Ok(own.parent().ok_or("this program has no folder")?.to_owned())
}

/// Makes a folder on the disk of the builds, because `/tmp` may be memory.
pub(crate) fn on_disk() -> Result<TempDir, Failure> {
    Ok(tempfile::Builder::new()
        .prefix("bench-")
        .tempdir_in(built()?)?)
}

/// Makes a folder in memory if the machine has one: phones stand for other machines, and must not
/// share the hub's disk.
fn in_memory() -> Result<TempDir, Failure> {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    Ok(tempfile::Builder::new()
        .prefix("bench-")
        .tempdir_in(parent)?)
}

impl Hub {
    /// Starts a hub with so many phones on a fresh folder, and waits until it is ready.
    pub(crate) fn start(phones: usize) -> Result<Self, Failure> {
        Self::start_on(None, phones)
    }

    /// Starts a hub on an empty database, or on a file.
    pub(crate) fn start_on(
        database: Option<PostgresDatabase>,
        phones: usize,
    ) -> Result<Self, Failure> {
        Self::start_with(database, phones, &[])
    }

    /// As [`Self::start_on`], with more arguments.
    pub(crate) fn start_with(
        database: Option<PostgresDatabase>,
        phones: usize,
        arguments: &[&str],
    ) -> Result<Self, Failure> {
        let database = database.map(Arc::new);
        let folder = on_disk()?;
        let memory = in_memory()?;
        let radio_log = memory.path().join("radio.jsonl");
        let mut process = program(database.as_deref())?
            .args(["demo", "--json", "--listen", "127.0.0.1:0", "--phones"])
            .arg(phones.to_string())
            .arg("--dir")
            .arg(folder.path().join("hub"))
            .arg("--radio-log")
            .arg(&radio_log)
            .arg("--phones-dir")
            .arg(memory.path().join("phones"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("no standard output")?;
        BufReader::new(output).read_line(&mut line)?;
        let facts: Value = serde_json::from_str(&line)
            .map_err(|_| format!("the demo did not come up: {line:?}"))?;
        let text = |name: &str| facts[name].as_str().unwrap_or_default().to_owned();
        let ids = facts["phones"].as_array().into_iter().flatten();
        let phones = ids.filter_map(|phone| phone["id"].as_str().map(str::to_owned));
        Ok(Self {
            process,
            caller: Caller {
                address: address(&text("base_url"))?,
                authorization: basic(&text("api_key"), ""),
            },
            metrics: address(&text("operator_url"))?,
            project: format!("/v1/projects/{}", text("project_id")),
            phones: phones.collect(),
            radio_log,
            database,
            folder,
            _memory: memory,
        })
    }

    /// Starts a hub whose phones are paused and whose queue is practically unbounded, so that
    /// only accepting is measured.
    pub(crate) async fn start_paused(phones: usize) -> Result<Self, Failure> {
        Self::start_paused_on(None, phones).await
    }

    /// As [`Self::start_paused`], on an empty database, or on a file.
    pub(crate) async fn start_paused_on(
        database: Option<PostgresDatabase>,
        phones: usize,
    ) -> Result<Self, Failure> {
        let hub = Self::start_on(database, phones)?;
        for phone in &hub.phones {
            pause(&hub.caller, &hub.project, phone).await?;
        }
        hub.lift_queue_cap(hub.project.rsplit('/').next().unwrap_or_default())?;
        Ok(hub)
    }

    /// Makes a second project of the same organization with its own paused test route; returns its
    /// caller and its path.
    pub(crate) async fn another_project(&self) -> Result<(Caller, String), Failure> {
        let organizations = self.admin(&["organization", "list"])?;
        let organization = organizations[0]["id"].as_str().unwrap_or_default();
        let create = ["project", "create", "--organization", organization];
        let made = self.admin(&[&create[..], &["--name", "Another"]].concat())?;
        let project = made["id"].as_str().unwrap_or_default();
        self.lift_queue_cap(project)?;
        let route = self.admin(&["phone", "add-test", "--project", project])?;
        let route = route["id"].as_str().unwrap_or_default();
        let create = ["key", "create", "--project", project];
        let key = self.admin(
            &[
                &create[..],
                &[
                    "--permission",
                    "send_messages",
                    "--permission",
                    "edit_routes",
                ],
            ]
            .concat(),
        )?;
        let caller = Caller {
            address: self.caller.address,
            authorization: basic(key["api_key"].as_str().unwrap_or_default(), ""),
        };
        let path = format!("/v1/projects/{project}");
        pause(&caller, &path, route).await?;
        Ok((caller, path))
    }

    /// Makes a project's queue practically unbounded.
    fn lift_queue_cap(&self, project: &str) -> Result<(), Failure> {
        let set = ["project", "set", project, "--queue-cap", "1000000000"];
        self.admin(&set).map(drop)
    }

    /// Runs an admin command beside the hub and returns its JSON.
    fn admin(&self, arguments: &[&str]) -> Result<Value, Failure> {
        self.operator().admin(arguments)
    }

    /// Returns the number of the hub's process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Returns the database, if the data are in no file.
    pub(crate) fn database(&self) -> Result<Arc<PostgresDatabase>, Failure> {
        Ok(self.database.clone().ok_or("the data are in a file")?)
    }

    /// Returns a number of the hub's metrics.
    pub(crate) async fn metric(&self, name: &str) -> Result<f64, Failure> {
        metric(self.metrics, name).await
    }

    /// Serves the same data, ready when this returns: beside the demo on a server, in its place on a
    /// file (kill it first). Phones find it at `port`, or at a free one.
    pub(crate) async fn serve(&self, port: u16, arguments: &[&str]) -> Result<Serving, Failure> {
        let [address, metrics] = [port, 0].map(free_address);
        let (address, metrics) = (address?, metrics?);
        let process = program(self.database.as_deref())?
            .args(["serve", "--listen", &address.to_string()])
            .args(["--operator-listen", &metrics.to_string()])
            .args(arguments)
            .arg("--dir")
            .arg(self.folder.path().join("hub"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut serving = Serving {
            process,
            address,
            metrics,
        };
        serving.wait_until_ready().await?;
        Ok(serving)
    }

    /// Ends the hub at once, without a word; its folder stays.
    pub(crate) fn kill(&mut self) {
        // One that has ended already is fine, too.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Returns an operator who runs commands beside the hub.
    pub(crate) fn operator(&self) -> Operator {
        Operator {
            folder: self.folder.path().join("hub"),
            database: self.database.clone(),
        }
    }

    /// Returns the folder whose disk the hub writes to.
    pub(crate) fn disk(&self) -> &Path {
        self.folder.path()
    }
}

/// Runs commands on a hub's folder, from any thread.
pub(crate) struct Operator {
    folder: PathBuf,
    database: Option<Arc<PostgresDatabase>>,
}

impl Operator {
    /// Runs an admin command and returns its JSON.
    pub(crate) fn admin(&self, arguments: &[&str]) -> Result<Value, Failure> {
        let done = program(self.database.as_deref())?
            .arg("admin")
            .args(arguments)
            .args(["--json", "--dir"])
            .arg(&self.folder)
            .output()?;
        if done.status.success() {
            Ok(serde_json::from_slice(&done.stdout)?)
        } else {
            let words = String::from_utf8_lossy(&done.stderr);
            Err(format!("admin {}: {words}", arguments.join(" ")).into())
        }
    }

    /// Counts the messages in the hub's database.
    pub(crate) async fn messages_stored(&self) -> Result<u64, Failure> {
        let store = self.store(0)?;
        let count = "SELECT count(*) FROM messages";
        let read = move |tx: &mut Tx<'_>| tx.query_one(count, &[], |row| row.int(0));
        let counted: Result<_, StoreError> = store.read(read).await;
        Ok(u64::try_from(counted?.unwrap_or(0))?)
    }

    /// Opens the hub's database, for rows that no interface makes quickly enough. In a file's keys
    /// `process` is used.
    pub(crate) fn store(&self, process: u8) -> Result<Store, Failure> {
        let Some(database) = &self.database else {
            return Ok(Store::open_sqlite(SqliteSettings {
                create: false,
                readers: 1,
                process,
                ..SqliteSettings::new(self.folder.join("hub.db"))
            })?);
        };
        let settings = PostgresSettings::new(database.url());
        // The caller's thread may have a runtime, which cannot wait.
        let opening = thread::scope(|scope| {
            let opening = scope.spawn(|| Store::open_postgres(&settings));
            opening.join()
        });
        Ok(opening.map_err(|_| "the store panicked")??)
    }
}

/// `route-hub serve`, until this is dropped.
pub(crate) struct Serving {
    process: Child,
    /// Where programs and phones find it.
    pub(crate) address: SocketAddr,
    metrics: SocketAddr,
}

impl Serving {
    async fn wait_until_ready(&mut self) -> Result<(), Failure> {
        let until = now() + PATIENCE;
        while get(self.metrics, "/readyz").await.is_err() {
            if let Some(status) = self.process.try_wait()? {
                return Err(format!("serve ended: {status}").into());
            }
            if now() > until {
                return Err("serve is not ready".into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Returns the number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Ends it at once, without a word.
    pub(crate) fn kill(&mut self) {
        // One that has ended already is fine, too.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the program, which is to keep its data in this database or in a file.
fn program(database: Option<&PostgresDatabase>) -> Result<Command, Failure> {
    let mut program = Command::new(built()?.join("route-hub"));
    program.env_remove("ROUTE_HUB_DATABASE");
    if let Some(database) = database {
        program.env("ROUTE_HUB_DATABASE", database.url());
        program.env("ROUTE_HUB_FILES_SHARED", "true");
    }
    Ok(program)
}

fn address(url: &str) -> Result<SocketAddr, Failure> {
    let host = url.trim_start_matches("http://").split('/').next();
    Ok(host.unwrap_or_default().parse()?)
}

/// Returns a loopback address that nobody listens on.
fn free_address(port: u16) -> Result<SocketAddr, Failure> {
    Ok(TcpListener::bind(("127.0.0.1", port))?.local_addr()?)
}

async fn get(address: SocketAddr, path: &str) -> Result<String, Failure> {
    let caller = Caller {
        address,
        authorization: basic("nobody", ""),
    };
    let mut connection = Connection::open(&caller).await?;
    let answer = connection.exchange(&caller, "GET", path, "", b"").await?;
    Ok(String::from_utf8_lossy(answer).into_owned())
}

async fn metric(address: SocketAddr, name: &str) -> Result<f64, Failure> {
    let text = get(address, "/metrics").await?;
    let value = value_of(&text, name).ok_or_else(|| format!("there is no metric {name}"))?;
    Ok(value)
}

/// Returns the value of a metric without labels.
fn value_of(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines.find(|(named, _)| *named == name)?;
    value.parse().ok()
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn pause(caller: &Caller, project: &str, phone: &str) -> Result<(), Failure> {
    change(caller, project, phone, br#"{"send_paused":true}"#).await
}

/// Lets a paused phone send.
pub(crate) async fn resume(caller: &Caller, project: &str, phone: &str) -> Result<(), Failure> {
    change(caller, project, phone, br#"{"send_paused":false}"#).await
}

async fn change(caller: &Caller, project: &str, phone: &str, to: &[u8]) -> Result<(), Failure> {
    let mut connection = Connection::open(caller).await?;
    let path = format!("{project}/phones/{phone}");
    let answer = connection.exchange(caller, "POST", &path, "", to).await;
    answer.map(drop)
}

/// Returns the value of `Authorization` for a user with a password.
pub(crate) fn basic(user: &str, password: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("Basic ");
    for chunk in format!("{user}:{password}").as_bytes().chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(chunk.get(i).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        for place in 0..4 {
            let digit = bits >> (18 - 6 * place) & 63;
            text.push(if place > chunk.len() {
                '='
            } else {
                char::from(DIGITS[digit as usize])
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_found_by_its_whole_name() {
        let text = "# HELP route_hub_a A.\nroute_hub_a_total 3\nroute_hub_ab_total 5\n";
        assert_eq!(value_of(text, "route_hub_ab_total"), Some(5.0));
        assert_eq!(value_of(text, "route_hub_a_total"), Some(3.0));
        assert_eq!(value_of(text, "route_hub"), None);
    }

    #[test]
    fn credentials_are_encoded_as_clients_do() {
        assert_eq!(basic("a", ""), "Basic YTo=");
        assert_eq!(basic("ab", ""), "Basic YWI6");
        assert_eq!(basic("abc", ""), "Basic YWJjOg==");
        assert_eq!(basic("a", "b"), "Basic YTpi");
    }
}
