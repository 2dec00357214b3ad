package org.postrider.agent.sms

import android.content.Intent
import android.net.Uri
import android.provider.Telephony.Sms.Intents
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.PATIENCE_S
import org.postrider.agent.radio.Pdus
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.hear
import org.postrider.agent.radio.hearOut
import org.postrider.agent.radio.keeping
import org.postrider.core.RadioFact
import org.postrider.core.ReceivedSms
import org.robolectric.RobolectricTestRunner
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

@RunWith(RobolectricTestRunner::class)
class SmsReceiversTest {
    private val facts = Facts()
    private val slots = Slots.two()
    private val texts = SmsReceiver(keeping(facts)) { slots }
    private val data = DataReceiver(keeping(facts)) { slots }

    @Test
    fun a_text_comes_with_its_sender_its_sim_and_its_service_centres_time() {
        texts.hearOut(broadcast(Pdus.deliver(ALICE, "hello \ud83d\ude00")))
        val told = ReceivedSms(0u, 1u, ALICE, null, "hello \ud83d\ude00", 1u, Pdus.SENT_AT, null, null)
        assertEquals(RadioFact.SmsReceived(told), facts.next())
    }

    @Test
    fun the_parts_of_a_text_are_joined_in_their_order() {
        val parts = listOf("one ", "two ", "three").mapIndexed { at, text -> Pdus.deliverPart(ALICE, text, at, 3) }
        texts.hearOut(broadcast(*parts.toTypedArray()))
        val told = (facts.next() as RadioFact.SmsReceived).v1
        assertEquals("one two three", told.text)
        assertEquals(3.toUByte(), told.parts)
        assertEquals(ALICE, told.from)
    }

    @Test
    fun a_text_is_told_as_often_as_the_platform_says_it() {
        repeat(2) { texts.hearOut(broadcast(Pdus.deliver(ALICE, "again"))) }
        assertEquals(facts.next(), facts.next())
    }

    @Test
    fun the_sim_is_known_by_the_older_name_and_what_is_unknown_counts_as_the_first() {
        val older = broadcast(Pdus.deliver(ALICE, "hi"), subscription = null)
            .putExtra("subscription", SECOND_SUBSCRIPTION)
        val unknown = broadcast(Pdus.deliver(ALICE, "hi"), subscription = 99)
        val unnamed = broadcast(Pdus.deliver(ALICE, "hi"), subscription = null)
        val told = listOf(older, unknown, unnamed).map {
            texts.hearOut(it)
            (facts.next() as RadioFact.SmsReceived).v1.sim
        }
        assertEquals(listOf<UByte>(1u, 0u, 0u), told)
    }

    @Test
    fun bytes_come_with_their_port() {
        val bytes = byteArrayOf(0, 1, -1)
        data.hearOut(dataBroadcast(Pdus.deliverData(ALICE, 40_001, bytes), 40_001))
        val told = (facts.next() as RadioFact.DataReceived).v1
        assertEquals(40_001.toUShort(), told.data.port)
        assertArrayEquals(bytes, told.data.base64)
        assertEquals(listOf(ALICE, Pdus.SENT_AT, 1.toUByte()), listOf(told.from, told.sentAt, told.sim))
    }

    @Test
    fun each_receiver_hears_only_what_it_is_for() {
        texts.hearOut(broadcast(Pdus.deliver(ALICE, "hi")).setAction(Intents.SMS_DELIVER_ACTION))
        texts.hearOut(dataBroadcast(Pdus.deliverData(ALICE, 1, byteArrayOf(1)), 1))
        data.hearOut(broadcast(Pdus.deliver(ALICE, "hi")))
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun what_cannot_be_read_tells_nothing_and_ends() {
        texts.hearOut(Intent(Intents.SMS_RECEIVED_ACTION))
        texts.hearOut(broadcast(byteArrayOf()))
        texts.hearOut(broadcast(byteArrayOf(0, 4, 100)))
        data.hearOut(dataBroadcast(Pdus.deliverData(ALICE, 1, byteArrayOf(1)), null))
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun a_text_is_on_disk_before_the_receiver_is_done() {
        val release = CountDownLatch(1)
        val slow = SmsReceiver({ _, fact ->
            facts(fact)
            release.await(PATIENCE_S, TimeUnit.SECONDS)
        }) { slots }
        val done = slow.hear(broadcast(Pdus.deliver(ALICE, "hello")))
        facts.next()
        assertFalse(done.isDone)
        release.countDown()
        done.get(PATIENCE_S, TimeUnit.SECONDS)
    }

    private fun broadcast(vararg pdus: ByteArray, subscription: Int? = SECOND_SUBSCRIPTION): Intent {
        val intent = Intent(Intents.SMS_RECEIVED_ACTION).putExtra("pdus", pdus).putExtra("format", "3gpp")
        subscription?.let { intent.putExtra("android.telephony.extra.SUBSCRIPTION_INDEX", it) }
        return intent
    }

    private fun dataBroadcast(pdu: ByteArray, port: Int?): Intent = broadcast(pdu)
        .setAction(Intents.DATA_SMS_RECEIVED_ACTION)
        .setData(Uri.parse("sms://localhost" + port?.let { ":" + it }.orEmpty()))
}
