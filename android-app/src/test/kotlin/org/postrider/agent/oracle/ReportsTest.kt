package org.postrider.agent.oracle

import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.sms.StatusReport
import org.postrider.core.ReportStatus
import org.postrider.core.explainReport
import org.robolectric.RobolectricTestRunner

/** Every TP-Status, through a status report and the platform's own parser, to Rust's interpretation. */
@RunWith(RobolectricTestRunner::class)
class ReportsTest {
    @Test
    fun `each status means what the standard says`() {
        for (status in 0..0xff) {
            val parsed = parse(status)
            assertEquals(ReportStatus.Gsm(status.toUByte()), parsed.status)
            assertEquals("+15005550100", parsed.recipient)
            val meaning = explainReport(parsed.status)
            assertEquals("%02x delivered".format(status), isDelivered(status), meaning.isDelivered)
            assertEquals("%02x final".format(status), isDelivered(status) || status in 0x40..0x7f, meaning.isFinal)
        }
    }

    private fun isDelivered(status: Int) = status == 0x00 || status == 0x02 || status in 0x10..0x1f

    private fun parse(status: Int): StatusReport {
        // Without a service centre; SMS-STATUS-REPORT, reference 1, +15005550100, both times 2026-01-02 03:04:05.
        val hex = "00" + "06" + "01" + RECIPIENT + TIME + TIME + "%02x".format(status)
        return StatusReport.of(hex.chunked(2).map { it.toInt(16).toByte() }.toByteArray(), "3gpp")!!
    }

    companion object {
        private const val RECIPIENT = "0b915100550501f0"
        private const val TIME = "62102030405000"
    }
}
