package org.postrider.agent.radio

import android.Manifest.permission.READ_CALL_LOG
import android.Manifest.permission.READ_PHONE_STATE
import android.Manifest.permission.READ_SMS
import android.content.Context
import android.database.sqlite.SQLiteException
import android.net.Uri
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.Log
import org.postrider.core.LogPage
import org.postrider.core.RadioFact
import org.postrider.core.ReceivedSms
import org.postrider.core.ScanMark
import org.postrider.core.SentRow
import org.postrider.core.SentRowAsked
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.SQLiteMode

@RunWith(RobolectricTestRunner::class)
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class AndroidRadioTest {
    private val facts = Facts()
    private val slots = Slots.two()
    private val radio by lazy { AndroidRadio(app as Context, slots, facts) }
    private val sms by lazy { providers["sms"] }

    @get:Rule
    val providers = Providers("sms", "mms", "call_log")

    @Before
    fun allow() = grant(READ_SMS, READ_CALL_LOG)

    @After
    fun stop() = radio.stop()

    @Test
    fun texts_are_read_after_the_mark_by_date_and_then_by_row() {
        val at = 1_000_000L
        sms.inbox(at + 5, "newer", id = 1)
        sms.inbox(at, "same moment, lower row", id = 2)
        sms.inbox(at, "same moment, higher row", id = 9)
        sms.inbox(at - 1, "older", id = 10)
        sms.put("sms", "type" to 2, "date" to at + 1, "body" to "sent", "address" to BOB)
        val page = texts(ScanMark(at, 2))
        assertTrue(page.complete)
        assertEquals(listOf("same moment, higher row", "newer"), page.texts.map { it.text })
    }

    @Test
    fun a_text_of_the_provider_is_whole() {
        sms.put(
            "sms", "_id" to 4, "type" to 1, "address" to ALICE, "date" to 2_000L, "date_sent" to 1_000L,
            "sub_id" to SECOND_SUBSCRIPTION, "body" to "a".repeat(161),
        )
        val told = ReceivedSms(0u, 1u, ALICE, null, "a".repeat(161), 2u, 1_000, 2_000, 4)
        assertEquals(listOf(told), texts(ScanMark(0, 0)).texts)
    }

    @Test
    fun a_text_that_is_almost_empty_in_the_provider_is_told_all_the_same() {
        sms.put("sms", "_id" to 4, "type" to 1, "date" to 2_000L)
        val told = ReceivedSms(0u, 0u, "", null, "", 1u, null, 2_000, 4)
        assertEquals(listOf(told), texts(ScanMark(0, 0)).texts)
    }

    @Test
    fun a_text_that_is_stored_as_bytes_keeps_no_other_back() {
        sms.put("sms", "_id" to 4, "type" to 1, "date" to 2_000L, "body" to byteArrayOf(1))
        sms.inbox(3_000, "after it", id = 5)
        assertEquals(listOf("", "after it"), texts(ScanMark(0, 0)).texts.map { it.text })
    }

    @Test
    fun a_page_has_five_hundred_rows_and_says_whether_more_follow() {
        for (row in 1..501) sms.inbox(1_000L + row / 7, "text", id = row)
        val first = texts(ScanMark(0, 0))
        assertEquals(500, first.texts.size)
        assertFalse(first.complete)
        val last = first.texts.last()
        val second = texts(ScanMark(last.receivedAt!!, last.row!!))
        assertEquals(listOf(501L), second.texts.map { it.row })
        assertTrue(second.complete)
    }

    @Test
    fun exactly_one_page_is_complete() {
        for (row in 1..500) sms.inbox(1_000L, "text", id = row)
        assertTrue(texts(ScanMark(0, 0)).complete)
    }

    @Test
    fun a_log_that_may_not_be_read_is_complete_without_rows() {
        sms.inbox(1_000, "text", id = 1)
        revoke(READ_SMS, READ_CALL_LOG)
        val pages = listOf(LogPage.Sms(emptyList()), LogPage.Mms(emptyList()), LogPage.Calls(emptyList()))
        for ((log, page) in Log.values().zip(pages)) {
            radio.readLog(log, ScanMark(0, 0))
            assertEquals(RadioFact.LogRead(page, true), facts.next())
        }
    }

    @Test
    fun a_permission_that_goes_while_reading_is_as_none() {
        sms.failure = SecurityException("just revoked")
        assertEquals(emptyList<ReceivedSms>(), texts(ScanMark(0, 0)).texts)
    }

    @Test
    fun a_provider_that_fails_is_no_empty_log_and_can_be_asked_again() {
        sms.inbox(1_000, "text", id = 1)
        for (failure in listOf(SQLiteException("busy"), IllegalStateException("no window"))) {
            sms.failure = failure
            radio.readLog(Log.SMS, ScanMark(0, 0))
            radio.readSentRow(asked())
            radio.readLog(Log.CALLS, ScanMark(0, 0))
            assertEquals(RadioFact.LogRead(LogPage.Calls(emptyList()), true), facts.next())
        }
        sms.failure = null
        assertEquals(1, texts(ScanMark(0, 0)).texts.size)
    }

    @Test
    fun a_sent_message_is_found_by_sim_recipient_text_date_and_that_we_sent_it() {
        val us = app.packageName
        sms.sent(5_000, "hi", id = 1, creator = us)
        sms.sent(4_000, "hi", id = 2, creator = us)
        sms.sent(5_000, "hi", id = 3, creator = "com.example.other")
        sms.sent(5_000, "ho", id = 4, creator = us)
        sms.sent(5_000, "hi", id = 5, creator = us, to = BOB)
        sms.sent(5_000, "hi", id = 6, creator = us, subscription = SECOND_SUBSCRIPTION)
        sms.sent(999, "hi", id = 7, creator = us)
        sms.sent(6_000, "hi", id = 8, creator = us, to = "+1 (500) 555-0001")
        sms.inbox(5_000, "hi", id = 9)
        radio.readSentRow(asked())
        val found = listOf(SentRow(2, 4_000), SentRow(1, 5_000), SentRow(8, 6_000))
        assertEquals(RadioFact.SentRowRead(token(), found), facts.next())
    }

    @Test
    fun the_first_sixteen_sent_rows_are_told() {
        for (row in 1..20) sms.sent(5_000L + row, "hi", id = row, creator = app.packageName)
        radio.readSentRow(asked())
        assertEquals((1L..16L).toList(), (facts.next() as RadioFact.SentRowRead).rows.map { it.row })
    }

    @Test
    fun without_a_sim_no_row_is_its_and_without_permission_nothing_is_said() {
        sms.sent(5_000, "hi", id = 1, creator = app.packageName)
        slots.remove(0)
        radio.readSentRow(asked())
        assertEquals(RadioFact.SentRowRead(token(), emptyList()), facts.next())
        revoke(READ_SMS)
        radio.readSentRow(asked())
        radio.readLog(Log.SMS, ScanMark(0, 0))
        assertTrue(facts.next() is RadioFact.LogRead)
    }

    @Test
    fun a_change_of_a_log_is_told_while_it_is_started() {
        radio.start()
        facts.all()
        val changes = listOf(
            "sms/7" to Log.SMS,
            "mms/7" to Log.MMS,
            "mms-sms/" to Log.MMS,
            "call_log/calls/7" to Log.CALLS,
        )
        for ((uri, log) in changes) {
            app.contentResolver.notifyChange(Uri.parse("content://" + uri), null)
            assertEquals(listOf(RadioFact.LogChanged(log)), facts.all())
        }
        radio.refresh()
        app.contentResolver.notifyChange(Uri.parse("content://sms/7"), null)
        assertEquals(1, facts.all().size)
        radio.stop()
        app.contentResolver.notifyChange(Uri.parse("content://sms/7"), null)
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun a_log_that_may_not_be_watched_yet_is_watched_when_it_may() {
        val uri = Uri.parse("content://sms")
        shadowOf(app.contentResolver).setRegisterContentProviderException(uri, SecurityException("not yet"))
        radio.start()
        app.contentResolver.notifyChange(Uri.parse("content://call_log/calls/1"), null)
        assertEquals(listOf(RadioFact.LogChanged(Log.CALLS)), facts.all())
        shadowOf(app.contentResolver).clearRegisterContentProviderException(uri)
        radio.refresh()
        app.contentResolver.notifyChange(Uri.parse("content://sms/1"), null)
        assertEquals(listOf(RadioFact.LogChanged(Log.SMS)), facts.all())
    }

    @Test
    fun it_starts_without_any_permission() {
        revoke(READ_SMS, READ_CALL_LOG, READ_PHONE_STATE)
        radio.start()
        radio.confirmReceived(1u)
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    private val RadioFact.LogRead.texts get() = (page as LogPage.Sms).v1

    private fun texts(from: ScanMark): RadioFact.LogRead {
        radio.readLog(Log.SMS, from)
        return facts.next() as RadioFact.LogRead
    }

    private fun asked() = SentRowAsked(token(), 0u, ALICE, "hi", 1_000)

    private fun Provider.inbox(date: Long, text: String, id: Int) = put(
        "sms", "_id" to id, "type" to 1, "date" to date, "date_sent" to date, "body" to text, "address" to ALICE,
        "sub_id" to FIRST_SUBSCRIPTION,
    )

    private fun Provider.sent(
        date: Long,
        text: String,
        id: Int,
        creator: String,
        to: String = ALICE,
        subscription: Int = FIRST_SUBSCRIPTION,
    ) = put(
        "sms", "_id" to id, "type" to 2, "date" to date, "body" to text, "address" to to,
        "sub_id" to subscription, "creator" to creator,
    )
}
