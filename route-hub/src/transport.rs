//! How the hub listens, by its settings: in plain HTTP, or in TLS with a certificate from somewhere.

use crate::settings::{ServeSettings, SettingsError};
use std::path::PathBuf;

/// How the hub listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// Plain HTTP.
    Plain,
    /// TLS with the operator's certificate.
    Files {
        /// PEM file of the chain.
        cert: PathBuf,
        /// PEM file of the key.
        key: PathBuf,
    },
    /// TLS with a key and a certificate that the hub makes.
    SelfSigned,
}

impl Transport {
    /// Returns how to listen: in TLS if a setting names a certificate, else plain on loopback, and plain elsewhere
    /// only with --allow-plain-http.
    ///
    /// # Errors
    /// When settings contradict each other, one is missing, or plain HTTP would leave the machine without that
    /// flag.
    pub fn chosen(settings: &ServeSettings) -> Result<Self, SettingsError> {
        let files = if settings.tls_cert.is_some() {
            "--tls-cert"
        } else {
            "--tls-key"
        };
        let ways = [
            (
                files,
                settings.tls_cert.is_some() || settings.tls_key.is_some(),
            ),
            ("--tls-self-signed", settings.tls_self_signed == Some(true)),
            (
                "--allow-plain-http",
                settings.allow_plain_http == Some(true),
            ),
        ];
        let mut given = ways.iter().filter(|(_, is_given)| *is_given);
        let way = given.next().map(|(flag, _)| *flag);
        if let (Some(one), Some((other, _))) = (way, given.next()) {
            return Err(SettingsError::Contradict(one, other));
        }
        let transport = match way {
            None if settings.listen_addr().ip().is_loopback() => Self::Plain,
            None => return Err(SettingsError::Refused(NOT_PLAIN)),
            Some("--allow-plain-http") => Self::Plain,
            Some("--tls-self-signed") => Self::self_signed(settings)?,
            Some(_) => Self::files(settings)?,
        };
        match way {
            Some(flag) if transport != Self::Plain && has_plain_url(settings) => {
                Err(SettingsError::Contradict(flag, "a --public-url of http"))
            }
            _ => Ok(transport),
        }
    }

    fn files(settings: &ServeSettings) -> Result<Self, SettingsError> {
        match (settings.tls_cert.clone(), settings.tls_key.clone()) {
            (Some(cert), Some(key)) => Ok(Self::Files { cert, key }),
            (None, _) => Err(SettingsError::Needs("--tls-key", "--tls-cert")),
            (_, None) => Err(SettingsError::Needs("--tls-cert", "--tls-key")),
        }
    }

    fn self_signed(settings: &ServeSettings) -> Result<Self, SettingsError> {
        match settings.database.url {
            None => Ok(Self::SelfSigned),
            Some(_) => Err(SettingsError::Refused(
                "--tls-self-signed is for a data folder: hubs on a PostgreSQL database may be several, and phones \
                 would know the key of one",
            )),
        }
    }
}

/// Says what the hub needs to listen on an address that others reach.
const NOT_PLAIN: &str = "plain HTTP is for loopback: give --tls-cert and --tls-key, or --tls-self-signed, or \
    --allow-plain-http behind a proxy that ends TLS";

fn has_plain_url(settings: &ServeSettings) -> bool {
    let url = settings.public_url.as_deref();
    let scheme = url.and_then(|url| url.trim().split_once("://"));
    scheme.is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("http"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Secret;

    fn settings() -> ServeSettings {
        ServeSettings::default()
    }

    fn anywhere() -> ServeSettings {
        ServeSettings {
            listen: Some("0.0.0.0:443".parse().unwrap()),
            ..settings()
        }
    }

    fn refused(settings: &ServeSettings) -> String {
        Transport::chosen(settings).unwrap_err().to_string()
    }

    #[test]
    fn plain_http_leaves_the_machine_only_when_allowed() {
        assert_eq!(Transport::chosen(&settings()).unwrap(), Transport::Plain);
        assert_eq!(refused(&anywhere()), NOT_PLAIN);
        let allowed = ServeSettings {
            allow_plain_http: Some(true),
            ..anywhere()
        };
        assert_eq!(Transport::chosen(&allowed).unwrap(), Transport::Plain);
    }

    #[test]
    fn a_certificate_and_its_key_need_each_other() {
        let cert = ServeSettings {
            tls_cert: Some("cert.pem".into()),
            ..anywhere()
        };
        assert_eq!(refused(&cert), "--tls-cert needs --tls-key beside it");
        let key = ServeSettings {
            tls_key: Some("key.pem".into()),
            ..anywhere()
        };
        assert_eq!(refused(&key), "--tls-key needs --tls-cert beside it");
        let both = ServeSettings {
            tls_key: key.tls_key,
            ..cert
        };
        let files = Transport::Files {
            cert: "cert.pem".into(),
            key: "key.pem".into(),
        };
        assert_eq!(Transport::chosen(&both).unwrap(), files);
    }

    #[test]
    fn two_ways_to_listen_contradict_each_other() {
        let own = ServeSettings {
            tls_self_signed: Some(true),
            ..anywhere()
        };
        assert_eq!(Transport::chosen(&own).unwrap(), Transport::SelfSigned);
        let and_plain = ServeSettings {
            allow_plain_http: Some(true),
            ..own.clone()
        };
        let why = "--tls-self-signed and --allow-plain-http contradict each other";
        assert_eq!(refused(&and_plain), why);
        let and_key = ServeSettings {
            tls_key: Some("key.pem".into()),
            ..own.clone()
        };
        let why = "--tls-key and --tls-self-signed contradict each other";
        assert_eq!(refused(&and_key), why);
        let and_plain_url = ServeSettings {
            public_url: Some("HTTP://hub.example".into()),
            ..own
        };
        let why = "--tls-self-signed and a --public-url of http contradict each other";
        assert_eq!(refused(&and_plain_url), why);
    }

    #[test]
    fn what_is_switched_off_contradicts_nothing() {
        let off = ServeSettings {
            tls_self_signed: Some(false),
            allow_plain_http: Some(true),
            ..anywhere()
        };
        assert_eq!(Transport::chosen(&off).unwrap(), Transport::Plain);
    }

    #[test]
    fn a_key_of_ones_own_is_not_for_a_database_of_several_hubs() {
        let mut several = ServeSettings {
            tls_self_signed: Some(true),
            ..anywhere()
        };
        several.database.url = Some(Secret::new("postgres://db/hub"));
        let why = refused(&several);
        assert!(
            why.contains("--tls-self-signed is for a data folder"),
            "{why}"
        );
    }
}
