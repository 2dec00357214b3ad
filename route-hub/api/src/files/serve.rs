//! `GET /files/{file_id}` and `/files/{file_id}/thumbnail`: bytes for whoever has an address that the hub
//! signed. No key is asked for.
//!
//! What a file holds is somebody else's: a browser is told what it is, guesses nothing, and runs nothing
//! of it.

use crate::Failure;
use crate::state::ApiState;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures_util::TryStreamExt as _;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use hub_app::files::{self, Asked, Grant, Served};
use hub_app::hub::Hub;
use hub_web::ApiError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::io;
use std::ops::Range;

/// Nothing of a file may run, load or send anything.
const POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";
/// What stands for itself in the name of a file.
const CODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// A file never changes; its address is secret.
const CACHING: &str = "private, max-age=3600, immutable";

/// Returns where files are had.
pub fn addresses() -> Router<ApiState> {
    Router::new()
        .route("/files/{file_id}", get(file))
        .route("/files/{file_id}/thumbnail", get(thumbnail))
}

type Asking = (Path<String>, Uri, HeaderMap);

async fn file(State(hub): State<Hub>, asking: Asking) -> Response {
    answered(&hub, Asked::File, asking).await
}

async fn thumbnail(State(hub): State<Hub>, asking: Asking) -> Response {
    answered(&hub, Asked::Thumbnail, asking).await
}

async fn answered(hub: &Hub, what: Asked, (Path(id), uri, headers): Asking) -> Response {
    let (Ok(id), Some(grant)) = (id.parse(), grant(&uri)) else {
        return ApiError::not_found("file").into_response();
    };
    let wanted = headers.get(header::RANGE).and_then(|it| it.to_str().ok());
    let wanted = wanted.map(str::to_owned);
    let mut asked = Wanted::All;
    let choose = |size| {
        asked = wanted
            .as_deref()
            .map_or(Wanted::All, |text| range(text, size));
        match &asked {
            Wanted::All => Some(0..size),
            Wanted::Part(part) => Some(part.clone()),
            Wanted::Nothing => None,
        }
    };
    match files::serve(hub, id, what, &grant, choose).await {
        Ok(served) => shown(served, what, &asked),
        Err(failure) => Failure::from(failure).into_response(),
    }
}

/// Reads what an address says besides its path.
fn grant(uri: &Uri) -> Option<Grant> {
    let (mut expires, mut signature) = (None, None);
    for (name, value) in form_urlencoded::parse(uri.query()?.as_bytes()) {
        match name.as_ref() {
            "expires" => expires = Some(value.parse().ok()?),
            "signature" => signature = Some(value.into_owned()),
            _ => {}
        }
    }
    let signature = signature?;
    Some(Grant { expires, signature })
}

/// Which bytes a request asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    /// All of them.
    All,
    /// A part of them.
    Part(Range<u64>),
    /// Some that there are not.
    Nothing,
}

/// Reads `Range`: one range of bytes. What asks for anything else gets the whole.
fn range(text: &str, size: u64) -> Wanted {
    let spec = text.trim().split_once('=');
    let spec =
        spec.filter(|(unit, spec)| unit.eq_ignore_ascii_case("bytes") && !spec.contains(','));
    let Some((first, last)) = spec.and_then(|(_, spec)| spec.split_once('-')) else {
        return Wanted::All;
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Some(first), None) if last.trim().is_empty() => first..size,
        (None, Some(last)) if first.trim().is_empty() => size.saturating_sub(last)..size,
        _ => return Wanted::All,
    };
    if part.start < part.end {
        Wanted::Part(part)
    } else {
        Wanted::Nothing
    }
}

fn shown(served: Served, what: Asked, asked: &Wanted) -> Response {
    let Served {
        file,
        media_type,
        is_shown,
        size,
        range,
        bytes,
    } = served;
    let (status, body) = match asked {
        Wanted::Nothing => (StatusCode::RANGE_NOT_SATISFIABLE, Body::empty()),
        Wanted::All => (
            StatusCode::OK,
            Body::from_stream(bytes.map_err(io::Error::other)),
        ),
        Wanted::Part(_) => (
            StatusCode::PARTIAL_CONTENT,
            Body::from_stream(bytes.map_err(io::Error::other)),
        ),
    };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    let fixed = HeaderValue::from_static;
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, fixed(POLICY));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    headers.insert(header::CACHE_CONTROL, fixed(CACHING));
    headers.insert(header::ACCEPT_RANGES, fixed("bytes"));
    let mut put = |name, text: String| {
        if let Ok(value) = HeaderValue::try_from(text) {
            headers.insert(name, value);
        }
    };
    put(header::CONTENT_TYPE, media_type);
    let name = file.filename.as_deref().unwrap_or_default();
    let name = match what {
        Asked::File => plain_name(name),
        Asked::Thumbnail => name_of_thumbnail(&plain_name(name)),
    };
    put(header::CONTENT_DISPOSITION, disposition(&name, is_shown));
    match asked {
        Wanted::All => put(header::CONTENT_LENGTH, size.to_string()),
        Wanted::Part(_) => {
            put(
                header::CONTENT_LENGTH,
                (range.end - range.start).to_string(),
            );
            let last = range.end - 1;
            put(
                header::CONTENT_RANGE,
                format!("bytes {}-{last}/{size}", range.start),
            );
        }
        Wanted::Nothing => put(header::CONTENT_RANGE, format!("bytes */{size}")),
    }
    response
}

/// Returns the name of a file without a path and without what hides in it.
fn plain_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|letter| !is_odd(*letter)).collect();
    name.trim_matches(['.', ' ']).to_owned()
}

/// Returns the name of the thumbnail of a file: that is a JPEG, whatever the file is.
fn name_of_thumbnail(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem {
        "" => String::new(),
        stem => format!("{stem}.jpg"),
    }
}

/// Says under which name a browser saves a file. What is no plain character is left out; the whole name
/// follows in UTF-8.
fn disposition(name: &str, is_shown: bool) -> String {
    let kind = if is_shown { "inline" } else { "attachment" };
    if name.is_empty() {
        return kind.to_owned();
    }
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || " -_.()".contains(*letter);
    let plain = |letter: char| if is_plain(&letter) { letter } else { '_' };
    let plain: String = name.chars().map(plain).collect();
    let coded = utf8_percent_encode(name, CODED);
    format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{coded}")
}

/// Says whether a character hides or turns what follows it.
fn is_odd(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str) -> String {
        disposition(&plain_name(name), true)
    }

    #[test]
    fn a_name_is_one_plain_word_and_never_a_path() {
        for (given, plain) in [
            ("photo.png", "photo.png"),
            ("../../etc/passwd", "passwd"),
            ("C:\\windows\\evil.exe", "evil.exe"),
            ("a\"; filename=\"b.exe", "a__ filename__b.exe"),
            ("a\r\nSet-Cookie: x", "aSet-Cookie_ x"),
            ("gpj.\u{202e}exe", "gpj.exe"),
            ("Größe.png", "Gr__e.png"),
        ] {
            let shown = called(given);
            let expected = format!("inline; filename=\"{plain}\"; ");
            assert!(shown.starts_with(&expected), "{shown}");
            assert!(HeaderValue::try_from(shown).is_ok());
        }
        for nothing in ["", "..", "a/", "\u{202e}"] {
            assert_eq!(called(nothing), "inline");
        }
        assert!(called("Größe.png").ends_with("UTF-8''Gr%C3%B6%C3%9Fe.png"));
    }

    #[test]
    fn a_thumbnail_is_called_a_jpeg() {
        for (file, thumbnail) in [
            ("photo.png", "photo.jpg"),
            ("../a.b.gif", "a.b.jpg"),
            ("photo", "photo.jpg"),
            ("", ""),
        ] {
            assert_eq!(name_of_thumbnail(&plain_name(file)), thumbnail, "{file}");
        }
    }

    #[test]
    fn a_range_is_a_part_of_what_there_is() {
        for (text, wanted) in [
            ("bytes=0-0", Wanted::Part(0..1)),
            ("BYTES=0-0", Wanted::Part(0..1)),
            (" Bytes=2-100", Wanted::Part(2..10)),
            ("bytes=2-100", Wanted::Part(2..10)),
            ("bytes=3-", Wanted::Part(3..10)),
            ("bytes=-4", Wanted::Part(6..10)),
            ("bytes=-100", Wanted::Part(0..10)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=5-4", Wanted::All),
            ("bytes=0-1,3-4", Wanted::All),
            ("bytes=x-", Wanted::All),
            ("lines=0-1", Wanted::All),
            (
                "bytes=18446744073709551615-18446744073709551615",
                Wanted::Nothing,
            ),
        ] {
            assert_eq!(range(text, 10), wanted, "{text}");
        }
    }
}
