//! A body that is no parameters: rows as text, taken as they come.

use crate::body::{is_gzip, next_piece, too_slow};
use crate::error::{ApiError, ErrorCode};
use crate::limits::{BODY_IDLE_MAX, SHEET_BYTES_MAX, SHEET_TIME_MAX};
use crate::params::unsupported;
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::{HeaderMap, header};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Sleep, sleep};

/// Says whether a content type is that of a sheet.
pub(crate) fn is_sheet(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("text/csv")
}

/// A body that is taken once, as it comes.
#[derive(Debug, Clone)]
pub struct SheetBody(Arc<Mutex<Option<Body>>>);

impl SheetBody {
    /// Takes a body that is not read yet.
    ///
    /// # Errors
    /// 413 when it says that it is too large, 415 when it is compressed.
    pub(crate) fn new(headers: &HeaderMap, body: Body) -> Result<Self, ApiError> {
        if is_gzip(headers)? {
            return Err(unsupported("text/csv must come without content encoding"));
        }
        let declared = headers.get(header::CONTENT_LENGTH);
        let declared = declared.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if declared.is_some_and(|length| length > SHEET_BYTES_MAX) {
            Err(too_large())
        } else {
            Ok(Self(Arc::new(Mutex::new(Some(body)))))
        }
    }

    /// Returns its bytes as they come. Each error ends them: 408 when they come too slowly, 413 when they are
    /// too many, 400 when they break off.
    ///
    /// # Errors
    /// `unavailable` when they were taken before.
    pub fn bytes(
        &self,
    ) -> Result<impl Stream<Item = Result<Bytes, ApiError>> + Send + use<>, ApiError> {
        let body = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let gone = || ApiError::unavailable("the body came once: send it again");
        let coming = Coming {
            body: body.ok_or_else(gone)?,
            taken: 0,
            end: Box::pin(sleep(SHEET_TIME_MAX)),
        };
        Ok(stream::unfold(Some(coming), next))
    }
}

/// A body on its way.
struct Coming {
    body: Body,
    taken: usize,
    /// When it has had its time.
    end: Pin<Box<Sleep>>,
}

async fn next(coming: Option<Coming>) -> Option<(Result<Bytes, ApiError>, Option<Coming>)> {
    let mut coming = coming?;
    let piece = tokio::select! {
        piece = next_piece(&mut coming.body, BODY_IDLE_MAX) => piece,
        () = &mut coming.end => Err(too_slow()),
    };
    match piece {
        Ok(None) => None,
        Ok(Some(bytes)) => {
            coming.taken += bytes.len();
            if coming.taken > SHEET_BYTES_MAX {
                Some((Err(too_large()), None))
            } else {
                Some((Ok(bytes), Some(coming)))
            }
        }
        Err(error) => Some((Err(error), None)),
    }
}

fn too_large() -> ApiError {
    ApiError::new(ErrorCode::TooLarge, "text/csv may have 20 MiB")
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{StreamExt as _, TryStreamExt as _};
    use http::HeaderValue;
    use std::convert::Infallible;

    fn pieces(count: usize) -> Body {
        let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
        let pieces = std::iter::repeat_n(piece, count).map(Ok::<_, Infallible>);
        Body::from_stream(stream::iter(pieces))
    }

    #[tokio::test]
    async fn a_sheet_comes_bit_by_bit_and_is_bounded() {
        let sheet = SheetBody::new(&HeaderMap::new(), pieces(20)).unwrap();
        let all: Vec<_> = sheet.bytes().unwrap().try_collect().await.unwrap();
        assert_eq!(all.iter().map(Bytes::len).sum::<usize>(), SHEET_BYTES_MAX);
        assert_eq!(sheet.bytes().err().unwrap().code(), ErrorCode::Unavailable);
        let sheet = SheetBody::new(&HeaderMap::new(), pieces(22)).unwrap();
        let mut bytes = Box::pin(sheet.bytes().unwrap());
        let mut last = None;
        while let Some(piece) = bytes.next().await {
            last = Some(piece);
        }
        assert_eq!(last.unwrap().unwrap_err().code(), ErrorCode::TooLarge);
    }

    #[test]
    fn what_says_that_it_is_too_large_or_packed_is_refused_unread() {
        for (name, value, code) in [
            (header::CONTENT_LENGTH, "20971521", ErrorCode::TooLarge),
            (
                header::CONTENT_ENCODING,
                "gzip",
                ErrorCode::UnsupportedMediaType,
            ),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            let refused = SheetBody::new(&headers, Body::empty()).unwrap_err();
            assert_eq!(refused.code(), code);
        }
        assert!(is_sheet("Text/CSV; charset=utf-16") && !is_sheet("text/plain"));
    }
}
