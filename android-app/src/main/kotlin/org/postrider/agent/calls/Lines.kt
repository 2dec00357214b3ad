package org.postrider.agent.calls

import android.telephony.TelephonyManager
import org.postrider.core.CallState
import org.postrider.core.RadioFact

/** The states of a line, by the platform's numbers and names. */
internal object Lines {
    fun ofNumber(state: Int): CallState? = when (state) {
        TelephonyManager.CALL_STATE_RINGING -> CallState.RINGING
        TelephonyManager.CALL_STATE_OFFHOOK -> CallState.OFF_HOOK
        TelephonyManager.CALL_STATE_IDLE -> CallState.IDLE
        else -> null
    }

    fun ofName(state: String?): CallState? = when (state) {
        TelephonyManager.EXTRA_STATE_RINGING -> CallState.RINGING
        TelephonyManager.EXTRA_STATE_OFFHOOK -> CallState.OFF_HOOK
        TelephonyManager.EXTRA_STATE_IDLE -> CallState.IDLE
        else -> null
    }

    /** Only incoming calls ring; for other states the platform does not say the direction. */
    fun fact(sim: UByte, state: CallState, number: String?): RadioFact =
        RadioFact.CallState(sim, state, number, if (state == CallState.RINGING) true else null)
}
