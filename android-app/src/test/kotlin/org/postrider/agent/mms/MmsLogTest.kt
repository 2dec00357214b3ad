package org.postrider.agent.mms

import android.content.Intent
import android.net.Uri
import android.provider.Telephony.Sms.Intents
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.BOB
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.Provider
import org.postrider.agent.radio.Providers
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.hearOut
import org.postrider.agent.radio.keeping
import org.postrider.core.Log
import org.postrider.core.RadioFact
import org.postrider.core.ReceivedMms
import org.postrider.core.ScanMark
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.SQLiteMode
import java.io.FileNotFoundException

@RunWith(RobolectricTestRunner::class)
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class MmsLogTest {
    private val mms by lazy { providers["mms"] }
    private val log by lazy { MmsLog(app.contentResolver, Slots.two()) }

    @get:Rule
    val providers = Providers("mms")

    @Test
    fun a_fetched_message_comes_with_sender_subject_and_all_its_text() {
        val subject = String("D\u00e9jeuner \u20ac".toByteArray(), Charsets.ISO_8859_1)
        mms.message(5, date = 70, "date_sent" to 60, "sub" to subject, "sub_cs" to 106, "sub_id" to SECOND_SUBSCRIPTION)
        mms.address(5, 151, BOB)
        mms.address(5, 137, ALICE)
        mms.part(5, 2, "text/plain", "second \u20ac")
        mms.part(5, 1, "text/plain", "first")
        mms.part(5, 0, "application/smil", "<smil/>")
        mms.part(5, 3, "image/jpeg", null, "/data/part_1")
        val told = ReceivedMms(0u, 1u, ALICE, BOB, "D\u00e9jeuner \u20ac", "first\nsecond \u20ac", 60_000, 70_000, 5)
        assertEquals(listOf(told), log.inbox(ScanMark(0, 0)).rows)
    }

    @Test
    fun a_message_to_a_group_and_without_text_or_subject_is_told_without_them() {
        mms.message(5, date = 70)
        mms.address(5, 137, ALICE)
        mms.address(5, 151, BOB)
        mms.address(5, 151, "+15005550003")
        val told = ReceivedMms(0u, 0u, ALICE, null, null, null, null, 70_000, 5)
        assertEquals(listOf(told), log.inbox(ScanMark(0, 0)).rows)
    }

    @Test
    fun a_text_in_a_file_is_read_and_one_that_is_gone_is_left_out() {
        mms.message(5, date = 70)
        val there = mms.part(5, 0, "text/plain", null, "/data/there")
        val gone = listOf(1, 3).map { mms.part(5, it, "text/plain", null, "/data/gone") }
        mms.part(5, 2, "text/plain", "and more")
        val resolver = shadowOf(app.contentResolver)
        resolver.registerInputStream(Uri.parse("content://mms/part/" + there), "from a file \u20ac".byteInputStream())
        for ((id, error) in gone.zip(listOf(FileNotFoundException(), IllegalStateException()))) {
            resolver.registerInputStreamSupplier(Uri.parse("content://mms/part/" + id)) { throw error }
        }
        assertEquals("from a file \u20ac\nand more", log.inbox(ScanMark(0, 0)).rows.single().text)
    }

    @Test
    fun what_is_not_fetched_or_was_sent_is_not_told() {
        mms.message(1, date = 70, "m_type" to 130)
        mms.message(2, date = 70, "msg_box" to 2, "m_type" to 128)
        assertTrue(log.inbox(ScanMark(0, 0)).rows.isEmpty())
    }

    @Test
    fun a_mark_in_milliseconds_finds_rows_in_seconds() {
        mms.message(1, date = 70)
        mms.message(2, date = 70)
        mms.message(3, date = 71)
        val after = { date: Long, row: Long -> log.inbox(ScanMark(date, row)).rows.map { it.row } }
        assertEquals(listOf(1L, 2L, 3L), after(69_999, 9))
        assertEquals(listOf(2L, 3L), after(70_000, 1))
        assertEquals(listOf(3L), after(70_001, 0))
        assertEquals(listOf<Long>(), after(71_000, 3))
        assertEquals(listOf(1L, 2L, 3L), after(-1, 0))
    }

    @Test
    fun pages_follow_one_another() {
        for (row in 1..51) mms.message(row, date = 70)
        val first = log.inbox(ScanMark(0, 0))
        assertEquals(50, first.rows.size)
        assertFalse(first.isComplete)
        val last = first.rows.last()
        val second = log.inbox(ScanMark(last.receivedAt, last.row))
        assertEquals(listOf(51L), second.rows.map { it.row })
        assertTrue(second.isComplete)
    }

    @Test
    fun a_header_in_a_set_of_characters_that_it_breaks_or_that_nobody_knows_stays_as_it_is() {
        assertEquals("\u00e9", HeaderText.read("\u00e9", 106))
        assertEquals("\u00c3\u00a9", HeaderText.read("\u00c3\u00a9", 9_999))
        assertEquals("\u00e9", HeaderText.read("\u00c3\u00a9", 106))
        assertEquals("\u20ac", HeaderText.read("\u20ac", 106))
        assertEquals("plain", HeaderText.read("plain", null))
    }

    @Test
    fun a_notice_wakes_the_agent_to_look() {
        val facts = Facts()
        val receiver = MmsNoticeReceiver(keeping(facts))
        receiver.hearOut(Intent(Intents.WAP_PUSH_RECEIVED_ACTION).setType("application/vnd.wap.mms-message"))
        assertEquals(RadioFact.LogChanged(Log.MMS), facts.next())
        receiver.hearOut(Intent("android.intent.action.VIEW"))
        assertNull(facts.all().firstOrNull())
    }

    private fun Provider.message(id: Int, date: Int, vararg more: Pair<String, Any?>) {
        val columns = linkedMapOf<String, Any?>("_id" to id, "msg_box" to 1, "m_type" to 132, "date" to date)
        columns.putAll(more)
        put("pdu", *columns.toList().toTypedArray())
    }

    private fun Provider.address(id: Int, kind: Int, address: String) =
        put("addr", "msg_id" to id, "type" to kind, "address" to address, "charset" to 106)

    private fun Provider.part(id: Int, place: Int, type: String, text: String?, file: String? = null) =
        put("part", "mid" to id, "seq" to place, "ct" to type, "text" to text, "_data" to file)
}
