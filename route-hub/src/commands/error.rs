//! What stops a command, in words.

use crate::admin::invitation::InvalidInvitation;
use crate::settings::SettingsError;
use crate::tls::TlsError;
use hub_app::data_folder::error::CommandError;

impl From<SettingsError> for CommandError {
    fn from(error: SettingsError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<TlsError> for CommandError {
    fn from(error: TlsError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<InvalidInvitation> for CommandError {
    fn from(error: InvalidInvitation) -> Self {
        Self::new(error.to_string())
    }
}
