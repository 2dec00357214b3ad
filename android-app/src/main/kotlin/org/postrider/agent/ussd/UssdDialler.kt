package org.postrider.agent.ussd

import android.Manifest.permission.CALL_PHONE
import android.content.Context
import android.os.Handler
import android.telephony.TelephonyManager
import android.telephony.TelephonyManager.UssdResponseCallback
import org.postrider.agent.Trouble
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.holds
import org.postrider.core.DialUssd
import org.postrider.core.RadioFact

/** Dials USSD codes by the requested SIM, and reports the network's answer. */
internal class UssdDialler(
    private val context: Context,
    private val sims: SimSlots,
    private val handler: Handler,
    private val tell: (RadioFact) -> Unit,
) {
    /**
     * Dials a code. If something keeps it from being dialled, that is reported as a missing service, which proves
     * it; if the platform fails in the call itself, that is reported as a failure on the way.
     */
    fun dial(task: DialUssd) {
        val telephony = telephonyOf(task.sim)
        if (!context.holds(CALL_PHONE)) Permissions.want(context, Permit.CALLS)
        if (telephony == null || !context.holds(CALL_PHONE)) return fail(task, SERVICE_UNAVAILABLE)
        try {
            telephony.sendUssdRequest(task.code, Answer(task), handler)
        } catch (error: SecurityException) {
            Trouble.failed("dialling a code", error)
            fail(task, SERVICE_UNAVAILABLE)
        } catch (error: UnsupportedOperationException) {
            Trouble.failed("dialling a code", error)
            fail(task, SERVICE_UNAVAILABLE)
        } catch (error: RuntimeException) {
            Trouble.failed("dialling a code", error)
            fail(task, RETURN_FAILURE)
        }
    }

    private fun telephonyOf(sim: UByte): TelephonyManager? {
        val subscription = sims.subscriptionOf(sim) ?: return null
        return context.getSystemService(TelephonyManager::class.java)?.createForSubscriptionId(subscription)
    }

    private fun fail(task: DialUssd, code: Int) = tell(RadioFact.UssdFailed(task.token, code))

    private inner class Answer(private val task: DialUssd) : UssdResponseCallback() {
        override fun onReceiveUssdResponse(telephony: TelephonyManager, request: String, response: CharSequence?) =
            tell(RadioFact.UssdAnswered(task.token, response?.toString().orEmpty()))

        override fun onReceiveUssdResponseFailed(telephony: TelephonyManager, request: String, failureCode: Int) =
            fail(task, failureCode)
    }

    private companion object {
        const val RETURN_FAILURE = TelephonyManager.USSD_RETURN_FAILURE
        const val SERVICE_UNAVAILABLE = TelephonyManager.USSD_ERROR_SERVICE_UNAVAIL
    }
}
