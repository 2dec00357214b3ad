package org.postrider.agent

import org.postrider.core.Address
import org.postrider.core.Agent
import org.postrider.core.AgentException
import org.postrider.core.Command
import org.postrider.core.Event
import org.postrider.core.MessageText
import org.postrider.core.Refused
import org.postrider.core.SimSlot
import org.postrider.core.WireState

/** The progress of the owner's last test message. */
sealed class TestProgress {
    /** The agent was not asked: it does not run, or cannot be made. */
    object NotRunning : TestProgress()

    /** It was not sent; if a limit has no room for it, there is room at [atMs]. */
    data class NotSent(val why: Refused, val atMs: Long?) : TestProgress()

    /** The radio has it, or its outcome is known; [code] says why it failed. */
    data class Moved(val state: WireState, val code: Int?) : TestProgress()
}

/** Sends the owner's test messages, and remembers the last one's outcome until the process ends. */
internal class TestMessage(private val agent: () -> Agent, private val now: () -> Long = System::currentTimeMillis) {
    @Volatile
    var progress: TestProgress? = null
        private set

    /** Sends one at once; its results come to [take]. */
    fun send(sim: SimSlot, to: Address, text: MessageText) {
        try {
            agent().command(Command.SendTest(sim, to, text))
        } catch (refused: AgentException.NotGranted) {
            val slot = refused.why as? Refused.NoSlot
            progress = TestProgress.NotSent(refused.why, slot?.let { now() + it.inMs.toLong() })
        } catch (error: AgentException) {
            Trouble.failed("sending a test", error)
            progress = TestProgress.NotRunning
        }
    }

    fun take(event: Event) {
        if (event is Event.TestMoved) progress = TestProgress.Moved(event.state, event.code)
    }
}
