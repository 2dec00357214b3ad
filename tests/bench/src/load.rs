//! Load: as fast as the hub answers, or at a fixed rate whatever it answers.

use crate::{
    Failure,
    clock::{now, unix_us},
    figures::recipient,
    http::{Caller, Connection},
};
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tokio::task::LocalSet;

/// How long each loop runs before anything counts.
pub(crate) const WARM_UP: Duration = Duration::from_millis(700);

/// Writes the body of the request with this number.
pub(crate) type Body = Rc<dyn Fn(u64, &mut Vec<u8>)>;

/// A repeated request.
#[derive(Clone)]
pub(crate) struct Request {
    /// GET or POST.
    pub(crate) method: &'static str,
    /// The path with its query; `{to}` and `{text}` stand for a recipient and a text.
    pub(crate) path: String,
    /// Whether each request carries its own `Idempotency-Key`.
    pub(crate) keyed: bool,
    /// Its body.
    pub(crate) body: Body,
}

impl Request {
    /// Makes a GET.
    pub(crate) fn get(path: String) -> Self {
        Self {
            method: "GET",
            path,
            keyed: false,
            body: Rc::new(|_, _| {}),
        }
    }

    /// Makes a POST.
    pub(crate) fn post(path: String, body: impl Fn(u64, &mut Vec<u8>) + 'static) -> Self {
        Self {
            method: "POST",
            path,
            keyed: false,
            body: Rc::new(body),
        }
    }

    /// Returns the path of the request with this number.
    fn path_of(&self, number: u64) -> Cow<'_, str> {
        if self.path.contains('{') {
            let to = format!("%2B{}", recipient(number));
            let text = format!("message%20{number}");
            Cow::Owned(self.path.replace("{to}", &to).replace("{text}", &text))
        } else {
            Cow::Borrowed(&self.path)
        }
    }
}

/// What a closed loop measured.
pub(crate) struct Loaded {
    /// Answers a second.
    pub(crate) per_s: f64,
    /// Microseconds from writing a request to having read its answer, sorted.
    pub(crate) latencies_us: Vec<u64>,
    /// How many answers each of the hubs gave.
    pub(crate) by_hub: Vec<usize>,
}

/// Numbers requests over all loops of a run, so that no two are the same.
#[derive(Clone, Default)]
pub(crate) struct Numbers(Rc<Cell<u64>>);

impl Numbers {
    /// Begins above this number.
    pub(crate) fn above(number: u64) -> Self {
        Self(Rc::new(Cell::new(number)))
    }

    /// Returns the number that was drawn last.
    pub(crate) fn so_far(&self) -> u64 {
        self.0.get()
    }

    /// Returns the next number.
    pub(crate) fn next(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

struct Span {
    counts_from: Instant,
    ends: Instant,
}

/// Keeps `connections` requests in flight for `span`, after a warm-up.
pub(crate) async fn closed_loop(
    caller: &Caller,
    connections: usize,
    span: Duration,
    numbers: &Numbers,
    request: &Request,
) -> Result<Loaded, Failure> {
    let hubs = std::slice::from_ref(caller);
    closed_loop_over(hubs, connections, span, numbers, request).await
}

/// The same with connections that are spread over several hubs.
pub(crate) async fn closed_loop_over(
    hubs: &[Caller],
    connections: usize,
    span: Duration,
    numbers: &Numbers,
    request: &Request,
) -> Result<Loaded, Failure> {
    let counts_from = now() + WARM_UP;
    let span = Rc::new(Span {
        counts_from,
        ends: counts_from + span,
    });
    let latencies: Vec<_> = hubs.iter().map(|_| Rc::<RefCell<_>>::default()).collect();
    let local = LocalSet::new();
    let workers = (0..connections).map(|place| {
        let hub = place % hubs.len();
        let (caller, numbers, request) = (hubs[hub].clone(), numbers.clone(), request.clone());
        let (span, latencies) = (span.clone(), latencies[hub].clone());
        local.spawn_local(
            async move { ask_on(&caller, &numbers, &request, &span, &latencies).await },
        )
    });
    let workers: Vec<_> = workers.collect();
    local.await;
    for worker in workers {
        worker.await??;
    }
    let by_hub = latencies.iter().map(|of| of.borrow().len()).collect();
    let latencies = latencies.iter().flat_map(|of| of.take());
    let mut latencies_us: Vec<u64> = latencies.collect();
    latencies_us.sort_unstable();
    Ok(Loaded {
        per_s: latencies_us.len() as f64 / (span.ends - span.counts_from).as_secs_f64(),
        latencies_us,
        by_hub,
    })
}

async fn ask_on(
    caller: &Caller,
    numbers: &Numbers,
    request: &Request,
    span: &Span,
    latencies: &RefCell<Vec<u64>>,
) -> Result<(), Failure> {
    let mut connection = Connection::open(caller).await?;
    let mut body = Vec::with_capacity(16 * 1024);
    loop {
        let began = now();
        if began >= span.ends {
            return Ok(());
        }
        send(&mut connection, caller, request, numbers.next(), &mut body).await?;
        let done = now();
        if done >= span.counts_from && done < span.ends {
            let micros = (done - began).as_micros();
            latencies
                .borrow_mut()
                .push(u64::try_from(micros).unwrap_or(u64::MAX));
        }
    }
}

/// Sends one request with this number and returns the body of its answer.
pub(crate) async fn send<'a>(
    connection: &'a mut Connection,
    caller: &Caller,
    request: &Request,
    number: u64,
    body: &mut Vec<u8>,
) -> Result<&'a [u8], Failure> {
    body.clear();
    (request.body)(number, body);
    let headers = if request.keyed {
        format!("Idempotency-Key: bench-{number}\r\n")
    } else {
        String::new()
    };
    let path = request.path_of(number);
    connection
        .exchange(caller, request.method, &path, &headers, body)
        .await
}

/// A request of an open loop: its number, and when it was written.
pub(crate) struct Started {
    /// The request's number.
    pub(crate) number: u64,
    /// The wall clock in microseconds just before the request was written.
    pub(crate) at_us: u64,
    /// The wall clock when its answer was read.
    pub(crate) done_us: u64,
}

/// Starts `per_s` requests a second for `span` over `connections`, evenly spaced; a late answer delays
/// no other request as long as a connection is free.
pub(crate) async fn open_loop(
    caller: &Caller,
    connections: usize,
    per_s: f64,
    span: Duration,
    numbers: &Numbers,
    request: &Request,
) -> Result<Vec<Started>, Failure> {
    let began = now();
    let total = (per_s * span.as_secs_f64()) as u64;
    let taken = Rc::new(Cell::new(0));
    let started = Rc::new(RefCell::new(Vec::new()));
    let local = LocalSet::new();
    let workers: Vec<_> = (0..connections)
        .map(|_| {
            let (caller, numbers, request) = (caller.clone(), numbers.clone(), request.clone());
            let (taken, started) = (taken.clone(), started.clone());
            local.spawn_local(async move {
                let mut connection = Connection::open(&caller).await?;
                let mut body = Vec::new();
                while taken.get() < total {
                    let turn = taken.get();
                    taken.set(turn + 1);
                    let due = began + Duration::from_secs_f64(turn as f64 / per_s);
                    tokio::time::sleep_until(due.into()).await;
                    let number = numbers.next();
                    let at_us = unix_us();
                    send(&mut connection, &caller, &request, number, &mut body).await?;
                    started.borrow_mut().push(Started {
                        number,
                        at_us,
                        done_us: unix_us(),
                    });
                }
                Ok::<(), Failure>(())
            })
        })
        .collect();
    local.await;
    for worker in workers {
        worker.await??;
    }
    let mut started = started.take();
    started.sort_unstable_by_key(|one| one.at_us);
    Ok(started)
}

/// Runs `job` on a thread's own reactor.
pub(crate) fn block_on<T>(job: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(job)
}

/// Tells work beside a measurement when to end.
#[derive(Clone, Default)]
pub(crate) struct Over(Arc<AtomicBool>);

impl Over {
    /// Returns whether to end.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Work on a separate thread, so that it and the measured work do not wait for each other.
/// It ends when this is dropped.
pub(crate) struct Beside {
    over: Over,
    thread: Option<JoinHandle<Result<(), String>>>,
}

impl Beside {
    /// Starts work that ends soon after it is over.
    pub(crate) fn start(
        work: impl AsyncFnOnce(Over) -> Result<(), Failure> + Send + 'static,
    ) -> Self {
        let over = Over::default();
        let told = over.clone();
        let work = move || block_on(work(told)).map_err(|failure| failure.to_string());
        Self {
            over,
            thread: Some(thread::spawn(work)),
        }
    }

    /// Ends the work, waits for it, and returns its failure.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        self.over.0.store(true, Ordering::Relaxed);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended.map_err(Into::into),
            Some(Err(_)) => Err("what ran beside the measurement panicked".into()),
            None => Ok(()),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.over.0.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
