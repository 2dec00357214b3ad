//! Short links: they read back, count their first click, and go with a deleted message alone.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, id};
use hub_domain::*;
use hub_store::short_links::Clicked;
use hub_store::*;
use postrider_model::*;

const PROJECT: i64 = 10;

fn link(message: i64, place: u32, target: LinkTarget) -> ShortLink {
    ShortLink {
        project_id: id(PROJECT),
        message_id: id(message),
        place,
        code: LinkCode::of_number(u128::from(place) + 1_000 * u128::from(message.unsigned_abs())),
        prefix: "go.example/".to_owned(),
        domain: Some("go.example".to_owned()),
        target,
        is_counted: true,
        expiration_time: Some(UnixMs(9_000)),
        life_ms: Some(8_000),
        time_clicked: None,
        broadcast_id: Some(id(200)),
        clicked_group_id: Some(id(300)),
    }
}

fn address(text: &str) -> LinkTarget {
    LinkTarget::Address(text.to_owned())
}

fn plain(message: i64, place: u32) -> ShortLink {
    ShortLink {
        domain: None,
        is_counted: false,
        expiration_time: None,
        life_ms: None,
        broadcast_id: None,
        clicked_group_id: None,
        ..link(
            message,
            place,
            LinkTarget::File {
                index: 1,
                id: id(400),
            },
        )
    }
}

pub(crate) fn a_link_reads_back_and_counts_its_first_click<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let medium = LinkTarget::Medium {
            index: 0,
            address: "https://b.example/2".to_owned(),
        };
        let mut links = vec![
            link(50, 0, address("https://a.example/1")),
            link(50, 1, medium),
        ];
        links.push(plain(50, 2));
        links.extend((3..60).map(|place| link(50, place, address("https://c.example"))));
        short_links::insert_all(tx, &links)?;
        assert_eq!(short_links::of_message(tx, id(PROJECT), id(50))?, links);
        assert_eq!(short_links::of_message(tx, id(11), id(50))?, []);
        assert_eq!(
            short_links::by_code(tx, links[2].code)?,
            Some(links[2].clone())
        );
        assert_eq!(short_links::by_code(tx, LinkCode::BLANK)?, None);
        let mut click = |place: usize, at| short_links::click(tx, &links[place], UnixMs(at));
        assert_eq!(click(1, 700)?, Clicked::FirstOfMessage);
        assert_eq!(click(1, 800)?, Clicked::Nothing);
        assert_eq!(click(0, 900)?, Clicked::FirstOfLink);
        let clicked = short_links::by_code(tx, links[1].code)?;
        assert_eq!(
            clicked.and_then(|link| link.time_clicked),
            Some(UnixMs(700))
        );
        Ok(())
    });
    let twice = store.write_blocking(|tx| {
        let again = ShortLink {
            place: 70,
            ..link(50, 0, address("https://a.example/1"))
        };
        short_links::insert_all(tx, &[again])
    });
    assert!(matches!(twice, Err(StoreError::Conflict(_))), "{twice:?}");
}

pub(crate) fn a_link_goes_with_a_deleted_message_and_outlives_an_old_one<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let mut old = sample::message(50, PROJECT);
        old.direction = Direction::Incoming;
        old.ownership = None;
        messages::insert(tx, &old)?;
        messages::insert(tx, &sample::message(51, PROJECT))?;
        let links = [50, 51].map(|message| link(message, 0, address("https://a.example/1")));
        short_links::insert_all(tx, &links)?;
        assert!(messages::hide(tx, id(PROJECT), id(51), UnixMs(1_000))?);
        assert_eq!(short_links::by_code(tx, links[1].code)?, None);
        let far = UnixMs(i64::from(u32::MAX) * 1_000);
        let retention = messages::Retention {
            now: far,
            before: far,
            unknown_before: far,
            step: 10,
        };
        assert_eq!(
            messages::remove_old(tx, id(PROJECT), &retention, 0)?.count,
            1
        );
        assert!(short_links::by_code(tx, links[0].code)?.is_some());
        Ok(())
    });
}

pub(crate) fn a_link_lasts_as_long_from_each_queueing_on<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let to = || address("https://a.example/1");
        // One of an older hub, whose message was made at 1,000.
        let older = ShortLink {
            life_ms: None,
            ..link(50, 0, to())
        };
        let links = [older, link(50, 1, to()), plain(50, 2), link(51, 0, to())];
        short_links::insert_all(tx, &links)?;
        for now in [20_000, 500_000] {
            short_links::renew(tx, id(PROJECT), id(50), UnixMs(1_000), UnixMs(now))?;
            short_links::renew(tx, id(11), id(51), UnixMs(1_000), UnixMs(now))?;
            let of = short_links::of_message(tx, id(PROJECT), id(50))?;
            let end = Some(UnixMs(now + 8_000));
            let ends: Vec<_> = of.iter().map(|link| link.expiration_time).collect();
            assert_eq!(ends, [end, end, None]);
            let other = short_links::of_message(tx, id(PROJECT), id(51))?;
            assert_eq!(other, links[3..]);
        }
        Ok(())
    });
}

pub(crate) fn a_domain_is_registered_once_and_for_whom_it_was_last<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let domain = |name: &str, owner| ShortDomain {
            name: name.to_owned(),
            owner,
            time_created: UnixMs(5),
        };
        short_domains::put(tx, &domain("b.example", DomainOwner::Hub))?;
        short_domains::put(tx, &domain("a.example", DomainOwner::Project(id(PROJECT))))?;
        short_domains::put(tx, &domain("b.example", DomainOwner::Organization(id(1))))?;
        let expected = [
            domain("a.example", DomainOwner::Project(id(PROJECT))),
            domain("b.example", DomainOwner::Organization(id(1))),
        ];
        assert_eq!(short_domains::all(tx)?, expected);
        assert!(short_domains::remove(tx, "a.example")?);
        assert!(!short_domains::remove(tx, "a.example")?);
        assert_eq!(short_domains::all(tx)?, expected[1..]);
        Ok(())
    });
}
