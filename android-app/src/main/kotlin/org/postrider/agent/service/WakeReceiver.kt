package org.postrider.agent.service

import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import org.postrider.agent.PostriderApp

/**
 * The agent's alarm went off, a clock was set, or exact alarms are allowed now.
 *
 * The phone stays awake until the agent has handled it and set its next alarm.
 */
class WakeReceiver : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        if (intent.action !in ACTIONS) return
        val pending: PendingResult? = goAsync()
        val awake = WakeUpLock.take(context)
        PostriderApp.of(context).host.wake {
            awake?.release()
            pending?.finish()
        }
    }

    companion object {
        /** Of our own alarm. */
        const val ACTION_ALARM = "org.postrider.agent.WAKE"

        private val ACTIONS = setOf(
            ACTION_ALARM, Intent.ACTION_TIME_CHANGED, Intent.ACTION_TIMEZONE_CHANGED,
            "android.app.action.SCHEDULE_EXACT_ALARM_PERMISSION_STATE_CHANGED",
        )
    }
}
