package org.postrider.agent.calls

import android.content.ContentResolver
import android.database.Cursor
import android.provider.CallLog.Calls
import org.postrider.agent.radio.After
import org.postrider.agent.radio.Page
import org.postrider.agent.radio.Query
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.read
import org.postrider.agent.radio.slotsOfRows
import org.postrider.agent.radio.text
import org.postrider.core.CallKind
import org.postrider.core.CallLogRow
import org.postrider.core.ScanMark

/** Reads the platform's log of calls. */
internal class CallLogReader(
    private val resolver: ContentResolver,
    private val sims: SimSlots,
    private val accounts: PhoneAccounts,
) {
    /** Reads the calls after a mark; calls taken on another device of the owner do not count. */
    fun calls(from: ScanMark): Page<CallLogRow> {
        val after = After(from, Calls.DATE)
        val where = Calls.TYPE + " IN (" + KINDS.keys.joinToString() + ") AND " + after.where
        val query = Query(Calls.CONTENT_URI, COLUMNS, where, after.arguments, after.order)
        val subscriptions = accounts.subscriptionsById()
        val slotOf = sims.slotsOfRows()
        return resolver.read(query, ROWS_MAX) { logged(it, slotOf(subscriptions[it.text(6)])) }
    }

    private fun logged(row: Cursor, sim: UByte) = CallLogRow(
        row = row.getLong(0),
        sim = sim,
        number = row.text(2).takeIf { it.isNotEmpty() && row.getInt(3) == Calls.PRESENTATION_ALLOWED },
        kind = KINDS.getValue(row.getInt(4)),
        startedAt = row.getLong(1),
        durationS = row.getLong(5),
    )

    private companion object {
        /** The most that the agent accepts at once. */
        const val ROWS_MAX = 500
        val COLUMNS = listOf(
            Calls._ID,
            Calls.DATE,
            Calls.NUMBER,
            Calls.NUMBER_PRESENTATION,
            Calls.TYPE,
            Calls.DURATION,
            Calls.PHONE_ACCOUNT_ID,
        )
        val KINDS = mapOf(
            Calls.INCOMING_TYPE to CallKind.INCOMING,
            Calls.OUTGOING_TYPE to CallKind.OUTGOING,
            Calls.MISSED_TYPE to CallKind.MISSED,
            Calls.VOICEMAIL_TYPE to CallKind.VOICEMAIL,
            Calls.REJECTED_TYPE to CallKind.REJECTED,
            Calls.BLOCKED_TYPE to CallKind.BLOCKED,
        )
    }
}
