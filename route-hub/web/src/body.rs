//! Reading a request body: bounded in size, in time and in what it inflates to.

use crate::{
    error::{ApiError, ErrorCode},
    limits::{
        BODY_BYTES_MAX, BODY_IDLE_MAX, BODY_TIME_MAX, INFLATE_RATIO_MAX, INFLATED_BYTES_FREE,
        INFLATED_BYTES_MAX, MEDIA_BODY_BYTES_MAX, STRANGER_BODY_BYTES_MAX, STRANGER_BODY_TIME_MAX,
    },
    media_bodies::{MediaBodies, MediaBody},
    params::unsupported,
    stranger::{Holding, StrangerBodies},
};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header, request::Parts};
use http_body_util::BodyExt;
use std::{io::Read, time::Duration};
use tokio::time::timeout;

/// Above this a body is inflated on a thread that may block.
const INFLATE_ASIDE_BYTES_MIN: usize = 32 * 1024;

/// What a body may cost.
struct Bounds<'h, 'b> {
    bytes_max: usize,
    inflated_max: usize,
    time_max: Duration,
    idle_max: Duration,
    /// What a stranger's body holds of the room that all of them share.
    holding: Option<&'h mut Holding<'b>>,
    /// What a body with media holds of the room that all of them share.
    media: Option<&'h mut MediaBody>,
    text: &'static str,
}

impl Bounds<'_, '_> {
    /// Returns the bounds of who has shown a key.
    fn known() -> Self {
        Self {
            bytes_max: BODY_BYTES_MAX,
            inflated_max: INFLATED_BYTES_MAX,
            time_max: BODY_TIME_MAX,
            idle_max: BODY_IDLE_MAX,
            holding: None,
            media: None,
            text: "the body may have 1 MiB, and 8 MiB when inflated",
        }
    }

    /// Returns the bounds of who has shown a key and may send media.
    fn with_media(held: &mut MediaBody) -> Bounds<'_, '_> {
        Bounds {
            bytes_max: MEDIA_BODY_BYTES_MAX,
            inflated_max: MEDIA_BODY_BYTES_MAX,
            media: Some(held),
            text: "the body may have 8 MiB",
            ..Bounds::known()
        }
    }

    /// Returns the bounds of who has shown no key yet.
    fn of_stranger<'h, 'b>(bytes_max: usize, holding: &'h mut Holding<'b>) -> Bounds<'h, 'b> {
        Bounds {
            bytes_max,
            inflated_max: bytes_max,
            time_max: STRANGER_BODY_TIME_MAX,
            holding: Some(holding),
            media: None,
            text: "the body is too large to come before a key: send the key in the header \
                   Authorization, not in the body",
            idle_max: BODY_IDLE_MAX,
        }
    }

    fn too_large(&self) -> ApiError {
        ApiError::new(ErrorCode::TooLarge, self.text)
    }

    fn hold(&mut self, bytes: usize) -> Result<(), ApiError> {
        if let Some(media) = &mut self.media {
            media.grow(bytes)?;
        }
        match &mut self.holding {
            Some(holding) => holding.grow(bytes),
            None => Ok(()),
        }
    }
}

/// A body whose sender has shown no key; it counts among all such bodies until it is dropped.
#[derive(Debug)]
pub struct StrangerBody<'b> {
    bytes: Bytes,
    _holding: Holding<'b>,
}

impl std::ops::Deref for StrangerBody<'_> {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}

/// Reads the whole body of who has shown a key, inflated where it came compressed.
///
/// # Errors
/// 408 when it comes too slowly, 413 when it is too large, 415 for an unknown encoding, 400 for
/// bad gzip or a body that breaks off.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    read_within(headers, body, Bounds::known()).await
}

/// As [`read_body`], of an operation that takes media; returns what the body holds of the room of all.
///
/// # Errors
/// As [`read_body`], and 503 when all such bodies together are too large.
pub(crate) async fn read_media_body(
    headers: &HeaderMap,
    body: Body,
    bodies: &MediaBodies,
) -> Result<(Bytes, MediaBody), ApiError> {
    let mut held = bodies.begin();
    let bytes = read_within(headers, body, Bounds::with_media(&mut held)).await?;
    held.shrink_to(bytes.len());
    Ok((bytes, held))
}

/// Reads the whole body of who has shown no key yet: of at most `bytes_max`, or
/// [`STRANGER_BODY_BYTES_MAX`] where that is less.
///
/// # Errors
/// As [`read_body`], and 503 when all such bodies together are too large.
pub async fn read_stranger_body<'b>(
    parts: &Parts,
    body: Body,
    bodies: &'b StrangerBodies,
    bytes_max: usize,
) -> Result<StrangerBody<'b>, ApiError> {
    let mut holding = bodies.begin(parts.extensions.get().copied());
    let bytes_max = bytes_max.min(STRANGER_BODY_BYTES_MAX);
    let bounds = Bounds::of_stranger(bytes_max, &mut holding);
    let bytes = read_within(&parts.headers, body, bounds).await?;
    holding.shrink_to(bytes.len());
    Ok(StrangerBody {
        bytes,
        _holding: holding,
    })
}

async fn read_within(
    headers: &HeaderMap,
    body: Body,
    mut bounds: Bounds<'_, '_>,
) -> Result<Bytes, ApiError> {
    let gzip = is_gzip(headers)?;
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > bounds.bytes_max) {
        return Err(bounds.too_large());
    }
    let collected = timeout(bounds.time_max, collect(body, &mut bounds)).await;
    let bytes = collected.map_err(|_| too_slow())??;
    if !gzip || bytes.is_empty() {
        return Ok(bytes);
    }
    let by_ratio = INFLATED_BYTES_FREE + bytes.len() * INFLATE_RATIO_MAX;
    let most = by_ratio.min(bounds.inflated_max);
    bounds.hold(most)?;
    let inflated = if bytes.len() < INFLATE_ASIDE_BYTES_MIN {
        inflate(&bytes, most)
    } else {
        tokio::task::spawn_blocking(move || inflate(&bytes, most))
            .await
            .map_err(ApiError::internal)?
    };
    inflated?.ok_or_else(|| {
        if most < bounds.inflated_max {
            grew_too_far()
        } else {
            bounds.too_large()
        }
    })
}

pub(crate) fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
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

async fn collect(mut body: Body, bounds: &mut Bounds<'_, '_>) -> Result<Bytes, ApiError> {
    let Some(first) = next_piece(&mut body, bounds.idle_max).await? else {
        return Ok(Bytes::new());
    };
    if first.len() > bounds.bytes_max {
        return Err(bounds.too_large());
    }
    bounds.hold(first.len())?;
    let Some(second) = next_piece(&mut body, bounds.idle_max).await? else {
        return Ok(first);
    };
    let mut all = BytesMut::from(first);
    let mut piece = second;
    loop {
        if all.len() + piece.len() > bounds.bytes_max {
            return Err(bounds.too_large());
        }
        bounds.hold(piece.len())?;
        all.extend_from_slice(&piece);
        match next_piece(&mut body, bounds.idle_max).await? {
            Some(next) => piece = next,
            None => return Ok(all.freeze()),
        }
    }
}

pub(crate) async fn next_piece(
    body: &mut Body,
    idle_max: Duration,
) -> Result<Option<Bytes>, ApiError> {
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

/// Inflates to at most `most` bytes; `None` when there are more.
fn inflate(compressed: &[u8], most: usize) -> Result<Option<Bytes>, ApiError> {
    let mut out = Vec::with_capacity((compressed.len() * 4).min(most));
    let mut bounded = MultiGzDecoder::new(compressed).take(most as u64 + 1);
    bounded
        .read_to_end(&mut out)
        .map_err(|_| ApiError::invalid_body("the body is not valid gzip"))?;
    Ok((out.len() <= most).then(|| out.into()))
}

/// Says that a body is larger than what may come of its compressed size.
fn grew_too_far() -> ApiError {
    let free = INFLATED_BYTES_FREE / 1024;
    let text = format!(
        "a body in gzip may have {INFLATE_RATIO_MAX} times its compressed size and {free} KiB more"
    );
    ApiError::new(ErrorCode::TooLarge, text)
}

pub(crate) fn too_slow() -> ApiError {
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
    async fn a_body_that_is_far_larger_than_it_came_is_refused_for_that() {
        let refused = async |length: usize, media: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            let body = Body::from(gzip(&vec![0; length]));
            let read = if media {
                let read = read_media_body(&headers, body, &MediaBodies::default()).await;
                read.map(|(bytes, _)| bytes)
            } else {
                read_body(&headers, body).await
            };
            read.unwrap_err().message().to_owned()
        };
        for media in [false, true] {
            let words = refused(3 * 1024 * 1024, media).await;
            assert!(words.contains("100 times"), "{words}");
        }
        let words = refused(64 * 1024 * 1024, true).await;
        assert!(words.contains("100 times"), "{words}");
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
        let bounds = Bounds {
            idle_max: Duration::from_millis(1),
            ..Bounds::known()
        };
        let refused = read_within(&HeaderMap::new(), body, bounds)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), ErrorCode::RequestTimeout);
    }

    #[tokio::test]
    async fn a_body_that_drips_has_its_time() {
        let drip = futures_util::stream::unfold((), |()| async {
            tokio::task::yield_now().await;
            Some((
                Ok::<_, std::convert::Infallible>(Bytes::from_static(b"a")),
                (),
            ))
        });
        let bounds = Bounds {
            time_max: Duration::from_millis(1),
            ..Bounds::known()
        };
        let refused = read_within(&HeaderMap::new(), Body::from_stream(drip), bounds)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), ErrorCode::RequestTimeout);
    }

    #[test]
    fn a_strangers_body_has_less_time() {
        let bodies = StrangerBodies::default();
        let time_max = Bounds::of_stranger(1, &mut bodies.begin(None)).time_max;
        assert_eq!(time_max, Duration::from_secs(10));
        assert!(time_max < Bounds::known().time_max);
    }

    async fn read_strange(bodies: &StrangerBodies, gzipped: bool, body: Vec<u8>) -> u16 {
        let mut request = http::Request::new(());
        if gzipped {
            let gzip = HeaderValue::from_static("gzip");
            request.headers_mut().insert(header::CONTENT_ENCODING, gzip);
        }
        let (parts, ()) = request.into_parts();
        let read = read_stranger_body(&parts, Body::from(body), bodies, usize::MAX).await;
        read.map_or_else(|error| error.code().status().as_u16(), |_| 200)
    }

    #[tokio::test]
    async fn a_stranger_may_send_256_kib_however_it_comes() {
        let bodies = StrangerBodies::default();
        let most = vec![b'a'; STRANGER_BODY_BYTES_MAX];
        let more = vec![b'a'; STRANGER_BODY_BYTES_MAX + 1];
        assert_eq!(read_strange(&bodies, false, most.clone()).await, 200);
        assert_eq!(read_strange(&bodies, false, more.clone()).await, 413);
        assert_eq!(read_strange(&bodies, true, gzip(&most)).await, 200);
        assert_eq!(read_strange(&bodies, true, gzip(&more)).await, 413);
    }

    #[tokio::test]
    async fn strangers_bodies_count_together_until_they_are_done_with() {
        let bodies = StrangerBodies::default();
        let mut others = bodies.begin(None);
        others
            .grow(crate::limits::STRANGER_BODIES_BYTES_MAX - 10)
            .unwrap();
        assert_eq!(read_strange(&bodies, false, vec![b'a'; 11]).await, 503);
        assert_eq!(read_strange(&bodies, false, vec![b'a'; 10]).await, 200);
        assert_eq!(read_strange(&bodies, true, gzip(b"a")).await, 503);
        assert_eq!(
            read(None, vec![b'a'; 11]).await.unwrap().len(),
            11,
            "who has a key"
        );
        drop(others);
        assert_eq!(read_strange(&bodies, true, gzip(b"a")).await, 200);
    }
}
