//! Broadcasts: their rows, their counts, and whose turn it is.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, NOW, address, id};
use hub_domain::*;
use hub_store::broadcasts::{self, Tallies};
use hub_store::*;
use postrider_model::*;

fn broadcast(value: i64, project_id: i64) -> Broadcast {
    Broadcast {
        id: id(value),
        project_id: id(project_id),
        title: "News".to_owned(),
        message_type: MessageType::Sms,
        source: MessageSource::Api,
        scheduled_id: None,
        message: "{}".to_owned(),
        to: BroadcastTo::Requests,
        exclude_contact_id: None,
        exclude_group_id: None,
        campaign_id: None,
        stage: BroadcastStage::Queuing,
        done_up_to: 0,
        reached: 0,
        estimated_count: 0,
        problem: None,
        counts: BroadcastCounts::default(),
        num_parts: 0,
        price: None,
        reply_count: 0,
        clicked_count: 0,
        last_reply_time: None,
        last_message_time: NOW,
        last_send_time: None,
        time_created: NOW,
    }
}

fn full() -> Broadcast {
    Broadcast {
        message_type: MessageType::Call,
        source: MessageSource::Scheduled,
        scheduled_id: Some(id(5)),
        message: r#"{"content":"x"}"#.to_owned(),
        to: BroadcastTo::Group(id(3)),
        exclude_contact_id: Some(id(30)),
        exclude_group_id: Some(id(4)),
        campaign_id: Some(id(6)),
        stage: BroadcastStage::Cancelling,
        done_up_to: 1,
        reached: 2,
        estimated_count: 3,
        problem: Some("the group is gone".to_owned()),
        counts: BroadcastCounts {
            queued: 4,
            sent: 5,
            failed: 6,
            failed_queued: 7,
            delivered: 8,
            not_delivered: 9,
            cancelled: 10,
        },
        num_parts: 11,
        price: Some(Price {
            millionths: 45_000,
            currency: "KES".parse().expect("it is one"),
        }),
        reply_count: 12,
        clicked_count: 0,
        last_reply_time: Some(UnixMs(13)),
        last_message_time: UnixMs(14),
        last_send_time: Some(UnixMs(15)),
        ..broadcast(200, 10)
    }
}

pub(crate) fn a_broadcast_reads_back_with_its_numbers<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let to_numbers = Broadcast {
            to: BroadcastTo::Numbers,
            ..broadcast(201, 10)
        };
        let to_found = Broadcast {
            to: BroadcastTo::Filter(sample::contact_filter()),
            ..broadcast(203, 10)
        };
        let numbers = [address("+15005550001"), address("+15005550002")];
        for (row, numbers) in [
            (full(), &[][..]),
            (to_numbers, &numbers[..]),
            (broadcast(202, 10), &[]),
            (to_found, &[]),
        ] {
            broadcasts::insert(tx, &row, numbers)?;
            assert_eq!(broadcasts::get(tx, id(10), row.id)?.as_ref(), Some(&row));
            assert_eq!(broadcasts::get(tx, id(11), row.id)?, None);
            assert_eq!(broadcasts::numbers(tx, row.id)?, numbers);
        }
        let query = list::ListQuery::default();
        assert_eq!(broadcasts::count(tx, id(10), &query)?, 4);
        assert_eq!(broadcasts::count(tx, id(11), &query)?, 0);
        assert_eq!(broadcasts::list(tx, id(10), &query)?.rows[0], full());
        Ok(())
    });
}

pub(crate) fn counts_follow_the_messages_of_a_unit_of_work<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        broadcasts::insert(tx, &broadcast(200, 10), &[])?;
        let mut message = Message {
            broadcast_id: Some(id(200)),
            num_parts: Some(2),
            time_created: UnixMs(NOW.0 + 5),
            ..sample::message(50, 10)
        };
        let mut tallies = Tallies::default();
        tallies.made(&message);
        tallies.made(&sample::message(51, 10));
        tallies.expect(id(200), 3);
        tallies.write(tx)?;
        let share = BroadcastShare::of(&message);
        message.status = MessageStatus::Sent;
        message.time_sent = Some(UnixMs(NOW.0 + 7));
        let mut tallies = Tallies::default();
        tallies.changed(share, &message);
        tallies.replied(id(200), UnixMs(NOW.0 + 9));
        tallies.clicked(id(200));
        tallies.write(tx)?;
        let expected = Broadcast {
            estimated_count: 3,
            counts: BroadcastCounts {
                sent: 1,
                ..BroadcastCounts::default()
            },
            num_parts: 2,
            reply_count: 1,
            clicked_count: 1,
            last_reply_time: Some(UnixMs(NOW.0 + 9)),
            last_message_time: UnixMs(NOW.0 + 5),
            last_send_time: Some(UnixMs(NOW.0 + 7)),
            ..broadcast(200, 10)
        };
        assert_eq!(broadcasts::get(tx, id(10), id(200))?, Some(expected));
        let failed = Message {
            status: MessageStatus::Failed,
            time_updated: UnixMs(NOW.0 + 20),
            time_sent: None,
            ..message
        };
        let mut tallies = Tallies::default();
        tallies.made(&failed);
        tallies.write(tx)?;
        let shown = broadcasts::get(tx, id(10), id(200))?.unwrap();
        assert_eq!(shown.last_send_time, Some(UnixMs(NOW.0 + 20)));
        assert_eq!((shown.counts.failed, shown.num_parts), (1, 2));
        Ok(())
    });
}

pub(crate) fn a_broadcast_that_was_paid_for_in_several_currencies_has_no_price<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let paid = |currency: &str| Price {
        millionths: 250_000,
        currency: currency.parse().unwrap(),
    };
    // Those of one list are counted together.
    let cost = |units: &[&[&str]]| {
        let units: Vec<Vec<_>> = units
            .iter()
            .map(|unit| unit.iter().map(|currency| paid(currency)).collect())
            .collect();
        write(&store, move |tx| {
            broadcasts::insert(tx, &broadcast(200, 10), &[])?;
            for prices in &units {
                let mut tallies = Tallies::default();
                for price in prices {
                    let message = Message {
                        broadcast_id: Some(id(200)),
                        price: Some(*price),
                        ..sample::message(50, 10)
                    };
                    tallies.made(&message);
                }
                tallies.write(tx)?;
            }
            let sum = broadcasts::get(tx, id(10), id(200))?.and_then(|shown| shown.price);
            tx.run("DELETE FROM broadcasts", &[])?;
            Ok(sum)
        })
    };
    assert_eq!(cost(&[]), None);
    let both = Price {
        millionths: 500_000,
        ..paid("KES")
    };
    assert_eq!(cost(&[&["KES"], &["KES"]]), Some(both));
    assert_eq!(cost(&[&["KES", "KES"]]), Some(both));
    assert_eq!(cost(&[&["KES", "USD"]]), None);
    assert_eq!(cost(&[&["KES"], &["USD"], &["USD"]]), None);
    assert_eq!(cost(&[&["KES", "USD"], &["KES"]]), None);
}

pub(crate) fn a_step_is_taken_once_and_not_after_a_cancel<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let first = broadcast(200, 10);
        broadcasts::insert(tx, &first, &[])?;
        assert!(broadcasts::advance(tx, &first, 7, 3, false)?);
        assert!(!broadcasts::advance(tx, &first, 7, 3, false)?);
        let second = broadcasts::get(tx, id(10), id(200))?.unwrap();
        assert_eq!((second.done_up_to, second.estimated_count), (7, 3));
        assert!(broadcasts::advance(tx, &second, 9, 1, true)?);
        let third = broadcasts::get(tx, id(10), id(200))?.unwrap();
        assert_eq!((third.stage, third.reached), (BroadcastStage::Queued, 4));
        assert_eq!(third.estimated_count, 4);
        assert!(!broadcasts::cancel(tx, id(10), id(200))?, "nothing waits");

        let other = broadcast(201, 10);
        broadcasts::insert(tx, &other, &[])?;
        assert!(!broadcasts::cancel(tx, id(11), id(201))?);
        assert!(broadcasts::cancel(tx, id(10), id(201))?);
        assert!(!broadcasts::advance(tx, &other, 7, 3, false)?);
        broadcasts::end(tx, id(201), "late")?;
        let cancelled = broadcasts::get(tx, id(10), id(201))?.unwrap();
        assert!(cancelled.is_cancelled() && cancelled.problem.is_none());
        Ok(())
    });
}

pub(crate) fn projects_and_their_broadcasts_take_turns<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (value, project) in [(200, 11), (201, 10), (202, 10)] {
            broadcasts::insert(tx, &broadcast(value, project), &[])?;
        }
        let over = Broadcast {
            stage: BroadcastStage::Queued,
            ..broadcast(203, 12)
        };
        broadcasts::insert(tx, &over, &[])?;
        let mut next = |above, last: i64| {
            let next = broadcasts::next_after(tx, above, |_| last).unwrap();
            next.map(|broadcast| broadcast.id.get())
        };
        assert_eq!(next(0, 0), Some(201));
        assert_eq!(next(0, 201), Some(202));
        assert_eq!(next(0, 202), Some(201));
        assert_eq!(next(10, 0), Some(200));
        assert_eq!(next(11, 0), None);
        Ok(())
    });
}

pub(crate) fn a_cancelled_broadcast_is_walked_through_once<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        broadcasts::insert(tx, &broadcast(200, 10), &[])?;
        for (value, status) in [
            (50, MessageStatus::Queued),
            (51, MessageStatus::Sent),
            (52, MessageStatus::FailedQueued),
        ] {
            let message = Message {
                broadcast_id: Some(id(200)),
                status,
                ..sample::message(value, 10)
            };
            messages::insert(tx, &message)?;
        }
        messages::insert(tx, &sample::message(53, 10))?;
        let mut open = |above, limit| {
            let open = messages::open_of_broadcast(tx, id(200), above, limit).unwrap();
            open.iter().map(|one| one.id.get()).collect::<Vec<_>>()
        };
        assert_eq!(open(0, 9), [50, 52]);
        assert_eq!(open(0, 1), [50]);
        assert_eq!(open(50, 9), [52]);
        assert_eq!(broadcasts::called_off(tx, id(200))?, None);
        broadcasts::cancel(tx, id(10), id(200))?;
        assert_eq!(broadcasts::called_off(tx, id(200))?, Some(0));
        let walking = broadcasts::get(tx, id(10), id(200))?.unwrap();
        assert!(broadcasts::walked(tx, &walking, Some(id(50)))?);
        assert!(!broadcasts::walked(tx, &walking, Some(id(50)))?);
        assert_eq!(broadcasts::called_off(tx, id(200))?, Some(50));
        let walking = broadcasts::get(tx, id(10), id(200))?.unwrap();
        assert!(broadcasts::walked(tx, &walking, None)?);
        assert_eq!(broadcasts::called_off(tx, id(200))?, None);
        let over = broadcasts::get(tx, id(10), id(200))?.unwrap();
        assert_eq!(over.stage, BroadcastStage::Cancelled);
        Ok(())
    });
}
