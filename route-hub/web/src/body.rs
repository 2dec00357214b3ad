//! Reading a request body: bounded in size, in time and in what it inflates to.

use crate::{
    error::{ApiError, ErrorCode},
    limits::{
        BODY_BYTES_MAX, BODY_IDLE_MAX, BODY_TIME_MAX, INFLATE_RATIO_MAX, INFLATED_BYTES_FREE,
        INFLATED_BYTES_MAX,
    },
    params::unsupported,
};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use std::{io::Read, time::Duration};
use tokio::time::timeout;

/// Above this a body is inflated on a thread that may block.
const INFLATE_ASIDE_BYTES_MIN: usize = 32 * 1024;

/// Reads the whole body, inflated where it came compressed.
///
/// # Errors
/// 408 when it comes too slowly, 413 when it is too large, 415 for an unknown encoding, 400 for
/// bad gzip or a body that breaks off.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    read_within(headers, body, BODY_IDLE_MAX).await
}

async fn read_within(
    headers: &HeaderMap,
    body: Body,
    idle_max: Duration,
) -> Result<Bytes, ApiError> {
    let gzip = is_gzip(headers)?;
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > BODY_BYTES_MAX) {
        return Err(too_large());
    }
    let collected = timeout(BODY_TIME_MAX, collect(body, idle_max)).await;
    let bytes = collected.map_err(|_| too_slow())??;
    if !gzip || bytes.is_empty() {
        return Ok(bytes);
    }
    if bytes.len() < INFLATE_ASIDE_BYTES_MIN {
        return inflate(&bytes);
    }
    tokio::task::spawn_blocking(move || inflate(&bytes))
        .await
        .map_err(ApiError::internal)?
}

fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
    let Some(value) = headers.get(header::CONTENT_ENCODING) else {
        return Ok(false);
    };
    match value.to_str().unwrap_or("?").trim() {
        "" => Ok(false),
        name if name.eq_ignore_ascii_case("identity") => Ok(false),
        name if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") => {
            Ok(true)
        }
        _ => Err(unsupported("the only content encoding is gzip")),
    }
}

async fn collect(mut body: Body, idle_max: Duration) -> Result<Bytes, ApiError> {
    let Some(first) = next_piece(&mut body, idle_max).await? else {
        return Ok(Bytes::new());
    };
    if first.len() > BODY_BYTES_MAX {
        return Err(too_large());
    }
    let Some(second) = next_piece(&mut body, idle_max).await? else {
        return Ok(first);
    };
    let mut all = BytesMut::from(first);
    let mut piece = second;
    loop {
        if all.len() + piece.len() > BODY_BYTES_MAX {
            return Err(too_large());
        }
        all.extend_from_slice(&piece);
        match next_piece(&mut body, idle_max).await? {
            Some(next) => piece = next,
            None => return Ok(all.freeze()),
        }
    }
}

async fn next_piece(body: &mut Body, idle_max: Duration) -> Result<Option<Bytes>, ApiError> {
    loop {
        let frame = timeout(idle_max, body.frame()).await;
        match frame.map_err(|_| too_slow())? {
            None => return Ok(None),
            Some(Err(_)) => return Err(ApiError::invalid_body("the body breaks off")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data()
                    && !data.is_empty()
                {
                    return Ok(Some(data));
                }
            }
        }
    }
}

fn inflate(compressed: &[u8]) -> Result<Bytes, ApiError> {
    let by_ratio = INFLATED_BYTES_FREE + compressed.len() * INFLATE_RATIO_MAX;
    let most = by_ratio.min(INFLATED_BYTES_MAX);
    let mut out = Vec::with_capacity((compressed.len() * 4).min(most));
    let mut bounded = MultiGzDecoder::new(compressed).take(most as u64 + 1);
    bounded
        .read_to_end(&mut out)
        .map_err(|_| ApiError::invalid_body("the body is not valid gzip"))?;
    if out.len() > most {
        return Err(too_large());
    }
    Ok(out.into())
}

fn too_large() -> ApiError {
    ApiError::new(
        ErrorCode::TooLarge,
        "the body may have 1 MiB, and 8 MiB when inflated",
    )
}

fn too_slow() -> ApiError {
    ApiError::new(ErrorCode::RequestTimeout, "the body came too slowly")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use http::HeaderValue;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    async fn read(encoding: Option<&'static str>, body: Vec<u8>) -> Result<Bytes, u16> {
        let mut headers = HeaderMap::new();
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        let read = read_body(&headers, Body::from(body)).await;
        read.map_err(|error| error.code().status().as_u16())
    }

    #[tokio::test]
    async fn plain_and_compressed_bodies_are_read() {
        assert_eq!(read(None, b"abc".to_vec()).await.unwrap(), "abc");
        assert_eq!(read(Some("gzip"), gzip(b"abc")).await.unwrap(), "abc");
        assert_eq!(
            read(Some("identity"), b"abc".to_vec()).await.unwrap(),
            "abc"
        );
        assert_eq!(read(Some("gzip"), Vec::new()).await.unwrap(), "");
        let long = vec![b'a'; 400_000];
        assert_eq!(
            read(Some("gzip"), gzip(&long)).await.unwrap().len(),
            400_000
        );
    }

    #[tokio::test]
    async fn bad_gzip_is_a_bad_request() {
        assert_eq!(read(Some("gzip"), b"abc".to_vec()).await, Err(400));
        let mut cut = gzip(&[b'x'; 5_000]);
        cut.truncate(cut.len() - 4);
        assert_eq!(read(Some("gzip"), cut).await, Err(400));
        assert_eq!(read(Some("br"), b"abc".to_vec()).await, Err(415));
        assert_eq!(read(Some("gzip, gzip"), b"abc".to_vec()).await, Err(415));
    }

    #[tokio::test]
    async fn a_bomb_is_too_large() {
        assert_eq!(
            read(Some("gzip"), gzip(&vec![0; 64 * 1024 * 1024])).await,
            Err(413)
        );
        assert_eq!(
            read(Some("gzip"), gzip(&vec![0; 3 * 1024 * 1024])).await,
            Err(413)
        );
        assert_eq!(read(None, vec![b'a'; BODY_BYTES_MAX + 1]).await, Err(413));
    }

    #[tokio::test]
    async fn a_body_in_pieces_is_put_together_and_bounded() {
        let pieces = |count: usize| {
            let stream = futures_util::stream::iter(0..count)
                .map(|_| Ok::<_, std::convert::Infallible>(Bytes::from(vec![b'x'; 300_000])));
            Body::from_stream(stream)
        };
        use futures_util::StreamExt;
        let headers = HeaderMap::new();
        assert_eq!(read_body(&headers, pieces(3)).await.unwrap().len(), 900_000);
        let refused = read_body(&headers, pieces(4)).await.unwrap_err();
        assert_eq!(refused.code(), ErrorCode::TooLarge);
    }

    #[tokio::test]
    async fn a_body_that_stops_coming_is_timed_out() {
        let body = Body::from_stream(futures_util::stream::pending::<
            Result<Bytes, std::convert::Infallible>,
        >());
        let refused = read_within(&HeaderMap::new(), body, Duration::from_millis(1))
            .await
            .unwrap_err();
        assert_eq!(refused.code(), ErrorCode::RequestTimeout);
    }
}
