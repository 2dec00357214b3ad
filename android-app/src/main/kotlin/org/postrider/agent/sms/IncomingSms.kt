package org.postrider.agent.sms

import android.content.Intent
import android.provider.Telephony.Sms.Intents
import android.telephony.SmsMessage
import android.telephony.SubscriptionManager
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.slotOrFirst
import org.postrider.core.Data
import org.postrider.core.ReceivedData
import org.postrider.core.ReceivedSms

/** Reads the platform's broadcasts of incoming messages. */
internal class IncomingSms(private val sims: SimSlots) {
    /** Reads a text, all parts joined in order; null when nothing can be read. */
    fun text(intent: Intent): ReceivedSms? {
        val parts = partsOf(intent)
        val first = parts.firstOrNull() ?: return null
        return ReceivedSms(
            receipt = NO_RECEIPT,
            sim = slotOf(intent),
            from = first.displayOriginatingAddress.orEmpty(),
            to = null,
            text = parts.joinToString("") { it.displayMessageBody.orEmpty() },
            parts = parts.size.coerceAtMost(UByte.MAX_VALUE.toInt()).toUByte(),
            sentAt = first.timestampMillis.takeIf { it > 0 },
            receivedAt = null,
            row = null,
        )
    }

    /** Reads a data message, all parts joined in order; null when nothing can be read. */
    fun data(intent: Intent): ReceivedData? {
        val parts = partsOf(intent)
        val first = parts.firstOrNull() ?: return null
        val port = intent.data?.port?.takeIf { it in 0..UShort.MAX_VALUE.toInt() } ?: return null
        val bytes = parts.fold(ByteArray(0)) { all, part -> all + (part.userData ?: ByteArray(0)) }
        return ReceivedData(
            receipt = NO_RECEIPT,
            sim = slotOf(intent),
            from = first.displayOriginatingAddress.orEmpty(),
            data = Data(port.toUShort(), bytes),
            sentAt = first.timestampMillis.takeIf { it > 0 },
        )
    }

    private fun partsOf(intent: Intent): List<SmsMessage> =
        Intents.getMessagesFromIntent(intent)?.filterNotNull().orEmpty()

    /** The platform names the SIM by its subscription, and older versions use another extra for it. */
    private fun slotOf(intent: Intent): UByte {
        val named = SUBSCRIPTION_EXTRAS.map { intent.getIntExtra(it, NONE) }
        return sims.slotOrFirst(named.firstOrNull { it != NONE })
    }

    companion object {
        /** A receiver waits for the disk itself, so it needs no receipt. */
        const val NO_RECEIPT = 0uL
        private const val NONE = SubscriptionManager.INVALID_SUBSCRIPTION_ID
        private val SUBSCRIPTION_EXTRAS = listOf(SubscriptionManager.EXTRA_SUBSCRIPTION_INDEX, "subscription")
    }
}
