package org.postrider.agent.sms

import android.content.ContentResolver
import android.database.Cursor
import android.provider.Telephony.Sms
import android.provider.Telephony.Sms.Inbox
import org.postrider.agent.radio.After
import org.postrider.agent.radio.Page
import org.postrider.agent.radio.Query
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.long
import org.postrider.agent.radio.read
import org.postrider.agent.radio.slotsOfRows
import org.postrider.agent.radio.text
import org.postrider.core.ReceivedSms
import org.postrider.core.ScanMark
import org.postrider.core.SentRow
import org.postrider.core.SentRowAsked
import org.postrider.core.divideText

/** Reads the platform's texts. */
internal class SmsLog(private val resolver: ContentResolver, private val sims: SimSlots) {
    /** Reads incoming texts after a mark. */
    fun inbox(from: ScanMark): Page<ReceivedSms> {
        val after = After(from, Sms.DATE)
        val query = Query(Inbox.CONTENT_URI, COLUMNS, after.where, after.arguments, after.order)
        val slotOf = sims.slotsOfRows()
        return resolver.read(query, ROWS_MAX) { received(it, slotOf) }
    }

    private fun received(row: Cursor, slotOf: (Int?) -> UByte): ReceivedSms {
        val text = row.text(4)
        return ReceivedSms(
            receipt = IncomingSms.NO_RECEIPT,
            sim = slotOf(row.long(5)?.toInt()),
            from = row.text(3),
            to = null,
            text = text,
            parts = divideText(text).size.coerceIn(1, UByte.MAX_VALUE.toInt()).toUByte(),
            sentAt = row.long(2)?.takeIf { it > 0 },
            receivedAt = row.getLong(1),
            row = row.getLong(0),
        )
    }

    private companion object {
        /** The most that the agent accepts at once. */
        const val ROWS_MAX = 500
        val COLUMNS = listOf(Sms._ID, Sms.DATE, Sms.DATE_SENT, Sms.ADDRESS, Sms.BODY, Sms.SUBSCRIPTION_ID)
    }
}

/** Looks for a hand-over among the texts that the platform holds as sent by this app. */
internal class SentMessages(
    private val resolver: ContentResolver,
    private val sims: SimSlots,
    private val creator: String,
) {
    /** Returns the rows of its SIM, recipient and text that are not older, oldest first. */
    fun find(asked: SentRowAsked): List<SentRow> {
        val subscription = sims.subscriptionOf(asked.sim) ?: return emptyList()
        val query = Query(
            Sms.Sent.CONTENT_URI,
            listOf(Sms._ID, Sms.DATE, Sms.ADDRESS),
            Sms.DATE + " >= ? AND " + Sms.SUBSCRIPTION_ID + " = ? AND " + Sms.CREATOR + " = ? AND " + Sms.BODY + " = ?",
            listOf(asked.since, subscription, creator, asked.text),
            Sms.DATE + " ASC, " + Sms._ID + " ASC",
        )
        val found = resolver.read(query, LOOKED_AT_MAX) { Pair(SentRow(it.getLong(0), it.getLong(1)), it.text(2)) }
        return found.rows.filter { (_, to) -> isSame(to, asked.to) }.map { (row, _) -> row }.take(ROWS_MAX)
    }

    /** The platform may leave out spacing in a number, but never a digit. */
    private fun isSame(one: String, other: String) = dialled(one) == dialled(other)

    private fun dialled(number: String) = number.filterNot { it in " -().\u00a0" }

    private companion object {
        /** The most that the agent accepts at once. */
        const val ROWS_MAX = 16

        /** One text may go to many: as many of its rows are read as fit an hour or two of sending. */
        const val LOOKED_AT_MAX = 5_000
    }
}
