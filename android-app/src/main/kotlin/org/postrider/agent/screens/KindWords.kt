package org.postrider.agent.screens

import org.postrider.agent.R
import org.postrider.core.Kind
import org.postrider.core.Source
import org.postrider.core.WireState

/** Names kinds and states of messages in plain words. */
object KindWords {
    /** Returns the sentence for how much of a kind waits, with plurals. */
    fun waiting(kind: Kind): Int = when (kind) {
        Kind.Sms -> R.plurals.waiting_sms
        Kind.DataSms -> R.plurals.waiting_data
        Kind.Mms -> R.plurals.waiting_mms
        Kind.Ussd -> R.plurals.waiting_ussd
        Kind.Call -> R.plurals.waiting_calls
        is Kind.Other -> R.plurals.waiting_messages
    }

    /** Returns the sentence for something that came in by a SIM. */
    fun received(source: Source): Int = when (source) {
        Source.SMS -> R.string.received_sms
        Source.DATA_SMS -> R.string.received_data
        Source.MMS -> R.string.received_mms
        Source.USSD -> R.string.received_ussd
        Source.CALL -> R.string.received_call
    }

    /** Returns the sentence for a message that reached a state. */
    fun moved(state: WireState): Int = when (state) {
        WireState.ON_PHONE -> R.string.state_on_phone
        WireState.RETRYING -> R.string.state_retrying
        WireState.SUBMITTING -> R.string.state_submitting
        WireState.UNKNOWN -> R.string.state_unknown
        WireState.SENT -> R.string.state_sent
        WireState.FAILED -> R.string.state_failed
        WireState.NOT_DELIVERED -> R.string.state_not_delivered
        WireState.DELIVERED -> R.string.state_delivered
        WireState.REVOKED -> R.string.state_revoked
        WireState.CANCELLED -> R.string.state_cancelled
        WireState.EXPIRED -> R.string.state_expired
    }
}
