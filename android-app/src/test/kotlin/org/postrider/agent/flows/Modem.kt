package org.postrider.agent.flows

import android.app.Activity
import android.app.PendingIntent
import android.content.Intent
import android.telephony.SmsManager
import org.json.JSONObject
import org.postrider.agent.radio.Pdus
import org.postrider.agent.radio.hearOut
import org.postrider.agent.sms.ResultReceiver
import org.postrider.core.explainResult
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Implementation
import org.robolectric.annotation.Implements
import org.robolectric.annotation.RealObject
import org.robolectric.shadows.ShadowSmsManager
import java.util.concurrent.CopyOnWriteArrayList

/** A message as it was handed to the platform, and the platform's later reports. */
class HandOver(
    val subscription: Int,
    val to: String,
    val parts: List<String>,
    private val sent: List<PendingIntent>,
    private val reports: List<PendingIntent>,
) {
    private val codes = CopyOnWriteArrayList<Int>()

    /** Its message and exposure, as the radio's log of the hub double names them. */
    val line: String = shadowOf(sent.first()).savedIntent.data!!.pathSegments.let { (id, exposure) ->
        JSONObject().put("message_id", id).put("exposure", exposure.toInt()).toString()
    }

    /** Whether it is a test of the phone's owner, which no hub knows. */
    val isTest: Boolean get() = JSONObject(line).getString("message_id") == OF_A_TEST

    /** Whether the radio reported for every part that it was not sent. */
    val isRefused: Boolean get() = codes.size == sent.size && codes.all { explainResult(it).isProof }

    /** Whether a delivery report is asked for. */
    val wantsReports: Boolean get() = reports.isNotEmpty()

    /** Whether the platform still holds an intent of it. */
    val isHeld: Boolean get() = (sent + reports).any { !shadowOf(it).isCanceled }

    /** Reports the result of a part, like the platform, and waits until the app has handled it. */
    fun result(part: Int, code: Int, cause: Int? = null) {
        codes.add(code)
        val intent = filled(sent[part]) { cause?.let { putExtra("errorCode", it) } }
        // The platform uses an intent for one use only once.
        if (shadowOf(sent[part]).flags and PendingIntent.FLAG_ONE_SHOT != 0) sent[part].cancel()
        ResultReceiver().hearOut(intent, code)
    }

    /** Reports for every part that the network accepted it. */
    fun isSent() = sent.indices.forEach { result(it, Activity.RESULT_OK) }

    /** Delivers a status report of a part. */
    fun report(part: Int, status: Int, recipient: String = to) {
        val pdu = Pdus.report(recipient, status)
        val intent = filled(reports[part]) { putExtra("pdu", pdu).putExtra("format", "3gpp") }
        ResultReceiver().hearOut(intent, Activity.RESULT_OK)
    }

    /** Reports for every part that its recipient has it. */
    fun isDelivered() = reports.indices.forEach { report(it, DELIVERED) }

    /** What the platform adds is lost if the intent is immutable. */
    private fun filled(pending: PendingIntent, fill: Intent.() -> Unit): Intent {
        check(!shadowOf(pending).isCanceled) { "the intent was given up" }
        val intent = Intent(shadowOf(pending).savedIntent)
        return if (shadowOf(pending).isImmutable) intent else intent.apply(fill)
    }

    private companion object {
        const val DELIVERED = 0
        const val OF_A_TEST = "SM0000000000000000"
    }
}

/** The platform's messaging, with answers chosen by a test. */
@Implements(SmsManager::class)
class Modem : ShadowSmsManager() {
    @RealObject
    private lateinit var real: SmsManager

    @Implementation
    override fun sendMultipartTextMessage(
        to: String,
        center: String?,
        parts: ArrayList<String>,
        sent: ArrayList<PendingIntent>,
        reports: ArrayList<PendingIntent>?,
    ) {
        // One service centre for all, one subscription for each manager.
        take(HandOver(real.subscriptionId, to, parts.toList(), sent.toList(), reports.orEmpty()))
    }

    @Implementation
    override fun sendDataMessage(
        to: String,
        center: String?,
        port: Short,
        bytes: ByteArray,
        sent: PendingIntent,
        report: PendingIntent?,
    ) = take(HandOver(real.subscriptionId, to, listOf(""), listOf(sent), listOfNotNull(report)))

    companion object {
        /** All hand-overs, oldest first. */
        val handed = CopyOnWriteArrayList<HandOver>()

        /** Runs inside the platform's call; the app gets what it throws. */
        @Volatile
        var onHandOver: (HandOver) -> Unit = {}

        fun reset() {
            handed.clear()
            onHandOver = {}
        }

        private fun take(message: HandOver) {
            onHandOver(message)
            handed.add(message)
        }
    }
}
