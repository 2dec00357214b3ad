package org.postrider.agent.device

import android.os.Build
import android.os.Handler
import android.telephony.PhoneStateListener
import android.telephony.ServiceState
import android.telephony.SignalStrength
import android.telephony.TelephonyCallback
import android.telephony.TelephonyManager
import org.postrider.agent.Trouble

/** Reports whether each SIM can send now, and how strong its signal is. */
class ServiceWatch(
    private val telephony: TelephonyManager,
    private val handler: Handler,
    private val onService: (subscriptionId: Int, isInService: Boolean) -> Unit,
    private val onSignal: () -> Unit,
) {
    private val heard = HashMap<Int, () -> Unit>()

    /** Watches these subscriptions, and no others. */
    @Synchronized
    fun watch(subscriptionIds: Set<Int>) {
        (heard.keys - subscriptionIds).forEach { heard.remove(it)?.invoke() }
        (subscriptionIds - heard.keys).forEach { id -> listen(id)?.let { heard[id] = it } }
    }

    fun stop() = watch(emptySet())

    /** Returns a function that stops it; null if the platform does not allow it. */
    private fun listen(id: Int): (() -> Unit)? = try {
        val manager: TelephonyManager? = telephony.createForSubscriptionId(id)
        if (manager == null) {
            null
        } else if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
            val callback = Callback(Said(id))
            manager.registerTelephonyCallback({ handler.post(it) }, callback)
            ({ manager.unregisterTelephonyCallback(callback) })
        } else {
            listenBefore12(manager, Said(id))
        }
    } catch (error: SecurityException) {
        Trouble.failed("listening to a SIM's service", error)
        null
    }

    @Suppress("DEPRECATION")
    private fun listenBefore12(manager: TelephonyManager, said: Said): () -> Unit {
        val events = PhoneStateListener.LISTEN_SERVICE_STATE or PhoneStateListener.LISTEN_SIGNAL_STRENGTHS
        var listener: PhoneStateListener? = null
        // It belongs to the thread that makes it.
        handler.post {
            val made = OldListener(said)
            listener = made
            manager.listen(made, events)
        }
        return { handler.post { listener?.let { manager.listen(it, PhoneStateListener.LISTEN_NONE) } } }
    }

    /** The last report of one subscription, because the platform repeats itself. */
    private inner class Said(private val id: Int) {
        private var isInService: Boolean? = null
        private var level: Int? = null

        fun service(state: ServiceState) {
            val now = isInService(state)
            if (now == isInService) return
            isInService = now
            onService(id, now)
        }

        fun signal(strength: SignalStrength) {
            if (strength.level == level) return
            level = strength.level
            onSignal()
        }
    }

    private class Callback(private val said: Said) :
        TelephonyCallback(), TelephonyCallback.ServiceStateListener, TelephonyCallback.SignalStrengthsListener {
        override fun onServiceStateChanged(state: ServiceState) = said.service(state)

        override fun onSignalStrengthsChanged(strength: SignalStrength) = said.signal(strength)
    }

    @Suppress("DEPRECATION")
    private class OldListener(private val said: Said) : PhoneStateListener() {
        @Deprecated("Until Android 12 there is no other.")
        override fun onServiceStateChanged(state: ServiceState) = said.service(state)

        @Deprecated("Until Android 12 there is no other.")
        override fun onSignalStrengthsChanged(strength: SignalStrength) = said.signal(strength)
    }

    companion object {
        /**
         * Returns whether texts may be able to leave.
         *
         * The state is the voice network's. Without it texts can still leave by a data network or Wi-Fi;
         * the result of the next one shows whether they do.
         */
        fun isInService(state: ServiceState): Boolean = when {
            state.state == ServiceState.STATE_IN_SERVICE -> true
            Build.VERSION.SDK_INT < Build.VERSION_CODES.R -> false
            else -> state.networkRegistrationInfoList.any { it.isRegistered }
        }
    }
}
