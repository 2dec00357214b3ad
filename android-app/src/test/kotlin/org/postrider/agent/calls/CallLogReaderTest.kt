package org.postrider.agent.calls

import android.Manifest.permission.READ_PHONE_STATE
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.Providers
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.revoke
import org.postrider.core.CallKind
import org.postrider.core.CallLogRow
import org.postrider.core.ScanMark
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.SQLiteMode

@RunWith(RobolectricTestRunner::class)
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class CallLogReaderTest {
    private val slots = Slots.two()
    private val log by lazy { CallLogReader(app.contentResolver, slots, PhoneAccounts(app, slots)) }

    @get:Rule
    val providers = Providers("call_log")

    @Before
    fun install() {
        grant(READ_PHONE_STATE)
        val phone = TwoLines()
        phone.addAccount("3", FIRST_SUBSCRIPTION)
        phone.addAccount("8944000000000000000", SECOND_SUBSCRIPTION)
    }

    @Test
    fun each_kind_of_call_is_told_and_what_another_device_took_is_not() {
        for (type in listOf(1, 2, 3, 4, 5, 6, 7, 4_711)) call(date = 1_000L + type, "type" to type)
        val kinds = listOf(
            CallKind.INCOMING,
            CallKind.OUTGOING,
            CallKind.MISSED,
            CallKind.VOICEMAIL,
            CallKind.REJECTED,
            CallKind.BLOCKED,
        )
        assertEquals(kinds, log.calls(ScanMark(0, 0)).rows.map { it.kind })
    }

    @Test
    fun a_call_is_whole_and_belongs_to_the_sim_of_its_account() {
        call(date = 5_000, "_id" to 9, "subscription_id" to "8944000000000000000", "duration" to 17)
        val told = CallLogRow(9, 1u, ALICE, CallKind.INCOMING, 5_000, 17)
        assertEquals(listOf(told), log.calls(ScanMark(0, 0)).rows)
    }

    @Test
    fun a_call_of_an_account_that_is_unknown_or_may_not_be_known_counts_as_of_the_first_sim() {
        call(date = 1, "subscription_id" to "E.1")
        call(date = 2, "subscription_id" to null)
        assertEquals(listOf<UByte>(0u, 0u), log.calls(ScanMark(0, 0)).rows.map { it.sim })
        revoke(READ_PHONE_STATE)
        assertEquals(2, log.calls(ScanMark(0, 0)).rows.size)
    }

    @Test
    fun a_number_that_was_withheld_is_none() {
        for ((at, presentation) in listOf(1, 2, 3, 4).withIndex()) call(date = 1L + at, "presentation" to presentation)
        call(date = 9, "number" to "")
        call(date = 10, "number" to null)
        val numbers = log.calls(ScanMark(0, 0)).rows.map { it.number }
        assertEquals(listOf(ALICE, null, null, null, null, null), numbers)
    }

    @Test
    fun calls_come_in_pages_by_date_and_row() {
        for (row in 1..501) call(date = 1_000L - row / 100, "_id" to row)
        val first = log.calls(ScanMark(0, 0))
        assertEquals(500, first.rows.size)
        assertFalse(first.isComplete)
        val places = first.rows.map { Pair(it.startedAt, it.row) }
        assertEquals(places.sortedWith(compareBy({ it.first }, { it.second })), places)
        val last = first.rows.last()
        val second = log.calls(ScanMark(last.startedAt, last.row))
        assertEquals(1, second.rows.size)
        assertTrue(second.isComplete)
    }

    private fun call(date: Long, vararg more: Pair<String, Any?>) {
        val columns = linkedMapOf<String, Any?>(
            "number" to ALICE,
            "type" to 1,
            "date" to date,
            "duration" to 0,
            "subscription_id" to "3",
        )
        columns.putAll(more)
        providers["call_log"].put("calls", *columns.toList().toTypedArray())
    }
}
