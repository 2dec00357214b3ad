package org.postrider.agent.radio

import java.util.Calendar
import java.util.TimeZone

/** Messages and reports from a modem: octet by octet, by 3GPP TS 23.040 and 3GPP2 C.S0015. */
object Pdus {
    /** When every message here passed its service centre: 2026-11-21 20:15:00 UTC. */
    val SENT_AT: Long = Calendar.getInstance(TimeZone.getTimeZone("UTC")).apply {
        clear()
        set(2026, Calendar.NOVEMBER, 21, 20, 15, 0)
    }.timeInMillis
    private const val STAMP = "62111202510000"

    /** SMS-DELIVER in UCS-2, whole. */
    fun deliver(from: String, text: String): ByteArray {
        val body = text.toByteArray(Charsets.UTF_16BE)
        return hex("00" + "04" + address(from) + "00" + "08" + STAMP + octet(body.size)) + body
    }

    /** SMS-DELIVER in UCS-2, one part of several. */
    fun deliverPart(from: String, text: String, part: Int, of: Int): ByteArray {
        val body = hex("05" + "0003" + "2A" + octet(of) + octet(part + 1)) + text.toByteArray(Charsets.UTF_16BE)
        return hex("00" + "44" + address(from) + "00" + "08" + STAMP + octet(body.size)) + body
    }

    /** SMS-DELIVER with 8-bit data for a port. */
    fun deliverData(from: String, port: Int, bytes: ByteArray): ByteArray {
        val body = hex("06" + "0504" + "%04X".format(port) + "0000") + bytes
        return hex("00" + "44" + address(from) + "00" + "04" + STAMP + octet(body.size)) + body
    }

    /** SMS-STATUS-REPORT. */
    fun report(recipient: String, status: Int): ByteArray =
        hex("00" + "06" + "2A" + address(recipient) + STAMP + STAMP + octet(status))

    /** SMS delivery acknowledgement of 3GPP2, in the form of the platform's modem interface. */
    fun reportOfCdma(recipient: String, errorClass: Int, code: Int): ByteArray {
        val bearer = hex("0003" + "400010" + "1401" + octet(errorClass shl 6 or code))
        val digits = recipient.map { "%02X".format(it.code) }.joinToString("")
        return hex(
            "00000000" + "00001002" + "00000000" + "01" + "00" + "00" + "01" + octet(recipient.length) + digits +
                "00000000" + "00" + "00" + "00" + "%08X".format(bearer.size),
        ) + bearer
    }

    /** An address: its digits, that it is international, and its digits swapped in pairs. */
    private fun address(number: String): String {
        val digits = number.removePrefix("+")
        val swapped = digits.padEnd((digits.length + 1) / 2 * 2, 'F').chunked(2).joinToString("") { it.reversed() }
        return octet(digits.length) + (if (number.startsWith("+")) "91" else "81") + swapped
    }

    private fun octet(value: Int) = "%02X".format(value)

    private fun hex(digits: String): ByteArray =
        ByteArray(digits.length / 2) { digits.substring(2 * it, 2 * it + 2).toInt(16).toByte() }
}
