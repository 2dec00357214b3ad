//! Files of a project, whoever asks.

use crate::actor::{Actor, Who};
use crate::commands::new_message::{Given, Kind, MessageItem, NewMessage, SendOptions, To};
use crate::failure::Failure;
use crate::files::{
    Asked, FilePatch, Grant, NewFile, Swept, blob, create, delete, get, serve, sweep,
    thumbnail_blob, update,
};
use crate::messages::{change, send::send};
use crate::phones::add_test_phone;
use crate::projects::make;
use crate::testing::{Office, named, wait};
use crate::transaction::Once;
use futures_util::{StreamExt as _, TryStreamExt as _, future};
use hub_domain::{Address, FileSource, Medium, Permission, StoredFile};
use hub_media::BlobName;
use hub_store::files;
use hub_view::RefusalCode;
use postrider_model::{FileId, MessageId};
use std::sync::Arc;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n, which is broken";
/// A picture of one pixel.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const HOUR_MS: i64 = 3_600_000;

fn new(bytes: &'static [u8], media_type: &str) -> NewFile {
    NewFile {
        bytes: bytes.into(),
        media_type: media_type.to_owned(),
        filename: Some("Photo.png".to_owned()),
        description: None,
    }
}

fn made(actor: &Actor, bytes: &'static [u8]) -> StoredFile {
    let file = wait(create(actor, new(bytes, "image/png"))).unwrap();
    file.file().clone()
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, String) {
    let refusal = result.err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

fn blobs(office: &Office) -> usize {
    let blobs = office.hub.files.blobs().unwrap();
    wait(blobs.list().map_ok(drop).try_collect::<Vec<()>>())
        .unwrap()
        .len()
}

/// Sends a text to the test route, with media.
fn sent(
    office: &Office,
    media: Vec<Medium>,
) -> Result<crate::views::message::MessageView, Failure> {
    let project = office.project.id;
    let _ = office.operate(move |work| add_test_phone(work, project, "Test", None));
    let command = NewMessage {
        to: To {
            number: Address::new("+15005550101"),
            contact_id: None,
        },
        item: MessageItem::default(),
        options: SendOptions {
            kind: Kind::Mms,
            media: Some(Given::new("media", media)),
            ..SendOptions::default()
        },
    };
    let actor = office.actor(Who::Operator);
    match wait(send(&actor, Box::new(command), None, |_| String::new()))? {
        Once::Done(sent) => Ok(sent.view(&actor)),
        Once::Answer(_) => panic!("nothing was to be kept"),
    }
}

fn of_file(id: FileId) -> Medium {
    Medium {
        file_id: Some(id),
        ..Medium::default()
    }
}

fn with_bytes() -> Medium {
    Medium::of_url("data:image/gif;base64,R0lGODlhAQABAAAAACw=")
}

fn is_there(office: &Office, id: FileId) -> bool {
    office.rows(move |work| Ok(files::by_key(work.tx, id)?.is_some()))
}

#[test]
fn the_same_content_and_type_are_one_file_also_at_the_same_moment() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let both = future::join(
        create(&actor, new(PNG, "image/png")),
        create(&actor, new(PNG, "image/png")),
    );
    let (one, other) = wait(both);
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.file().id, other.file().id);
    assert_eq!(made(&actor, PNG).id, one.file().id);
    assert_eq!(blobs(&office), 1);
    let of_other_type = wait(create(&actor, new(PNG, "image/jpeg"))).unwrap();
    assert_ne!(of_other_type.file().id, one.file().id);
    assert_eq!(of_other_type.file().served_type, "image/png");
    let command = named(&office.organization, "Other");
    let mut elsewhere = actor.clone();
    elsewhere.project = Arc::new(office.operate(move |work| make(work, &command)).unwrap());
    assert_ne!(made(&elsewhere, PNG).id, one.file().id);
}

#[test]
fn bytes_that_are_missing_come_back_with_whoever_gives_them_again() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let id = made(&actor, PNG).id;
    let (places, name) = (office.hub.files.blobs().unwrap(), blob(id).unwrap());
    wait(places.delete(&name)).unwrap();
    assert_eq!(made(&actor, PNG).id, id);
    assert_eq!(wait(places.read(&name)).unwrap(), PNG);
}

#[test]
fn a_thumbnail_that_is_missing_comes_back_with_whoever_gives_its_file_again() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let file = made(&actor, GIF);
    let (places, name) = (
        office.hub.files.blobs().unwrap(),
        thumbnail_blob(file.id).unwrap(),
    );
    let small = wait(places.read(&name)).unwrap();
    assert_eq!(file.thumbnail_size, Some(small.len() as u64));
    for with_its_bytes in [true, false] {
        wait(places.delete(&name)).unwrap();
        if !with_its_bytes {
            wait(places.delete(&blob(file.id).unwrap())).unwrap();
        }
        let again = made(&actor, GIF);
        assert_eq!(
            (again.id, again.thumbnail_size),
            (file.id, file.thumbnail_size)
        );
        assert_eq!(wait(places.read(&name)).unwrap(), small);
    }
    // Another version may have made it larger: what is served has the length of its row.
    let (project, id) = (actor.project.id, file.id);
    office.rows(move |work| files::note_thumbnail(work.tx, project, id, Some(1)));
    wait(places.delete(&name)).unwrap();
    assert_eq!(made(&actor, GIF).thumbnail_size, file.thumbnail_size);
    let stored = office.rows(move |work| files::by_key(work.tx, id)).unwrap();
    assert_eq!(stored.thumbnail_size, file.thumbnail_size);
}

#[test]
fn what_is_no_medium_is_refused_and_leaves_nothing() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    for (bytes, media_type, param) in [
        (&b"<svg/>"[..], "image/png", "data"),
        (b"PK\x03\x04, an archive", "image/png", "data"),
        (PNG, "text/html", "type"),
        (PNG, "picture", "type"),
    ] {
        let given = wait(create(&actor, new(bytes, media_type)));
        assert_eq!(
            refused(given),
            (RefusalCode::InvalidParam, param.to_owned())
        );
    }
    assert_eq!(blobs(&office), 0);
}

#[test]
fn what_a_message_carries_is_not_removed_from_under_it() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let file = made(&actor, PNG);
    let message: MessageId = sent(&office, vec![of_file(file.id)]).unwrap().message.id;
    let used = wait(delete(&actor, file.id)).unwrap_err().into_refusal();
    assert_eq!(used.code(), RefusalCode::InvalidParam);
    assert_eq!(used.param(), Some("file_id"));
    assert!(
        used.message().ends_with("in use: a message names it"),
        "{}",
        used.message()
    );
    wait(change::delete(&actor, message)).unwrap();
    wait(delete(&actor, file.id)).unwrap();
    assert_eq!((is_there(&office, file.id), blobs(&office)), (false, 0));
    let gone = sent(&office, vec![of_file(file.id)]);
    let param = "media[0][file_id]".to_owned();
    assert_eq!(refused(gone), (RefusalCode::InvalidParam, param));
}

#[test]
fn bytes_in_a_request_become_a_file_that_goes_with_its_messages() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let media = vec![with_bytes(), Medium::of_url("https://a.example/1.jpg")];
    let message = sent(&office, media).unwrap().message;
    let id = message.media[0].file_id.unwrap();
    assert_eq!(message.media[1], Medium::of_url("https://a.example/1.jpg"));
    let now = actor.now.unix;
    let swept = |hours: i64| wait(sweep(&office.hub, now.plus_ms(hours * HOUR_MS))).unwrap();
    assert_eq!(swept(48), Swept::default());
    let mut later = actor.clone();
    later.now.unix = now.plus_ms(48 * HOUR_MS);
    wait(change::delete(&later, message.id)).unwrap();
    assert_eq!(swept(48 + 23), Swept::default());
    assert_eq!(swept(48 + 25), Swept { files: 1, blobs: 0 });
    assert_eq!((is_there(&office, id), blobs(&office)), (false, 0));
}

#[test]
fn a_file_that_a_program_gives_too_stays() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let message = sent(&office, vec![with_bytes()]).unwrap().message;
    let file = wait(create(
        &actor,
        new(b"GIF89a\x01\0\x01\0\0\0\0,", "image/gif"),
    ))
    .unwrap();
    assert_eq!(Some(file.file().id), message.media[0].file_id);
    assert_eq!(file.file().source, FileSource::Api);
    wait(change::delete(&actor, message.id)).unwrap();
    let later = actor.now.unix.plus_ms(100 * 24 * HOUR_MS);
    assert_eq!(wait(sweep(&office.hub, later)).unwrap(), Swept::default());
}

#[test]
fn bytes_without_a_row_go_after_a_day() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let file = made(&actor, PNG);
    let places = office.hub.files.blobs().unwrap();
    let orphans = ["FI00000000000000aa", "FI00000000000000aa.thumbnail"];
    for name in orphans.into_iter().chain(["somebody-elses"]) {
        let name = BlobName::new(name).unwrap();
        wait(places.put(&name, PNG.into())).unwrap();
    }
    let swept = |hours: i64| {
        let at = actor.now.unix.plus_ms(hours * HOUR_MS);
        wait(sweep(&office.hub, at)).unwrap().blobs
    };
    assert_eq!((swept(23), swept(25)), (0, 2));
    assert!(is_there(&office, file.id));
    assert!(wait(places.has(&blob(file.id).unwrap())).unwrap());
    assert_eq!(blobs(&office), 2);
}

#[test]
fn an_address_leads_to_its_file_alone_and_a_part_of_it() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let file = made(&actor, PNG);
    let url = actor.addresses().of_file(file.id);
    let (_, query) = url.split_once("?expires=").unwrap();
    let (expires, signature) = query.split_once("&signature=").unwrap();
    let grant = Grant {
        expires: expires.parse().ok(),
        signature: signature.to_owned(),
    };
    let served = wait(serve(&office.hub, file.id, Asked::File, &grant, |size| {
        Some(1..size.min(4))
    }));
    let served = served.unwrap();
    assert_eq!(
        (served.size, served.media_type.as_str()),
        (PNG.len() as u64, "image/png")
    );
    let parts = wait(served.bytes.map(Result::unwrap).collect::<Vec<_>>());
    assert_eq!(parts.concat(), b"PNG");
    let other = Grant {
        expires: None,
        ..grant.clone()
    };
    for (what, grant) in [(Asked::File, &other), (Asked::Thumbnail, &grant)] {
        let served = wait(serve(&office.hub, file.id, what, grant, |size| {
            Some(0..size)
        }));
        assert_eq!(refused(served.map(drop)).0, RefusalCode::NotFound);
    }
}

#[test]
fn what_another_project_has_is_neither_seen_nor_changed_nor_sent() {
    let office = Office::new();
    let command = named(&office.organization, "Other");
    let mut elsewhere = office.actor(Who::Operator);
    elsewhere.project = Arc::new(office.operate(move |work| make(work, &command)).unwrap());
    let (actor, id) = (office.actor(Who::Operator), made(&elsewhere, PNG).id);
    let none = (RefusalCode::NotFound, "file not found".to_owned());
    assert_eq!(refused(wait(get(&actor, id))), none);
    assert_eq!(
        refused(wait(update(&actor, id, FilePatch::default()))),
        none
    );
    assert_eq!(refused(wait(delete(&actor, id))), none);
    assert_eq!(
        refused(sent(&office, vec![of_file(id)])).1,
        "media[0][file_id]"
    );
    assert!(is_there(&office, id));
}

#[test]
fn a_file_names_the_message_that_brought_its_bytes() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let uploaded = made(&actor, PNG).id;
    let first = sent(&office, vec![with_bytes(), of_file(uploaded)]).unwrap();
    sent(&office, vec![with_bytes()]).unwrap();
    let brought = first.message.media[0].file_id.unwrap();
    let message_of = |id| wait(get(&actor, id)).unwrap().file().message_id;
    assert_eq!(message_of(brought), Some(first.message.id));
    assert_eq!(message_of(uploaded), None);
}

#[test]
fn who_may_look_changes_nothing_and_who_may_send_sees_nothing() {
    let office = Office::new();
    let id = made(&office.actor(Who::Operator), PNG).id;
    let viewer = office.actor(office.holder(&[Permission::ViewMessages]));
    wait(get(&viewer, id)).unwrap();
    for unauthorized in [
        refused(wait(create(&viewer, new(PNG, "image/png")))),
        refused(wait(update(&viewer, id, FilePatch::default()))),
        refused(wait(delete(&viewer, id))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
    let sender = office.actor(office.holder(&[Permission::SendMessages]));
    assert_eq!(refused(wait(get(&sender, id))).0, RefusalCode::Unauthorized);
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let id = made(&actor, PNG).id;
    let described = FilePatch {
        description: Some(Some("The house".to_owned())),
        ..FilePatch::default()
    };
    wait(update(&actor, id, described)).unwrap();
    let renamed = FilePatch {
        filename: Some(None),
        ..FilePatch::default()
    };
    let file = wait(update(&actor, id, renamed)).unwrap().file().clone();
    assert_eq!(file.filename, None);
    assert_eq!(file.description.as_deref(), Some("The house"));
}
