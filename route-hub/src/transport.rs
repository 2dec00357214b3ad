//! How the hub listens, by its settings: in plain HTTP, or in TLS with a certificate from somewhere.

use crate::settings::{ServeSettings, SettingsError};
use crate::tls::{AcmeSettings, is_certifiable};
use http::Uri;
use instant_acme::LetsEncrypt;
use std::path::PathBuf;

/// Says what the hub needs to listen on an address that others reach.
const NOT_PLAIN: &str = "plain HTTP is for loopback: give --acme, --tls-self-signed, or --tls-cert and --tls-key; or \
    --allow-plain-http behind a proxy that ends TLS";

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
    /// TLS with certificates from an authority.
    Acme(AcmeSettings),
}

type Settings<'a> = &'a ServeSettings;
type Chosen = Result<Transport, SettingsError>;
/// A way to listen: the flag that names it, whether it is given, and what it comes to.
type Way<'a> = (&'static str, bool, fn(Settings<'a>) -> Chosen);

impl Transport {
    /// Returns how to listen: in TLS if a setting names a certificate, else plain on loopback, and plain elsewhere
    /// only with --allow-plain-http.
    ///
    /// # Errors
    /// When settings contradict each other, one is missing, or plain HTTP would leave the machine without that
    /// flag.
    pub fn chosen(settings: &ServeSettings) -> Chosen {
        refused_without(
            settings.acme.is_some(),
            "--acme",
            &[
                ("--acme-directory", settings.acme_directory.is_some()),
                ("--acme-root", settings.acme_root.is_some()),
            ],
        )?;
        let (cert, key) = (settings.tls_cert.is_some(), settings.tls_key.is_some());
        let is_on = |setting| setting == Some(true);
        let mut ways: Vec<Way<'_>> = vec![
            (
                if cert { "--tls-cert" } else { "--tls-key" },
                cert || key,
                with_files,
            ),
            (
                "--tls-self-signed",
                is_on(settings.tls_self_signed),
                self_signed,
            ),
            ("--acme", settings.acme.is_some(), with_acme),
            (
                "--allow-plain-http",
                is_on(settings.allow_plain_http),
                |_| Ok(Self::Plain),
            ),
        ];
        ways.retain(|(_, is_given, _)| *is_given);
        match ways.as_slice() {
            [] if settings.listen_addr().ip().is_loopback() => Ok(Self::Plain),
            [] => Err(SettingsError::Refused(NOT_PLAIN)),
            [(flag, _, way)] => match way(settings)? {
                Self::Plain => Ok(Self::Plain),
                _ if has_plain_url(settings) => {
                    Err(SettingsError::Contradict(flag, "a --public-url of http"))
                }
                tls => Ok(tls),
            },
            [(one, ..), (other, ..), ..] => Err(SettingsError::Contradict(one, other)),
        }
    }
}

fn refused_without(
    is_given: bool,
    needed: &'static str,
    settings: &[(&'static str, bool)],
) -> Result<(), SettingsError> {
    match settings.iter().find(|(_, is_set)| *is_set && !is_given) {
        Some((flag, _)) => Err(SettingsError::Needs(flag, needed)),
        None => Ok(()),
    }
}

fn with_files(settings: Settings<'_>) -> Chosen {
    match (settings.tls_cert.clone(), settings.tls_key.clone()) {
        (Some(cert), Some(key)) => Ok(Transport::Files { cert, key }),
        (None, _) => Err(SettingsError::Needs("--tls-key", "--tls-cert")),
        (_, None) => Err(SettingsError::Needs("--tls-cert", "--tls-key")),
    }
}

fn self_signed(settings: Settings<'_>) -> Chosen {
    match settings.database.url {
        None => Ok(Transport::SelfSigned),
        Some(_) => Err(SettingsError::Refused(
            "--tls-self-signed is for a data folder: hubs on a PostgreSQL database may be several, and phones would \
             know the key of one",
        )),
    }
}

fn with_acme(settings: Settings<'_>) -> Chosen {
    if settings.database.url.is_some() {
        return Err(SettingsError::Refused(
            "--acme is for a data folder: hubs on a PostgreSQL database may be several, and an authority looks at \
             one of them; give each --tls-cert and --tls-key, or let a proxy end TLS",
        ));
    }
    let mail = settings.acme.clone().unwrap_or_default();
    if !is_mail(&mail) {
        return Err(SettingsError::Refused(
            "--acme takes a mail address, such as admin@example.org",
        ));
    }
    let directory = settings.acme_directory.clone();
    let directory = directory.unwrap_or_else(|| LetsEncrypt::Production.url().to_owned());
    if https_host(&directory).is_none() {
        return Err(SettingsError::Refused(
            "--acme-directory is an https address",
        ));
    }
    let public = settings.public_url.as_deref().and_then(https_host);
    let Some(public) = public.filter(|name| is_certifiable(name)) else {
        return Err(SettingsError::Refused(
            "--acme needs --public-url beside it, an https address with a name that an authority can vouch for, such \
             as https://gateway.example.org",
        ));
    };
    Ok(Transport::Acme(AcmeSettings {
        mail,
        directory,
        root: settings.acme_root.clone(),
        public,
        hosts: settings
            .hosts
            .iter()
            .map(|name| name.to_lowercase())
            .collect(),
    }))
}

fn is_mail(text: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | '?' | ':');
    let parts = text.split_once('@');
    !text.contains(is_odd) && parts.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
}

/// Returns the host of an https address, in lower case.
fn https_host(url: &str) -> Option<String> {
    let uri: Uri = url.trim().parse().ok()?;
    let host = uri.host().filter(|_| uri.scheme_str() == Some("https"))?;
    Some(host.trim_matches(['[', ']']).to_lowercase())
}

fn has_plain_url(settings: Settings<'_>) -> bool {
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

    fn asking(public_url: &str) -> ServeSettings {
        ServeSettings {
            acme: Some("admin@example.org".into()),
            public_url: Some(public_url.into()),
            ..anywhere()
        }
    }

    fn chosen_acme(settings: &ServeSettings) -> AcmeSettings {
        match Transport::chosen(settings) {
            Ok(Transport::Acme(acme)) => acme,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_authority_is_asked_for_the_public_urls_host_and_the_other_names() {
        let settings = ServeSettings {
            hosts: vec!["SMS.example.org".into()],
            ..asking("https://Gateway.example.org/")
        };
        let acme = chosen_acme(&settings);
        assert_eq!(acme.public, "gateway.example.org");
        assert_eq!(acme.hosts, ["sms.example.org"]);
        assert_eq!(
            acme.directory,
            "https://acme-v02.api.letsencrypt.org/directory"
        );
        let other = ServeSettings {
            acme_directory: Some("https://ca.lan/acme".into()),
            acme_root: Some("ca.pem".into()),
            ..settings
        };
        let acme = chosen_acme(&other);
        assert_eq!(acme.directory, "https://ca.lan/acme");
        assert_eq!(acme.root, Some("ca.pem".into()));
    }

    #[test]
    fn a_name_that_nobody_vouches_for_is_refused() {
        let url = |public_url| ServeSettings {
            public_url,
            ..asking("")
        };
        let local = [
            "https://192.168.1.20",
            "https://localhost",
            "https://hub",
            "hub.example.org",
        ];
        for public_url in local
            .map(|url| Some(url.to_owned()))
            .into_iter()
            .chain([None])
        {
            let why = refused(&url(public_url.clone()));
            assert!(
                why.starts_with("--acme needs --public-url"),
                "{public_url:?}: {why}"
            );
        }
    }

    #[test]
    fn what_acme_cannot_go_with_is_refused_by_name() {
        let good = || asking("https://gateway.example.org");
        for mail in ["", "admin", "a b@example.org", "a@b?c", "@example.org"] {
            let settings = ServeSettings {
                acme: Some(mail.into()),
                ..good()
            };
            assert!(refused(&settings).contains("mail address"), "{mail}");
        }
        let plain = ServeSettings {
            acme_directory: Some("http://ca.lan/acme".into()),
            ..good()
        };
        assert_eq!(refused(&plain), "--acme-directory is an https address");
        let mut several = good();
        several.database.url = Some(Secret::new("postgres://db/hub"));
        assert!(refused(&several).starts_with("--acme is for a data folder"));
        let two = ServeSettings {
            tls_cert: Some("cert.pem".into()),
            ..good()
        };
        assert_eq!(refused(&two), "--tls-cert and --acme contradict each other");
    }

    #[test]
    fn an_authoritys_settings_need_it() {
        let directory = ServeSettings {
            acme_directory: Some("https://ca.lan/acme".into()),
            ..settings()
        };
        assert_eq!(
            refused(&directory),
            "--acme-directory needs --acme beside it"
        );
        let root = ServeSettings {
            acme_root: Some("ca.pem".into()),
            ..settings()
        };
        assert_eq!(refused(&root), "--acme-root needs --acme beside it");
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
