package org.postrider.agent

import org.postrider.agent.pairing.DeviceCard
import org.postrider.agent.pairing.Joining
import org.postrider.agent.pairing.PhoneKey
import org.postrider.core.Agent
import org.postrider.core.AgentException
import org.postrider.core.AlertKind
import org.postrider.core.Fact
import org.postrider.core.Invitation
import org.postrider.core.Paired
import org.postrider.core.PairingOutcome
import org.postrider.core.readPairing
import java.util.concurrent.atomic.AtomicReference

/**
 * The hub that the phone has joined: joins one, leaves it, and clears up when it is gone.
 *
 * Everything runs on the host's thread, unless it says otherwise.
 */
internal class Membership(
    private val parts: HostParts,
    private val runner: Runner,
    private val key: PhoneKey,
    private val folder: String,
    private val leaveWithinS: UInt,
    private val agent: () -> Agent,
    private val onJoined: () -> Unit,
) : Runner.Hub {
    private val joining = Joining(agent, key, DeviceCard(parts.context, parts.sims), parts.board::changed)

    private val known = AtomicReference<Known?>()

    /** On any thread: the progress of joining or leaving. */
    val progress: PairingProgress? get() = joining.progress

    override val isJoined: Boolean get() = paired() != null

    /** On any thread: the hub that the phone has joined. */
    fun paired(): Paired? = if (key.isLost) null else (known.get() ?: readFirst()).paired

    /** Joins a hub, after leaving the present one. */
    fun join(invitation: Invitation) {
        joining.wish(invitation)
        if (isJoined) leave() else joinNow()
    }

    /** Stops joining, or confirms that its outcome was seen. */
    fun cancel() = joining.cancel()

    /** Leaves the hub, and joins none. */
    fun leaveForGood() {
        joining.wish(null)
        if (isJoined) leave()
    }

    /** The agent was stopped, so leaving a hub has stopped, too. */
    fun stopLeaving() = joining.left()

    fun compare(digits: String) = joining.compare(digits)

    fun over(outcome: PairingOutcome) {
        if (outcome is PairingOutcome.Paired) {
            parts.book.tell(Fact.Paired)
            key.accept()
            known.set(read())
            onJoined()
        }
        joining.over(outcome)
    }

    /** Back to pairing. */
    override fun gone(alert: AlertKind?) {
        runner.end()
        val now = read()
        if (now.paired == null) {
            key.forget()
            key.accept()
        }
        parts.book.tell(Fact.Left(known.get()?.paired != null, alert))
        joining.left()
        known.set(now)
        if (joining.isWished) joinNow()
    }

    override fun losesKey(): Boolean {
        if (key.isLost) loseKey()
        return key.isLost
    }

    fun loseKey() {
        runner.end()
        parts.book.tell(Fact.KeyLost)
        parts.board.changed()
    }

    /** A newer value is never overwritten with one that was read before. */
    private fun readFirst(): Known = read().also { known.compareAndSet(null, it) }

    private fun read() = Known(Trouble.trying("reading the pairing") { readPairing(folder) })

    private fun joinNow() {
        runner.stop()
        joining.join()
        // Meanwhile the owner may look for the digits elsewhere.
        if (progress.isGoingOn()) runner.startService()
    }

    private fun leave() {
        joining.leaving()
        val failure = runner.runToLeave()
        if (failure != null) {
            // Otherwise the hub is left already.
            if (isJoined) joining.failed(failure)
            return
        }
        try {
            agent().beginUnpairing(leaveWithinS)
        } catch (error: AgentException) {
            Trouble.failed("unpairing", error)
            joining.failed(error)
        }
    }

    /** The phone's record when it was last read. */
    private class Known(val paired: Paired?)
}
