//! Where a request carries its API key.

use crate::{error::ApiError, params::Params};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, header};
use postrider_model::Secret;

/// The name of the parameter that carries a key in query string or body.
pub(crate) const PARAMETER: &str = "api_key";

/// Longest key that is looked at.
const KEY_LENGTH_MAX: usize = 512;

/// Returns the key of the `Authorization` header: the user of Basic, whose password is ignored.
///
/// # Errors
/// `unauthorized` for a header that carries no API key; Bearer tokens are not offered yet.
pub(crate) fn from_header(headers: &HeaderMap) -> Result<Option<Secret>, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let unreadable = || ApiError::unauthorized("the Authorization header cannot be read");
    let value = value.to_str().map_err(|_| unreadable())?;
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    if scheme.eq_ignore_ascii_case("bearer") {
        let text =
            "this hub takes API keys (HTTP Basic, the key as user); bearer tokens come later";
        return Err(ApiError::unauthorized(text));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(unreadable());
    }
    let decoded = STANDARD.decode(rest.trim()).map_err(|_| unreadable())?;
    let text = String::from_utf8(decoded).map_err(|_| unreadable())?;
    let user = text.split_once(':').map_or(text.as_str(), |(user, _)| user);
    accept(user)
}

/// Takes the key out of the parameters.
///
/// # Errors
/// `invalid_param` when it is not a text.
pub(crate) fn take_parameter(params: &mut Params) -> Result<Option<Secret>, ApiError> {
    match params.take_text(PARAMETER)? {
        Some(key) => accept(&key),
        None => Ok(None),
    }
}

fn accept(key: &str) -> Result<Option<Secret>, ApiError> {
    if key.len() > KEY_LENGTH_MAX {
        return Err(ApiError::unauthorized("the API key is not valid"));
    }
    Ok((!key.is_empty()).then(|| Secret::new(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn read(value: &str) -> Result<Option<Secret>, ApiError> {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(value).unwrap();
        headers.insert(header::AUTHORIZATION, value);
        from_header(&headers)
    }

    #[test]
    fn the_key_is_the_user_and_the_password_is_ignored() {
        let key = |text: &str| read(&format!("Basic {}", STANDARD.encode(text)));
        assert_eq!(key("prk_a:").unwrap().unwrap().as_str(), "prk_a");
        assert_eq!(key("prk_a:x:y").unwrap().unwrap().as_str(), "prk_a");
        assert_eq!(key("prk_a").unwrap().unwrap().as_str(), "prk_a");
        assert!(key(":x").unwrap().is_none());
    }

    #[test]
    fn anything_else_is_refused() {
        for value in ["Bearer abc", "Basic !!!", "Basic /w==", "Digest x", "Basic"] {
            let refused = read(value);
            let status = refused
                .map(|_| 200)
                .unwrap_or_else(|e| e.code().status().as_u16());
            assert!(status == 401 || value == "Basic", "{value}");
        }
    }
}
