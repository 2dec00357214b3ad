package org.postrider.agent.oracle

import android.content.Intent
import android.net.Uri
import android.provider.Telephony.Sms.Intents
import android.telephony.SmsMessage
import com.android.internal.telephony.GsmAlphabet
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.hearOut
import org.postrider.agent.radio.keeping
import org.postrider.agent.sms.DataReceiver
import org.postrider.agent.sms.SmsReceiver
import org.postrider.core.RadioFact
import org.postrider.core.ReceivedSms
import org.postrider.core.divideText
import org.robolectric.RobolectricTestRunner

/** Messages in every coding, through the platform's own parser and the receivers, to the facts for Rust. */
@RunWith(RobolectricTestRunner::class)
class DeliverTest {
    private val facts = Facts()
    private val texts = SmsReceiver(keeping(facts)) { Slots.two() }
    private val data = DataReceiver(keeping(facts)) { Slots.two() }

    @Test
    fun `every character of the seven-bit alphabet comes as it was sent`() {
        val text = SEVEN_BIT + EXTENDED
        assertEquals(text, received(sevenBit(text)).text)
    }

    @Test
    fun `sixteen-bit characters come as they were sent`() {
        val text = "\u0436\u4f60\u0645 \ud83d\ude00\u200d"
        assertEquals(text, received(sixteenBit(text)).text)
    }

    @Test
    fun `the parts of a seven-bit text are one text again`() {
        val text = "a".repeat(152) + "\u20ac" + "b".repeat(200)
        val parts = divideText(text)
        val pdus = parts.mapIndexed { at, part -> sevenBit(part, "050003" + "2A" + octet(parts.size) + octet(at + 1)) }
        val told = received(*pdus.toTypedArray())
        assertEquals(text, told.text)
        assertEquals(parts.size, told.parts.toInt())
    }

    @Test
    fun `parts that are counted in sixteen bits are one text again`() {
        val text = "\u0436".repeat(66) + "\ud83d\ude00" + "\u0436".repeat(80)
        val parts = listOf(text.substring(0, 66), text.substring(66, 132), text.substring(132))
        val pdus = parts.mapIndexed { at, part ->
            sixteenBit(part, "060804" + "1234" + octet(parts.size) + octet(at + 1))
        }
        assertEquals(text, received(*pdus.toTypedArray()).text)
    }

    @Test
    fun `a text of eight-bit bytes is told as the platform reads it`() {
        val pdu = hex("00" + "04" + SENDER + "00" + "04" + STAMP + "03" + "616263")
        val told = received(pdu)
        assertEquals(SmsMessage.createFromPdu(pdu, "3gpp").displayMessageBody.orEmpty(), told.text)
        assertEquals(NUMBER, told.from)
    }

    @Test
    fun `the parts of a data message are its bytes again`() {
        val bytes = ByteArray(200) { it.toByte() }
        val pdus = listOf(bytes.copyOfRange(0, 128), bytes.copyOfRange(128, 200)).mapIndexed { at, part ->
            val header = hex("0B" + "0504" + "9C41" + "0000" + "0003" + "2A" + "02" + octet(at + 1))
            hex("00" + "44" + SENDER + "00" + "04" + STAMP + octet(header.size + part.size)) + header + part
        }
        val intent = broadcast(Intents.DATA_SMS_RECEIVED_ACTION, *pdus.toTypedArray())
        data.hearOut(intent.setData(Uri.parse("sms://localhost:40001")))
        val told = (facts.next() as RadioFact.DataReceived).v1
        assertArrayEquals(bytes, told.data.base64)
        assertEquals(40_001.toUShort(), told.data.port)
    }

    @Test
    fun `a sender that is a word is that word`() {
        val name = GsmAlphabet.stringToGsm7BitPacked("Bakery", 0, 0)
        val digits = octet((name.size - 1) * 2)
        val address = digits + "D0" + name.drop(1).joinToString("") { "%02X".format(it) }
        val body = GsmAlphabet.stringToGsm7BitPacked("hello", 0, 0)
        assertEquals("Bakery", received(hex("00" + "04" + address + "00" + "00" + STAMP) + body).from)
    }

    private fun received(vararg pdus: ByteArray): ReceivedSms {
        texts.hearOut(broadcast(Intents.SMS_RECEIVED_ACTION, *pdus))
        return (facts.next() as RadioFact.SmsReceived).v1
    }

    private fun broadcast(action: String, vararg pdus: ByteArray) =
        Intent(action).putExtra("pdus", pdus).putExtra("format", "3gpp")

    /** SMS-DELIVER in seven bits; the platform packs it. */
    private fun sevenBit(text: String, header: String? = null): ByteArray {
        val first = if (header == null) "04" else "44"
        val body = when (header) {
            null -> GsmAlphabet.stringToGsm7BitPacked(text, 0, 0)
            else -> GsmAlphabet.stringToGsm7BitPackedWithHeader(text, hex(header.drop(2)), 0, 0)
        }
        return hex("00" + first + SENDER + "00" + "00" + STAMP) + body
    }

    private fun sixteenBit(text: String, header: String = ""): ByteArray {
        val first = if (header.isEmpty()) "04" else "44"
        val body = hex(header) + text.toByteArray(Charsets.UTF_16BE)
        return hex("00" + first + SENDER + "00" + "08" + STAMP + octet(body.size)) + body
    }

    private fun hex(digits: String) = digits.chunked(2).map { it.toInt(16).toByte() }.toByteArray()

    private fun octet(value: Int) = "%02X".format(value)

    private companion object {
        const val NUMBER = "+15005550100"
        const val SENDER = "0B915100550501F0"
        const val STAMP = "62111202510000"
        const val SEVEN_BIT = "@\u00a3\$\u00a5\u00e8\u00e9\u00f9\u00ec\u00f2\u00c7\n\u00d8\u00f8\r\u00c5\u00e5\u0394_" +
            "\u03a6\u0393\u039b\u03a9\u03a0\u03a8\u03a3\u0398\u039e\u00c6\u00e6\u00df\u00c9" +
            " !\"#\u00a4%&'()*+,-./0123456789" +
            ":;<=>?\u00a1ABCDEFGHIJKLMNOPQRSTUVWXYZ\u00c4\u00d6\u00d1\u00dc\u00a7\u00bfabcdefghijklmnopqrstuvwxyz" +
            "\u00e4\u00f6\u00f1\u00fc\u00e0"
        const val EXTENDED = "^{}\\[~]|\u20ac"
    }
}
