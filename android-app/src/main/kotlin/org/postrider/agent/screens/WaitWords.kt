package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.R
import org.postrider.core.Kind
import org.postrider.core.KindWaiting
import org.postrider.core.Wait

/** Sentences for what messages wait for. */
object WaitWords {
    /** Every word of the core for a wait, and its sentence. */
    val SENTENCES: Map<String, Int> = mapOf(
        "no_sim" to R.string.wait_no_sim,
        "sim_held" to R.string.wait_sim_held,
        "sent_results" to R.string.wait_sent_results,
        "silent_radio" to R.string.wait_silent_radio,
        "not_known" to R.string.wait_not_known,
        "not_permitted" to R.string.wait_not_permitted,
        "sim_changed" to R.string.wait_sim_changed,
        "paused" to R.string.wait_paused,
        "quiet_hours" to R.string.wait_quiet_hours,
        "send_limit" to R.string.wait_send_limit,
        "platform_guard" to R.string.wait_platform_guard,
        "send_delay" to R.string.wait_send_delay,
        "retry" to R.string.wait_retry,
        "line_busy" to R.string.wait_line_busy,
        "ussd_answer" to R.string.wait_ussd_answer,
    )

    /** Returns why the next message of a queue waits. */
    fun reason(resources: Resources, wait: Wait): String = when (val sentence = SENTENCES[wait.waitingFor]) {
        null -> resources.getString(R.string.wait_other, wait.waitingFor)
        else -> resources.getString(sentence)
    }

    /** Returns when the next message of a queue is sent, if it depends on a clock. */
    fun moment(times: Times, wait: Wait): String? = wait.inMs?.let { times.nextIn(it.toLong()) }

    /** Returns how many messages of a kind wait. */
    fun count(resources: Resources, kind: KindWaiting): String {
        val count = kind.waiting.toInt()
        return resources.getQuantityString(counted(kind.kind), count, count)
    }

    private fun counted(kind: Kind): Int = when (kind) {
        Kind.Sms -> R.plurals.waiting_sms
        Kind.DataSms -> R.plurals.waiting_data
        Kind.Mms -> R.plurals.waiting_mms
        Kind.Ussd -> R.plurals.waiting_ussd
        Kind.Call -> R.plurals.waiting_calls
        is Kind.Other -> R.plurals.waiting_messages
    }
}
