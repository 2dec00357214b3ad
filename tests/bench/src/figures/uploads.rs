//! The memory that fifty uploads of 5 MiB at once take.

use super::{Scale, postgres_hub};
use crate::{
    Failure,
    clock::now,
    http::Connection,
    hub::Hub,
    load::block_on,
    process::{AnonymousPeak, anonymous_mib, memory_mib, peak_memory_mib},
    report::{Figure, Limit},
    stats::median,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::time::Duration;
use tokio::task::LocalSet;

pub(super) const NAMES: &[&str] = &["uploads_50_memory_mib", "uploads_50_anonymous_mib"];
pub(super) const POSTGRES_NAMES: &[&str] = &[
    "postgres_uploads_50_memory_mib",
    "postgres_uploads_50_anonymous_mib",
];

/// Uploads at once.
const UPLOADS: u8 = 50;
/// The largest file that the hub takes.
const FILE_BYTES: usize = 5 * 1024 * 1024;
/// The pause before an upload that the hub had no room for is tried again.
const REST: Duration = Duration::from_millis(50);
/// How long all of them may take.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let mut values = Vec::new();
    for _ in 0..scale.runs {
        values.push(block_on(async { on(&Hub::start_paused(1).await?).await })?);
    }
    Ok(figures(NAMES, &values, Limit::AtMost(400.0)))
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let mut values = Vec::new();
    for _ in 0..scale.runs {
        values.push(block_on(async { on(&postgres_hub(1).await?).await })?);
    }
    Ok(figures(POSTGRES_NAMES, &values, Limit::None))
}

fn figures(names: &[&'static str], values: &[[f64; 2]], limit: Limit) -> Vec<Figure> {
    let of = |at: usize| median(values.iter().map(|run| run[at]).collect());
    vec![
        Figure::new(names[0], of(0), "MiB", limit),
        Figure::new(names[1], of(1), "MiB", Limit::None),
    ]
}

/// Uploads all at once, and returns how much more the hub held at its most, in all and of its own.
async fn on(hub: &Hub) -> Result<[f64; 2], Failure> {
    let before = memory_mib(hub.pid())?;
    let own_before = anonymous_mib(hub.pid())?;
    let own = AnonymousPeak::watch(hub.pid());
    let until = now() + PATIENCE;
    let local = LocalSet::new();
    let uploads = (0..UPLOADS).map(|which| {
        let (caller, path) = (hub.caller.clone(), format!("{}/files", hub.project));
        local.spawn_local(async move {
            let body = body(which);
            loop {
                // Without room the hub answers 503, and may close the connection before it has read everything.
                let mut connection = Connection::open(&caller).await?;
                match connection.exchange(&caller, "POST", &path, "", &body).await {
                    Ok(_) => return Ok::<(), Failure>(()),
                    Err(failure) if now() > until || !is_without_room(&failure) => {
                        return Err(failure);
                    }
                    Err(_) => tokio::time::sleep(REST).await,
                }
            }
        })
    });
    let uploads: Vec<_> = uploads.collect();
    local.await;
    for upload in uploads {
        upload.await??;
    }
    let more = peak_memory_mib(hub.pid())? - before;
    Ok([more, own.end_mib()? - own_before])
}

fn is_without_room(failure: &Failure) -> bool {
    let is_cut = failure.downcast_ref::<std::io::Error>().is_some();
    is_cut || failure.to_string().contains("HTTP/1.1 503") || failure.to_string().contains("closed")
}

/// Returns a request with a file that no other one has.
fn body(which: u8) -> Vec<u8> {
    let data = STANDARD.encode(vec![which; FILE_BYTES]);
    format!(r#"{{"data":"{data}","type":"video/mp4","filename":"{which}.mp4"}}"#).into_bytes()
}
