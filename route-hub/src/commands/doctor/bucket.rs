//! The bucket of the files: reached, written and read.

use super::finding::Finding;
use hub_app::random::Random;
use hub_media::{BlobError, BlobName, Blobs};
use std::time::Duration;
use tokio::time::timeout;

const WAIT: Duration = Duration::from_secs(30);
const CONTENT: &[u8] = b"written by route-hub doctor";

/// Writes a small blob, reads it back and removes it.
pub(super) async fn look(blobs: &Blobs) -> Finding {
    judge(match timeout(WAIT, try_out(blobs)).await {
        Ok(Ok(is_same)) => Ok(is_same),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    })
}

async fn try_out(blobs: &Blobs) -> Result<bool, BlobError> {
    let name = BlobName::new(format!("doctor-{:016x}", Random::new().number()));
    let name = name.ok_or(BlobError::Missing)?;
    blobs.put(&name, CONTENT.into()).await?;
    let read = blobs.read(&name).await;
    blobs.delete(&name).await?;
    Ok(read? == CONTENT)
}

fn judge(tried: Result<bool, String>) -> Finding {
    match tried {
        Ok(true) => Finding::good("it is written and read"),
        Ok(false) => Finding::bad(
            "what is read is not what was written",
            "Does each hub have a prefix of its own?",
        ),
        Err(error) => Finding::bad(
            format!("it cannot be used: {error}"),
            "Are the bucket, --files-endpoint, --files-region and the keys right, and may the key write, read and \
             delete?",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_bucket_is_to_give_back_what_it_got() {
        assert_eq!(judge(Ok(true)).verdict, Verdict::Good);
        assert_eq!(judge(Ok(false)).verdict, Verdict::Bad);
        assert_eq!(judge(Err("403".into())).verdict, Verdict::Bad);
    }

    #[tokio::test]
    async fn nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(dir.path()).unwrap();
        assert!(try_out(&blobs).await.unwrap());
        let shelves = std::fs::read_dir(dir.path()).unwrap().flatten();
        let left = shelves.filter(|shelf| std::fs::read_dir(shelf.path()).unwrap().count() > 0);
        assert_eq!(left.count(), 0);
    }
}
