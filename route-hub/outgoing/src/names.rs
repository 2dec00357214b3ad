//! Looking names up: with a deadline, without holding a thread, and with a share for each owner.
//!
//! The system's name servers, search domains and hosts file are honoured, and read again when they
//! changed. Names whose servers never answer thus wait among themselves.

use crate::{Failure, clock::Started};
use hickory_resolver::{
    Resolver, TokioResolver,
    config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolverConfig, ResolverOpts},
    net::{NetError, runtime::TokioRuntimeProvider},
    system_conf::read_system_conf,
};
use hub_outage::{Level, Outage};
use std::{
    collections::BTreeMap,
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};
use tokio::{sync::Notify, time::timeout};

/// For whom a request is made: those of one owner share what there is of look-ups.
pub type Owner = i64;

/// How long a look-up may take, its wait for a place included.
const DEADLINE: Duration = Duration::from_secs(3);
/// How long a name server has for each try.
const TRY: Duration = Duration::from_secs(1);
/// Tries after the first one.
const RETRIES: usize = 2;
/// Most look-ups under way.
const LOOKUPS_MAX: usize = 64;
/// How often we look whether the system's configuration changed.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// What the system's configuration is read from.
const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];

/// Where names are looked up; cheap to clone.
#[derive(Clone)]
pub struct Names {
    inside: Arc<Inside>,
}

struct Inside {
    /// Name servers in place of the system's.
    servers: Vec<SocketAddr>,
    deadline: Duration,
    loaded: Mutex<Loaded>,
    places: Places,
    outage: Outage,
}

/// A resolver, and what it was made from.
struct Loaded {
    resolver: Option<TokioResolver>,
    written: [Option<SystemTime>; 2],
    looked: Started,
}

impl Names {
    /// Looks names up as the system is told to.
    pub fn of_system() -> Self {
        Self::asking(Vec::new())
    }

    /// Asks these name servers in place of the system's; none: the system's. The hosts file counts
    /// in both cases.
    pub fn asking(servers: Vec<SocketAddr>) -> Self {
        Self::within(DEADLINE, servers)
    }

    fn within(deadline: Duration, servers: Vec<SocketAddr>) -> Self {
        let loaded = Loaded {
            resolver: resolver(&servers),
            written: written(),
            looked: Started::now(),
        };
        Self {
            inside: Arc::new(Inside {
                servers,
                deadline,
                loaded: Mutex::new(loaded),
                places: Places::default(),
                outage: Outage::new(
                    Level::WARN,
                    "names cannot be looked up",
                    "names can be looked up again",
                ),
            }),
        }
    }

    /// Returns a name's addresses, IPv4 and IPv6 in turn.
    ///
    /// # Errors
    /// [`Failure::NoSuchHost`] and [`Failure::LookupTimeout`].
    pub(crate) async fn lookup(&self, owner: Owner, name: &str) -> Result<Vec<IpAddr>, Failure> {
        let look = async {
            let _place = self.inside.places.take(owner).await;
            let resolver = self.resolver().ok_or(Failure::NoSuchHost)?;
            Ok::<_, Failure>(resolver.lookup_ip(name).await)
        };
        let outage = &self.inside.outage;
        let found = match timeout(self.inside.deadline, look).await {
            Ok(found) => found?,
            Err(_) => {
                outage.failed(&"no name server answered in time");
                return Err(Failure::LookupTimeout);
            }
        };
        match &found {
            // A server said so.
            Ok(_) | Err(NetError::Dns(_)) => outage.worked(),
            Err(error) => outage.failed(error),
        }
        let found = found.map_err(|_| Failure::NoSuchHost)?;
        Ok(alternating(found.iter()))
    }

    /// Returns the resolver; makes a new one when the system's configuration has changed.
    fn resolver(&self) -> Option<TokioResolver> {
        let mut loaded = lock(&self.inside.loaded);
        if loaded.looked.elapsed() >= LOOK_EVERY {
            loaded.looked = Started::now();
            let now = written();
            if now != loaded.written {
                loaded.written = now;
                loaded.resolver = resolver(&self.inside.servers);
            }
        }
        loaded.resolver.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn written() -> [Option<SystemTime>; 2] {
    FILES.map(|file| fs::metadata(file).and_then(|file| file.modified()).ok())
}

fn resolver(servers: &[SocketAddr]) -> Option<TokioResolver> {
    let (config, mut options) = match servers {
        [] => of_system(),
        _ => (asking(servers), ResolverOpts::default()),
    };
    options.timeout = options.timeout.min(TRY);
    options.attempts = options.attempts.max(RETRIES);
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.max_active_requests = LOOKUPS_MAX * 4;
    let mut builder = Resolver::builder_with_config(config, TokioRuntimeProvider::default());
    *builder.options_mut() = options;
    let built = builder.build();
    built
        .inspect_err(|error| tracing::error!(%error, "names cannot be looked up"))
        .ok()
}

/// Reads the system's configuration; without one there is the machine's own server, as ever.
fn of_system() -> (ResolverConfig, ResolverOpts) {
    read_system_conf().unwrap_or_else(|error| {
        tracing::warn!(%error, "the system names no name servers: 127.0.0.1 is asked");
        let own = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
        (asking(&[own]), ResolverOpts::default())
    })
}

fn asking(servers: &[SocketAddr]) -> ResolverConfig {
    let servers = servers.iter().map(|server| {
        let mut ways = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
        ways.iter_mut().for_each(|way| way.port = server.port());
        NameServerConfig::new(server.ip(), true, ways)
    });
    ResolverConfig::from_parts(None, Vec::new(), servers.collect())
}

/// Puts both families in turn, each in its order: one that leads nowhere from here is one try.
fn alternating(found: impl Iterator<Item = IpAddr>) -> Vec<IpAddr> {
    let (v4, v6): (Vec<_>, Vec<_>) = found.partition(IpAddr::is_ipv4);
    let longest = v4.len().max(v6.len());
    (0..longest)
        .flat_map(|n| [v4.get(n), v6.get(n)])
        .flatten()
        .copied()
        .collect()
}

/// The places of look-ups: an owner may have as many as it leaves free, so that there is always
/// one for somebody else.
#[derive(Default)]
struct Places {
    taken: Mutex<BTreeMap<Owner, usize>>,
    freed: Notify,
}

struct Place<'a> {
    of: &'a Places,
    owner: Owner,
}

impl Places {
    async fn take(&self, owner: Owner) -> Place<'_> {
        loop {
            let freed = self.freed.notified();
            if self.try_take(owner) {
                return Place { of: self, owner };
            }
            freed.await;
        }
    }

    fn try_take(&self, owner: Owner) -> bool {
        let mut taken = lock(&self.taken);
        let all: usize = taken.values().sum();
        let own = taken.entry(owner).or_default();
        let may = *own < LOOKUPS_MAX.saturating_sub(all);
        *own += usize::from(may);
        may
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut taken = lock(&self.of.taken);
        if let Some(own) = taken.get_mut(&self.owner) {
            *own -= 1;
        }
        taken.retain(|_, own| *own > 0);
        drop(taken);
        self.of.freed.notify_waiters();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use tokio::{net::UdpSocket, sync::watch};

    /// A name server on loopback: `good.*` is 127.0.0.1, of `silent.*` it says nothing, and nothing
    /// else is there.
    pub(crate) struct Server {
        pub(crate) address: SocketAddr,
        pub(crate) asked: watch::Receiver<Vec<String>>,
    }

    impl Server {
        pub(crate) async fn start() -> Self {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let address = socket.local_addr().unwrap();
            let (tell, asked) = watch::channel(Vec::new());
            tokio::spawn(async move {
                let mut packet = [0; 1_500];
                while let Ok((length, from)) = socket.recv_from(&mut packet).await {
                    let (name, kind) = question(&packet[..length]);
                    tell.send_modify(|asked| asked.push(name.clone()));
                    if name.starts_with("silent") {
                        continue;
                    }
                    let answer = answer(&packet[..length], name.starts_with("good"), kind == 1);
                    socket.send_to(&answer, from).await.unwrap();
                }
            });
            Self { address, asked }
        }

        pub(crate) fn names(&self) -> Names {
            Names::asking(vec![self.address])
        }
    }

    fn question(packet: &[u8]) -> (String, u8) {
        let (mut at, mut labels) = (12, Vec::new());
        while packet[at] != 0 {
            let end = at + 1 + usize::from(packet[at]);
            labels.push(String::from_utf8(packet[at + 1..end].to_vec()).unwrap());
            at = end;
        }
        (labels.join(".").to_lowercase(), packet[at + 2])
    }

    fn answer(packet: &[u8], exists: bool, with_address: bool) -> Vec<u8> {
        let name_end = 12 + packet[12..].iter().position(|byte| *byte == 0).unwrap();
        let question = &packet[12..name_end + 5];
        let answers = u8::from(exists && with_address);
        let code = if exists { 0 } else { 3 };
        let mut answer = packet[..2].to_vec();
        answer.extend([0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]);
        answer.extend(question);
        if answers == 1 {
            answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
        }
        answer
    }

    #[tokio::test]
    async fn a_name_is_looked_up_at_the_servers_that_are_given() {
        let server = Server::start().await;
        let found = server.names().lookup(1, "good.example").await;
        assert_eq!(found, Ok(vec![IpAddr::from([127, 0, 0, 1])]));
        let none = server.names().lookup(1, "other.example").await;
        assert_eq!(none, Err(Failure::NoSuchHost));
    }

    #[tokio::test]
    async fn the_hosts_file_counts() {
        let server = Server::start().await;
        let found = server.names().lookup(1, "localhost").await.unwrap();
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
    }

    #[tokio::test]
    async fn names_that_nobody_answers_for_delay_no_other_owner() {
        let server = Server::start().await;
        let names = server.names();
        let mut hanging = tokio::task::JoinSet::new();
        for n in 0..2_000 {
            let names = names.clone();
            hanging.spawn(async move { names.lookup(1, &format!("silent{n}.example")).await });
        }
        let mut asked = server.asked.clone();
        let share = LOOKUPS_MAX / 2;
        let whole_share = |asked: &Vec<String>| {
            let different: std::collections::BTreeSet<_> = asked.iter().collect();
            different.len() >= share
        };
        asked.wait_for(whole_share).await.unwrap();
        let found = names.lookup(2, "good.example").await;
        assert_eq!(found.map(|found| found.len()), Ok(1));
        assert_eq!(hanging.len(), 2_000);
        assert!(hanging.try_join_next().is_none(), "the others still hang");
        assert_eq!(lock(&names.inside.places.taken).get(&1), Some(&share));
    }

    #[tokio::test]
    async fn a_look_up_that_nobody_answers_ends() {
        let server = Server::start().await;
        let names = Names::within(Duration::from_millis(20), vec![server.address]);
        let outcome = names.lookup(1, "silent.example").await;
        assert_eq!(outcome, Err(Failure::LookupTimeout));
    }

    #[test]
    fn families_come_in_turn() {
        let all = ["1.1.1.1", "1.1.1.2", "1.1.1.3", "::1"].map(|text| text.parse().unwrap());
        let texts: Vec<_> = alternating(all.into_iter())
            .iter()
            .map(IpAddr::to_string)
            .collect();
        assert_eq!(texts, ["1.1.1.1", "::1", "1.1.1.2", "1.1.1.3"]);
    }
}
