//! The ring around the deliverer's machine: the socket, the database and the clock.

use crate::alerts::waiting;
use crate::hub::Hub;
use crate::hub::request_counts::By;
use crate::unit_of_work::Effects;
use crate::webhooks::commits::Batch;
use crate::webhooks::deliveries::Deliveries;
use crate::webhooks::scan::{self, Scanned};
use crate::webhooks::settlement::{self, Ending};
use crate::webhooks::signature;
use futures_util::FutureExt;
use hub_domain::OutboxRow;
use hub_outgoing::Client;
use hub_store::StoreError;
use postrider_model::{ProjectId, UnixMs};
use std::{
    future::{Future, pending},
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::watch,
    task::{JoinError, JoinSet},
};

/// Delivers until `stop` turns true; then starts nothing new, lets what is under way end (ten
/// seconds at most, the client's own limit) and commits it.
///
/// Everything undelivered stays in the outbox: the next start goes on with it.
pub async fn run(hub: Hub, client: Client, mut stop: watch::Receiver<bool>) {
    let mut ring = Ring::new(hub.clone(), client);
    let mut stopping = false;
    loop {
        ring.start_what_may(stopping);
        if stopping && ring.machine.is_settled() {
            return;
        }
        let pause = ring.pause();
        tokio::select! {
            () = hub.bus.webhooks_woken(), if !stopping => ring.machine.handle_wake(),
            Some(ended) = ring.attempts.join_next() => ring.attempts_ended(ended),
            scanned = done(&mut ring.scan) => ring.scanned(scanned),
            Some(committed) = ring.commits.join_next() => ring.committed(committed),
            () = tokio::time::sleep(pause) => {}
            _ = stop.wait_for(|stop| *stop), if !stopping => stopping = true,
        }
    }
}

type Running<T> = Option<Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>>;

/// Waits for what runs; for ever when nothing does.
async fn done<T>(running: &mut Running<T>) -> Result<T, StoreError> {
    match running {
        Some(work) => work.await,
        None => pending().await,
    }
}

/// Longest sleep; the machine always has an earlier deadline unless it waits for an event.
const SLEEP_MAX: Duration = Duration::from_secs(60);
/// How often a process that may not post looks whether it may again.
const UNTIL_IT_MAY_POST: Duration = Duration::from_millis(500);

struct Ring {
    hub: Hub,
    client: Client,
    machine: Deliveries,
    attempts: JoinSet<(i64, Ending)>,
    scan: Running<Scanned>,
    commits: JoinSet<(ProjectId, Result<Effects, StoreError>)>,
}

impl Ring {
    fn new(hub: Hub, client: Client) -> Self {
        Self {
            hub,
            client,
            machine: Deliveries::default(),
            attempts: JoinSet::new(),
            scan: None,
            commits: JoinSet::new(),
        }
    }

    /// Drains the machine; a ring that stops only commits.
    fn start_what_may(&mut self, stopping: bool) {
        let now = self.hub.now();
        if !stopping {
            let (projects, _) = self.hub.own_shares.posted(now.boot);
            self.machine.handle_projects(projects);
            while self.hub.store.may_post()
                && let Some(row) = self.machine.poll_attempt(now)
            {
                let id = row.id;
                let by = By::Project(row.project_id);
                self.hub.request_counts.count(by, now.unix);
                let post = post(self.client.clone(), row, now.unix);
                let post = AssertUnwindSafe(post).catch_unwind();
                self.attempts
                    .spawn(async move { (id, post.await.unwrap_or(BROKEN)) });
            }
            if let Some(ask) = self.machine.poll_scan(now) {
                self.scan = Some(Box::pin(
                    self.hub.store.read(move |tx| scan::scan(tx, &ask)),
                ));
            }
        }
        while let Some(batch) = self.machine.poll_settlements(now) {
            self.start_commit(batch);
        }
    }

    fn start_commit(&mut self, batch: Batch) {
        let now = self.hub.now();
        let Batch {
            project_id,
            settlements,
        } = batch;
        let hub = self.hub.clone();
        let kept_max = hub.caps().deliveries;
        let job = self.hub.store.of(project_id).write(move |tx| {
            let gone = settlement::commit(tx, project_id, &settlements, kept_max)?;
            waiting::left_of(&hub, tx, project_id, gone, now)
        });
        self.commits.spawn(async move { (project_id, job.await) });
    }

    fn attempts_ended(&mut self, first: Result<(i64, Ending), JoinError>) {
        let mut ended = Some(first);
        let now = self.hub.now();
        while let Some(result) = ended {
            if let Ok((id, ending)) = result {
                let random = self.hub.random.below(u64::MAX);
                self.machine.handle_ended(id, ending, random, now);
            }
            ended = self.attempts.try_join_next();
        }
    }

    fn scanned(&mut self, scanned: Result<Scanned, StoreError>) {
        self.scan = None;
        let now = self.hub.now();
        match scanned {
            Ok(scanned) => self.machine.handle_scanned(scanned, now),
            Err(error) => {
                hub_store::failed!(warn, error, "the outbox could not be read");
                self.machine.handle_scan_failed(now);
            }
        }
    }

    fn committed(
        &mut self,
        committed: Result<(ProjectId, Result<Effects, StoreError>), JoinError>,
    ) {
        let Ok((project, committed)) = committed else {
            return;
        };
        let now = self.hub.now();
        match committed {
            Ok(effects) => {
                self.machine.handle_committed(project, now);
                effects.perform(&self.hub);
            }
            Err(error) => {
                hub_store::failed!(
                    warn,
                    error,
                    "the ends of webhook deliveries could not be written"
                );
                self.machine.handle_commit_failed(project, now);
            }
        }
    }

    fn pause(&self) -> Duration {
        let now = self.hub.now();
        let (_, more_projects_at) = self.hub.own_shares.posted(now.boot);
        let deadline = self.machine.poll_timeout().map(|deadline| deadline.at);
        let next = deadline.into_iter().chain(more_projects_at).min();
        let longest = if self.hub.store.may_post() {
            SLEEP_MAX
        } else {
            UNTIL_IT_MAY_POST
        };
        next.map_or(longest, |at| {
            Duration::from_millis(at.since_ms(now.boot)).min(longest)
        })
    }
}

/// The ending of an attempt that panicked: a defect of ours, tried again like a failure.
const BROKEN: Ending = Ending {
    outcome: "internal_error",
    http_status: None,
};

async fn post(client: Client, row: Arc<OutboxRow>, now: UnixMs) -> Ending {
    let body = signature::full_body(&row);
    let headers = signature::headers(&row, &body, now);
    match client
        .post_form(row.project_id.get(), &row.url, headers, body)
        .await
    {
        Ok(answer) => Ending::answered(answer.status.as_u16()),
        Err(failure) => Ending {
            outcome: failure.as_str(),
            http_status: None,
        },
    }
}
