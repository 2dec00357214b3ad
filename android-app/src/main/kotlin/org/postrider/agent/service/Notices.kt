package org.postrider.agent.service

import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import org.postrider.agent.R

/** What the app's notifications share. */
internal object Notices {
    const val STATE = "state"
    const val ALERTS = "alerts"
    const val STATE_ID = 1
    const val ALERT_ID = 2

    /** Separate from the ongoing one, which the platform removes with its service at some later time. */
    const val STOPPED_ID = 3

    /** Makes the kinds of notification for the platform's settings, or renames them. */
    fun prepare(context: Context) {
        val state = context.getString(R.string.channel_state)
        val alerts = context.getString(R.string.channel_alerts)
        val made = listOf(
            NotificationChannel(STATE, state, NotificationManager.IMPORTANCE_LOW),
            NotificationChannel(ALERTS, alerts, NotificationManager.IMPORTANCE_HIGH),
        )
        context.getSystemService(NotificationManager::class.java)?.createNotificationChannels(made)
    }

    /** Shows that the owner has stopped the app, here or in Android, and how to start it. */
    fun showStopped(context: Context, isInAndroid: Boolean) {
        val notice = StateNotice(context).stopped(isInAndroid)
        context.getSystemService(NotificationManager::class.java)?.notify(STOPPED_ID, notice)
    }

    /** It goes on. */
    fun hideStopped(context: Context) {
        context.getSystemService(NotificationManager::class.java)?.cancel(STOPPED_ID)
    }

    /** Begins a notification that opens the app. */
    fun builder(context: Context, channel: String): Notification.Builder =
        Notification.Builder(context, channel).setContentIntent(opening(context))

    private fun opening(context: Context): PendingIntent? {
        val open = context.packageManager.getLaunchIntentForPackage(context.packageName) ?: return null
        return PendingIntent.getActivity(context, 0, open, PendingIntent.FLAG_IMMUTABLE)
    }

    /** Returns the intent of a notification's button for the service. */
    fun asking(context: Context, action: String): PendingIntent {
        val intent = Intent(context, GatewayService::class.java).setAction(action)
        return PendingIntent.getForegroundService(context, 0, intent, PendingIntent.FLAG_IMMUTABLE)
    }
}
