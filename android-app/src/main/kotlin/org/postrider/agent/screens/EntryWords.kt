package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.R
import org.postrider.core.Entry
import org.postrider.core.What

/** Sentences for what happened. */
object EntryWords {
    /** Returns the sentence for what happened. */
    fun sentence(what: What): Int = when (what) {
        What.STARTED -> R.string.log_started
        What.STOPPED_BY_OWNER -> R.string.log_stopped
        What.STOPPED_IN_ANDROID -> R.string.log_stopped_in_android
        What.FAILED_TO_RUN -> R.string.log_failed_to_run
        What.PAIRED -> R.string.log_paired
        What.UNPAIRED -> R.string.log_unpaired
        What.LINK_UP -> R.string.log_link_up
        What.LINK_DOWN -> R.string.log_link_down
        What.LINK_FAILING -> R.string.log_link_failing
        What.LINK_REPLACED -> R.string.log_link_replaced
        What.NOT_KNOWN -> R.string.log_not_known
        What.PAIRING_NEEDED -> R.string.log_pairing_needed
        What.UPDATE_NEEDED -> R.string.log_update_needed
        What.ACCEPTED -> R.string.state_on_phone
        What.SUBMITTED -> R.string.state_submitting
        What.RETRYING -> R.string.state_retrying
        What.SENT -> R.string.state_sent
        What.FAILED -> R.string.state_failed
        What.DELIVERED -> R.string.state_delivered
        What.NOT_DELIVERED -> R.string.state_not_delivered
        What.UNKNOWN -> R.string.state_unknown
        What.REVOKED -> R.string.state_revoked
        What.CANCELLED -> R.string.state_cancelled
        What.EXPIRED -> R.string.state_expired
        What.TEST_SUBMITTED -> R.string.log_test_submitted
        What.TEST_SENT -> R.string.log_test_sent
        What.TEST_FAILED -> R.string.log_test_failed
        What.TEST_DELIVERED -> R.string.log_test_delivered
        What.TEST_NOT_DELIVERED -> R.string.log_test_not_delivered
        What.TEST_UNKNOWN -> R.string.log_test_unknown
        What.SMS_RECEIVED -> R.string.received_sms
        What.DATA_RECEIVED -> R.string.received_data
        What.MMS_RECEIVED -> R.string.received_mms
        What.USSD_ANSWERED -> R.string.received_ussd
        What.CALL_SEEN -> R.string.received_call
        What.SIM_CHANGED -> R.string.log_sim_changed
        What.SIM_CONFIRMED -> R.string.log_sim_confirmed
        What.SIM_HELD -> R.string.log_sim_held
        What.SIM_RELEASED -> R.string.log_sim_released
        What.LOOK_AT_PHONE -> R.string.log_look_at_phone
        What.PACE_HALVED -> R.string.log_pace_halved
        What.REPORT_MISMATCHED -> R.string.log_report_mismatched
        What.STRAY_RESULT -> R.string.log_stray_result
    }

    /** Returns why it happened, if a result code says so. */
    fun reason(resources: Resources, entry: Entry): String? {
        val code = entry.code?.takeIf { it != RESULT_OK && entry.what in WITH_RESULT } ?: return null
        return resources.getString(R.string.log_reason, resources.getString(ResultWords.sentence(code)), code)
    }

    /** Returns when and where it happened, and to which message. */
    fun place(resources: Resources, times: Times, entry: Entry): String {
        val at = times.moment(entry.at)
        val sim = entry.sim?.let { resources.getString(R.string.sim, it.toInt() + 1) }
        return listOfNotNull(at, sim, entry.message).joinToString(SEPARATOR)
    }

    /** What the owner should know: something went wrong. */
    val TROUBLE = setOf(
        What.FAILED, What.NOT_DELIVERED, What.UNKNOWN, What.FAILED_TO_RUN, What.LINK_FAILING, What.LINK_REPLACED,
        What.NOT_KNOWN, What.PAIRING_NEEDED, What.UPDATE_NEEDED, What.SIM_CHANGED, What.SIM_HELD, What.LOOK_AT_PHONE,
        What.PACE_HALVED,
    )

    private val WITH_RESULT = setOf(What.FAILED, What.RETRYING, What.UNKNOWN, What.SIM_HELD, What.TEST_FAILED)
    private const val RESULT_OK = -1
    private const val SEPARATOR = " · "
}
