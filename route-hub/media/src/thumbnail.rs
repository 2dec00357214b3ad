//! Small pictures of pictures, upright and without anything but the picture.

use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::overlay;
use image::{
    DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits, Rgba, RgbaImage,
};
use std::io::Cursor;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Longest edge of a thumbnail.
pub const EDGE_PX: u32 = 320;
/// Most pixels of a picture that gets one.
const PIXELS_MAX: u64 = 40_000_000;
/// Most memory that a picture may take while it is read.
const MEMORY_MAX: u64 = 128 * 1024 * 1024;
/// How many are made at a time.
const AT_A_TIME: usize = 2;
/// How well a thumbnail looks, of 100.
const QUALITY: u8 = 80;
/// The kinds of pictures that are read.
const FORMATS: &[ImageFormat] = &[
    ImageFormat::Jpeg,
    ImageFormat::Png,
    ImageFormat::Gif,
    ImageFormat::WebP,
];

/// Makes thumbnails, two at a time.
#[derive(Debug, Clone)]
pub struct Thumbnailer(Arc<Semaphore>);

impl Default for Thumbnailer {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_A_TIME)))
    }
}

impl Thumbnailer {
    /// Makes the thumbnail of a picture, a JPEG; `None` of what is no picture, is too large, or
    /// is broken.
    pub async fn make(&self, bytes: Bytes) -> Option<Bytes> {
        image::guess_format(&bytes)
            .ok()
            .filter(|it| FORMATS.contains(it))?;
        let _place = self.0.acquire().await.ok()?;
        let made = tokio::task::spawn_blocking(move || of_picture(&bytes)).await;
        // A picture that ends the decoder has no thumbnail.
        made.ok()?.ok().map(Bytes::from)
    }
}

fn of_picture(bytes: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MEMORY_MAX);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    let too_large = || {
        let kind = image::error::LimitErrorKind::DimensionError;
        ImageError::Limits(image::error::LimitError::from_kind(kind))
    };
    let pixels = u64::from(width) * u64::from(height);
    if pixels > PIXELS_MAX || decoder.total_bytes() > MEMORY_MAX {
        return Err(too_large());
    }
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    if width > EDGE_PX || height > EDGE_PX {
        picture = picture.thumbnail(EDGE_PX, EDGE_PX);
    }
    picture.apply_orientation(orientation);
    write(&picture)
}

/// Writes a picture as JPEG; what is transparent lies on white.
fn write(picture: &DynamicImage) -> Result<Vec<u8>, ImageError> {
    let mut plain = RgbaImage::from_pixel(picture.width(), picture.height(), Rgba([255; 4]));
    overlay(&mut plain, &picture.to_rgba8(), 0, 0);
    let plain = DynamicImage::ImageRgba8(plain).to_rgb8();
    let mut out = Cursor::new(Vec::new());
    plain.write_with_encoder(JpegEncoder::new_with_quality(&mut out, QUALITY))?;
    Ok(out.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GenericImageView as _, Rgb, RgbImage};

    async fn made(bytes: Vec<u8>) -> Option<DynamicImage> {
        let made = Thumbnailer::default().make(bytes.into()).await?;
        Some(image::load_from_memory(&made).unwrap())
    }

    fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        picture.write_to(&mut out, format).unwrap();
        out.into_inner()
    }

    /// Left half red, right half blue.
    fn two_halves(width: u32, height: u32) -> DynamicImage {
        let picture = RgbImage::from_fn(width, height, |x, _| {
            if x < width / 2 {
                Rgb([255, 0, 0])
            } else {
                Rgb([0, 0, 255])
            }
        });
        picture.into()
    }

    /// A JPEG with the orientation that cameras held upright write.
    fn turned(jpeg: &[u8], orientation: u8) -> Vec<u8> {
        let tiff = [
            &b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..],
            &[orientation, 0, 0, 0, 0, 0, 0],
        ];
        let exif = tiff.concat();
        let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
        [&jpeg[..2], b"\xff\xe1", &length, &exif, &jpeg[2..]].concat()
    }

    #[tokio::test]
    async fn a_thumbnail_is_small_and_keeps_its_form() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let small = made(written(&two_halves(1_280, 640), format))
                .await
                .unwrap();
            assert_eq!(small.dimensions(), (320, 160));
        }
        let tiny = made(written(&two_halves(20, 10), ImageFormat::Png))
            .await
            .unwrap();
        assert_eq!(tiny.dimensions(), (20, 10));
    }

    #[tokio::test]
    async fn a_thumbnail_stands_upright_without_metadata() {
        let jpeg = written(&two_halves(640, 320), ImageFormat::Jpeg);
        let turned = turned(&jpeg, 6);
        let bytes = Thumbnailer::default().make(turned.into()).await.unwrap();
        assert!(!bytes.windows(4).any(|four| four == b"Exif"));
        let small = image::load_from_memory(&bytes).unwrap();
        assert_eq!(small.dimensions(), (160, 320));
        let (top, bottom) = (small.get_pixel(80, 20), small.get_pixel(80, 300));
        assert!(top[0] > 200 && top[2] < 60, "{top:?}");
        assert!(bottom[2] > 200 && bottom[0] < 60, "{bottom:?}");
    }

    #[tokio::test]
    async fn what_is_transparent_lies_on_white() {
        let clear = RgbaImage::from_pixel(400, 400, Rgba([1, 2, 3, 0]));
        let small = made(written(&clear.into(), ImageFormat::Png))
            .await
            .unwrap();
        assert!(
            small.get_pixel(1, 1).0[..3]
                .iter()
                .all(|colour| *colour > 250)
        );
    }

    #[tokio::test]
    async fn a_bomb_and_a_broken_picture_have_none() {
        let small = written(&two_halves(8, 8), ImageFormat::Png);
        // Says that it is 60,000 pixels wide and high, with a sum that is right.
        let mut bomb = small.clone();
        bomb[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
        let sum = crc32(&bomb[12..29]).to_be_bytes();
        bomb[29..33].copy_from_slice(&sum);
        assert!(made(bomb).await.is_none());
        let mut cut = small.clone();
        cut.truncate(40);
        assert!(made(cut).await.is_none());
        assert!(made(b"%PDF-1.4".to_vec()).await.is_none());
        assert!(made(Vec::new()).await.is_none());
    }

    fn crc32(bytes: &[u8]) -> u32 {
        let step = |sum: u32, byte: &u8| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| match sum & 1 {
                1 => sum >> 1 ^ 0xedb8_8320,
                _ => sum >> 1,
            })
        };
        !bytes.iter().fold(!0, step)
    }
}
