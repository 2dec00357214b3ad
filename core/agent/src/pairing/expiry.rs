//! What is set aside, and until when: what nobody took is erased after 30 days.

use super::{
    aside::{erase, origin, put_origin, slots},
    ending::finish,
};
use crate::journal_files::{UNREADABLE_FILE, remove_journal};
use postrider_model::UnixMs;
use std::{fs, io, path::Path, time::UNIX_EPOCH};

/// How long an aside that nobody took is kept, in milliseconds: 30 days.
const ASIDE_MS: i64 = 30 * 24 * 3_600_000;

/// Something set aside that waits for its hub, or for its owner's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// Tells it apart from the phone's other asides.
    pub slot: u8,
    /// The name of its hub, if known.
    pub host: Option<String>,
    /// When it is erased, if nobody takes it.
    pub until: UnixMs,
}

/// Returns what is set aside, and erases what has been there for too long, counted from the first
/// call that saw it.
pub fn asides(folder: &Path, now: UnixMs) -> io::Result<Vec<Aside>> {
    finish(folder)?;
    let mut kept = Vec::new();
    for slot in slots(folder) {
        let mut origin = origin(folder, slot)?;
        let since = match origin.since {
            Some(since) => since,
            None => {
                origin.since = Some(now.0);
                put_origin(folder, slot, &origin)?;
                now.0
            }
        };
        let until = UnixMs(since.saturating_add(ASIDE_MS));
        if until <= now {
            erase(folder, slot)?;
            continue;
        }
        let host = origin.host;
        kept.push(Aside { slot, host, until });
    }
    erase_unreadable(folder, now)?;
    Ok(kept)
}

/// Journals that could not be read are erased after the same time.
fn erase_unreadable(folder: &Path, now: UnixMs) -> io::Result<()> {
    let path = folder.join(UNREADABLE_FILE);
    let Ok(changed) = fs::metadata(&path).and_then(|file| file.modified()) else {
        return Ok(());
    };
    let age = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    let since = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    if since.saturating_add(ASIDE_MS) <= now.0 {
        remove_journal(&path)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::aside::journal_of;
    use super::*;

    #[test]
    fn what_nobody_took_is_erased_after_30_days() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for slot in [0, 3] {
            fs::write(journal_of(path, slot), b"rows").unwrap();
        }
        let origin = serde_json::from_str(r#"{"host":"hub.example.org"}"#).unwrap();
        put_origin(path, 3, &origin).unwrap();
        let until = UnixMs(1_000 + ASIDE_MS);
        let kept = asides(path, UnixMs(1_000)).unwrap();
        let expected = [(0, None), (3, Some("hub.example.org".to_owned()))];
        assert!(
            kept.iter()
                .map(|it| (it.slot, it.host.clone()))
                .eq(expected)
        );
        assert!(kept.iter().all(|it| it.until == until));
        assert_eq!(asides(path, UnixMs(until.0 - 1)).unwrap(), kept);
        assert_eq!(asides(path, until).unwrap(), []);
        assert_eq!(fs::read_dir(path).unwrap().count(), 0);
    }
}
