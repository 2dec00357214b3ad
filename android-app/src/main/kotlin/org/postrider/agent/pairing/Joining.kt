package org.postrider.agent.pairing

import org.postrider.agent.PairingProgress
import org.postrider.agent.Trouble
import org.postrider.core.Agent
import org.postrider.core.AgentException
import org.postrider.core.Invitation
import org.postrider.core.PairingFailure
import org.postrider.core.PairingOutcome

/** The progress of joining or leaving a hub; changed on the host's thread, read on any. */
internal class Joining(
    private val agent: () -> Agent,
    private val key: PhoneKey,
    private val card: DeviceCard,
    private val onChanged: () -> Unit,
) {
    @Volatile
    var progress: PairingProgress? = null
        private set(value) {
            field = value
            onChanged()
        }

    private var wished: Invitation? = null

    /** Whether another hub waits to be joined after this one is left. */
    val isWished: Boolean get() = wished != null

    /** Remembers which hub to join next, if any. */
    fun wish(invitation: Invitation?) {
        wished = invitation
    }

    fun leaving() {
        progress = PairingProgress.Leaving
    }

    /** The phone has left a hub, or the hub has dropped it. */
    fun left() {
        if (progress == PairingProgress.Leaving) progress = null
    }

    /** It could not be begun. */
    fun failed(error: AgentException) {
        wished = null
        progress = PairingProgress.Over(PairingOutcome.Failed(kindOf(error)))
    }

    /** Joins the remembered hub. */
    fun join() {
        val invitation = wished ?: return
        wished = null
        progress = PairingProgress.Asking
        try {
            if (key.isLost) key.forget()
            agent().beginPairing(invitation, card.read())
        } catch (error: AgentException.InvalidParam) {
            progress = PairingProgress.Invalid(error.field)
        } catch (error: AgentException) {
            Trouble.failed("pairing", error)
            failed(error)
        }
    }

    fun compare(digits: String) {
        progress = PairingProgress.Comparing(digits)
    }

    fun over(outcome: PairingOutcome) {
        // Cancelled by `cancel`, or replaced by another one.
        if (outcome !is PairingOutcome.Cancelled) progress = PairingProgress.Over(outcome)
    }

    /** Stops joining, or confirms that an outcome was seen. */
    fun cancel() {
        wished = null
        when (progress) {
            PairingProgress.Asking, is PairingProgress.Comparing -> {
                agent().cancelPairing()
                progress = PairingProgress.Over(PairingOutcome.Cancelled)
            }
            PairingProgress.Leaving, null -> Unit
            is PairingProgress.Invalid, is PairingProgress.Over -> progress = null
        }
    }

    private fun kindOf(error: AgentException): PairingFailure = when (error) {
        is AgentException.Storage, is AgentException.JournalSetAside -> PairingFailure.STORAGE
        is AgentException.KeyLost -> PairingFailure.KEY
        is AgentException.NoRoots -> PairingFailure.NO_ROOTS
        is AgentException.NotPaired, is AgentException.Running, is AgentException.NotRunning,
        is AgentException.InvalidParam, is AgentException.NotGranted, is AgentException.OnAgentThread,
        -> PairingFailure.APP
    }
}
