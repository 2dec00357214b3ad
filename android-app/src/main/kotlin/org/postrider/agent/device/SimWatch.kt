package org.postrider.agent.device

import android.os.Handler
import android.telephony.SubscriptionManager
import android.telephony.SubscriptionManager.OnSubscriptionsChangedListener
import org.postrider.agent.Trouble

/** Reports when a SIM comes, goes or changes. The platform wants it made on a thread with a looper. */
class SimWatch(
    private val subscriptions: SubscriptionManager,
    private val handler: Handler,
    private val onChanged: () -> Unit,
) {
    private var listener: OnSubscriptionsChangedListener? = null

    /** Reports the present state at once, and every change; without permission, nothing. */
    fun start() {
        handler.post {
            if (listener == null) listen()
        }
    }

    fun stop() {
        handler.post {
            listener?.let(subscriptions::removeOnSubscriptionsChangedListener)
            listener = null
        }
    }

    private fun listen() {
        val made = object : OnSubscriptionsChangedListener() {
            override fun onSubscriptionsChanged() = onChanged()
        }
        try {
            subscriptions.addOnSubscriptionsChangedListener(made)
            listener = made
        } catch (error: SecurityException) {
            Trouble.failed("listening to the SIMs", error)
        }
    }
}
