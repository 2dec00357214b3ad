package org.postrider.agent.service

import android.app.Notification
import android.content.Context
import android.graphics.drawable.Icon
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.Status
import org.postrider.agent.isGoingOn
import org.postrider.agent.screens.WaitWords

/** The ongoing notification: what the phone does, and what it waits for. */
internal class StateNotice(private val context: Context) {
    private val resources get() = context.resources

    /** Returns the notification of a running phone. */
    fun running(status: Status, isPaused: Boolean): Notification = Notices.builder(context, Notices.STATE)
        .setSmallIcon(R.drawable.ic_notice)
        .setContentTitle(title(status))
        .setContentText(text(status, isPaused))
        .setOngoing(true)
        .setShowWhen(false)
        .setCategory(Notification.CATEGORY_SERVICE)
        .addAction(button(R.string.action_stop, GatewayService.ACTION_STOP))
        .build()

    /** Returns the notification of a phone that its owner has stopped; it can be swiped away. */
    fun stopped(isInAndroid: Boolean): Notification {
        val how = if (isInAndroid) R.string.notice_stopped_in_android else R.string.notice_stopped_text
        return Notices.builder(context, Notices.STATE)
            .setSmallIcon(R.drawable.ic_notice)
            .setContentTitle(context.getString(R.string.notice_stopped))
            .setContentText(context.getString(how))
            .setStyle(Notification.BigTextStyle().bigText(context.getString(how)))
            .setShowWhen(false)
            .addAction(button(R.string.action_start, GatewayService.ACTION_START))
            .build()
    }

    private fun title(status: Status): String {
        val host = status.paired?.host
        return when {
            status.pairing is PairingProgress.Leaving -> context.getString(R.string.notice_leaving)
            status.pairing.isGoingOn() -> context.getString(R.string.notice_pairing)
            !status.isRunning || host == null -> context.getString(R.string.notice_starting)
            status.isLinked -> context.getString(R.string.notice_connected, host)
            status.isOnline -> context.getString(R.string.notice_connecting, host)
            else -> context.getString(R.string.notice_offline)
        }
    }

    private fun text(status: Status, isPaused: Boolean): String {
        val waiting = status.queues.sumOf { it.waiting.toInt() }
        val next = status.queues.mapNotNull { it.next }.minByOrNull { it.inMs ?: ULong.MAX_VALUE }
        return when {
            isPaused -> context.getString(R.string.notice_paused)
            waiting == 0 -> context.getString(R.string.notice_ready)
            next == null -> resources.getQuantityString(R.plurals.notice_waiting_turn, waiting, waiting)
            else -> WaitWords.reason(resources, next).let {
                resources.getQuantityString(R.plurals.notice_waiting, waiting, waiting, it)
            }
        }
    }

    private fun button(text: Int, action: String): Notification.Action {
        val icon = Icon.createWithResource(context, R.drawable.ic_notice)
        return Notification.Action.Builder(icon, context.getString(text), Notices.asking(context, action)).build()
    }
}
