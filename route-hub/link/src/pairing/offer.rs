//! What the operator offers phones on the pairing page: the app's file, and who signed it.

use bytes::Bytes;
use serde_json::json;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Largest file of an app. It is kept in memory, so that a download does not wait for a disk.
pub const APP_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The app's name on phones.
const PACKAGE: &str = "org.postrider.agent";
/// How an APK begins.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// The app as this hub offers it.
#[derive(Debug, Clone, Default)]
pub struct AppOffer {
    /// The app's file.
    pub file: Option<Bytes>,
    /// SHA-256 of the certificates that sign it.
    pub certificates: Vec<Fingerprint>,
}

impl AppOffer {
    /// Returns the statement that makes phones open this hub's page in the app at once; `None`
    /// without a certificate.
    pub fn statement(&self) -> Option<String> {
        let all: Vec<String> = self.certificates.iter().map(Fingerprint::text).collect();
        let statement = json!([{
            "relation": ["delegate_permission/common.handle_all_urls"],
            "target": {
                "namespace": "android_app",
                "package_name": PACKAGE,
                "sha256_cert_fingerprints": all,
            },
        }]);
        (!all.is_empty()).then(|| statement.to_string())
    }
}

/// Reads an app's file.
///
/// # Errors
/// When it cannot be read, is too large, or is not an archive.
pub fn read_app(path: &Path) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(APP_FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > APP_FILE_BYTES_MAX {
        let text = format!("is larger than {APP_FILE_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    if !bytes.starts_with(ARCHIVE) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is no APK"));
    }
    Ok(Bytes::from(bytes))
}

/// SHA-256 of a certificate, as `keytool` and `apksigner` print it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint([u8; Self::BYTES]);

impl Fingerprint {
    const BYTES: usize = 32;

    /// Reads hexadecimal digits; ignores colons and spaces between them.
    pub fn read(text: &str) -> Option<Self> {
        let digits: Option<Vec<u32>> = text
            .chars()
            .filter(|c| !matches!(c, ':' | ' '))
            .map(|c| c.to_digit(16))
            .collect();
        let digits = digits.filter(|digits| digits.len() == 2 * Self::BYTES)?;
        let mut bytes = [0; Self::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::try_from(16 * pair[0] + pair[1]).ok()?;
        }
        Some(Self(bytes))
    }

    fn text(&self) -> String {
        let bytes: Vec<String> = self.0.iter().map(|byte| format!("{byte:02X}")).collect();
        bytes.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_as_the_tools_print_it() {
        let tool = "ab".repeat(32);
        let read = Fingerprint::read(&tool).unwrap();
        assert_eq!(Fingerprint::read(&read.text()), Some(read.clone()));
        assert_eq!(read.text().len(), 95);
        for wrong in ["", "AB", &"xy".repeat(32), &"ab".repeat(33)] {
            assert_eq!(Fingerprint::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_statement_names_the_app_and_each_certificate() {
        assert_eq!(AppOffer::default().statement(), None);
        let offer = AppOffer {
            file: None,
            certificates: vec![Fingerprint([0xAB; 32])],
        };
        let statement = offer.statement().unwrap();
        let read: serde_json::Value = serde_json::from_str(&statement).unwrap();
        let target = &read[0]["target"];
        assert_eq!(target["package_name"], PACKAGE);
        let wanted = ["AB"; 32].join(":");
        assert_eq!(target["sha256_cert_fingerprints"][0], wanted);
    }
}
