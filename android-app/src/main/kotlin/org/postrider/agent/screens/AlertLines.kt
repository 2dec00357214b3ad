package org.postrider.agent.screens

import android.app.Activity
import android.content.Intent
import android.provider.Settings
import org.postrider.agent.R
import org.postrider.agent.service.AlertWords
import org.postrider.core.Alert
import org.postrider.core.AlertKind
import org.postrider.core.Command

/** An alert for the owner: what is wrong, what to do, and a button for it. */
internal class AlertLines(private val screen: Activity, private val control: Control) {
    /** Returns the lines of an alert; [done] is called once its button has acted. */
    fun of(alert: Alert, done: () -> Unit): List<Line> {
        val resources = screen.resources
        return listOf(
            Line.Text(AlertWords.title(resources, alert), isLive = true, tone = Tone.ALERT),
            Line.Text(AlertWords.advice(resources, alert)),
            Line.Button(resources.getString(button(alert.kind))) {
                act(alert)
                done()
            },
        )
    }

    private fun button(kind: AlertKind): Int = when (kind) {
        AlertKind.LOOK_AT_PHONE, AlertKind.SIM_HELD -> R.string.looked_at_phone
        AlertKind.SIM_CHANGED -> R.string.use_this_sim
        AlertKind.OFFLINE -> R.string.open_network_settings
        AlertKind.PAIRED_ELSEWHERE, AlertKind.JOURNAL_NOT_TRUSTED, AlertKind.JOURNAL_SET_ASIDE,
        AlertKind.KEY_LOST,
        -> R.string.pair_again
        AlertKind.NOT_KNOWN, AlertKind.UPDATE_NEEDED, AlertKind.LINK_FAILING, AlertKind.LINK_REPLACED,
        -> R.string.seen
        AlertKind.AGENT_FAILING -> R.string.start_again
        AlertKind.MAY_NOT_SEND -> R.string.permissions
    }

    /** A button that opens a page or asks the agent does not end the alert: it ends when its cause does. */
    private fun act(alert: Alert) {
        when (alert.kind) {
            AlertKind.LOOK_AT_PHONE, AlertKind.SIM_HELD -> {
                ask(alert) { Command.ReleaseSim(it) }
                control.dismiss(alert)
            }
            AlertKind.SIM_CHANGED -> ask(alert) { Command.ConfirmSim(it) }
            AlertKind.NOT_KNOWN, AlertKind.UPDATE_NEEDED, AlertKind.LINK_FAILING, AlertKind.LINK_REPLACED,
            -> control.dismiss(alert)
            AlertKind.AGENT_FAILING -> {
                control.startByOwner()
                control.dismiss(alert)
            }
            AlertKind.OFFLINE -> screen.opened(Intent(Settings.ACTION_WIRELESS_SETTINGS))
            AlertKind.PAIRED_ELSEWHERE, AlertKind.JOURNAL_NOT_TRUSTED, AlertKind.JOURNAL_SET_ASIDE,
            AlertKind.KEY_LOST,
            -> screen.opened(Intent(screen, PairActivity::class.java))
            AlertKind.MAY_NOT_SEND -> screen.opened(Intent(screen, PermissionsActivity::class.java))
        }
    }

    private fun ask(alert: Alert, command: (UByte) -> Command) {
        alert.sim?.let { control.command(command(it)) }
    }
}
