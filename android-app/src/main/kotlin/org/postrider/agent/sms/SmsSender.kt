package org.postrider.agent.sms

import android.Manifest.permission.SEND_SMS
import android.app.PendingIntent
import android.content.Context
import android.os.Build
import android.telephony.SmsManager
import org.postrider.agent.Trouble
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.holds
import org.postrider.core.Body
import org.postrider.core.RadioFact
import org.postrider.core.SendParts

/** What one call gives to the platform. */
private sealed class Load {
    class Text(val parts: ArrayList<String>) : Load()

    class Bytes(val port: UShort, val bytes: ByteArray) : Load()
}

/**
 * Hands messages to the platform's radio, always by the requested SIM.
 *
 * If the platform refuses before it took the message, the code proves that. Any other failure in the call may mean
 * that the message was sent, and is reported so.
 */
internal class SmsSender(
    private val context: Context,
    private val sims: SimSlots,
    private val tell: (RadioFact) -> Unit,
) {
    private val intents = PartIntents(context)

    fun send(task: SendParts) {
        if (!context.holds(SEND_SMS)) return refuse(task, NOT_PERMITTED)
        val subscription = sims.subscriptionOf(task.sim)
            ?: return refuse(task, SmsManager.RESULT_RIL_SIM_ABSENT)
        val manager = managerOf(subscription)
            ?: return refuse(task, SmsManager.RESULT_REQUEST_NOT_SUPPORTED)
        val load = loadOf(task.body, manager) ?: return refuse(task, SmsManager.RESULT_INVALID_ARGUMENTS)
        handOver(task, manager, load)
    }

    /** With two SIMs, the platform's default manager asks the owner, or fails. */
    private fun managerOf(subscription: Int): SmsManager? = try {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
            context.getSystemService(SmsManager::class.java)?.createForSubscriptionId(subscription)
        } else {
            @Suppress("DEPRECATION")
            SmsManager.getSmsManagerForSubscriptionId(subscription)
        }
    } catch (error: RuntimeException) {
        Trouble.failed("the platform's messaging", error)
        null
    }

    /** Divides what is to be sent; null when it cannot be. */
    private fun loadOf(body: Body, manager: SmsManager): Load? = when (body) {
        is Body.Data -> Load.Bytes(body.v1.port, body.v1.base64).takeIf { body.v1.base64.isNotEmpty() }
        is Body.Text -> try {
            manager.divideMessage(body.v1)?.takeIf { it.size in 1..UByte.MAX_VALUE.toInt() }?.let(Load::Text)
        } catch (error: RuntimeException) {
            Trouble.failed("dividing a message", error)
            null
        }
    }

    private fun handOver(task: SendParts, manager: SmsManager, load: Load) {
        val of = (load as? Load.Text)?.parts?.size ?: 1
        val sent = intents(task, Word.SENT, of)
        val reports = if (task.report) intents(task, Word.REPORTED, of) else null
        val refusal = try {
            when (load) {
                is Load.Text -> manager.sendMultipartTextMessage(task.to, null, load.parts, sent, reports)
                is Load.Bytes -> manager.sendDataMessage(
                    task.to, null, load.port.toShort(), load.bytes, sent.single(), reports?.single(),
                )
            }
            return
        } catch (error: RuntimeException) {
            Trouble.failed("handing a message over", error)
            refusalOf(error)
        }
        if (refusal == null) return tellAll(task, of, SmsManager.RESULT_ERROR_GENERIC_FAILURE)
        (sent + reports.orEmpty()).forEach(PendingIntent::cancel)
        tellAll(task, of, refusal)
    }

    /** The code for an exception that the platform throws before it takes a message; null for all others. */
    private fun refusalOf(error: RuntimeException): Int? = when (error) {
        is IllegalArgumentException -> SmsManager.RESULT_INVALID_ARGUMENTS
        is SecurityException -> SmsManager.RESULT_OPERATION_NOT_ALLOWED
        is UnsupportedOperationException -> SmsManager.RESULT_REQUEST_NOT_SUPPORTED
        else -> null
    }

    private fun intents(task: SendParts, word: Word, of: Int): ArrayList<PendingIntent> =
        (0 until of).mapTo(ArrayList(of)) { part ->
            intents.make(PartName(word, task.token, part.toUByte(), of.toUByte()))
        }

    private companion object {
        /** The core's own code: it holds the SIM until the app may send. */
        const val NOT_PERMITTED = -1_000
    }

    private fun refuse(task: SendParts, code: Int) = tellAll(task, task.parts.toInt().coerceAtLeast(1), code)

    private fun tellAll(task: SendParts, of: Int, code: Int) {
        for (part in 0 until of) {
            tell(RadioFact.PartSent(task.token, part.toUByte(), of.toUByte(), code, null))
        }
    }
}
