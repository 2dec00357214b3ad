package org.postrider.agent.scan

import com.google.zxing.BinaryBitmap
import com.google.zxing.DecodeHintType
import com.google.zxing.LuminanceSource
import com.google.zxing.PlanarYUVLuminanceSource
import com.google.zxing.ReaderException
import com.google.zxing.common.GlobalHistogramBinarizer
import com.google.zxing.common.HybridBinarizer
import com.google.zxing.qrcode.QRCodeReader

/** A camera picture, of which only the brightness counts; a row begins every [rowBytes]. */
class Brightness(val bytes: ByteArray, val width: Int, val height: Int, val rowBytes: Int)

/**
 * Finds a QR code in a picture, and reads it.
 *
 * A terminal may show the code in light on dark, so a picture without a code is also tried in the negative.
 */
class QrDecoder {
    private val reader = QRCodeReader()
    private val hints = mapOf<DecodeHintType, Any>(DecodeHintType.TRY_HARDER to true)

    /** Returns the code's text; null if none can be read. */
    fun read(picture: Brightness): String? {
        val source = PlanarYUVLuminanceSource(
            picture.bytes, picture.rowBytes, picture.height, 0, 0, picture.width, picture.height, false,
        )
        return read(source) ?: read(source.invert())
    }

    /** The first method copes with shadows across the picture, the second with blurred edges. */
    private fun read(source: LuminanceSource): String? =
        read(BinaryBitmap(HybridBinarizer(source))) ?: read(BinaryBitmap(GlobalHistogramBinarizer(source)))

    private fun read(bitmap: BinaryBitmap): String? = try {
        reader.decode(bitmap, hints).text
    } catch (_: ReaderException) {
        null
    } finally {
        reader.reset()
    }
}
