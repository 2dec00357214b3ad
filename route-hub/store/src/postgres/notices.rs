//! Hints as the server's own notices, on a connection of their own: a notice within the transaction of
//! a write would make the commits of all hubs wait for each other.

use super::connect::Connector;
use super::failure::failure;
use super::processes::Process;
use crate::StoreError;
use crate::hints::{Carrier, Inbox};
use std::future::Future;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Error};

/// The channel of the notices.
const LISTEN: &str = "LISTEN postrider";
const NOTIFY: &str = "SELECT pg_notify('postrider', $1)";
/// How long hints are gathered into one notice.
const MERGE: Duration = Duration::from_millis(2);
/// How often a quiet connection is looked at, and how long it may take to answer.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const ANSWER_WAIT: Duration = Duration::from_secs(2);
/// The pause before a lost connection is made again.
const PAUSE: Duration = Duration::from_millis(500);

/// Carries hints until nobody gives any more.
pub(crate) async fn carry(connector: Connector, process: Process, mut carrier: Carrier) {
    let own = format!("{} ", process.incarnation);
    loop {
        let connected = connect(&connector, carrier.from_others.clone(), own.clone()).await;
        carrier.from_others.set_cut(connected.is_err());
        if let Ok(client) = connected
            && tell(&client, &mut carrier, &own).await.is_ok()
        {
            return;
        }
        carrier.from_others.set_cut(true);
        tokio::time::sleep(PAUSE).await;
        if carrier.to_others.is_closed() {
            return;
        }
    }
}

async fn connect(connector: &Connector, inbox: Inbox, own: String) -> Result<Client, StoreError> {
    let hear = move |message| {
        if let AsyncMessage::Notification(notice) = message
            && !notice.payload().starts_with(&own)
        {
            inbox.take(notice.payload());
        }
    };
    let client = connector.connect_hearing(hear).await?;
    client.batch_execute(LISTEN).await.map_err(failure)?;
    Ok(client)
}

/// Sends what is to be sent, and looks every second whether the connection still answers. Ends well
/// when there will be nothing more.
async fn tell(client: &Client, carrier: &mut Carrier, own: &str) -> Result<(), Cut> {
    let notify = soon(client.prepare(NOTIFY)).await?;
    loop {
        let notices = match timeout(LOOK_EVERY, carrier.notices(MERGE)).await {
            Ok(None) => return Ok(()),
            Ok(Some(notices)) => notices,
            Err(_) => {
                soon(client.batch_execute("")).await?;
                continue;
            }
        };
        for notice in notices {
            let notice = format!("{own}{notice}");
            soon(client.execute(&notify, &[&notice])).await?;
        }
    }
}

/// The connection does not answer.
struct Cut;

async fn soon<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Cut> {
    match timeout(ANSWER_WAIT, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) | Err(_) => Err(Cut),
    }
}
