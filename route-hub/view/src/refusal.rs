//! Why something was refused, as the caller is told: by REST, or by a script or a service.

use std::borrow::Cow;
use std::fmt;

/// What kind of refusal it is, as programs read it: the specification's error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    /// What is given for a parameter breaks a rule.
    InvalidParam,
    /// There is none, or none that the caller may know of.
    NotFound,
    /// The message is past the point where it could be taken back.
    NotCancellable,
    /// Whoever asks lacks a permission.
    Unauthorized,
    /// A limit of the account is exceeded.
    LimitExceeded,
    /// The key of a repeat was used with another request.
    IdempotencyMismatch,
    /// Too much was asked, or too much is queued.
    RateLimited,
    /// Too busy or shutting down.
    Unavailable,
    /// Our fault; the cause is for the log.
    ServerError,
}

/// Why something was refused.
///
/// Its words name parameters and rules, never the values that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    code: RefusalCode,
    message: Cow<'static, str>,
    param: Option<String>,
    retry_after_s: Option<u32>,
    cause: Option<String>,
}

impl Refusal {
    /// Makes a refusal of this kind, with words for the caller.
    pub fn new(code: RefusalCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            param: None,
            retry_after_s: None,
            cause: None,
        }))
    }

    /// Refuses what is given for a parameter, named by its path; `rule` continues the name:
    /// `must be a string`.
    pub fn invalid_param(param: impl fmt::Display, rule: impl fmt::Display) -> Self {
        let param = param.to_string();
        let mut refusal = Self::new(RefusalCode::InvalidParam, format!("{param} {rule}"));
        refusal.0.param = Some(param);
        refusal
    }

    /// Names the parameter by its whole path, for what stands within `item`: `vars[city]` within
    /// `contacts[3]` is `contacts[3][vars][city]`.
    pub fn within(self, item: impl fmt::Display) -> Self {
        let Some(param) = self.param() else {
            return self;
        };
        let (name, inside) = param.split_at(param.find('[').unwrap_or(param.len()));
        let path = format!("{item}[{name}]{inside}");
        let rule = self.message().strip_prefix(param).unwrap_or_default();
        Self::invalid_param(path, rule.trim_start())
    }

    /// Says that there is no such thing.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(RefusalCode::NotFound, format!("{what} not found"))
    }

    /// Says what is missing to be allowed.
    pub fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(RefusalCode::Unauthorized, message)
    }

    /// Says when to ask again, in seconds.
    pub fn rate_limited(message: impl Into<Cow<'static, str>>, retry_after_s: u32) -> Self {
        let mut refusal = Self::new(RefusalCode::RateLimited, message);
        refusal.0.retry_after_s = Some(retry_after_s);
        refusal
    }

    /// Says that it cannot be done just now.
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        let mut refusal = Self::new(RefusalCode::Unavailable, message);
        refusal.0.retry_after_s = Some(1);
        refusal
    }

    /// Says that we are at fault; `cause` is for the log and never shown.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let text = "something went wrong here; the request's id finds it in the log";
        let mut refusal = Self::new(RefusalCode::ServerError, text);
        refusal.0.cause = Some(cause.to_string());
        refusal
    }

    /// Returns what kind of refusal it is.
    pub fn code(&self) -> RefusalCode {
        self.0.code
    }

    /// Returns the parameter that is named, if one is.
    pub fn param(&self) -> Option<&str> {
        self.0.param.as_deref()
    }

    /// Returns the words for the caller.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns after how many seconds to ask again.
    pub fn retry_after_s(&self) -> Option<u32> {
        self.0.retry_after_s
    }

    /// Returns the cause of a fault of ours, for the log alone.
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_an_item_is_named_by_its_whole_path() {
        for (own, whole) in [
            ("name", "contacts[3][name]"),
            ("vars[city]", "contacts[3][vars][city]"),
        ] {
            let refusal = Refusal::invalid_param(own, "is required").within("contacts[3]");
            assert_eq!(refusal, Refusal::invalid_param(whole, "is required"));
        }
        let missing = Refusal::not_found("contact");
        assert_eq!(missing.clone().within("contacts[3]"), missing);
    }
}
