//! Threads of their own for work that may wait: while the machine is busy, whoever asks goes first.

use std::{future::Future, io};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::JoinHandle,
};

/// How far these threads stand behind the others, in steps of `nice`: beside a busy thread they get a
/// tenth of a core, and everything while nobody else wants it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// A runtime whose threads the system puts behind the hub's others; its tasks end with it.
#[derive(Debug)]
pub struct Background {
    handle: Handle,
    /// Until it is dropped.
    runtime: Option<Runtime>,
}

impl Background {
    /// Starts the threads, which carry this name.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(name: &str) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name(name)
            .on_thread_start(step_back)
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    /// Runs a task on these threads.
    pub fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(task)
    }
}

impl Drop for Background {
    /// Ends without waiting, as a runtime must not wait within another one.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Puts this thread behind the others. Elsewhere than on Linux priorities belong to whole processes.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::getpriority_process;

    #[tokio::test]
    async fn its_threads_stand_behind_those_that_answer() {
        let own = getpriority_process(None).unwrap();
        let background = Background::start("test").unwrap();
        let theirs = background.spawn(async { getpriority_process(None).unwrap() });
        assert_eq!(theirs.await.unwrap(), (own + NICENESS).min(19));
        assert_eq!(getpriority_process(None).unwrap(), own);
    }
}
