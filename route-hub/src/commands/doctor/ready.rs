//! `--ready`: the one question of a container's health check.

use super::place::Place;
use hub_app::data_folder::error::CommandError;
use std::io;

/// Asks the hub whether it is ready.
///
/// # Errors
/// With why it is not, or that it does not answer.
pub(super) fn ask(place: &Place) -> Result<(), CommandError> {
    let answer = place.ask("GET", "/readyz", &[]);
    judge(answer.map(|answer| answer.status)).map_err(CommandError::new)
}

fn judge(status: io::Result<u16>) -> Result<(), String> {
    match status {
        Ok(200) => Ok(()),
        Ok(503) => Err("the hub is not ready; its operator's address says why, at /readyz".into()),
        Ok(status) => Err(format!("no hub: what listens there answers {status}")),
        Err(error) => Err(format!("the hub does not answer: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_ready_hub_is_ready() {
        assert_eq!(judge(Ok(200)), Ok(()));
        assert!(judge(Ok(503)).unwrap_err().contains("not ready"));
        assert!(judge(Ok(404)).unwrap_err().contains("404"));
        assert!(
            judge(Err(io::Error::other("gone")))
                .unwrap_err()
                .contains("gone")
        );
    }
}
