//! A value that is looked up at most once a second, however many ask for it.

use hub_app::clock::SystemClock;
use std::future::Future;
use std::time::Duration;
use tokio::sync::Mutex;

/// How long a value stands.
const STANDS: Duration = Duration::from_secs(1);

/// The value, and when it was looked up.
#[derive(Debug)]
pub(super) struct OnceASecond<T>(Mutex<Option<(Duration, T)>>);

impl<T> Default for OnceASecond<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> OnceASecond<T> {
    /// Returns the value; one that is a second old is looked up again, by one of those who ask.
    pub(super) async fn get(&self, clock: SystemClock, look: impl Future<Output = T>) -> T {
        self.get_at(|| clock.since_start(), look).await
    }

    async fn get_at(&self, now: impl Fn() -> Duration, look: impl Future<Output = T>) -> T {
        let mut last = self.0.lock().await;
        if let Some((at, value)) = &*last
            && now().saturating_sub(*at) < STANDS
        {
            return value.clone();
        }
        let value = look.await;
        *last = Some((now(), value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test]
    async fn who_asks_within_a_second_gets_what_was_looked_up() {
        let (value, looks) = (OnceASecond::default(), Cell::new(0));
        let ask = |ms| {
            let look = async {
                looks.set(looks.get() + 1);
                looks.get()
            };
            value.get_at(move || Duration::from_millis(ms), look)
        };
        for (ms, expected) in [
            (0, 1),
            (500, 1),
            (999, 1),
            (1_000, 2),
            (1_999, 2),
            (5_000, 3),
        ] {
            assert_eq!(ask(ms).await, expected, "at {ms} ms");
        }
    }
}
