package org.postrider.agent.ussd

import android.Manifest.permission.CALL_PHONE
import android.os.Handler
import android.os.Looper
import android.telephony.TelephonyManager
import android.telephony.TelephonyManager.UssdResponseCallback
import org.junit.Assert.assertEquals
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.radio.FIRST_SUBSCRIPTION
import org.postrider.agent.radio.Facts
import org.postrider.agent.radio.SECOND_SUBSCRIPTION
import org.postrider.agent.radio.Slots
import org.postrider.agent.radio.app
import org.postrider.agent.radio.grant
import org.postrider.agent.radio.revoke
import org.postrider.agent.radio.token
import org.postrider.core.DialUssd
import org.postrider.core.RadioFact
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.Implementation
import org.robolectric.annotation.Implements
import org.robolectric.annotation.RealObject
import org.robolectric.shadows.ShadowTelephonyManager

@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Network::class])
class UssdDiallerTest {
    private val facts = Facts()
    private val slots = Slots.two()
    private val first by lazy { TelephonyManager(app, FIRST_SUBSCRIPTION) }
    private val second by lazy { TelephonyManager(app, SECOND_SUBSCRIPTION) }
    private val dialler by lazy { UssdDialler(app, slots, Handler(Looper.getMainLooper()), facts) }

    @Before
    fun insertSims() {
        grant(CALL_PHONE)
        Network.dialled.clear()
        Network.answer = { _, _ -> }
        val telephony = shadowOf(app.getSystemService(TelephonyManager::class.java))
        telephony.setTelephonyManagerForSubscriptionId(FIRST_SUBSCRIPTION, first)
        telephony.setTelephonyManagerForSubscriptionId(SECOND_SUBSCRIPTION, second)
    }

    @Test
    fun an_answer_is_told_and_the_code_went_by_the_sim_that_was_asked_for() {
        Network.answer = { telephony, back -> back.onReceiveUssdResponse(telephony, CODE, "Balance: 5") }
        dialler.dial(task(sim = 1))
        assertEquals(listOf(second to CODE), Network.dialled)
        assertEquals(listOf(RadioFact.UssdAnswered(token(), "Balance: 5")), facts.all())
    }

    @Test
    fun a_failure_is_told_with_the_platforms_code() {
        for (code in listOf(-1, -2, 4_711)) {
            Network.answer = { telephony, back -> back.onReceiveUssdResponseFailed(telephony, CODE, code) }
            dialler.dial(task())
            assertEquals(listOf(RadioFact.UssdFailed(token(), code)), facts.all())
        }
    }

    @Test
    fun where_the_platform_never_answers_nothing_is_told() {
        dialler.dial(task())
        assertEquals(listOf(first to CODE), Network.dialled)
        assertEquals(emptyList<RadioFact>(), facts.all())
    }

    @Test
    fun without_the_permission_or_a_sim_nothing_is_dialled_and_that_is_proof() {
        slots.remove(0)
        dialler.dial(task())
        revoke(CALL_PHONE)
        dialler.dial(task(sim = 1))
        assertEquals(emptyList<Any>(), Network.dialled)
        assertEquals(List(2) { RadioFact.UssdFailed(token(), UNAVAILABLE) }, facts.all())
    }

    @Test
    fun what_the_platform_refuses_is_proof_and_what_it_fails_at_is_none() {
        val thrown = listOf(SecurityException(), UnsupportedOperationException(), IllegalStateException())
        val codes = thrown.map { error ->
            Network.answer = { _, _ -> throw error }
            dialler.dial(task())
            (facts.all().single() as RadioFact.UssdFailed).code
        }
        assertEquals(listOf(UNAVAILABLE, UNAVAILABLE, TelephonyManager.USSD_RETURN_FAILURE), codes)
    }

    private fun task(sim: Int = 0) = DialUssd(token(), sim.toUByte(), CODE)

    private companion object {
        const val CODE = "*100#"
        const val UNAVAILABLE = TelephonyManager.USSD_ERROR_SERVICE_UNAVAIL
    }
}

/** A network that answers codes as a test chooses. */
@Implements(TelephonyManager::class)
class Network : ShadowTelephonyManager() {
    @RealObject
    private lateinit var real: TelephonyManager

    @Implementation
    fun sendUssdRequest(code: String, back: UssdResponseCallback, handler: Handler) {
        answer(real, UssdLater(back, handler))
        dialled.add(real to code)
    }

    /** Answers like the platform, on the requested thread. */
    private class UssdLater(
        private val back: UssdResponseCallback,
        private val handler: Handler,
    ) : UssdResponseCallback() {
        override fun onReceiveUssdResponse(telephony: TelephonyManager, request: String, response: CharSequence) {
            handler.post { back.onReceiveUssdResponse(telephony, request, response) }
        }

        override fun onReceiveUssdResponseFailed(telephony: TelephonyManager, request: String, failureCode: Int) {
            handler.post { back.onReceiveUssdResponseFailed(telephony, request, failureCode) }
        }
    }

    companion object {
        val dialled = ArrayList<Pair<TelephonyManager, String>>()
        var answer: (TelephonyManager, UssdResponseCallback) -> Unit = { _, _ -> }
    }
}
