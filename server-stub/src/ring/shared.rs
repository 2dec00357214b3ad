//! What all tasks of a stub share: the engine, and the way to its sockets.

use super::clock;
use super::tls::Tls;
use crate::engine::{Engine, Wire};
use crate::verdict::Verdict;
use crate::watch::HandOver;
use postrider_model::{BootMs, Now};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Things that may wait for one socket; a phone that reads nothing for so long is cut off.
pub(super) const WIRES_MAX: usize = 65_536;

/// Where a connection's socket listens.
pub(super) type Socket = mpsc::Sender<Wire>;

pub(super) struct Shared {
    engine: Mutex<Engine>,
    sockets: Mutex<BTreeMap<u64, Socket>>,
    /// Turns with each call of the engine.
    turns: watch::Sender<u64>,
    pub(super) tls: Option<Tls>,
    pub(super) radio_log: Option<PathBuf>,
    pub(super) base_url: String,
}

impl Shared {
    pub(super) fn new(
        engine: Engine,
        tls: Option<Tls>,
        radio_log: Option<PathBuf>,
        base_url: String,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine: Mutex::new(engine),
            sockets: Mutex::default(),
            turns: watch::Sender::new(0),
            tls,
            radio_log,
            base_url,
        })
    }

    /// Calls the engine, and hands what it wants written to the sockets.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Engine, Now) -> T) -> T {
        let mut engine = self.engine();
        let done = act(&mut engine, clock::now());
        let mut sockets = self.sockets();
        while let Some((dial, wire)) = engine.poll_wire() {
            let last = matches!(wire, Wire::Finish(_) | Wire::Cut);
            let full = sockets
                .get(&dial)
                .is_some_and(|socket| socket.try_send(wire).is_err());
            if last || full {
                // Its task ends when it has taken what is still there.
                sockets.remove(&dial);
            }
        }
        drop(sockets);
        drop(engine);
        self.turns.send_modify(|turns| *turns += 1);
        done
    }

    /// Looks at the engine without changing it.
    pub(super) fn look<T>(&self, at: impl FnOnce(&Engine, Now) -> T) -> T {
        at(&self.engine(), clock::now())
    }

    pub(super) fn connect(&self, dial: u64, socket: Socket) {
        self.sockets().insert(dial, socket);
    }

    pub(super) fn disconnect(&self, dial: u64) {
        self.sockets().remove(&dial);
    }

    /// Waits until `condition` holds of the engine.
    pub(super) async fn until(&self, condition: impl Fn(&Engine) -> bool) {
        let mut turns = self.turns.subscribe();
        while !condition(&self.engine()) {
            if turns.changed().await.is_err() {
                return;
            }
        }
    }

    /// Calls the engine whenever its time has come.
    pub(super) async fn keep_time(&self) {
        let mut turns = self.turns.subscribe();
        loop {
            let (due, now) = self.look(|engine, now| (engine.poll_timeout(), now));
            if due.is_some_and(|due| due <= now.boot) {
                self.with(Engine::handle_timeout);
                turns.mark_unchanged();
                if self.look(|engine, _| engine.ended().is_some()) {
                    return;
                }
                // What is still due then waits for something else than time.
                let (again, now) = self.look(|engine, now| (engine.poll_timeout(), now));
                if again.is_some_and(|again| again <= now.boot) {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                continue;
            }
            tokio::select! {
                changed = turns.changed() => if changed.is_err() {
                    return;
                },
                () = sleep_until(due, now) => {}
            }
        }
    }

    /// Returns the verdict as of now.
    pub(super) async fn verdict(&self) -> Verdict {
        let radio = match self.radio_log.clone() {
            Some(path) => tokio::task::spawn_blocking(move || read_radio_log(&path))
                .await
                .ok(),
            None => None,
        };
        self.look(|engine, now| engine.verdict(radio.as_deref(), now))
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sockets(&self) -> MutexGuard<'_, BTreeMap<u64, Socket>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sleep_until(due: Option<BootMs>, now: Now) {
    match due {
        Some(due) => tokio::time::sleep(Duration::from_millis(due.since_ms(now.boot))).await,
        None => std::future::pending().await,
    }
}

/// Reads the hand-overs of a log; a log that is not there yet has none, and a last line that is
/// still being written is left out.
fn read_radio_log(path: &std::path::Path) -> Vec<HandOver> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            tracing::warn!(%error, "the radio log cannot be read");
            return Vec::new();
        }
    };
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
