package org.postrider.agent.sms

import android.Manifest.permission.SEND_SMS
import android.app.Activity
import android.app.PendingIntent
import android.content.Intent
import android.net.Uri
import android.telephony.SmsManager
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.BOB
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.PATIENCE_S
import org.postrider.agent.radio.Pdus
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.hear
import org.postrider.agent.radio.hearOut
import org.postrider.agent.radio.keeping
import org.postrider.agent.radio.token
import org.postrider.core.Body
import org.postrider.core.RadioFact
import org.postrider.core.ReportStatus
import org.postrider.core.SendParts
import org.postrider.core.SendToken
import org.postrider.core.explainReport
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

@RunWith(RobolectricTestRunner::class)
class ResultReceiverTest {
    private val facts = Facts()
    private val receiver = ResultReceiver(keeping(facts))
    private val sender by lazy { SmsSender(app, Slots.two(), facts) }

    @Before
    fun allow() = grant(SEND_SMS)

    @Test
    fun mixed_results_of_the_parts_reach_the_agent_raw_in_whatever_order_they_come() {
        val sent = send(TWO_PARTS).sentIntents
        receiver.hearOut(filled(sent[1]).putExtra("errorCode", 38), SmsManager.RESULT_ERROR_GENERIC_FAILURE)
        receiver.hearOut(filled(sent[0]), Activity.RESULT_OK)
        assertEquals(RadioFact.PartSent(token(), 1u, 2u, 1, 38), facts.next())
        assertEquals(RadioFact.PartSent(token(), 0u, 2u, -1, null), facts.next())
    }

    @Test
    fun a_code_of_which_nobody_knows_is_passed_on_as_it_is() {
        val sent = send("hello").sentIntents.single()
        receiver.hearOut(filled(sent), 4_711)
        assertEquals(4_711, (facts.next() as RadioFact.PartSent).code)
    }

    @Test
    fun a_result_that_comes_after_the_next_attempt_began_still_names_its_own() {
        val late = send("hello").sentIntents.single()
        send("hello", token(attempt = 2))
        receiver.hearOut(filled(late), Activity.RESULT_OK)
        assertEquals(token(attempt = 1), (facts.next() as RadioFact.PartSent).token)
    }

    @Test
    fun what_the_platform_fills_in_arrives() {
        val submitted = send("hello")
        submitted.sentIntents.single().send(app, SmsManager.RESULT_ERROR_NO_SERVICE, Intent().putExtra("errorCode", 41))
        val broadcast = shadowOf(app).broadcastIntents.last()
        assertEquals(41, broadcast.getIntExtra("errorCode", 0))
        assertEquals(ResultReceiver::class.java.name, broadcast.component?.className)
    }

    @Test
    fun the_receiver_is_done_only_when_the_fact_is_kept() {
        val release = CountDownLatch(1)
        val slow = ResultReceiver { _, fact ->
            facts(fact)
            release.await(PATIENCE_S, TimeUnit.SECONDS)
        }
        val done = slow.hear(filled(send("hello").sentIntents.single()), Activity.RESULT_OK)
        facts.next()
        assertFalse(done.isDone)
        release.countDown()
        done.get(PATIENCE_S, TimeUnit.SECONDS)
    }

    @Test
    fun a_failure_to_keep_ends_the_wait_and_the_intents_stay() {
        val submitted = send("hello")
        val forgetful = ResultReceiver { _, _ -> error("no disk") }
        forgetful.hearOut(filled(submitted.sentIntents.single()), SmsManager.RESULT_ERROR_NO_SERVICE)
        val refusing = ResultReceiver { _, _ -> false }
        refusing.hearOut(filled(submitted.sentIntents.single()), SmsManager.RESULT_ERROR_NO_SERVICE)
        assertTrue(Intents.exists(name(Word.REPORTED)))
    }

    @Test
    fun each_report_of_a_part_tells_its_status_and_whom_it_is_about() {
        val report = send("hello").deliveryIntents.single()
        for (status in listOf(0x30, 0x01, 0x46, 0x00)) {
            receiver.hearOut(reported(report, Pdus.report(ALICE, status), "3gpp"), Activity.RESULT_OK)
            val told = RadioFact.ReportArrived(token(), 0u, ReportStatus.Gsm(status.toUByte()), ALICE)
            assertEquals(told, facts.next())
        }
        receiver.hearOut(reported(report, Pdus.report(BOB, 0), "3gpp"), Activity.RESULT_OK)
        assertEquals(BOB, (facts.next() as RadioFact.ReportArrived).recipient)
        receiver.hearOut(reported(report, Pdus.report("15551", 0), "3gpp"), Activity.RESULT_OK)
        assertEquals("15551", (facts.next() as RadioFact.ReportArrived).recipient)
    }

    @Test
    fun a_report_of_the_other_standard_keeps_its_own_value() {
        val report = send("hello").deliveryIntents.single()
        receiver.hearOut(reported(report, Pdus.reportOfCdma("5005550001", 3, 4), "3gpp2"), Activity.RESULT_OK)
        val told = facts.next() as RadioFact.ReportArrived
        assertEquals(ReportStatus.Cdma(0x0304_0000u), told.status)
        assertEquals("5005550001", told.recipient)
        val meaning = explainReport(told.status)
        assertTrue(meaning.isFinal && !meaning.isDelivered)
    }

    @Test
    fun what_is_no_report_tells_nothing() {
        val report = send("hello").deliveryIntents.single()
        val cut = Pdus.report(ALICE, 0).copyOf(9)
        val damaged = listOf(null, ByteArray(0), byteArrayOf(1), cut, Pdus.deliver(ALICE, "hi"))
        for (pdu in damaged) receiver.hearOut(reported(report, pdu, "3gpp"), Activity.RESULT_OK)
        receiver.hearOut(reported(report, Pdus.report(ALICE, 0), "other"), Activity.RESULT_OK)
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun an_intent_of_somebody_else_tells_nothing() {
        for (data in FOREIGN) {
            receiver.hearOut(Intent().setData(data?.let(Uri::parse)), Activity.RESULT_OK)
        }
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun intents_of_reports_stay_while_reports_can_come_and_no_longer() {
        val submitted = send("hello")
        val report = submitted.deliveryIntents.single()
        receiver.hearOut(filled(submitted.sentIntents.single()), Activity.RESULT_OK)
        receiver.hearOut(reported(report, Pdus.report(ALICE, 0x30), "3gpp"), Activity.RESULT_OK)
        assertTrue(Intents.exists(name(Word.REPORTED)))
        receiver.hearOut(reported(report, Pdus.report(ALICE, 0x00), "3gpp"), Activity.RESULT_OK)
        assertFalse(Intents.exists(name(Word.REPORTED)))
    }

    @Test
    fun a_part_that_failed_is_not_reported_on() {
        val submitted = send(TWO_PARTS)
        receiver.hearOut(filled(submitted.sentIntents[1]), SmsManager.RESULT_ERROR_GENERIC_FAILURE)
        assertTrue(Intents.exists(PartName(Word.REPORTED, token(), 0u, 2u)))
        assertFalse(Intents.exists(PartName(Word.REPORTED, token(), 1u, 2u)))
    }

    @Test
    fun a_thousand_messages_leave_no_intent_behind() {
        val tokens = (0 until MANY).map { token(ep = it + 1) }
        for ((index, token) in tokens.withIndex()) {
            val submitted = send("hello", token)
            // The platform drops a one-time intent once it has come.
            submitted.sentIntents.single().cancel()
            val isFailed = index % 10 == 0
            val code = if (isFailed) SmsManager.RESULT_ERROR_NO_SERVICE else Activity.RESULT_OK
            receiver.hearOut(filled(submitted.sentIntents.single()), code)
            if (isFailed) continue
            val report = submitted.deliveryIntents.single()
            receiver.hearOut(reported(report, Pdus.report(ALICE, 0), "3gpp"), Activity.RESULT_OK)
        }
        assertNull(tokens.flatMap { token -> Word.values().map { PartName(it, token, 0u, 1u) } }.find(Intents::exists))
        assertTrue(Thread.getAllStackTraces().keys.count { it.name == "receivers" } <= 1)
    }

    private fun send(text: String, token: SendToken = token()) = run {
        sender.send(SendParts(token, 0u, ALICE, Body.Text(text), 1u, true))
        val manager = app.getSystemService(SmsManager::class.java)!!.createForSubscriptionId(FIRST_SUBSCRIPTION)
        shadowOf(manager).lastSentMultipartTextMessageParams!!
    }

    private fun name(word: Word) = PartName(word, token(), 0u, 1u)

    private fun filled(intent: PendingIntent) = Intent(shadowOf(intent).savedIntent)

    private fun reported(intent: PendingIntent, pdu: ByteArray?, format: String) =
        filled(intent).putExtra("pdu", pdu).putExtra("format", format)

    private companion object {
        const val MANY = 1_000
        val FOREIGN = listOf(
            null,
            "http://sent/x/1/1/0/1",
            "postrider-part://other/x/1/1/0/1",
            "postrider-part://sent/x/1/1/0",
            "postrider-part://sent/x/1/1/999/1",
            "postrider-part://sent/x/-1/1/0/1",
        )
        val TWO_PARTS = "\u0436".repeat(100)
    }
}
