//! Campaigns: stored, changed, found when they are due, and whom their messages reached.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, NOW, id};
use hub_domain::*;
use hub_store::campaigns::by;
use hub_store::list::{Filter, ListQuery, Op, Operand, Sort};
use hub_store::*;
use postrider_model::*;

fn campaign(value: i64, project: i64, name: &str) -> Campaign {
    Campaign {
        id: id(value),
        project_id: id(project),
        campaign_type: CampaignType::BroadcastText,
        name: name.to_owned(),
        status: CampaignStatus::Draft,
        message: "{}".to_owned(),
        group_id: None,
        exclude_group_id: None,
        respondent_group_id: None,
        timezone_id: "UTC".to_owned(),
        at_time: false,
        schedule_time: None,
        date_variable: None,
        items: "[]".to_owned(),
        broadcast_id: None,
        message_count: 0,
        problem: None,
        revision: 0,
        time_created: NOW,
        time_updated: NOW,
    }
}

fn waiting(value: i64, project: i64, at: i64) -> Campaign {
    Campaign {
        status: CampaignStatus::Scheduled,
        at_time: true,
        schedule_time: Some(UnixMs(at)),
        ..campaign(value, project, &format!("{value}"))
    }
}

pub(crate) fn a_campaign_reads_back_and_an_old_change_is_not_stored<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let before = campaign(100, 10, "News");
        campaigns::insert(tx, &before)?;
        assert_eq!(campaigns::get(tx, id(10), id(100))?, Some(before.clone()));
        assert_eq!(campaigns::get(tx, id(11), id(100))?, None);
        let changed = Campaign {
            name: "Ännchen".to_owned(),
            status: CampaignStatus::Sent,
            message: r#"{"a":1}"#.to_owned(),
            group_id: Some(id(1)),
            exclude_group_id: Some(id(2)),
            respondent_group_id: Some(id(3)),
            timezone_id: "Africa/Nairobi".to_owned(),
            at_time: true,
            schedule_time: Some(UnixMs(5)),
            date_variable: Some("due".to_owned()),
            items: "[1]".to_owned(),
            broadcast_id: Some(id(4)),
            problem: Some("it is gone".to_owned()),
            time_updated: UnixMs(6),
            ..before.clone()
        };
        assert!(campaigns::update(tx, &changed)?);
        campaigns::count_sent(tx, id(100), 2)?;
        campaigns::count_sent(tx, id(100), 1)?;
        let stored = Campaign {
            revision: 1,
            message_count: 3,
            ..changed.clone()
        };
        assert_eq!(campaigns::get(tx, id(10), id(100))?, Some(stored.clone()));
        assert!(!campaigns::update(tx, &changed)?, "it is an old one");
        assert_eq!(campaigns::by_name(tx, id(10), "äNNCHEN")?, Some(stored));
        assert_eq!(campaigns::by_name(tx, id(11), "Ännchen")?, None);
        assert!(!campaigns::delete(tx, id(11), id(100))?);
        assert!(campaigns::delete(tx, id(10), id(100))?);
        assert_eq!(campaigns::get(tx, id(10), id(100))?, None);
        Ok(())
    });
}

pub(crate) fn what_waits_for_its_time_is_found_when_it_has_come<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (value, project, at) in [(100, 10, 9), (101, 11, 5), (102, 10, 20)] {
            campaigns::insert(tx, &waiting(value, project, at))?;
        }
        let draft = Campaign {
            status: CampaignStatus::Draft,
            ..waiting(103, 10, 1)
        };
        campaigns::insert(tx, &draft)?;
        let due = |tx: &mut Tx<'_>, after| {
            let due = campaigns::due(tx, UnixMs(9), after, 10)?;
            Ok::<Vec<i64>, StoreError>(due.into_iter().map(|place| place.id).collect())
        };
        assert_eq!(due(tx, (UnixMs(i64::MIN), 0))?, [101, 100]);
        assert_eq!(due(tx, (UnixMs(5), 101))?, [100]);
        assert_eq!(
            campaigns::call_off_due(tx, id(10), UnixMs(9), "unknown")?,
            1
        );
        assert_eq!(due(tx, (UnixMs(i64::MIN), 0))?, [101]);
        let called_off = campaigns::get(tx, id(10), id(100))?.unwrap();
        assert_eq!(called_off.status, CampaignStatus::Draft);
        assert_eq!(called_off.problem.as_deref(), Some("unknown"));
        assert_eq!(
            called_off.revision, 1,
            "who has read it sends nothing by it"
        );
        Ok(())
    });
}

pub(crate) fn a_list_finds_campaigns_by_what_they_name<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let news = Campaign {
            group_id: Some(id(1)),
            ..campaign(100, 10, "news")
        };
        campaigns::insert(tx, &news)?;
        campaigns::insert(tx, &waiting(101, 10, 5))?;
        campaigns::insert(tx, &campaign(102, 11, "News"))?;
        campaigns::label(tx, id(100), &[id(7), id(8), id(7)])?;
        campaigns::label(tx, id(101), &[id(8)])?;
        campaigns::label(tx, id(100), &[id(7)])?;
        let is = |column, key| Filter::new(column, Op::Eq, Operand::Int(key));
        let named = Filter::new(by::NAME, Op::Eq, Operand::Text("NEWS".to_owned()));
        for (filters, expected) in [
            (vec![], vec![100, 101]),
            (vec![named], vec![100]),
            (vec![is(by::GROUP_ID, 1)], vec![100]),
            (
                vec![is(by::STATUS, CampaignStatus::Scheduled.code())],
                vec![101],
            ),
            (
                vec![is(by::CAMPAIGN_TYPE, CampaignType::Relative.code())],
                vec![],
            ),
            (vec![Filter::within(by::LABEL, 7)], vec![100]),
            (vec![Filter::within(by::LABEL, 8)], vec![101]),
        ] {
            let query = ListQuery {
                filters,
                sort: Sort::BY_ID,
                ..ListQuery::default()
            };
            let page = campaigns::list(tx, id(10), &query)?;
            let found: Vec<i64> = page.rows.iter().map(|row| row.id.get()).collect();
            assert_eq!(found, expected, "{query:?}");
            let count = campaigns::count(tx, id(10), &query)?;
            assert_eq!(count, expected.len() as u64);
        }
        Ok(())
    });
}

pub(crate) fn who_answers_is_of_campaigns_that_wrote_not_long_ago<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    write(&store, |tx| {
        for (value, respondents) in [(100, Some(id(1))), (101, Some(id(2))), (102, None)] {
            let campaign = Campaign {
                respondent_group_id: respondents,
                ..campaign(value, 10, &format!("{value}"))
            };
            campaigns::insert(tx, &campaign)?;
        }
        let since = UnixMs(1_800_000_000_000);
        let key = |n: i64| Key::first_of_ms(since.0 + n).get();
        // Of each: its campaign, its contact, and when it was sent.
        let sent = [
            (key(1), Some(id(100)), 30, Some(since.plus_ms(5))),
            (key(2), Some(id(101)), 30, Some(since)),
            (key(3), Some(id(101)), 31, None),
            (key(4), Some(id(102)), 30, Some(since.plus_ms(5))),
            (key(5), None, 30, Some(since.plus_ms(5))),
        ];
        for (value, campaign_id, contact, time_sent) in sent {
            let message = Message {
                campaign_id,
                contact_id: Some(id(contact)),
                time_sent,
                ..sample::message(value, 10)
            };
            messages::insert(tx, &message)?;
        }
        let answered = |tx: &mut Tx<'_>, project, contact| {
            campaigns::answered(tx, id(project), id(contact), since)
        };
        assert_eq!(answered(tx, 10, 30)?, [id(1)]);
        assert_eq!(answered(tx, 10, 31)?, []);
        assert_eq!(answered(tx, 11, 30)?, []);
        Ok(())
    });
}
