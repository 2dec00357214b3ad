package org.postrider.agent.sms

import android.telephony.PhoneNumberUtils
import android.telephony.SmsMessage
import org.postrider.core.ReportStatus

/** A status report as the platform reads it: its status, and whom it is about. */
internal class StatusReport(val status: ReportStatus, val recipient: String?) {
    companion object {
        /** Octets before the recipient's in a report of 3GPP: its type and the message's number. */
        private const val BEFORE_RECIPIENT = 2
        private const val RECIPIENT_DIGITS_MAX = 20

        /** Reads a report; null when it is not one, or damaged. */
        fun of(pdu: ByteArray?, format: String?): StatusReport? {
            val named = format ?: SmsMessage.FORMAT_3GPP
            val message = SmsMessage.createFromPdu(pdu ?: return null, named) ?: return null
            if (!message.isStatusReportMessage) return null
            return when (named) {
                SmsMessage.FORMAT_3GPP2 ->
                    StatusReport(ReportStatus.Cdma(message.status.toUInt()), message.originatingAddress)
                else -> StatusReport(ReportStatus.Gsm(message.status.toUByte()), recipientOf(pdu))
            }
        }

        /**
         * Reads whom a report of 3GPP is about (TP-RA), which the platform parses and does not give away.
         *
         * Source: 3GPP TS 23.040, 9.2.2.3 and 9.1.2.5; the platform puts the service centre's address first.
         */
        @Suppress("DEPRECATION") // The form with a kind of digits came later than our oldest platform.
        private fun recipientOf(pdu: ByteArray): String? {
            val at = 1 + (pdu.getOrNull(0) ?: return null).toUByte().toInt() + BEFORE_RECIPIENT
            val digits = (pdu.getOrNull(at) ?: return null).toUByte().toInt()
            val octets = 1 + (digits + 1) / 2
            if (digits !in 1..RECIPIENT_DIGITS_MAX || at + 1 + octets > pdu.size) return null
            return PhoneNumberUtils.calledPartyBCDToString(pdu, at + 1, octets)?.takeIf { it.isNotEmpty() }
        }
    }
}
