package org.postrider.agent.flows

import android.Manifest.permission.CALL_PHONE
import android.Manifest.permission.READ_CALL_LOG
import android.Manifest.permission.READ_PHONE_NUMBERS
import android.Manifest.permission.READ_PHONE_STATE
import android.Manifest.permission.READ_SMS
import android.Manifest.permission.RECEIVE_SMS
import android.Manifest.permission.SEND_SMS
import android.content.Intent
import android.net.ConnectivityManager
import android.net.Uri
import android.os.Looper
import android.provider.Telephony.Sms.Intents
import android.provider.Settings
import android.telephony.ServiceState
import android.telephony.SubscriptionManager
import android.telephony.TelephonyManager
import org.json.JSONArray
import org.json.JSONObject
import org.junit.rules.TestRule
import org.junit.runner.Description
import org.junit.runners.model.Statement
import org.postrider.agent.AgentHost
import org.postrider.agent.calls.PhoneStateReceiver
import org.postrider.agent.kit.HostKit
import org.postrider.agent.kit.StubHub
import org.postrider.agent.kit.await
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.Pdus
import org.postrider.agent.radio.Provider
import org.postrider.agent.radio.Providers
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.hearOut
import org.postrider.agent.service.StartReceiver
import org.postrider.agent.sms.SmsReceiver
import org.postrider.agent.ussd.Network
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowSubscriptionManager.SubscriptionInfoBuilder
import java.io.File
import java.util.concurrent.Executors
import java.util.concurrent.locks.LockSupport

/**
 * A phone with the whole app on it, two SIMs, the platform's providers, a modem that a test controls, and a hub
 * double, which judges at the end of each test what it has seen of the phone.
 */
class Phone(private val scenario: String = USUAL) : TestRule {
    private val kit = HostKit()
    private val radioLog: File = File.createTempFile("radio", ".log")
    private lateinit var lines: Map<Int, TelephonyManager>

    private val providers = Providers("sms", "mms", "call_log")
    private val journal get() = app.noBackupFilesDir.resolve("agent")
    private val kept get() = app.noBackupFilesDir.resolve("kept")
    private val waiter = Executors.newSingleThreadExecutor()

    lateinit var hub: StubHub
        private set

    /** The platform's own table of texts. */
    val texts: Provider get() = providers["sms"]
    val host: AgentHost get() = kit.host

    /** All hand-overs to the platform, oldest first. */
    val handed: List<HandOver> get() = Modem.handed

    override fun apply(base: Statement, description: Description): Statement {
        val flow = object : Statement() {
            override fun evaluate() {
                prepare()
                try {
                    base.evaluate()
                    judge()
                } finally {
                    kill()
                    waiter.shutdown()
                    hub.close()
                    Modem.reset()
                    radioLog.delete()
                }
            }
        }
        return providers.apply(kit.apply(flow, description), description)
    }

    private fun prepare() {
        Modem.reset()
        Network.dialled.clear()
        Network.answer = { _, _ -> }
        grant(
            SEND_SMS, RECEIVE_SMS, READ_SMS, READ_PHONE_STATE, READ_PHONE_NUMBERS, CALL_PHONE, READ_CALL_LOG,
        )
        lines = SUBSCRIPTIONS.values.associateWith { TelephonyManager(app, it) }
        val telephony = app.getSystemService(TelephonyManager::class.java)!!
        for ((subscription, line) in lines) {
            shadowOf(telephony).setTelephonyManagerForSubscriptionId(subscription, line)
            shadowOf(line).setServiceState(ServiceState().apply { state = ServiceState.STATE_IN_SERVICE })
        }
        insertSims(0, 1)
        val file = File.createTempFile("scenario", ".toml").apply { writeText(scenario) }
        hub = StubHub("--scenario", file.path, "--radio-log", radioLog.path)
        file.delete()
    }

    // Pairing and the process.

    fun pair() = kit.pair(hub.invitation)

    /** Joins the hub, whose scenario may end before anybody looks at the connection. */
    fun join() {
        host.settings.isForwarding = true
        host.beginPairing(hub.invitation)
        await("joined") { host.status().paired != null }
    }

    /** Ends the process; everything on disk, in the keystore and in the platform stays. */
    fun kill() = kit.restart()

    /** Ends the process by Android's own Stop. */
    fun stopInAndroid() = kit.stopInAndroid()

    /** Copies the disk of a process that is killed at this moment. */
    fun keepDisk() {
        check(journal.copyRecursively(kept, overwrite = true))
    }

    /** The process was killed when [keepDisk] was called: nothing of its later work is on disk. */
    fun killThen() {
        kill()
        check(journal.deleteRecursively() && kept.copyRecursively(journal) && kept.deleteRecursively())
    }

    /** Sets how often the phone was started. */
    fun boots(count: Int) = Settings.Global.putInt(app.contentResolver, Settings.Global.BOOT_COUNT, count)

    fun start() {
        check(host.ensureRunning())
        kit.awaitLink()
    }

    fun boot() {
        kill()
        StartReceiver().onReceive(app, Intent(Intent.ACTION_BOOT_COMPLETED))
        kit.awaitLink()
    }

    // The hub.

    fun send(json: String = "{}") {
        hub.say("send", json)
    }

    /** Waits until the hub double has seen something; the main thread runs meanwhile. */
    fun awaitHub(json: String) {
        val seen = waiter.submit { hub.await(json) }
        while (!seen.isDone) {
            shadowOf(Looper.getMainLooper()).idle()
            LockSupport.parkNanos(PAUSE_NS)
        }
        seen.get()
    }

    /** Waits until so many messages have reached a state; of those with a label, or of all. */
    fun awaitState(state: String, count: Int = 1, label: String? = null) {
        val of = label?.let { ", \"label\": \"$it\"" }.orEmpty()
        awaitHub("""{"state": {"is": "$state", "count": $count$of}}""")
    }

    /** The hub double's view of its messages, oldest first. */
    fun messages(): List<JSONObject> = JSONObject(hub.read("state")).getJSONArray("messages").objects()

    /** The states that were reported for a message's last exposure, in order. */
    fun statesOf(message: Int = 0): List<String> = messages()[message].getJSONArray("states").let { states ->
        List(states.length(), states::getString)
    }

    fun codeOf(message: Int = 0): String = messages()[message].optString("code")

    /** Incoming messages at the hub. */
    fun inbound(): List<JSONObject> = JSONArray(hub.read("inbound")).objects()

    fun awaitInbound(count: Int) = awaitHub("""{"inbound": $count}""")

    /** Waits until so many messages were handed to the platform, and returns the last one. */
    fun awaitHanded(count: Int = 1): HandOver {
        await("$count handed over") { handed.size >= count }
        return handed[count - 1]
    }

    /** Waits until so many messages wait for a SIM on the phone, for the reason with this word. */
    fun awaitWaiting(count: Int, reason: String? = null, slot: Int = 0) = await("$count wait for $reason") {
        host.refresh()
        host.status().queues.any {
            val isReason = reason == null || it.next?.waitingFor == reason
            it.sim == slot.toUByte() && it.waiting == count.toUInt() && isReason
        }
    }

    // The SIMs and networks.

    fun insertSims(vararg slots: Int, by: Map<Int, Int> = SUBSCRIPTIONS) {
        val infos = slots.map { slot ->
            SubscriptionInfoBuilder.newBuilder().setId(by.getValue(slot)).setSimSlotIndex(slot)
                .setCarrierName("carrier").setNumber("").buildSubscriptionInfo()
        }
        shadowOf(app.getSystemService(SubscriptionManager::class.java)).setActiveSubscriptionInfoList(infos)
    }

    /** Gives a SIM its network, or takes it away. */
    fun setService(isThere: Boolean, slot: Int = 0) {
        val now = if (isThere) ServiceState.STATE_IN_SERVICE else ServiceState.STATE_OUT_OF_SERVICE
        shadowOf(lineOf(slot)).setServiceState(ServiceState().apply { state = now })
    }

    /** Takes every network away, so that the app gives up the connection; or brings them back. */
    fun setAirplaneMode(isOn: Boolean) {
        val networks = app.getSystemService(ConnectivityManager::class.java)!!
        val network = networks.activeNetwork!!
        val callbacks = shadowOf(networks).networkCallbacks
        SUBSCRIPTIONS.keys.forEach { setService(!isOn, it) }
        if (isOn) {
            callbacks.forEach { it.onLost(network) }
            await("not linked") { !host.status().isLinked }
        } else {
            val abilities = networks.getNetworkCapabilities(network)!!
            callbacks.forEach { it.onCapabilitiesChanged(network, abilities) }
        }
    }

    // What comes in.

    /** The platform's broadcast of a text, which passed its service centre in another second of the same minute. */
    fun receive(from: String, text: String, second: Int = 0) {
        val pdu = Pdus.deliver(from, text)
        val seconds = OCTETS_BEFORE_SENDER + 1 + (pdu[OCTETS_BEFORE_SENDER] + 1) / 2 + OCTETS_TO_SECONDS
        pdu[seconds] = (second % 10 * 16 + second / 10).toByte()
        receive(0, pdu)
    }

    fun receive(slot: Int, vararg pdus: ByteArray) {
        val intent = Intent(Intents.SMS_RECEIVED_ACTION).putExtra("pdus", pdus).putExtra("format", "3gpp")
        SmsReceiver().hearOut(intent.putExtra(SUBSCRIPTION, SUBSCRIPTIONS.getValue(slot)))
    }

    /** The provider's row of a text, which the platform's own app writes, and the notice of it. */
    fun store(from: String, text: String, sentAt: Long = Pdus.SENT_AT, slot: Int = 0) {
        texts.put(
            "sms", "type" to 1, "address" to from, "date" to System.currentTimeMillis(), "date_sent" to sentAt,
            "body" to text, "sub_id" to SUBSCRIPTIONS.getValue(slot),
        )
        app.contentResolver.notifyChange(Uri.parse("content://sms/inbox"), null)
    }

    /** The state of a SIM's line, as broadcasts report it: with the call log twice, once with the number. */
    fun lineIs(state: String, number: String?, slot: Int = 0) {
        for (named in listOfNotNull("", number)) {
            val intent = Intent(TelephonyManager.ACTION_PHONE_STATE_CHANGED)
            intent.putExtra(TelephonyManager.EXTRA_STATE, state).putExtra(SUBSCRIPTION, SUBSCRIPTIONS.getValue(slot))
            if (named.isNotEmpty()) intent.putExtra("incoming_number", named)
            PhoneStateReceiver().hearOut(intent)
        }
    }

    /** The row of a call that is over. */
    fun logCall(type: Int, number: String, durationS: Int) {
        val began = System.currentTimeMillis()
        providers["call_log"].put("calls", "number" to number, "date" to began, "duration" to durationS, "type" to type)
        app.contentResolver.notifyChange(Uri.parse("content://call_log/calls"), null)
    }

    fun lineOf(slot: Int): TelephonyManager = lines.getValue(SUBSCRIPTIONS.getValue(slot))

    /** Tells the hub double of a hand-over that is never refused: it may end before [judge]. */
    fun note(message: HandOver) = radioLog.appendText(message.line + "\n")

    /** Waits for the end of a scenario that ends by itself. */
    fun awaitEnd() = hub.awaitEnd()

    /** Ends the run; every rule of the hub double must have held. */
    private fun judge() {
        val lines = handed.filterNot { it.isRefused || it.isTest }.map { it.line }
        radioLog.writeText(lines.joinToString("") { it + "\n" })
        val verdict = hub.verdict()
        check(verdict.getBoolean("held")) {
            verdict.getJSONArray("rules").objects().filterNot { it.getBoolean("held") }.joinToString("\n")
        }
    }

    companion object {
        private const val SUBSCRIPTION = SubscriptionManager.EXTRA_SUBSCRIPTION_INDEX
        private const val PAUSE_NS = 5_000_000L
        private const val OCTETS_BEFORE_SENDER = 2

        /** A kind of digits, two octets of protocol and coding, five of the time. */
        private const val OCTETS_TO_SECONDS = 8
        private val SUBSCRIPTIONS = mapOf(0 to FIRST_SUBSCRIPTION, 1 to SECOND_SUBSCRIPTION)

        /** A run that a test ends, with more time than a busy computer needs. */
        const val USUAL = "name = \"flow\"\n[end]\nwhen = \"told\"\ntimeout_s = 600\n[rules]\ngrace_ms = 300000\n"

        private fun JSONArray.objects() = List(length(), ::getJSONObject)
    }
}
