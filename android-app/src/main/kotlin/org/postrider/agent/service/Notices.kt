package org.postrider.agent.service

import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import org.postrider.agent.R

/** What the app's notifications have in common. */
internal object Notices {
    const val STATE = "state"
    const val ALERTS = "alerts"
    const val STATE_ID = 1
    const val ALERT_ID = 2

    /** Begins a notification that opens the app; its channel is made or named anew. */
    fun builder(context: Context, channel: String): Notification.Builder {
        val importance = if (channel == STATE) NotificationManager.IMPORTANCE_LOW else NotificationManager.IMPORTANCE_HIGH
        val name = context.getString(if (channel == STATE) R.string.channel_state else R.string.channel_alerts)
        val made = NotificationChannel(channel, name, importance)
        context.getSystemService(NotificationManager::class.java)?.createNotificationChannel(made)
        return Notification.Builder(context, channel).setContentIntent(opening(context))
    }

    private fun opening(context: Context): PendingIntent? {
        val open = context.packageManager.getLaunchIntentForPackage(context.packageName) ?: return null
        return PendingIntent.getActivity(context, 0, open, PendingIntent.FLAG_IMMUTABLE)
    }

    /** What a button of a notification asks of the service. */
    fun asking(context: Context, action: String): PendingIntent {
        val intent = Intent(context, GatewayService::class.java).setAction(action)
        return PendingIntent.getForegroundService(context, 0, intent, PendingIntent.FLAG_IMMUTABLE)
    }
}
