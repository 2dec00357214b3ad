//! Hints as the server's own notices, on a connection of their own: a notice within the transaction of
//! a write would make the commits of all hubs wait for each other.

use super::connect::Connector;
use crate::hints::{Carrier, Inbox};
use std::future::Future;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Error};

/// The channel of the notices.
const LISTEN: &str = "LISTEN postrider";
const NOTIFY: &str = "SELECT pg_notify('postrider', $1)";
/// How often a quiet connection is looked at, and how long it may take to answer.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const ANSWER_WAIT: Duration = Duration::from_secs(2);
/// The pause before a lost connection is made again.
const PAUSE: Duration = Duration::from_millis(500);

/// Carries hints until nobody gives any more.
pub(crate) async fn carry(connector: Connector, mut carrier: Carrier) {
    loop {
        let connected = connect(&connector, carrier.from_others.clone()).await;
        carrier.from_others.set_cut(connected.is_err());
        if let Ok(client) = connected
            && tell(&client, &mut carrier).await.is_ok()
        {
            return;
        }
        carrier.from_others.set_cut(true);
        tokio::time::sleep(PAUSE).await;
        if carrier.is_over() {
            return;
        }
    }
}

async fn connect(connector: &Connector, inbox: Inbox) -> Result<Client, Cut> {
    let hear = move |message| {
        if let AsyncMessage::Notification(notice) = message {
            inbox.take(notice.payload());
        }
    };
    let (client, _) = connector.connect_hearing(hear).await.map_err(|_| Cut)?;
    soon(client.batch_execute(LISTEN)).await?;
    Ok(client)
}

/// Sends what is to be sent, and looks every second whether the connection still answers. Ends well
/// when there will be nothing more.
async fn tell(client: &Client, carrier: &mut Carrier) -> Result<(), Cut> {
    let notify = soon(client.prepare(NOTIFY)).await?;
    loop {
        let notices = match timeout(LOOK_EVERY, carrier.notices()).await {
            Ok(None) => return Ok(()),
            Ok(Some(notices)) => notices,
            Err(_) => {
                soon(client.batch_execute("")).await?;
                continue;
            }
        };
        for notice in notices {
            let sent = soon(client.execute(&notify, &[&notice.text])).await;
            carrier.from_others.count(&notice, sent.is_ok());
            sent?;
        }
    }
}

/// There is no connection, or it does not answer.
struct Cut;

async fn soon<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Cut> {
    match timeout(ANSWER_WAIT, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) | Err(_) => Err(Cut),
    }
}
