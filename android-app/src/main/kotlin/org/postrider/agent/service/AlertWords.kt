package org.postrider.agent.service

import android.content.res.Resources
import org.postrider.agent.R
import org.postrider.core.Alert
import org.postrider.core.AlertKind

/** Sentences for what is wrong and what to do, for notifications and screens. */
object AlertWords {
    /** Returns what is wrong; if it is about one SIM, with its number as people count. */
    fun title(resources: Resources, alert: Alert): String {
        val title = resources.getString(title(alert.kind))
        val sim = alert.sim ?: return title
        return resources.getString(R.string.alert_with_sim, sim.toInt() + 1, title)
    }

    /** Returns what to do about it. */
    fun advice(resources: Resources, alert: Alert): String = resources.getString(advice(alert.kind))

    private fun title(kind: AlertKind): Int = when (kind) {
        AlertKind.LOOK_AT_PHONE -> R.string.alert_look_at_phone
        AlertKind.SIM_CHANGED -> R.string.alert_sim_changed
        AlertKind.SIM_HELD -> R.string.alert_sim_held
        AlertKind.OFFLINE -> R.string.alert_offline
        AlertKind.PAIRED_ELSEWHERE -> R.string.alert_paired_elsewhere
        AlertKind.JOURNAL_NOT_TRUSTED -> R.string.alert_journal_not_trusted
        AlertKind.JOURNAL_SET_ASIDE -> R.string.alert_journal_set_aside
        AlertKind.KEY_LOST -> R.string.alert_key_lost
        AlertKind.NOT_KNOWN -> R.string.alert_not_known
        AlertKind.UPDATE_NEEDED -> R.string.alert_update_needed
        AlertKind.LINK_FAILING -> R.string.alert_link_failing
        AlertKind.LINK_REPLACED -> R.string.alert_link_replaced
        AlertKind.AGENT_FAILING -> R.string.alert_agent_failing
        AlertKind.MAY_NOT_SEND -> R.string.alert_may_not_send
    }

    private fun advice(kind: AlertKind): Int = when (kind) {
        AlertKind.LOOK_AT_PHONE -> R.string.alert_look_at_phone_text
        AlertKind.SIM_CHANGED -> R.string.alert_sim_changed_text
        AlertKind.SIM_HELD -> R.string.alert_sim_held_text
        AlertKind.OFFLINE -> R.string.alert_offline_text
        AlertKind.PAIRED_ELSEWHERE -> R.string.alert_paired_elsewhere_text
        AlertKind.JOURNAL_NOT_TRUSTED -> R.string.alert_journal_not_trusted_text
        AlertKind.JOURNAL_SET_ASIDE -> R.string.alert_journal_set_aside_text
        AlertKind.KEY_LOST -> R.string.alert_key_lost_text
        AlertKind.NOT_KNOWN -> R.string.alert_not_known_text
        AlertKind.UPDATE_NEEDED -> R.string.alert_update_needed_text
        AlertKind.LINK_FAILING -> R.string.alert_link_failing_text
        AlertKind.LINK_REPLACED -> R.string.alert_link_replaced_text
        AlertKind.AGENT_FAILING -> R.string.alert_agent_failing_text
        AlertKind.MAY_NOT_SEND -> R.string.alert_may_not_send_text
    }
}
