package org.postrider.agent.sms

import android.net.Uri
import org.postrider.core.MessageRef
import org.postrider.core.SendToken

/** What the platform reports of a part. */
internal enum class Word(val host: String) {
    /** The network accepted it or did not. */
    SENT("sent"),

    /** A status report came. */
    REPORTED("report"),
}

/**
 * Names one part of one hand-over, and the kind of report.
 *
 * It travels as a data URI, because extras do not make two intents of the platform differ.
 */
internal data class PartName(val word: Word, val token: SendToken, val part: UByte, val of: UByte) {
    fun toUri(): Uri = Uri.Builder()
        .scheme(SCHEME)
        .authority(word.host)
        .appendPath(token.message.id)
        .appendPath(token.message.ep.toString())
        .appendPath(token.attempt.toString())
        .appendPath(part.toString())
        .appendPath(of.toString())
        .build()

    companion object {
        private const val SCHEME = "postrider-part"
        private const val FIELDS = 5

        /** Reads a name; null when it is not one. */
        fun of(uri: Uri?): PartName? {
            val word = Word.values().find { it.host == uri?.authority }
            val fields = uri?.pathSegments.orEmpty()
            if (uri?.scheme != SCHEME || word == null || fields.size != FIELDS) return null
            val (id, ep, attempt, part, of) = fields
            return PartName(
                word,
                SendToken(
                    MessageRef(id, ep.toUIntOrNull() ?: return null),
                    attempt.toUIntOrNull() ?: return null,
                ),
                part.toUByteOrNull() ?: return null,
                of.toUByteOrNull() ?: return null,
            )
        }
    }
}
