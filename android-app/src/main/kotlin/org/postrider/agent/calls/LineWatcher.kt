package org.postrider.agent.calls

import android.Manifest.permission.READ_PHONE_STATE
import android.content.Context
import android.os.Build
import android.os.Handler
import android.telephony.PhoneStateListener
import android.telephony.TelephonyCallback
import android.telephony.TelephonyManager
import org.postrider.agent.Trouble
import org.postrider.agent.radio.SimSlots
import org.postrider.agent.radio.holds
import org.postrider.core.RadioFact

/** Reports the state of each SIM's line: at once when it is watched, and at every change. */
internal class LineWatcher(
    private val context: Context,
    private val sims: SimSlots,
    private val handler: Handler,
    private val tell: (RadioFact) -> Unit,
) {
    private val watched = HashMap<UByte, Watched>()

    private class Watched(val subscription: Int, val stop: () -> Unit)

    /** Watches the SIMs that are in the slots now, and no others. */
    @Synchronized
    fun watch() {
        val present = if (context.holds(READ_PHONE_STATE)) subscriptions() else emptyMap()
        val gone = watched.filter { (slot, it) -> present[slot] != it.subscription }
        gone.forEach { (slot, it) ->
            watched.remove(slot)
            it.stop()
        }
        for ((slot, subscription) in present) if (slot !in watched) watch(slot, subscription)
    }

    @Synchronized
    fun stop() {
        watched.values.forEach { it.stop() }
        watched.clear()
    }

    private fun subscriptions(): Map<UByte, Int> =
        sims.slots().mapNotNull { slot -> sims.subscriptionOf(slot)?.let { slot to it } }.toMap()

    private fun watch(slot: UByte, subscription: Int) {
        val telephony = context.getSystemService(TelephonyManager::class.java) ?: return
        try {
            val stop = listen(telephony.createForSubscriptionId(subscription), slot)
            watched[slot] = Watched(subscription, stop)
        } catch (error: RuntimeException) {
            Trouble.failed("watching a line", error)
        }
    }

    /** Returns a function that stops it. */
    private fun listen(telephony: TelephonyManager, slot: UByte): () -> Unit {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
            val callback = Callback(slot)
            telephony.registerTelephonyCallback({ handler.post(it) }, callback)
            return { telephony.unregisterTelephonyCallback(callback) }
        }
        val listener = Listener(slot)
        @Suppress("DEPRECATION")
        telephony.listen(listener, PhoneStateListener.LISTEN_CALL_STATE)
        @Suppress("DEPRECATION")
        return { telephony.listen(listener, PhoneStateListener.LISTEN_NONE) }
    }

    private fun lineIs(slot: UByte, state: Int) {
        Lines.ofNumber(state)?.let { tell(Lines.fact(slot, it, null)) }
    }

    private inner class Callback(private val slot: UByte) :
        TelephonyCallback(), TelephonyCallback.CallStateListener {
        override fun onCallStateChanged(state: Int) = lineIs(slot, state)
    }

    /** For Android 11 and older. */
    @Suppress("DEPRECATION", "OVERRIDE_DEPRECATION")
    private inner class Listener(private val slot: UByte) : PhoneStateListener() {
        override fun onCallStateChanged(state: Int, number: String?) = lineIs(slot, state)
    }
}
