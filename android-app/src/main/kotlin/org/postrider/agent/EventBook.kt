package org.postrider.agent

import org.postrider.core.Event
import org.postrider.core.Source
import org.postrider.core.WireState

/** Writes down what the agent says happened, and raises what its owner has to look at. */
internal class EventBook(private val activity: ActivityLog, private val alerts: Alerts) {
    fun take(event: Event) {
        when (event) {
            Event.LinkUp -> linkUp()
            Event.LinkDown -> activity.add(What.LINK_DOWN)
            is Event.PairingNeeded -> activity.add(What.PAIRING_NEEDED)
            Event.NotKnownHere -> note(What.NOT_KNOWN, AlertKind.NOT_KNOWN)
            Event.UpdateNeeded -> note(What.UPDATE_NEEDED, AlertKind.UPDATE_NEEDED)
            Event.LinkFailing -> note(What.LINK_FAILING, AlertKind.LINK_FAILING)
            Event.LinkReplaced -> note(What.LINK_REPLACED, AlertKind.LINK_REPLACED)
            is Event.MessageAccepted -> activity.add(What.ACCEPTED, event.message.id, event.sim)
            // It moves, too.
            is Event.MessageSubmitted -> Unit
            is Event.MessageMoved -> activity.add(reached(event.state), event.message.id, null, event.code)
            is Event.TestMoved -> activity.add(tested(event.state), null, null, event.code)
            is Event.MessageReceived -> activity.add(came(event.source), null, event.sim)
            is Event.SimChanged -> note(What.SIM_CHANGED, AlertKind.SIM_CHANGED, event.sim)
            is Event.SimConfirmed -> settled(event.sim)
            is Event.SimHeld -> note(What.SIM_HELD, AlertKind.SIM_HELD, event.sim, event.code)
            is Event.SimReleased -> released(event.sim)
            is Event.LookAtPhone -> note(What.LOOK_AT_PHONE, AlertKind.LOOK_AT_PHONE, event.sim)
            is Event.PaceHalved -> activity.add(What.PACE_HALVED)
            is Event.ReportMismatched -> activity.add(What.REPORT_MISMATCHED, event.token.message.id)
            is Event.StrayResult -> activity.add(What.STRAY_RESULT, event.token.message.id)
        }
    }

    private fun note(what: What, alert: AlertKind, sim: UByte? = null, code: Int? = null) {
        activity.add(what, null, sim, code)
        alerts.raise(alert, sim)
    }

    private fun linkUp() {
        activity.add(What.LINK_UP)
        OVER_WHEN_LINKED.forEach { alerts.clear(it) }
    }

    private fun settled(sim: UByte) {
        activity.add(What.SIM_CONFIRMED, null, sim)
        alerts.clear(AlertKind.SIM_CHANGED, sim)
    }

    private fun released(sim: UByte) {
        activity.add(What.SIM_RELEASED, null, sim)
        alerts.clear(AlertKind.SIM_HELD, sim)
        alerts.clear(AlertKind.LOOK_AT_PHONE, sim)
    }

    private companion object {
        val OVER_WHEN_LINKED = listOf(
            AlertKind.OFFLINE, AlertKind.NOT_KNOWN, AlertKind.LINK_FAILING, AlertKind.UPDATE_NEEDED,
            AlertKind.AGENT_FAILING,
        )

        fun reached(state: WireState): What = when (state) {
            WireState.ON_PHONE -> What.ACCEPTED
            WireState.RETRYING -> What.RETRYING
            WireState.SUBMITTING -> What.SUBMITTED
            WireState.UNKNOWN -> What.UNKNOWN
            WireState.SENT -> What.SENT
            WireState.FAILED -> What.FAILED
            WireState.NOT_DELIVERED -> What.NOT_DELIVERED
            WireState.DELIVERED -> What.DELIVERED
            WireState.REVOKED -> What.REVOKED
            WireState.CANCELLED -> What.CANCELLED
            WireState.EXPIRED -> What.EXPIRED
        }

        /** A test is in no other state. */
        fun tested(state: WireState): What = when (state) {
            WireState.SUBMITTING -> What.TEST_SUBMITTED
            WireState.SENT -> What.TEST_SENT
            WireState.DELIVERED -> What.TEST_DELIVERED
            WireState.NOT_DELIVERED -> What.TEST_NOT_DELIVERED
            WireState.FAILED -> What.TEST_FAILED
            WireState.UNKNOWN, WireState.ON_PHONE, WireState.RETRYING, WireState.REVOKED, WireState.CANCELLED,
            WireState.EXPIRED,
            -> What.TEST_UNKNOWN
        }

        fun came(source: Source): What = when (source) {
            Source.SMS -> What.SMS_RECEIVED
            Source.DATA_SMS -> What.DATA_RECEIVED
            Source.MMS -> What.MMS_RECEIVED
            Source.USSD -> What.USSD_ANSWERED
            Source.CALL -> What.CALL_SEEN
        }
    }
}
