//! Schedules: stored with each kind of recipient, and changed.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{NOW, address, contact_filter, id};
use hub_domain::*;
use hub_store::*;

fn schedule(value: i64, to: ScheduledTo) -> Schedule {
    Schedule {
        id: id(value),
        project_id: id(10),
        relative_id: None,
        message_type: MessageType::Sms,
        message: "{}".to_owned(),
        to,
        listed_contact_id: None,
        rrule: "COUNT=1".to_owned(),
        timezone_id: "UTC".to_owned(),
        start_time: NOW,
        end_time: None,
        prev_time: None,
        next_time: Some(NOW),
        instance: 1,
        occurrences: 0,
        problem: None,
        revision: 0,
        time_created: NOW,
    }
}

pub(crate) fn a_schedule_reads_back_with_whom_it_is_for<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let recipients = [
            ScheduledTo::Number(address("+15005550001")),
            ScheduledTo::Contact(id(3)),
            ScheduledTo::Group(id(4)),
            ScheduledTo::Filter(contact_filter()),
        ];
        for (value, to) in (100..).zip(&recipients) {
            let first = schedule(value, to.clone());
            schedules::insert(tx, &first)?;
            assert_eq!(schedules::get(tx, id(10), id(value))?, Some(first.clone()));
            let mut before = first;
            for other in &recipients {
                let changed = Schedule {
                    to: other.clone(),
                    ..before
                };
                assert!(schedules::update(tx, &changed)?);
                before = Schedule {
                    revision: changed.revision + 1,
                    ..changed
                };
                assert_eq!(schedules::get(tx, id(10), id(value))?, Some(before.clone()));
            }
        }
        Ok(())
    });
}
