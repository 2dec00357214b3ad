//! Short links, followed and counted.

use crate::actor::Who;
use crate::commands::new_message::{
    Given, MessageItem, NewMessage, SendOptions, ShortLinkParams, To,
};
use crate::failure::{Failure, NotDone};
use crate::files::{NewFile, create, delete};
use crate::messages::cancel::cancel;
use crate::messages::resend::{Resend, resend};
use crate::messages::{change, linking, send::send};
use crate::phones::add_test_phone;
use crate::short_links::domains::{DomainRefused, register, remove};
use crate::short_links::follow::{Followed, Visit, follow};
use crate::statistics::{Asked, Cell, MessageStats, Sum, of_project};
use crate::testing::{Office, wait};
use crate::transaction::{Once, run};
use crate::views::message::MessageView;
use hub_domain::{
    Address, CountFilters, Day, DomainOwner, Interval, Medium, Metric, Property, Rollup, ShortLink,
    Zone,
};
use hub_store::short_links;
use postrider_model::UnixMs;

const PAGE: &str = "https://a.example/page";

fn office() -> Office {
    let office = Office::new();
    let project = office.project.id;
    let _ = office.operate(move |work| add_test_phone(work, project, "Test", None));
    office
}

fn tracking() -> SendOptions {
    SendOptions {
        track_clicks: true,
        ..SendOptions::default()
    }
}

fn send_text(office: &Office, text: &str, options: SendOptions) -> Result<MessageView, Failure> {
    let command = NewMessage {
        to: To {
            number: Address::new("+15005550101"),
            contact_id: None,
        },
        item: MessageItem {
            content: Some(text.into()),
            ..MessageItem::default()
        },
        options,
    };
    let actor = office.actor(Who::Operator);
    match wait(send(&actor, Box::new(command), None, |_| String::new()))? {
        Once::Done(sent) => Ok(sent.view(&actor)),
        Once::Answer(_) => panic!("nothing was to be kept"),
    }
}

fn visit(office: &Office, link: &ShortLink, is_click: bool) -> Followed {
    let visit = Visit {
        code: link.code,
        domain: link.domain.clone(),
    };
    wait(follow(&office.hub, visit, || is_click)).unwrap()
}

fn first_click(office: &Office, link: &ShortLink) -> Option<i64> {
    let code = link.code;
    let link = office.rows(move |work| short_links::by_code(work.tx, code));
    link.unwrap().time_clicked.map(|time| time.0)
}

#[test]
fn each_message_has_links_of_its_own_that_lead_to_what_stood_in_its_text() {
    let office = office();
    let text = format!("Read {PAGE} (or {PAGE}) and http://b.example!");
    let [one, other] = [(); 2].map(|()| send_text(&office, &text, tracking()).unwrap());
    let [page, b] = one.links.as_slice() else {
        panic!("{:?}", one.links)
    };
    let short = |link: &ShortLink| link.short_url();
    let shown = one.message.content.as_ref().unwrap().as_str();
    let expected = format!("Read {0} (or {0}) and {1}!", short(page), short(b));
    assert_eq!(shown, expected);
    assert_eq!(visit(&office, page, false), Followed::To(PAGE.to_owned()));
    let to_b = Followed::To("http://b.example".to_owned());
    assert_eq!(visit(&office, b, false), to_b);
    assert_ne!(one.links[0].code, other.links[0].code);
    let plain = send_text(&office, &text, SendOptions::default()).unwrap();
    assert_eq!(plain.message.content.unwrap().as_str(), text);
    assert_eq!(plain.links, []);
}

#[test]
fn messages_are_counted_by_where_their_links_lead() {
    let office = office();
    for text in [
        PAGE,
        "See http://b.example or https://a.example/page",
        "No link",
    ] {
        send_text(&office, text, tracking()).unwrap();
    }
    send_text(&office, PAGE, SendOptions::default()).unwrap();
    let actor = office.actor(Who::Operator);
    let today = Day::of(&Zone::UTC, actor.now.unix).unwrap();
    let stats = MessageStats {
        asked: Asked {
            days: Interval {
                first: today.plus(-1).unwrap(),
                last: today.plus(1).unwrap(),
            },
            rollup: Rollup::All,
        },
        properties: vec![Property::Link, Property::Direction],
        metrics: vec![Metric::Count],
        filters: CountFilters::default(),
    };
    let counted = wait(of_project(&actor, &stats)).unwrap();
    let groups = counted[0].groups.iter();
    let groups: Vec<_> = groups
        .map(|(cells, sums)| (cells[0].clone(), sums.of(Metric::Count)))
        .collect();
    let text = |text: &str| Cell::Text(text.into());
    let expected = [
        (Cell::Nothing, Sum::Whole(2)),
        (text("http://b.example"), Sum::Whole(1)),
        (text(PAGE), Sum::Whole(2)),
    ];
    assert_eq!(groups, expected);
}

#[test]
fn the_first_click_of_a_person_counts_and_no_other() {
    let office = office();
    let sent = send_text(&office, PAGE, tracking()).unwrap();
    let link = &sent.links[0];
    visit(&office, link, false);
    assert_eq!(first_click(&office, link), None);
    visit(&office, link, true);
    let first = first_click(&office, link).unwrap();
    visit(&office, link, true);
    assert_eq!(first_click(&office, link), Some(first));
}

/// Links that end a minute after their message is queued.
fn for_a_minute() -> SendOptions {
    SendOptions {
        short_links: Some(ShortLinkParams {
            expiration_sec: Some(60),
            ..ShortLinkParams::default()
        }),
        ..tracking()
    }
}

#[test]
fn a_link_ends_at_its_time() {
    let office = office();
    let sent = send_text(&office, PAGE, for_a_minute()).unwrap();
    let end = sent.links[0].expiration_time.unwrap();
    assert_eq!(end.0 - sent.message.time_created.0, 60_000);
    let mut over = sent.links[0].clone();
    over.expiration_time = Some(UnixMs(1));
    over.place = 7;
    over.code = hub_domain::LinkCode::of_number(5);
    let stored = over.clone();
    office.rows(move |work| short_links::insert_all(work.tx, std::slice::from_ref(&stored)));
    assert_eq!(visit(&office, &over, true), Followed::Over);
    assert_eq!(first_click(&office, &over), None);
}

#[test]
fn links_of_a_message_that_is_queued_again_last_as_long_from_then_on() {
    let office = office();
    let sent = send_text(&office, PAGE, for_a_minute()).unwrap();
    let mut actor = office.actor(Who::Operator);
    let id = sent.message.id;
    for later_ms in [100_000, 500_000] {
        wait(cancel(&actor, id)).unwrap();
        actor.now.unix = sent.message.time_created.plus_ms(later_ms);
        let command = Resend {
            message_id: id,
            route_id: None,
        };
        let Once::Done(again) = wait(resend(&actor, command, None, |_| String::new())).unwrap()
        else {
            panic!("nothing was to be kept")
        };
        assert_eq!(again.message.id, id);
        let link = &again.links[0];
        assert_eq!(link.code, sent.links[0].code);
        assert_eq!(link.expiration_time, Some(actor.now.unix.plus_ms(60_000)));
    }
    // What was sent is copied: its links last as long again.
    let message = sent.message.clone();
    let copying = run(&actor, move |work| {
        let made = message.time_created.plus_ms(900_000);
        let mut copied = message.copied(work.id(), made, made);
        linking::copy(work, &message, &mut copied)?;
        let links = short_links::of_message(work.tx, copied.project_id, copied.id)?;
        Ok::<_, Failure>(links)
    });
    let copied = wait(copying).unwrap();
    let end = sent.message.time_created.plus_ms(960_000);
    assert_eq!(copied[0].expiration_time, Some(end));
}

#[test]
fn a_link_goes_with_its_message_when_somebody_deletes_that() {
    let office = office();
    let sent = send_text(&office, PAGE, tracking()).unwrap();
    let actor = office.actor(Who::Operator);
    let _ = wait(cancel(&actor, sent.message.id));
    wait(change::delete(&actor, sent.message.id)).unwrap();
    assert_eq!(visit(&office, &sent.links[0], true), Followed::Missing);
}

#[test]
fn a_stored_file_stands_as_a_link_that_is_not_counted_and_ends_with_it() {
    let office = office();
    let actor = office.actor(Who::Operator);
    let new = NewFile {
        bytes: b"\x89PNG\r\n\x1a\n, which is broken".as_slice().into(),
        media_type: "image/png".to_owned(),
        filename: None,
        description: None,
    };
    let id = wait(create(&actor, new)).unwrap().file().id;
    let media = vec![
        Medium::of_url(PAGE),
        Medium {
            file_id: Some(id),
            ..Medium::default()
        },
    ];
    let options = SendOptions {
        media: Some(Given::new("media", media)),
        ..SendOptions::default()
    };
    let sent = send_text(&office, "See", options).unwrap();
    let [link] = sent.links.as_slice() else {
        panic!("{:?}", sent.links)
    };
    let text = sent.message.content.as_ref().unwrap().as_str();
    assert_eq!(text, format!("See\n{PAGE}\n{}", link.short_url()));
    assert_eq!(link.target.media_index(), Some(1));
    let Followed::To(address) = visit(&office, link, true) else {
        panic!("it leads to the file")
    };
    assert!(address.contains(&format!("/files/{id}?")), "{address}");
    assert_eq!(first_click(&office, link), None);
    assert!(wait(delete(&actor, id)).is_err(), "a message names it");
    let _ = wait(cancel(&actor, sent.message.id));
    wait(change::delete(&actor, sent.message.id)).unwrap();
    wait(delete(&actor, id)).unwrap();
    assert_eq!(visit(&office, link, true), Followed::Missing);
}

#[test]
fn links_are_at_a_domain_of_their_project_alone_and_only_there() {
    let office = office();
    let at = |domain: &str| SendOptions {
        short_links: Some(ShortLinkParams {
            domain: Some(domain.to_owned()),
            ..ShortLinkParams::default()
        }),
        ..tracking()
    };
    let refused = |domain| {
        let sent = send_text(&office, PAGE, at(domain));
        sent.err()
            .unwrap()
            .into_refusal()
            .param()
            .unwrap()
            .to_owned()
    };
    assert_eq!(refused("go.example"), "short_link_params[domain]");
    let organization = office.organization.id;
    let owner = DomainOwner::Organization(organization);
    office
        .operate(move |work| register(work, "Go.Example", owner))
        .unwrap();
    office.hub.cache.forget_everything();
    let sent = send_text(&office, PAGE, at("go.example")).unwrap();
    let link = &sent.links[0];
    assert!(link.short_url().starts_with("https://go.example/"));
    assert_eq!(visit(&office, link, true), Followed::To(PAGE.to_owned()));
    let elsewhere = ShortLink {
        domain: None,
        ..link.clone()
    };
    assert_eq!(visit(&office, &elsewhere, true), Followed::Missing);
    for other in [DomainOwner::Hub, DomainOwner::Project(office.project.id)] {
        let given_away = office.operate(move |work| register(work, "go.example", other));
        assert!(matches!(
            given_away,
            Err(NotDone::Refused(DomainRefused::OfOrganization(id))) if id == organization
        ));
    }
    office
        .operate(move |work| register(work, "go.example", owner))
        .unwrap();
    office.operate(|work| remove(work, "go.example")).unwrap();
    office.hub.cache.forget_everything();
    assert_eq!(refused("go.example"), "short_link_params[domain]");
}
