//! Whether a proxy says whose request it passes on, and is believed: else all clients share one client's limits.

use super::finding::Finding;
use serde::Deserialize;
use std::net::IpAddr;

/// What the hub saw of the doctor's own request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct Seen {
    /// Who is at the other end of the connection.
    peer: IpAddr,
    /// For whom the request counts.
    client: IpAddr,
    /// Whether the peer is a trusted proxy.
    is_proxy: bool,
    /// Whether it has `X-Forwarded-For`.
    has_header: bool,
}

/// Reads the hub's answer; `None` when it does not say.
pub(super) fn read(body: &str) -> Option<Seen> {
    // Around it stand the lengths of chunks, behind some proxies.
    let json = body.get(body.find('{')?..=body.rfind('}')?)?;
    serde_json::from_str(json).ok()
}

/// Judges what was seen; `is_direct` says that the public URL is the hub's own listener.
pub(super) fn judge(seen: Option<Seen>, is_direct: bool) -> Finding {
    let Some(seen) = seen else {
        return Finding::doubtful(
            "the hub that answered did not say what it saw",
            "Is it another hub? Else open the operator's address (--operator-listen)",
        );
    };
    let Seen {
        peer,
        client,
        is_proxy,
        has_header,
    } = seen;
    match (has_header, is_proxy) {
        (true, true) => Finding::good(format!(
            "the proxy at {peer} says who asks; this was {client}"
        )),
        (true, false) => Finding::bad(
            format!("the proxy at {peer} is not trusted: all who come by it count as one"),
            format!("List it: --trusted-proxy {peer}"),
        ),
        (false, true) if !is_direct => Finding::bad(
            format!("the proxy at {peer} does not say who asks: all count as one"),
            "Have it set X-Forwarded-For in every location, /link too (docs/operating.md, TLS)",
        ),
        (false, _) => Finding::good(format!("no proxy is in between; this was {client}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_proxy_is_to_say_who_asks_and_to_be_believed() {
        use Verdict::{Bad, Doubtful, Good};
        let seen = |has_header, is_proxy| {
            Some(Seen {
                peer: "10.1.0.5".parse().unwrap(),
                client: "192.0.2.9".parse().unwrap(),
                is_proxy,
                has_header,
            })
        };
        for (seen, is_direct, verdict, words) in [
            (seen(true, true), false, Good, "192.0.2.9"),
            (seen(true, false), false, Bad, "not trusted"),
            (seen(false, true), false, Bad, "does not say"),
            (seen(false, true), true, Good, "no proxy"),
            (seen(false, false), false, Good, "no proxy"),
            (None, false, Doubtful, "did not say"),
        ] {
            let found = judge(seen, is_direct);
            assert_eq!(found.verdict, verdict, "{found:?}");
            assert!(found.says.contains(words), "{found:?}");
        }
    }

    #[test]
    fn the_answer_is_read_with_or_without_chunks() {
        let body =
            r#"{"status":"ok","peer":"::1","client":"::1","is_proxy":true,"has_header":false}"#;
        let found = read(body).unwrap();
        assert!(found.is_proxy && !found.has_header);
        assert_eq!(read(&format!("4f\r\n{body}\r\n0\r\n\r\n")), Some(found));
        for other in [r#"{"status":"ok"}"#, "", "}{"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
