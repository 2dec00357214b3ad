package org.postrider.agent.mms

import android.content.ContentResolver
import android.database.Cursor
import android.net.Uri
import android.provider.Telephony.Mms
import android.provider.Telephony.Mms.Addr
import android.provider.Telephony.Mms.Part
import org.postrider.agent.Trouble
import org.postrider.agent.radio.After
import org.postrider.agent.radio.Page
import org.postrider.agent.radio.Query
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.long
import org.postrider.agent.radio.read
import org.postrider.agent.radio.slotsOfRows
import org.postrider.agent.radio.text
import org.postrider.core.ReceivedMms
import org.postrider.core.ScanMark
import java.io.IOException

/** Reads the multimedia messages that the phone's own app has fetched: who, when, and their text. */
internal class MmsLog(private val resolver: ContentResolver, private val sims: SimSlots) {
    /** Reads incoming messages after a mark. The platform dates them in seconds. */
    fun inbox(from: ScanMark): Page<ReceivedMms> {
        val after = After(from, Mms.DATE, MS_OF_S)
        val where = Mms.MESSAGE_TYPE + " = ? AND " + after.where
        val arguments = listOf<Any>(FETCHED) + after.arguments
        val query = Query(Mms.Inbox.CONTENT_URI, COLUMNS, where, arguments, after.order)
        val slotOf = sims.slotsOfRows()
        return resolver.read(query, ROWS_MAX) { received(it, slotOf) }
    }

    private fun received(row: Cursor, slotOf: (Int?) -> UByte): ReceivedMms {
        val id = row.getLong(0)
        val addresses = addressesOf(id)
        return ReceivedMms(
            receipt = 0uL,
            sim = slotOf(row.long(5)?.toInt()),
            from = addresses.find { it.kind == FROM }?.address.orEmpty(),
            to = addresses.filter { it.kind == TO }.map { it.address }.singleOrNull(),
            subject = HeaderText.read(row.text(3), row.long(4)?.toInt()).takeIf { it.isNotEmpty() },
            text = textOf(id).takeIf { it.isNotEmpty() },
            sentAt = row.long(2)?.takeIf { it > 0 }?.times(MS_OF_S),
            receivedAt = row.getLong(1) * MS_OF_S,
            row = id,
        )
    }

    private class Addressed(val kind: Int, val address: String)

    private fun addressesOf(id: Long): List<Addressed> {
        val uri = Mms.CONTENT_URI.buildUpon().appendPath(id.toString()).appendPath("addr").build()
        val columns = listOf(Addr.TYPE, Addr.ADDRESS, Addr.CHARSET)
        return resolver.read(Query(uri, columns), ADDRESSES_MAX) {
            Addressed(it.getInt(0), HeaderText.read(it.text(1), it.long(2)?.toInt()))
        }.rows
    }

    private fun textOf(id: Long): String {
        val uri = Mms.CONTENT_URI.buildUpon().appendPath(id.toString()).appendPath("part").build()
        val columns = listOf(Part._ID, Part.CONTENT_TYPE, Part.TEXT, Part._DATA)
        val parts = resolver.read(Query(uri, columns, order = Part.SEQ + " ASC, " + Part._ID + " ASC"), PARTS_MAX) {
            if (it.text(1).equals(PLAIN_TEXT, ignoreCase = true)) partText(it) else null
        }
        return parts.rows.filterNotNull().joinToString("\n")
    }

    /** The provider keeps a text in its row; another app may have written it to a file. */
    private fun partText(row: Cursor): String? {
        if (row.text(2).isNotEmpty() || row.isNull(3)) return row.text(2)
        val uri = Uri.withAppendedPath(Mms.CONTENT_URI, "part/" + row.getLong(0))
        return try {
            resolver.openInputStream(uri)?.use { String(it.readUpTo(TEXT_BYTES_MAX), Charsets.UTF_8) }
        } catch (error: IOException) {
            leftOut(error)
        } catch (error: RuntimeException) {
            leftOut(error)
        }
    }

    /** A missing part does not block other messages. */
    private fun leftOut(error: Exception): String? {
        Trouble.failed("reading a part of a multimedia message", error)
        return null
    }

    private companion object {
        /** Each row needs two more queries: fewer at once than the agent would accept. */
        const val ROWS_MAX = 50
        const val ADDRESSES_MAX = 100
        const val PARTS_MAX = 100

        /** Longer texts are cut: no frame of the link could carry them. */
        const val TEXT_BYTES_MAX = 65_536
        const val MS_OF_S = 1_000L

        /** `m-retrieve-conf`: the content is here. Before, there is only a notice of it. */
        const val FETCHED = 132
        const val FROM = 137
        const val TO = 151
        const val PLAIN_TEXT = "text/plain"
        val COLUMNS = listOf(Mms._ID, Mms.DATE, Mms.DATE_SENT, Mms.SUBJECT, Mms.SUBJECT_CHARSET, Mms.SUBSCRIPTION_ID)
    }
}
