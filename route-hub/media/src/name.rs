//! Names of blobs, which lead nowhere else.

use object_store::path::Path;
use std::path::PathBuf;

/// The name of a blob: letters, digits, `-`, `_` and one dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobName(String);

impl BlobName {
    /// Takes a name.
    pub fn new(name: impl Into<String>) -> Option<Self> {
        let name = name.into();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let good = !name.is_empty() && name.bytes().all(is_plain) && !name.starts_with('.');
        good.then_some(Self(name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Blobs lie in folders of their own by the last two characters before the dot, which differ most.
    pub(crate) fn path(&self) -> Path {
        Path::from_iter([self.shelf(), &self.0])
    }

    /// Returns where it lies in a folder.
    pub(crate) fn place(&self) -> PathBuf {
        PathBuf::from(self.shelf()).join(&self.0)
    }

    fn shelf(&self) -> &str {
        let stem = self.0.split('.').next().unwrap_or_default();
        &stem[stem.len().saturating_sub(2)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        for bad in ["", "../x", "a/b", ".x", "a b", "é", "a#1", "a\0"] {
            assert_eq!(BlobName::new(bad), None, "{bad}");
        }
    }
}
