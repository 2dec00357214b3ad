//! NATS, which carries hints between hubs.

use super::finding::Finding;
use hub_nats::Servers;
use std::time::Duration;
use tokio::time::timeout;

const WAIT: Duration = Duration::from_secs(10);

/// Asks the servers.
pub(super) async fn look(servers: &Servers) -> Finding {
    judge(match timeout(WAIT, servers.version()).await {
        Ok(Ok(version)) => Ok(version),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    })
}

fn judge(version: Result<String, String>) -> Finding {
    match version {
        Ok(version) => Finding::good(format!("NATS {version} answers")),
        Err(error) => Finding::doubtful(
            format!("NATS cannot be reached: {error}"),
            "Hubs hear of each other's changes only every few seconds without it: does it run, and are --nats \
             and its password right?",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_hub_goes_without_nats_but_not_well() {
        assert_eq!(judge(Ok("2.10".into())).verdict, Verdict::Good);
        assert_eq!(judge(Err("refused".into())).verdict, Verdict::Doubtful);
    }
}
