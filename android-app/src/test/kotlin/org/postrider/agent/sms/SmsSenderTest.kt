package org.postrider.agent.sms

import android.Manifest.permission.SEND_SMS
import android.app.PendingIntent
import android.content.ComponentName
import android.net.Uri
import android.os.Build
import android.telephony.SmsManager
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.revoke
import org.postrider.agent.radio.token
import org.postrider.core.Body
import org.postrider.core.Data
import org.postrider.core.RadioFact
import org.postrider.core.SendParts
import org.postrider.core.SendToken
import org.postrider.core.explainResult
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.Implementation
import org.robolectric.annotation.Implements
import org.robolectric.shadows.ShadowSmsManager
import java.util.ArrayList

@RunWith(RobolectricTestRunner::class)
class SmsSenderTest {
    private val slots = Slots.two()
    private val facts = Facts()
    private val sender by lazy { SmsSender(app, slots, facts) }

    @Before
    fun allow() {
        grant(SEND_SMS)
        Refusing.error = null
    }

    @Test
    fun each_part_has_intents_of_its_own_that_come_back_to_the_receiver() {
        sender.send(task(THREE_PARTS))
        val (sent, reports) = submitted().let { it.sentIntents to it.deliveryIntents }
        assertEquals(listOf(67, 67, 6), submitted().parts.map { it.length })
        val uris = (sent + reports).map { uriOf(it) }
        assertEquals(6, uris.toSet().size)
        val names = uris.map { PartName.of(it) }
        assertEquals(names(Word.SENT, 3) + names(Word.REPORTED, 3), names)
        for (intent in sent + reports) {
            assertTrue(shadowOf(intent).isBroadcast)
            assertEquals(ComponentName(app, ResultReceiver::class.java), shadowOf(intent).savedIntent.component)
        }
    }

    @Test
    fun a_result_comes_once_and_reports_come_again_and_the_platform_may_fill_both_in() {
        sender.send(task("hello"))
        val sent = shadowOf(submitted().sentIntents.single()).flags
        val report = shadowOf(submitted().deliveryIntents.single()).flags
        // Older platforms fill in every intent.
        val isSaid = Build.VERSION.SDK_INT >= Build.VERSION_CODES.S
        val mutable = if (isSaid) PendingIntent.FLAG_MUTABLE else 0
        assertEquals(mutable or PendingIntent.FLAG_ONE_SHOT, sent)
        assertEquals(mutable, report)
    }

    @Test
    fun another_attempt_or_exposure_of_a_message_has_other_intents() {
        val tokens = listOf(token(), token(attempt = 2), token(ep = 2), token(id = "SMbbbbbbbbbbbbbb"))
        val uris = tokens.map {
            sender.send(task("hello", token = it))
            uriOf(submitted().sentIntents.single())
        }
        assertEquals(tokens.size, uris.toSet().size)
    }

    @Test
    fun a_message_goes_by_the_sim_that_was_asked_for() {
        sender.send(task("to the second", sim = 1))
        assertNull(shadowOf(managerOf(FIRST_SUBSCRIPTION)).lastSentMultipartTextMessageParams)
        val submitted = shadowOf(managerOf(SECOND_SUBSCRIPTION)).lastSentMultipartTextMessageParams
        assertEquals(ALICE, submitted.destinationAddress)
        assertEquals(listOf("to the second"), submitted.parts)
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun without_a_wish_for_reports_none_is_asked_for() {
        sender.send(task("hello", report = false))
        assertNull(submitted().deliveryIntents)
    }

    @Test
    fun bytes_go_to_their_port_in_one_part() {
        val bytes = byteArrayOf(1, 2, -1)
        sender.send(task("").copy(body = Body.Data(Data(40_001u, bytes)), sim = 0u))
        val submitted = shadowOf(managerOf(FIRST_SUBSCRIPTION)).lastSentDataMessageParams
        assertEquals(40_001.toShort(), submitted.destinationPort)
        assertArrayEquals(bytes, submitted.data)
        assertEquals(names(Word.SENT, 1).single(), PartName.of(uriOf(submitted.sentIntent)))
        assertEquals(names(Word.REPORTED, 1).single(), PartName.of(uriOf(submitted.deliveryIntent)))
    }

    @Test
    fun without_the_permission_nothing_is_handed_over_and_every_part_is_proven_unsent() {
        revoke(SEND_SMS)
        sender.send(task(THREE_PARTS))
        assertNull(submittedOrNone())
        // The core's own code holds the SIM; the platform's own refusal would fail the message.
        assertRefused(parts = 3, code = -1_000)
    }

    @Test
    fun a_slot_without_a_sim_is_told_as_that() {
        slots.remove(0)
        sender.send(task("hello"))
        assertNull(submittedOrNone())
        assertEquals(listOf(SmsManager.RESULT_RIL_SIM_ABSENT), codes(facts.all()))
    }

    @Test
    fun what_cannot_be_a_message_is_refused_before_the_platform_sees_it() {
        sender.send(task(""))
        sender.send(task("").copy(body = Body.Data(Data(40_001u, ByteArray(0)))))
        sender.send(task("hello").copy(to = ""))
        val told = facts.all()
        assertEquals(List(3) { SmsManager.RESULT_INVALID_ARGUMENTS }, codes(told))
        assertTrue(told.all { explainResult((it as RadioFact.PartSent).code).isProof })
        assertNull(submittedOrNone())
    }

    @Test
    @Config(shadows = [Refusing::class])
    fun what_the_platform_refuses_outright_is_proven_unsent_and_leaves_no_intent() {
        val refusals = listOf(IllegalArgumentException(), SecurityException(), UnsupportedOperationException())
        for (error in refusals) {
            Refusing.error = error
            sender.send(task(THREE_PARTS))
            assertRefused(parts = 3)
            assertEquals(emptyList<PartName>(), remaining(task(THREE_PARTS), 3))
        }
    }

    @Test
    @Config(shadows = [Refusing::class])
    fun what_fails_in_the_call_itself_may_have_left_and_its_results_can_still_come() {
        Refusing.error = IllegalStateException("the other side died")
        sender.send(task(THREE_PARTS))
        val told = facts.all()
        assertEquals(3, told.size)
        assertFalse(told.any { explainResult((it as RadioFact.PartSent).code).isProof })
        assertEquals(6, remaining(task(THREE_PARTS), 3).size)
    }

    private fun assertRefused(parts: Int, code: Int? = null) {
        val told = facts.all().map { it as RadioFact.PartSent }
        assertEquals((0 until parts).map { it.toUByte() }, told.map { it.part })
        assertTrue(told.all { it.of.toInt() == parts && it.token == token() && it.cause == null })
        assertTrue(told.all { explainResult(it.code).isProof })
        assertEquals(1, told.map { it.code }.toSet().size)
        if (code != null) assertEquals(code, told.first().code)
    }

    private fun codes(told: List<RadioFact>) = told.map { (it as RadioFact.PartSent).code }

    private fun task(text: String, token: SendToken = token(), sim: Int = 0, report: Boolean = true) =
        SendParts(token, sim.toUByte(), ALICE, Body.Text(text), if (text == THREE_PARTS) 3u else 1u, report)

    private fun names(word: Word, of: Int) = (0 until of).map { PartName(word, token(), it.toUByte(), of.toUByte()) }

    private fun remaining(task: SendParts, of: Int): List<PartName> =
        Word.values().flatMap { names(it, of) }.filter { Intents.exists(it.copy(token = task.token)) }

    private fun submittedOrNone() = shadowOf(managerOf(FIRST_SUBSCRIPTION)).lastSentMultipartTextMessageParams

    private fun submitted() = submittedOrNone()!!

    @Suppress("DEPRECATION")
    private fun managerOf(subscription: Int): SmsManager =
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.S) SmsManager.getSmsManagerForSubscriptionId(subscription)
        else app.getSystemService(SmsManager::class.java)!!.createForSubscriptionId(subscription)

    private fun uriOf(intent: PendingIntent): Uri = shadowOf(intent).savedIntent.data!!

    private companion object {
        val THREE_PARTS = "\u0436".repeat(140)
    }
}

/** A platform that refuses each hand-over in the way that a test chooses. */
@Implements(SmsManager::class)
class Refusing : ShadowSmsManager() {
    @Implementation
    override fun sendMultipartTextMessage(
        to: String?,
        centre: String?,
        parts: ArrayList<String>?,
        sent: ArrayList<PendingIntent>?,
        delivered: ArrayList<PendingIntent>?,
    ) {
        error?.let { throw it }
        super.sendMultipartTextMessage(to, centre, parts, sent, delivered)
    }

    companion object {
        var error: RuntimeException? = null
    }
}
