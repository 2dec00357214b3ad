package org.postrider.agent.flows

import android.app.Activity
import android.os.PowerManager
import android.provider.CallLog.Calls
import android.telephony.TelephonyManager
import org.json.JSONObject
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.revoke
import org.postrider.agent.ussd.Network
import org.robolectric.ParameterizedRobolectricTestRunner
import org.robolectric.ParameterizedRobolectricTestRunner.Parameters
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode
import java.io.File
import java.io.IOException
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors

/**
 * The emulator's scenarios, played on the platform's own code: `hub.toml` configures the hub double, `phone.jsonl`
 * lists what happens to the phone.
 */
@RunWith(ParameterizedRobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class ScenariosTest(private val name: String) {
    @get:Rule
    val phone = Phone(folder(name).resolve("hub.toml").readText())

    private var second = 0

    /** The emulator's modem takes everything and reports nothing. */
    private val modem = Executors.newSingleThreadExecutor()

    @Test
    fun `a phone plays it to its end and the hub double has nothing to say against it`() {
        Modem.onHandOver = { message ->
            phone.note(message)
            modem.execute { message.parts.indices.forEach { message.result(it, Activity.RESULT_OK) } }
        }
        try {
            phone.join()
            folder(name).resolve("phone.jsonl").forEachLine { play(JSONObject(it)) }
            phone.awaitEnd()
        } finally {
            modem.shutdown()
        }
    }

    private fun play(line: JSONObject) {
        val wait = line.optJSONObject("wait")
        if (wait != null) return await(wait)
        val said = line.optJSONObject("say")
        if (said != null) return said.keys().forEach { phone.hub.say(it, said.getJSONObject(it).toString()) }
        when (val kind = line.getString("kind")) {
            "sms" -> phone.receive(line.getString("from"), line.getString("text"), second++)
            "call" -> call(line.getString("from"), line.optInt("duration_s", -1))
            "airplane" -> phone.setAirplaneMode(line.getBoolean("on"))
            "doze" -> sleep(line.getBoolean("on"))
            "permission" -> permission("android.permission." + line.getString("name"), line.getBoolean("given"))
            "restart" -> restart()
            else -> error("nobody can do this: " + kind)
        }
    }

    private fun restart() {
        phone.kill()
        check(phone.host.ensureRunning())
    }

    /** The platform ends an app that loses a permission, and may start its service again. */
    private fun permission(name: String, isGiven: Boolean) {
        if (isGiven) {
            grant(name)
            phone.host.look()
        } else {
            revoke(name)
            restart()
        }
    }

    private fun sleep(isOn: Boolean) {
        val power = RuntimeEnvironment.getApplication().getSystemService(PowerManager::class.java)
        shadowOf(power).setIsDeviceIdleMode(isOn)
    }

    private fun await(wait: JSONObject) {
        try {
            phone.awaitHub(wait.toString())
        } catch (error: ExecutionException) {
            // The scenario has ended, and so has the double; any other error would show there.
            if (error.cause !is IOException) throw error
        }
    }

    private fun call(from: String, durationS: Int) {
        phone.lineIs(TelephonyManager.EXTRA_STATE_RINGING, from)
        if (durationS >= 0) phone.lineIs(TelephonyManager.EXTRA_STATE_OFFHOOK, from)
        val type = if (durationS >= 0) Calls.INCOMING_TYPE else Calls.MISSED_TYPE
        phone.lineIs(TelephonyManager.EXTRA_STATE_IDLE, from)
        phone.logCall(type, from, durationS.coerceAtLeast(0))
    }

    companion object {
        private val SCENARIOS = File("../tests/emulator/scenarios")

        private fun folder(name: String) = SCENARIOS.resolve(name)

        @JvmStatic
        @Parameters(name = "{0}")
        fun scenarios(): List<Array<Any>> =
            SCENARIOS.listFiles()!!.filter { it.isDirectory }.map { it.name }.sorted().map { arrayOf<Any>(it) }
    }
}
