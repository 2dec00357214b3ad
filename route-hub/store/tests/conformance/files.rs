//! Files: one of a content, what names them, and what goes by itself.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::id;
use hub_domain::*;
use hub_store::files::{self, Gone, Passing};
use hub_store::*;
use postrider_model::*;

const PROJECT: i64 = 10;

fn file(value: i64, source: FileSource) -> StoredFile {
    StoredFile {
        id: id(value),
        project_id: id(PROJECT),
        filename: Some("Größe.png".to_owned()),
        media_type: "image/png".to_owned(),
        served_type: "image/gif".to_owned(),
        size: 5 << 20,
        description: Some("It.".to_owned()),
        category: FileCategory::OutgoingMedia,
        source,
        message_id: None,
        sha256: format!("{value:064}"),
        thumbnail_size: Some(7),
        time_created: UnixMs(value),
        time_touched: UnixMs(value),
        needs: Some(Permission::ViewData),
    }
}

pub(crate) fn a_file_reads_back_and_is_one_of_its_content<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let mut first = file(100, FileSource::Message);
        files::insert(tx, &first)?;
        assert_eq!(files::get(tx, id(PROJECT), id(100))?, Some(first.clone()));
        assert_eq!(files::get(tx, id(11), id(100))?, None);
        let found = files::by_content(tx, id(PROJECT), &first.sha256, "image/png")?;
        assert_eq!(found, Some(first.clone()));
        first.filename = None;
        first.description = None;
        files::update(tx, &first)?;
        first.source = FileSource::Api;
        first.time_touched = UnixMs(200);
        files::touch(tx, id(PROJECT), id(100), FileSource::Api, UnixMs(200))?;
        assert_eq!(files::by_key(tx, id(100))?, Some(first.clone()));
        assert_eq!(files::bytes(tx, id(PROJECT))?, 5 << 20);
        assert_eq!(files::missing(tx, &[id(100), id(101)])?, [id(101)]);
        assert_eq!(files::after(tx, 0, 10)?, [(id(100), true)]);
        Ok(())
    });
    let twice = store.write_blocking(|tx| {
        let again = StoredFile {
            sha256: format!("{:064}", 100),
            ..file(101, FileSource::Api)
        };
        files::insert(tx, &again)
    });
    assert!(matches!(twice, Err(StoreError::Conflict(_))), "{twice:?}");
    write(&store, |tx| {
        let row = StoredFile {
            category: FileCategory::TaskData,
            sha256: format!("{:064}", 100),
            ..file(102, FileSource::Export)
        };
        files::insert(tx, &row)
    });
}

pub(crate) fn what_is_named_stays_until_nothing_names_it<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        files::insert(tx, &file(100, FileSource::Message))?;
        files::insert(tx, &file(101, FileSource::Message))?;
        let (message, schedule) = ((FileHolder::Message, 7), (FileHolder::Scheduled, 7));
        for _ in 0..2 {
            assert!(files::name(tx, id(PROJECT), message, &[id(100), id(101)])?);
        }
        assert!(files::name(tx, id(PROJECT), schedule, &[id(100)])?);
        assert!(!files::name(tx, id(PROJECT), schedule, &[id(102)])?);
        assert!(
            !files::name(tx, id(11), schedule, &[id(101)])?,
            "of another project"
        );
        assert!(!files::delete(tx, id(PROJECT), id(100), UnixMs(9))?);
        assert!(files::name_instead(
            tx,
            id(PROJECT),
            message,
            &[id(101)],
            UnixMs(9)
        )?);
        assert!(
            !files::delete(tx, id(PROJECT), id(100), UnixMs(9))?,
            "the schedule names it"
        );
        assert_eq!(files::holder(tx, id(100))?, Some(FileHolder::Scheduled));
        files::let_go(tx, FileHolder::Scheduled, 7, UnixMs(9))?;
        assert_eq!(files::holder(tx, id(100))?, None);
        assert_eq!(files::holder(tx, id(101))?, Some(FileHolder::Message));
        assert!(files::delete(tx, id(PROJECT), id(100), UnixMs(9))?);
        assert!(!files::delete(tx, id(PROJECT), id(100), UnixMs(9))?);
        assert!(!files::delete(tx, id(PROJECT), id(101), UnixMs(9))?);
        Ok(())
    });
}

pub(crate) fn what_has_had_its_time_goes_unless_it_is_named<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let sources = [
            (100, FileSource::Message),
            (110, FileSource::Message),
            (120, FileSource::Api),
            (130, FileSource::Export),
            (180, FileSource::Message),
            (230, FileSource::Import),
        ];
        for (value, source) in sources {
            files::insert(tx, &file(value, source))?;
        }
        files::name(tx, id(PROJECT), (FileHolder::Message, 7), &[id(110)])?;
        let passing = Passing {
            now: UnixMs(200),
            unnamed_before: UnixMs(150),
            of_tasks_before: UnixMs(200),
        };
        let (mut after, mut gone) = (Some((UnixMs(0), 0)), Vec::new());
        while let Some(from) = after {
            let step = files::remove_passed(tx, id(PROJECT), passing, from, 2)?;
            gone.extend(step.files);
            after = step.next;
        }
        assert_eq!(gone, [id(100), id(130)]);
        let other = files::remove_passed(tx, id(11), passing, (UnixMs(0), 0), 9)?;
        assert_eq!(other, Gone::default());
        Ok(())
    });
}

pub(crate) fn what_a_message_brought_stays_for_a_while_after_its_last_name<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let sources = [FileSource::Message, FileSource::Api, FileSource::Import];
        for (value, source) in (100..).zip(sources) {
            files::insert(tx, &file(value, source))?;
        }
        let all = [id(100), id(101), id(102)];
        let touched = |tx: &mut Tx<'_>, value| {
            let file = files::get(tx, id(PROJECT), id(value))?;
            Ok::<_, StoreError>(file.map(|file| file.time_touched.0))
        };
        files::name(tx, id(PROJECT), (FileHolder::Message, 7), &all)?;
        files::name(tx, id(PROJECT), (FileHolder::Message, 8), &all)?;
        files::let_go(tx, FileHolder::Message, 7, UnixMs(100_000))?;
        assert_eq!(touched(tx, 100)?, Some(100_000));
        let none = (FileHolder::Message, 8);
        files::name_instead(tx, id(PROJECT), none, &[], UnixMs(300_000))?;
        assert_eq!(touched(tx, 100)?, Some(300_000));
        assert_eq!(touched(tx, 101)?, Some(101));
        assert_eq!(touched(tx, 102)?, Some(102));
        files::let_go(tx, FileHolder::Message, 8, UnixMs(900_000))?;
        assert_eq!(touched(tx, 100)?, Some(300_000), "it named none");
        Ok(())
    });
}

pub(crate) fn a_message_names_what_it_carries_while_it_is_there<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        files::insert(tx, &file(100, FileSource::Message))?;
        let carrying = |value| Message {
            media: vec![file(100, FileSource::Message).to_medium()],
            ..crate::sample::message(value, PROJECT)
        };
        messages::insert(tx, &carrying(50))?;
        let many: Vec<_> = (51..=110).map(carrying).collect();
        messages::insert_all(tx, &many)?;
        for value in 51..=110 {
            assert!(messages::hide(tx, id(PROJECT), id(value), UnixMs(5))?);
        }
        assert!(
            !files::delete(tx, id(PROJECT), id(100), UnixMs(9))?,
            "one is left"
        );
        let kept = messages::get(tx, id(PROJECT), id(50))?.map(|it| it.media);
        assert_eq!(kept, Some(carrying(50).media));
        assert!(messages::hide(tx, id(PROJECT), id(50), UnixMs(5))?);
        assert!(files::delete(tx, id(PROJECT), id(100), UnixMs(9))?);
        Ok(())
    });
}
