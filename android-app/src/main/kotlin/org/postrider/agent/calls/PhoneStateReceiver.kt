package org.postrider.agent.calls

import android.Manifest.permission.READ_PHONE_STATE
import android.content.Context
import android.content.Intent
import android.os.Build
import android.telephony.SubscriptionManager
import android.telephony.TelephonyManager
import org.postrider.agent.radio.FactReceiver
import org.postrider.agent.radio.Keep
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.SlotsNow
import org.postrider.agent.radio.UNLESS_STOPPED
import org.postrider.agent.radio.holds
import org.postrider.core.CallState
import org.postrider.core.RadioFact

/**
 * Reports that a line changed. The platform broadcasts it twice if the app may read the call log, once with the
 * number.
 */
class PhoneStateReceiver internal constructor(
    keep: Keep,
    private val slots: (Context) -> SimSlots,
) : FactReceiver(keep) {
    constructor() : this(UNLESS_STOPPED, ::SlotsNow)

    override fun read(context: Context, intent: Intent, code: Int): RadioFact? {
        if (intent.action != TelephonyManager.ACTION_PHONE_STATE_CHANGED) return null
        val state = Lines.ofName(intent.getStringExtra(TelephonyManager.EXTRA_STATE)) ?: return null
        val sim = slotOf(context, intent, state) ?: return null
        @Suppress("DEPRECATION") // The only place where the platform still tells the number.
        val number = intent.getStringExtra(TelephonyManager.EXTRA_INCOMING_NUMBER)
        return Lines.fact(sim, state, number?.takeIf { it.isNotEmpty() })
    }

    /** A broadcast for all SIMs names none: then it is about the only one, or the only one in that state. */
    private fun slotOf(context: Context, intent: Intent, state: CallState): UByte? {
        val sims = slots(context)
        val named = SUBSCRIPTION_EXTRAS.map { intent.getIntExtra(it, NONE) }.firstOrNull { it != NONE }
        if (named != null) return sims.slotOf(named)
        val slots = sims.slots()
        return slots.singleOrNull() ?: slots.filter { stateOf(context, sims, it) == state }.singleOrNull()
    }

    private fun stateOf(context: Context, sims: SimSlots, slot: UByte): CallState? {
        val subscription = sims.subscriptionOf(slot)?.takeIf { context.holds(READ_PHONE_STATE) } ?: return null
        val telephony = context.getSystemService(TelephonyManager::class.java) ?: return null
        return Lines.ofNumber(stateOf(telephony.createForSubscriptionId(subscription)))
    }

    private fun stateOf(telephony: TelephonyManager): Int =
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
            telephony.callStateForSubscription
        } else {
            @Suppress("DEPRECATION")
            telephony.callState
        }

    private companion object {
        const val NONE = SubscriptionManager.INVALID_SUBSCRIPTION_ID
        val SUBSCRIPTION_EXTRAS = listOf(SubscriptionManager.EXTRA_SUBSCRIPTION_INDEX, "subscription")
    }
}
