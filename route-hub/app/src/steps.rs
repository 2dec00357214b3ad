//! Steps of a size that fits into one job of the store.
//!
//! What a row costs depends on its project: a hundred webhook objects are a hundred rows for each
//! status. So no fixed number of rows always fits, and a small one would be slow for everybody. A step
//! that was too much is rolled back as a whole, and taken again at half the size.

use hub_store::StoreError;
use std::time::Duration;

/// Takes a step of up to `most` rows, or of as many of them as one job may do.
///
/// # Errors
/// What `step` returns; [`StoreError::OverBudget`] when a single row is too much.
pub(crate) async fn fitting<T, F>(most: u32, step: impl Fn(u32) -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut size = most;
    loop {
        match step(size).await {
            Err(StoreError::OverBudget { .. }) if size > 1 => size /= 2,
            taken => return taken,
        }
    }
}

/// Lets others work as long as a step took.
pub(crate) async fn pause(worked_ms: u64) {
    tokio::time::sleep(Duration::from_millis(worked_ms)).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::future::ready;

    /// Takes steps of which those above `fits` are too much, and returns the sizes that were tried.
    async fn tried(most: u32, fits: u32) -> (Vec<u32>, Result<u32, StoreError>) {
        let tried = RefCell::new(Vec::new());
        let taken = fitting(most, |size| {
            tried.borrow_mut().push(size);
            ready(if size > fits {
                Err(StoreError::OverBudget { job: "of a test" })
            } else {
                Ok(size)
            })
        });
        let taken = taken.await;
        (tried.into_inner(), taken)
    }

    #[tokio::test]
    async fn a_step_that_is_too_much_is_taken_in_half() {
        assert_eq!(tried(256, 256).await.0, [256]);
        let (sizes, taken) = tried(256, 50).await;
        assert_eq!((sizes, taken.unwrap()), (vec![256, 128, 64, 32], 32));
    }

    #[tokio::test]
    async fn one_row_that_is_too_much_is_an_error() {
        let (sizes, taken) = tried(3, 0).await;
        assert_eq!(sizes, [3, 1]);
        assert!(matches!(taken, Err(StoreError::OverBudget { .. })));
    }
}
