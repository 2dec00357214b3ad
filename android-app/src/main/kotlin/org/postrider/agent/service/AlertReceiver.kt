package org.postrider.agent.service

import android.app.PendingIntent
import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.net.Uri
import org.postrider.agent.PostriderApp
import org.postrider.core.Alert
import org.postrider.core.Fact

/** An alert's notification was swiped away: it stays on the screens, but does not ring again. */
class AlertReceiver : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        val name = intent.data?.takeIf { intent.action == ACTION_DISMISSED }?.schemeSpecificPart ?: return
        val book = PostriderApp.of(context).host.book
        book.alerts().filter { nameOf(it) == name }.forEach { book.tell(Fact.WavedAway(it)) }
    }

    companion object {
        private const val ACTION_DISMISSED = "org.postrider.agent.ALERT_DISMISSED"
        private const val SCHEME = "alert"

        /** Returns what the platform sends when this notification is swiped away. */
        fun asDismissed(context: Context, alert: Alert): PendingIntent {
            val intent = Intent(context, AlertReceiver::class.java).setAction(ACTION_DISMISSED)
            intent.data = Uri.fromParts(SCHEME, nameOf(alert), null)
            return PendingIntent.getBroadcast(context, 0, intent, PendingIntent.FLAG_IMMUTABLE)
        }

        private fun nameOf(alert: Alert) = alert.kind.name + "/" + alert.sim + "/" + alert.since
    }
}
