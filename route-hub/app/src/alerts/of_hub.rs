//! Alerts of the hub itself, which no project is told of: in the log, in `admin alerts` and in the
//! metrics.

use crate::hub::Hub;
use crate::hub::own_alerts::Left;
use hub_domain::{HubAlert, HubAlertKind};
use hub_store::{StoreError, Tx, hub_alerts};

/// Raises an alert about this process, or ends it; nothing is done where that was said before.
///
/// # Errors
/// When the database cannot be told; the next call tries again. The log and the metrics tell of it
/// anyway.
pub async fn follow(hub: &Hub, kind: HubAlertKind, stands: bool) -> Result<(), StoreError> {
    match hub.own_alerts.say(kind, stands) {
        Left::Nothing => return Ok(()),
        Left::Store => {}
        Left::TellAndStore => log(hub, kind, stands),
    }
    store(hub, kind, stands).await?;
    hub.own_alerts.stored(kind, stands);
    Ok(())
}

fn log(hub: &Hub, kind: HubAlertKind, stands: bool) {
    let process = hub.process;
    if stands {
        tracing::warn!(kind = kind.as_str(), process, "{}", kind.detail());
    } else {
        tracing::info!(
            kind = kind.as_str(),
            process,
            "an alert of the hub has ended"
        );
    }
}

async fn store(hub: &Hub, kind: HubAlertKind, stands: bool) -> Result<(), StoreError> {
    let (process, now) = (hub.process, hub.now().unix);
    let job = move |tx: &mut Tx<'_>| {
        if !stands {
            return hub_alerts::clear_kind(tx, process, kind, now);
        }
        let alert = HubAlert {
            id: tx.id(now),
            process,
            kind,
            detail: kind.detail().to_owned(),
            time_created: now,
            time_cleared: None,
        };
        hub_alerts::raise(tx, &alert)
    };
    hub.store.write(job).await
}

/// Ends the alerts of a process that has ended, or whose number this one takes.
///
/// # Errors
/// What the database says.
pub async fn process_ended(hub: &Hub, process: u8) -> Result<(), StoreError> {
    let now = hub.now().unix;
    let job = move |tx: &mut Tx<'_>| hub_alerts::process_ended(tx, process, now);
    hub.store.write(job).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Office, wait};

    const KIND: HubAlertKind = HubAlertKind::ClockOff;

    fn say(office: &Office, stands: bool) {
        wait(follow(&office.hub, KIND, stands)).unwrap();
    }

    /// Returns whether each alert that ever was stands, newest first.
    fn all(office: &Office) -> Vec<bool> {
        let all = office.rows(|work| hub_alerts::latest(work.tx, true, 100));
        assert!(all.iter().all(|alert| alert.process == office.hub.process));
        all.iter()
            .map(|alert| alert.time_cleared.is_none())
            .collect()
    }

    #[test]
    fn an_alert_of_the_hub_is_raised_once_and_ended_once() {
        let office = Office::new();
        say(&office, false);
        assert!(all(&office).is_empty());
        say(&office, true);
        say(&office, true);
        assert_eq!(all(&office), [true]);
        assert!(office.hub.own_alerts.stands(KIND));
        say(&office, false);
        say(&office, false);
        assert_eq!(all(&office), [false]);
        assert!(!office.hub.own_alerts.stands(KIND));
        say(&office, true);
        assert_eq!(all(&office), [true, false]);
    }

    #[test]
    fn what_the_operator_cleared_is_not_raised_again_before_it_ended() {
        let office = Office::new();
        say(&office, true);
        let now = office.hub.now().unix;
        office.rows(move |work| hub_alerts::clear_kind(work.tx, work.hub.process, KIND, now));
        say(&office, true);
        assert_eq!(all(&office), [false]);
        say(&office, false);
        say(&office, true);
        assert_eq!(all(&office), [true, false]);
    }

    #[test]
    fn what_the_database_did_not_take_is_stored_at_the_next_call() {
        let office = Office::new();
        assert_eq!(office.hub.own_alerts.say(KIND, true), Left::TellAndStore);
        assert_eq!(office.hub.own_alerts.say(KIND, true), Left::Store);
        assert!(office.hub.own_alerts.stands(KIND));
        say(&office, true);
        assert_eq!(all(&office), [true]);
        assert_eq!(office.hub.own_alerts.say(KIND, true), Left::Nothing);
    }

    #[test]
    fn the_alerts_of_a_process_that_ended_end() {
        let office = Office::new();
        say(&office, true);
        wait(process_ended(&office.hub, office.hub.process)).unwrap();
        assert_eq!(all(&office), [false]);
    }
}
