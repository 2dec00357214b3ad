//! The public URL, as phones and callers reach it.

use super::finding::{Finding, Line};
use super::place::{Answer, Place};
use super::{certificate, forwarded};
use crate::metrics::seen::WORD_HEADER;
use postrider_link::limits::SUB_PROTOCOL;
use serde::Deserialize;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs as _};

/// What it is looked at with.
#[derive(Debug)]
pub(super) struct Around<'a> {
    /// Whether a hub answers at its own listener.
    pub(super) runs: bool,
    /// Where the hub listens.
    pub(super) listen: SocketAddr,
    /// Where its operator asks it.
    pub(super) operator: Option<&'a Place>,
    /// Whether the hub's own key is pinned by each phone.
    pub(super) pins: bool,
    pub(super) now_s: i64,
}

/// Looks at the public URL, and by it at the hub.
pub(super) fn look(url: Option<&str>, around: &Around<'_>) -> Vec<Line> {
    let line = |check, finding| Line { check, finding };
    let place = match url.map(|url| (url, Place::read(url))) {
        Some((_, Some(place))) => place,
        other => return vec![line("public URL", unreadable(other.map(|(url, _)| url)))],
    };
    let url = url.unwrap_or_default();
    if let Some(plain) = refused_by_phones(&place) {
        return vec![line("public URL", plain)];
    }
    if !around.runs {
        let later = Finding::doubtful(
            format!("{url} is not tried: no hub answers at {}", around.listen),
            "Start it, and run this again beside it",
        );
        return vec![line("public URL", later)];
    }
    let word = around.operator.and_then(word);
    let head = word.map(|word| format!("{WORD_HEADER}: {word}"));
    let head: Vec<&str> = head.as_deref().into_iter().collect();
    let answer = place.ask("GET", "/healthz", &head);
    let mut found = vec![line("public URL", judge_health(url, &answer))];
    let Ok(answer) = answer else { return found };
    if place.is_tls {
        let names = [place.host.clone()];
        let chain = certificate::look(
            &answer.chain,
            &place.host,
            &names,
            around.pins,
            around.now_s,
        );
        found.extend(
            chain
                .into_iter()
                .map(|finding| line("certificate", finding)),
        );
    }
    found.push(line("link", judge_link(&link(&place))));
    let seen = forwarded::read(&answer.body);
    let is_direct = place.port == around.listen.port() && is_here(&place);
    found.push(line("forwarded", forwarded::judge(seen, is_direct)));
    found
}

fn unreadable(url: Option<&str>) -> Finding {
    match url {
        None => Finding::doubtful(
            "there is none",
            "Phones that are not on this machine cannot be paired without: give --public-url https://NAME",
        ),
        Some(url) => Finding::bad(
            format!("{url} is no URL of http or https"),
            "It is like https://gateway.example.org",
        ),
    }
}

/// Phones speak plain HTTP with their own machine alone.
fn refused_by_phones(place: &Place) -> Option<Finding> {
    let host = &place.host;
    let is_near = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    (!place.is_tls && !is_near).then(|| {
        Finding::bad(
            format!("http://{host} has no TLS: no phone pairs with it"),
            "Give an https URL, and TLS of the hub's own or of a proxy (docs/operating.md, TLS)",
        )
    })
}

/// Asks at the operator's address for the word that unlocks what the hub sees.
fn word(operator: &Place) -> Option<String> {
    #[derive(Deserialize)]
    struct Given {
        word: String,
    }
    let answer = operator
        .ask("POST", "/doctor", &["content-length: 0"])
        .ok()?;
    let given: Given = serde_json::from_str(&answer.body).ok()?;
    Some(given.word)
}

/// Begins a WebSocket as a phone does.
fn link(place: &Place) -> io::Result<Answer> {
    let protocol = format!("sec-websocket-protocol: {SUB_PROTOCOL}");
    let head = [
        "connection: Upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        &protocol,
    ];
    place.ask("GET", "/link", &head)
}

/// Says whether the host is this machine: then nobody stands before the hub's own listener.
fn is_here(place: &Place) -> bool {
    let addresses = (place.host.as_str(), 0).to_socket_addrs();
    addresses.is_ok_and(|mut all| all.any(|address| TcpListener::bind(address).is_ok()))
}

fn judge_health(url: &str, answer: &io::Result<Answer>) -> Finding {
    match answer {
        Ok(answer) if answer.status == 200 && answer.body.contains(r#""status":"ok""#) => {
            Finding::good(format!("{url} leads to a hub"))
        }
        Ok(answer) => Finding::bad(
            format!(
                "{url}/healthz answers {} in place of a hub's 200",
                answer.status
            ),
            "Does the proxy pass all paths on to the hub's address?",
        ),
        Err(error) => Finding::bad(
            format!("{url} cannot be reached from here: {error}"),
            "Look at the name's address, the firewall and the proxy. Some routers do not let a machine reach \
             itself by its public address: then try from outside",
        ),
    }
}

fn judge_link(answer: &io::Result<Answer>) -> Finding {
    let to_do = "Have the proxy pass Upgrade and Connection on (docs/operating.md, TLS)";
    match answer {
        Ok(answer) if answer.status == 101 => Finding::good("a WebSocket gets through to /link"),
        Ok(answer) => {
            let says = format!("no WebSocket gets through to /link: {}", answer.status);
            Finding::bad(says, to_do)
        }
        Err(error) => Finding::bad(
            format!("no WebSocket gets through to /link: {error}"),
            to_do,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    fn answer(status: u16, body: &str) -> io::Result<Answer> {
        Ok(Answer {
            status,
            body: body.to_owned(),
            chain: Vec::new(),
        })
    }

    fn alone(url: Option<&str>) -> Finding {
        let around = Around {
            runs: false,
            listen: "127.0.0.1:8090".parse().unwrap(),
            operator: None,
            pins: false,
            now_s: 0,
        };
        let mut found = look(url, &around);
        assert_eq!(found.len(), 1);
        found.remove(0).finding
    }

    #[test]
    fn a_url_is_judged_before_anything_is_asked() {
        use Verdict::{Bad, Doubtful};
        for (url, verdict, words) in [
            (None, Doubtful, "none"),
            (Some("gateway.example.org"), Bad, "no URL"),
            (Some("http://gateway.example.org"), Bad, "no TLS"),
            (Some("http://localhost:8090"), Doubtful, "not tried"),
            (Some("https://gateway.example.org"), Doubtful, "not tried"),
        ] {
            let found = alone(url);
            assert_eq!(found.verdict, verdict, "{found:?}");
            assert!(found.says.contains(words), "{found:?}");
        }
    }

    #[test]
    fn only_a_hub_behind_the_url_is_good() {
        let url = "https://gateway.example.org";
        let verdict = |answer| judge_health(url, &answer).verdict;
        assert_eq!(verdict(answer(200, r#"{"status":"ok"}"#)), Verdict::Good);
        assert_eq!(verdict(answer(200, "<html>welcome</html>")), Verdict::Bad);
        assert_eq!(verdict(answer(502, "")), Verdict::Bad);
        assert_eq!(verdict(Err(io::Error::other("refused"))), Verdict::Bad);
        assert_eq!(judge_link(&answer(101, "")).verdict, Verdict::Good);
        assert_eq!(judge_link(&answer(400, "")).verdict, Verdict::Bad);
        assert_eq!(
            judge_link(&Err(io::Error::other("cut"))).verdict,
            Verdict::Bad
        );
    }
}
