//! What the operator says of certificates from an authority.

use std::path::PathBuf;

/// Which authority is asked for certificates, and for which names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcmeSettings {
    /// Where the authority may write to.
    pub mail: String,
    /// The authority's directory.
    pub directory: String,
    /// A file of certificates that the authority may show, beside the system's.
    pub root: Option<PathBuf>,
    /// The host of the public URL.
    pub public: String,
    /// The other names under which phones reach the hub.
    pub hosts: Vec<String>,
}
