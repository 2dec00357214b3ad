//! The hub under measurement: `route-hub demo` as a process, with its phones.

use crate::{
    Failure,
    http::{Caller, Connection},
};
use hub_store::{SqliteSettings, Store, StoreError, Tx};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

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
        let folder = on_disk()?;
        let memory = in_memory()?;
        let radio_log = memory.path().join("radio.jsonl");
        let mut process = Command::new(built()?.join("route-hub"))
            .args(["demo", "--json", "--listen", "127.0.0.1:0", "--phones"])
            .arg(phones.to_string())
            .arg("--dir")
            .arg(folder.path().join("hub"))
            .arg("--radio-log")
            .arg(&radio_log)
            .arg("--phones-dir")
            .arg(memory.path().join("phones"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("no standard output")?;
        BufReader::new(output).read_line(&mut line)?;
        let facts: Value = serde_json::from_str(&line)
            .map_err(|_| format!("the demo did not come up: {line:?}"))?;
        let text = |name: &str| facts[name].as_str().unwrap_or_default().to_owned();
        let url = text("base_url");
        let host = url.trim_start_matches("http://").split('/').next();
        let address: SocketAddr = host.unwrap_or_default().parse()?;
        let ids = facts["phones"].as_array().into_iter().flatten();
        let phones = ids.filter_map(|phone| phone["id"].as_str().map(str::to_owned));
        Ok(Self {
            process,
            caller: Caller {
                address,
                authorization: basic(&text("api_key"), ""),
            },
            project: format!("/v1/projects/{}", text("project_id")),
            phones: phones.collect(),
            radio_log,
            folder,
            _memory: memory,
        })
    }

    /// Starts a hub whose phones are paused and whose queue is practically unbounded, so that
    /// only accepting is measured.
    pub(crate) async fn start_paused(phones: usize) -> Result<Self, Failure> {
        let hub = Self::start(phones)?;
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
}

impl Operator {
    /// Runs an admin command and returns its JSON.
    pub(crate) fn admin(&self, arguments: &[&str]) -> Result<Value, Failure> {
        let done = Command::new(built()?.join("route-hub"))
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
        let store = Store::open_sqlite(SqliteSettings::new(self.database()))?;
        let count = "SELECT count(*) FROM messages";
        let read = move |tx: &mut Tx<'_>| tx.query_one(count, &[], |row| row.int(0));
        let counted: Result<_, StoreError> = store.read(read).await;
        Ok(u64::try_from(counted?.unwrap_or(0))?)
    }

    /// Returns the hub's database, for rows that no interface makes quickly enough.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join("hub.db")
    }
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
    fn credentials_are_encoded_as_clients_do() {
        assert_eq!(basic("a", ""), "Basic YTo=");
        assert_eq!(basic("ab", ""), "Basic YWI6");
        assert_eq!(basic("abc", ""), "Basic YWJjOg==");
        assert_eq!(basic("a", "b"), "Basic YTpi");
    }
}
