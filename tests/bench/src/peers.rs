//! Our hub beside other gateways: the same load on each in turn, and `kill -9` in the middle of it.
//!
//! A peer is a file that its user writes: how to start it, how to send one message by a JSON POST or a GET, and
//! how to count what it has stored. What it needs besides (a database, a broker) runs already.

use crate::{
    Failure,
    clock::now,
    figures::{Scale, fresh_numbers, recipient, single_send},
    http::{Caller, Connection},
    hub::{Hub, basic},
    load::{Numbers, Request, block_on, closed_loop, send},
    process::{anonymous_mib, cpu_s, memory_mib},
    stats::{median, percentile},
};
use serde_json::{Value, json};
use std::{
    cell::Cell,
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    rc::Rc,
    thread,
    time::Duration,
};
use tokio::task::LocalSet;

/// Connections that send at once.
const CONNECTIONS: usize = 64;
/// How long a peer may take until it listens.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is asked whether it does.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Somebody who is measured.
enum Peer {
    Ours,
    Named(Named),
}

/// What a user's file says of a peer.
#[derive(Debug, Clone, PartialEq)]
struct Named {
    name: String,
    /// The program with its arguments: the very process that is killed.
    start: Vec<String>,
    address: SocketAddr,
    /// With `{to}` and `{text}` where they belong.
    path: String,
    authorization: String,
    /// The body of a POST, with `{to}` and `{text}`; without it the request is a GET.
    body: Option<String>,
    /// A command that prints how many messages are stored.
    stored: Vec<String>,
}

/// A peer that runs.
enum Running<'p> {
    Ours(Box<Hub>),
    Named(&'p Named, Child),
}

/// What one run measured.
struct Measured {
    per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_us: f64,
    memory_mib: f64,
    anonymous_mib: f64,
    lost: u64,
}

/// Measures ours and the named peers in turn; returns a table and the same as JSON.
pub(crate) fn measure(files: &[PathBuf], scale: Scale) -> Result<(String, Value), Failure> {
    let mut peers = vec![Peer::Ours];
    for file in files {
        peers.push(Peer::Named(Named::read(file)?));
    }
    let mut runs: Vec<Vec<Measured>> = peers.iter().map(|_| Vec::new()).collect();
    for _ in 0..scale.runs {
        for (peer, runs) in peers.iter().zip(&mut runs) {
            eprintln!("measuring {} …", peer.name());
            match peer.start()? {
                Some(running) => runs.push(block_on(one_run(running, scale))?),
                None => eprintln!("skipped: {} does not start", peer.name()),
            }
        }
    }
    let rows = peers.iter().zip(runs).filter(|(_, runs)| !runs.is_empty());
    let rows: Vec<_> = rows
        .map(|(peer, runs)| (peer.name(), merged(&runs)))
        .collect();
    Ok((
        table(&rows),
        rows.iter().map(|(name, row)| row.to_json(name)).collect(),
    ))
}

impl Named {
    fn read(file: &Path) -> Result<Self, Failure> {
        let read = std::fs::read(file).map_err(|error| error.to_string());
        let said = read.and_then(|said| {
            let said: Value = serde_json::from_slice(&said).map_err(|error| error.to_string())?;
            Self::from_json(&said)
        });
        said.map_err(|rule| format!("{}: {rule}", file.display()).into())
    }

    fn from_json(said: &Value) -> Result<Self, String> {
        let text = |name: &str| {
            let text = said[name].as_str().map(str::to_owned);
            text.ok_or_else(|| format!("{name} must be a text"))
        };
        let command = |name: &str| {
            let words = said[name].as_array().filter(|words| !words.is_empty());
            let words = words.ok_or_else(|| format!("{name} must be a list of texts"))?;
            let words = words.iter().map(|word| word.as_str().map(str::to_owned));
            let words: Option<Vec<_>> = words.collect();
            words.ok_or_else(|| format!("{name} must be a list of texts"))
        };
        let address = text("address")?;
        let address = address.parse();
        Ok(Self {
            name: text("name")?,
            start: command("start")?,
            address: address.map_err(|_| "address must be an IP address with a port".to_owned())?,
            path: text("path")?,
            authorization: basic(&text("user")?, &text("password")?),
            body: said.get("body").map(|_| text("body")).transpose()?,
            stored: command("stored")?,
        })
    }

    fn start(&self) -> Result<Option<Child>, Failure> {
        let mut command = Command::new(&self.start[0]);
        command.args(&self.start[1..]).stdin(Stdio::null());
        let Ok(mut process) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            return Ok(None);
        };
        let began = now();
        while TcpStream::connect(self.address).is_err() {
            if process.try_wait()?.is_some() || began.elapsed() > PATIENCE {
                end(&mut process);
                return Ok(None);
            }
            thread::sleep(LOOK_EVERY);
        }
        Ok(Some(process))
    }

    fn stored(&self) -> Result<u64, Failure> {
        let counted = Command::new(&self.stored[0])
            .args(&self.stored[1..])
            .output()?;
        let printed = String::from_utf8_lossy(&counted.stdout);
        let count = printed.trim().parse();
        Ok(count.map_err(|_| format!("{}: stored printed no number", self.name))?)
    }
}

impl Peer {
    fn name(&self) -> &str {
        match self {
            Self::Ours => "ours",
            Self::Named(named) => &named.name,
        }
    }

    /// Starts it; `None` when it does not come up.
    fn start(&self) -> Result<Option<Running<'_>>, Failure> {
        Ok(match self {
            Self::Ours => {
                let hub = block_on(Hub::start_paused(1))?;
                Some(Running::Ours(Box::new(hub)))
            }
            Self::Named(named) => named.start()?.map(|child| Running::Named(named, child)),
        })
    }
}

impl Running<'_> {
    fn pid(&self) -> u32 {
        match self {
            Self::Ours(hub) => hub.pid(),
            Self::Named(_, process) => process.id(),
        }
    }

    fn caller(&self) -> Caller {
        match self {
            Self::Ours(hub) => hub.caller.clone(),
            Self::Named(named, _) => Caller {
                address: named.address,
                authorization: named.authorization.clone(),
            },
        }
    }

    fn request(&self) -> Request {
        match self {
            Self::Ours(hub) => single_send(&hub.project),
            Self::Named(named, _) => {
                let Some(template) = named.body.clone() else {
                    return Request::get(named.path.clone());
                };
                Request::post(named.path.clone(), move |number, body| {
                    let to = format!("+{}", recipient(number));
                    let text = format!("message {number}");
                    let filled = template.replace("{to}", &to).replace("{text}", &text);
                    body.extend_from_slice(filled.as_bytes());
                })
            }
        }
    }

    async fn stored(&self) -> Result<u64, Failure> {
        match self {
            Self::Ours(hub) => hub.operator().messages_stored().await,
            Self::Named(named, _) => named.stored(),
        }
    }

    /// Ends it as a power failure of its process would.
    fn kill(&mut self) {
        match self {
            Self::Ours(hub) => hub.kill(),
            Self::Named(_, process) => end(process),
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

fn end(process: &mut Child) {
    // One that has ended already is fine, too.
    let _ = process.kill();
    let _ = process.wait();
}

async fn one_run(mut peer: Running<'_>, scale: Scale) -> Result<Measured, Failure> {
    let (caller, request, numbers) = (peer.caller(), peer.request(), fresh_numbers());
    let (before, used) = (peer.stored().await?, cpu_s(peer.pid())?);
    let loaded = closed_loop(&caller, CONNECTIONS, scale.span, &numbers, &request).await?;
    let sent = numbers.so_far();
    let used = cpu_s(peer.pid())? - used;
    let memory_mib = memory_mib(peer.pid())?;
    let anonymous_mib = anonymous_mib(peer.pid())?;
    let more = until_killed(&mut peer, scale.span / 4, &numbers, &request).await;
    let stored = peer.stored().await?.saturating_sub(before);
    let ms = |percent| percentile(&loaded.latencies_us, percent) as f64 / 1000.0;
    Ok(Measured {
        per_s: loaded.per_s,
        p50_ms: ms(50.0),
        p99_ms: ms(99.0),
        cpu_us: used * 1e6 / sent as f64,
        memory_mib,
        anonymous_mib,
        lost: (sent + more).saturating_sub(stored),
    })
}

/// Kills a peer under load after `span`, and returns how many messages it took until then.
async fn until_killed(
    peer: &mut Running<'_>,
    span: Duration,
    numbers: &Numbers,
    request: &Request,
) -> u64 {
    let caller = peer.caller();
    let taken = Rc::new(Cell::new(0));
    let local = LocalSet::new();
    for _ in 0..CONNECTIONS {
        let (caller, numbers, request) = (caller.clone(), numbers.clone(), request.clone());
        let taken = Rc::clone(&taken);
        local.spawn_local(async move {
            let Ok(mut connection) = Connection::open(&caller).await else {
                return;
            };
            let mut body = Vec::new();
            let (on, of) = (&mut connection, &caller);
            while send(on, of, &request, numbers.next(), &mut body)
                .await
                .is_ok()
            {
                taken.set(taken.get() + 1);
            }
        });
    }
    local.run_until(tokio::time::sleep(span)).await;
    peer.kill();
    local.await;
    taken.get()
}

/// Returns the medians of the runs, and all that was lost.
fn merged(runs: &[Measured]) -> Measured {
    let of = |value: fn(&Measured) -> f64| median(runs.iter().map(value).collect());
    Measured {
        per_s: of(|run| run.per_s),
        p50_ms: of(|run| run.p50_ms),
        p99_ms: of(|run| run.p99_ms),
        cpu_us: of(|run| run.cpu_us),
        memory_mib: of(|run| run.memory_mib),
        anonymous_mib: of(|run| run.anonymous_mib),
        lost: runs.iter().map(|run| run.lost).sum(),
    }
}

fn table(rows: &[(&str, Measured)]) -> String {
    let head = [
        "1/s", "p50 ms", "p99 ms", "CPU us", "MiB", "own MiB", "lost",
    ];
    let head = head.map(|name| format!("{name:>10}")).concat();
    let mut text = format!("{:<20}{head}\n", "peer");
    for (name, row) in rows {
        let values = [
            row.per_s,
            row.p50_ms,
            row.p99_ms,
            row.cpu_us,
            row.memory_mib,
            row.anonymous_mib,
        ];
        let values = values.map(|value| format!("{value:>10.1}")).concat();
        text += &format!("{name:<20}{values}{:>10}\n", row.lost);
    }
    text
}

impl Measured {
    fn to_json(&self, name: &str) -> Value {
        json!({
            "name": name,
            "per_s": self.per_s,
            "p50_ms": self.p50_ms,
            "p99_ms": self.p99_ms,
            "cpu_us_per_message": self.cpu_us,
            "memory_mib": self.memory_mib,
            "anonymous_mib": self.anonymous_mib,
            "lost": self.lost,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_lacks_something_says_what() {
        let mut said = json!({
            "name": "other", "start": ["other", "--serve"], "address": "127.0.0.1:3000",
            "path": "/send", "user": "a", "password": "b", "body": "{\"to\":\"{to}\"}",
            "stored": ["count"],
        });
        let named = Named::from_json(&said).unwrap();
        assert_eq!(named.authorization, basic("a", "b"));
        assert_eq!(named.start, ["other", "--serve"]);
        said["body"] = json!(1);
        let refused = Named::from_json(&said).unwrap_err();
        assert_eq!(refused, "body must be a text");
        said.as_object_mut().unwrap().remove("body");
        assert_eq!(Named::from_json(&said).unwrap().body, None);
        said["stored"] = json!([]);
        assert_eq!(
            Named::from_json(&said).unwrap_err(),
            "stored must be a list of texts"
        );
        said["address"] = json!("somewhere");
        let refused = Named::from_json(&said).unwrap_err();
        assert_eq!(refused, "address must be an IP address with a port");
    }
}
