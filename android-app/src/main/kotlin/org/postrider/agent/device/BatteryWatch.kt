package org.postrider.agent.device

import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.os.Handler

/** Reports changes of the battery's charge or the charger. */
class BatteryWatch(private val context: Context, private val handler: Handler, private val onChanged: () -> Unit) {
    private val receiver = object : BroadcastReceiver() {
        override fun onReceive(context: Context, intent: Intent) = onChanged()
    }
    private var isWatching = false

    @Synchronized
    fun start() {
        if (isWatching) return
        // Only the system sends it, so no other app needs permission to.
        context.registerReceiver(receiver, IntentFilter(Intent.ACTION_BATTERY_CHANGED), null, handler)
        isWatching = true
    }

    @Synchronized
    fun stop() {
        if (!isWatching) return
        context.unregisterReceiver(receiver)
        isWatching = false
    }
}
