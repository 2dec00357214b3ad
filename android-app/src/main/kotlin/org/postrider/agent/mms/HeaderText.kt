package org.postrider.agent.mms

import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.Charset

/**
 * Reads a header of a multimedia message from the platform's provider.
 *
 * The provider stores each byte of the header as one character, and beside it the header's character set by its
 * number (MIBenum of IANA).
 */
internal object HeaderText {
    fun read(kept: String, charset: Int?): String {
        if (kept.any { it.code > BYTE_MAX }) return kept
        val known = CHARSETS[charset] ?: return kept
        val bytes = kept.toByteArray(Charsets.ISO_8859_1)
        return try {
            known.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()
        } catch (_: CharacterCodingException) {
            kept
        }
    }

    private const val BYTE_MAX = 0xff
    private val CHARSETS: Map<Int?, Charset> = mapOf(
        3 to Charsets.US_ASCII,
        4 to Charsets.ISO_8859_1,
        106 to Charsets.UTF_8,
        1_000 to Charsets.UTF_16BE,
        1_015 to Charsets.UTF_16,
    )
}

/** Reads at most this many bytes of the rest. */
internal fun InputStream.readUpTo(bytesMax: Int): ByteArray {
    val bytes = ByteArray(bytesMax)
    var filled = 0
    while (filled < bytesMax) {
        val count = read(bytes, filled, bytesMax - filled)
        if (count < 0) break
        filled += count
    }
    return bytes.copyOf(filled)
}
