package org.postrider.agent.device

import android.Manifest.permission
import android.os.Build
import org.postrider.agent.R

/**
 * What the owner allows, one thing at a time: the platform's permissions for it, why the app asks
 * for it, and what is missing without it.
 */
enum class Permit(
    val title: Int,
    val reason: Int,
    val without: Int,
    /** Whether the phone cannot be a gateway without it. */
    val isNeeded: Boolean,
    /** The platform's API level from which the app has to ask. */
    val since: Int,
    val permissions: List<String>,
) {
    SIMS(
        R.string.permit_sims, R.string.permit_sims_reason, R.string.permit_sims_without,
        true, 0, listOf(permission.READ_PHONE_STATE, permission.READ_PHONE_NUMBERS),
    ),
    SEND(
        R.string.permit_send, R.string.permit_send_reason, R.string.permit_send_without,
        true, 0, listOf(permission.SEND_SMS),
    ),
    RECEIVE(
        R.string.permit_receive, R.string.permit_receive_reason, R.string.permit_receive_without,
        false, 0, listOf(permission.RECEIVE_SMS, permission.READ_SMS, permission.RECEIVE_MMS),
    ),
    CALLS(
        R.string.permit_calls, R.string.permit_calls_reason, R.string.permit_calls_without,
        false, 0, listOf(permission.CALL_PHONE),
    ),
    CALL_LOG(
        R.string.permit_call_log, R.string.permit_call_log_reason, R.string.permit_call_log_without,
        false, 0, listOf(permission.READ_CALL_LOG),
    ),
    NOTIFICATIONS(
        R.string.permit_notifications, R.string.permit_notifications_reason,
        R.string.permit_notifications_without,
        false, Build.VERSION_CODES.TIRAMISU, listOf("android.permission.POST_NOTIFICATIONS"),
    ),
}
