package org.postrider.agent.service

import android.app.Notification
import android.app.NotificationManager
import android.content.Context
import org.postrider.agent.R
import org.postrider.core.Alert
import org.postrider.core.AlertKind

/** Shows alerts as notifications; a SIM that waits for its network is shown only on the screens. */
internal class AlertNotices(private val context: Context) {
    private val notices = context.getSystemService(NotificationManager::class.java)

    init {
        Notices.prepare(context)
    }

    fun show(alert: Alert) {
        if (alert.kind == AlertKind.SIM_HELD) return
        val advice = AlertWords.advice(context.resources, alert)
        val notice = Notices.builder(context, Notices.ALERTS)
            .setSmallIcon(R.drawable.ic_notice_alert)
            .setContentTitle(AlertWords.title(context.resources, alert))
            .setContentText(advice)
            .setStyle(Notification.BigTextStyle().bigText(advice))
            .setWhen(alert.since)
            .setShowWhen(true)
            .setOnlyAlertOnce(true)
            .setDeleteIntent(AlertReceiver.asDismissed(context, alert))
            .setCategory(Notification.CATEGORY_ERROR)
        notices?.notify(tag(alert), Notices.ALERT_ID, notice.build())
    }

    fun hide(alert: Alert) {
        notices?.cancel(tag(alert), Notices.ALERT_ID)
    }

    private fun tag(alert: Alert) = alert.kind.name + "/" + alert.sim
}
