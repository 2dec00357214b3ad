//! The two addresses that the hub listens on: free, or held by this very hub.

use super::finding::Finding;
use super::place::Place;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Callers and phones.
    Everybody,
    /// The operator, where the settings say.
    Operator,
    /// The operator, where nobody said: a hub goes without it.
    OperatorByDefault,
}

impl Purpose {
    fn flag(self) -> &'static str {
        match self {
            Self::Everybody => "--listen",
            Self::Operator | Self::OperatorByDefault => "--operator-listen",
        }
    }
}

/// Who holds an address.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    Nobody,
    ThisHub,
    AnotherHub,
    Another,
    /// It cannot be had at all.
    Refused(ErrorKind, String),
}

/// Looks at an address; `serves` says whether a hub serves these data.
pub(super) fn look(
    address: SocketAddr,
    is_tls: bool,
    purpose: Purpose,
    serves: bool,
) -> (Finding, bool) {
    let held = match TcpListener::bind(address) {
        Ok(_) => Held::Nobody,
        Err(error) if error.kind() == ErrorKind::AddrInUse => holder(address, is_tls, serves),
        Err(error) => Held::Refused(error.kind(), error.to_string()),
    };
    let answers = held == Held::ThisHub;
    (judge(address, purpose, held), answers)
}

fn holder(address: SocketAddr, is_tls: bool, serves: bool) -> Held {
    match is_hub(&Place::listening(address, is_tls)) {
        Ok(true) if serves => Held::ThisHub,
        Ok(true) => Held::AnotherHub,
        Ok(false) | Err(_) => Held::Another,
    }
}

/// Says whether a hub answers.
fn is_hub(place: &Place) -> io::Result<bool> {
    let answer = place.ask("GET", "/healthz", &[])?;
    Ok(answer.status == 200 && answer.body.contains(r#""status":"ok""#))
}

fn judge(address: SocketAddr, purpose: Purpose, held: Held) -> Finding {
    let flag = purpose.flag();
    let taken = |by: &str, to_do: String| {
        let says = format!("{address} is taken by {by}");
        if purpose == Purpose::OperatorByDefault {
            Finding::doubtful(format!("{says}: there will be no /metrics"), to_do)
        } else {
            Finding::bad(says, to_do)
        }
    };
    match held {
        Held::Nobody => Finding::good(format!("{address} is free ({flag})")),
        Held::ThisHub => Finding::good(format!("the hub answers at {address} ({flag})")),
        Held::AnotherHub => taken(
            "another hub",
            format!("Stop that one, or give another address with {flag}"),
        ),
        Held::Another => taken(
            "another program",
            format!("Stop it, or give another address with {flag}"),
        ),
        Held::Refused(ErrorKind::PermissionDenied, _) => Finding::bad(
            format!("this user may not listen at {address}"),
            "Ports below 1024 need CAP_NET_BIND_SERVICE: AmbientCapabilities in the unit",
        ),
        Held::Refused(ErrorKind::AddrNotAvailable, _) => Finding::bad(
            format!("{address} is no address of this machine"),
            format!("Give one with {flag}; 0.0.0.0 and [::] are all of them"),
        ),
        Held::Refused(_, error) => Finding::bad(
            format!("{address} cannot be listened on: {error}"),
            format!("Give another address with {flag}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn an_address_is_good_when_it_is_free_or_the_hubs_own() {
        use Purpose::{Everybody, Operator, OperatorByDefault};
        use Verdict::{Bad, Doubtful, Good};
        let refused = |kind| Held::Refused(kind, "why".to_owned());
        for (held, purpose, verdict, words) in [
            (Held::Nobody, Everybody, Good, "is free"),
            (Held::ThisHub, Everybody, Good, "the hub answers"),
            (Held::AnotherHub, Everybody, Bad, "another hub"),
            (Held::Another, Operator, Bad, "another program"),
            (Held::Another, OperatorByDefault, Doubtful, "/metrics"),
            (
                refused(ErrorKind::PermissionDenied),
                Everybody,
                Bad,
                "may not",
            ),
            (
                refused(ErrorKind::AddrNotAvailable),
                Everybody,
                Bad,
                "no address",
            ),
            (refused(ErrorKind::Other), Operator, Bad, "why"),
        ] {
            let found = judge("127.0.0.1:8090".parse().unwrap(), purpose, held);
            assert_eq!(found.verdict, verdict, "{found:?}");
            assert!(found.says.contains(words), "{found:?}");
        }
    }
}
