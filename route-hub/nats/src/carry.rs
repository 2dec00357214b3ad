//! One subject for the hints of all processes of a hub. What comes there is never believed: it is a reason
//! to look, and too much of it is not listened to.

use crate::servers::Servers;
use async_nats::{Client, Message, Subject, Subscriber};
use futures_util::{FutureExt as _, StreamExt as _};
use hub_outage::{Level, Outage};
use hub_store::hints::{Carrier, Inbox};
use postrider_model::HubId;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

/// How long it may take until a new connection listens.
const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// The pause before a lost connection is made again, and before one that was flooded.
const PAUSE: Duration = Duration::from_millis(500);
const FLOOD_PAUSE: Duration = Duration::from_secs(2);
/// How often a process tells its own notice, and how many it may miss.
const BEAT: Duration = Duration::from_secs(1);
const MISSED_MAX: u32 = 3;
/// Most notices between two beats. Another process sends at most 500.
const FLOOD: u32 = 10_000;

/// Why a connection is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// There will be no more hints.
    Over,
    Unreachable,
    Lost,
    /// The process does not hear its own notices.
    Silent,
    Flooded,
}

impl Ended {
    fn why(self) -> &'static str {
        match self {
            Self::Over => "the hub ends",
            Self::Unreachable => "NATS cannot be reached, or refuses",
            Self::Lost => "the connection was lost",
            Self::Silent => {
                "NATS brings nothing back: does it let this user publish and subscribe?"
            }
            Self::Flooded => "somebody floods their subject",
        }
    }
}

/// Carries a hub's hints until nobody gives any more.
pub async fn carry(servers: Servers, hub: HubId, mut carrier: Carrier) {
    let subject = Subject::from(format!("postrider.{hub}.hints"));
    let outage = Outage::new(
        Level::WARN,
        "hints of other processes do not arrive",
        "hints of other processes arrive again",
    );
    loop {
        let ended = connected(&servers, &subject, &mut carrier, &outage).await;
        carrier.from_others.set_cut(true);
        if ended == Ended::Over || carrier.is_over() {
            return;
        }
        outage.failed(&ended.why());
        sleep(match ended {
            Ended::Flooded => FLOOD_PAUSE,
            _ => PAUSE,
        })
        .await;
    }
}

/// Carries hints through one connection.
async fn connected(
    servers: &Servers,
    subject: &Subject,
    carrier: &mut Carrier,
    outage: &Outage,
) -> Ended {
    let connect = async {
        let client = servers.connect().await.ok()?;
        let subscriber = client.subscribe(subject.clone()).await.ok()?;
        Some((client, subscriber))
    };
    let Ok(Some((client, subscriber))) = timeout(CONNECT_WAIT, connect).await else {
        return Ended::Unreachable;
    };
    let (inbox, own) = (carrier.from_others.clone(), carrier.own());
    let publish = |notice: String| is_sent(&client, subject, notice);
    tokio::select! {
        ended = tell(carrier, publish) => ended,
        ended = hear(subscriber, &inbox, outage, || publish(own.clone())) => ended,
    }
}

/// Hands a notice to the connection, unless it would have to wait.
fn is_sent(client: &Client, subject: &Subject, notice: String) -> bool {
    let sent = client.publish(subject.clone(), notice.into());
    matches!(sent.now_or_never(), Some(Ok(())))
}

async fn tell(carrier: &mut Carrier, publish: impl Fn(String) -> bool) -> Ended {
    while let Some(notices) = carrier.notices().await {
        for notice in notices {
            let is_sent = publish(notice.text.clone());
            carrier.from_others.count(&notice, is_sent);
        }
    }
    Ended::Over
}

/// Takes in what others tell. Hints count as arriving as long as this process hears its own notices.
async fn hear(
    mut subscriber: Subscriber,
    inbox: &Inbox,
    outage: &Outage,
    beat: impl Fn() -> bool,
) -> Ended {
    let mut beats = interval(BEAT);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut missed, mut count) = (0, 0);
    loop {
        tokio::select! {
            _ = beats.tick() => {
                if missed == MISSED_MAX {
                    return Ended::Silent;
                }
                missed += 1;
                count = 0;
                beat();
            }
            message = subscriber.next() => {
                let Some(message) = message else {
                    return Ended::Lost;
                };
                count += 1;
                if count > FLOOD {
                    return Ended::Flooded;
                }
                if is_own(inbox, &message) {
                    missed = 0;
                    inbox.set_cut(false);
                    outage.worked();
                }
            }
        }
    }
}

fn is_own(inbox: &Inbox, message: &Message) -> bool {
    std::str::from_utf8(&message.payload).is_ok_and(|notice| inbox.take(notice))
}
