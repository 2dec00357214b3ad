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

/** How far the test message is that the owner asked for last. */
sealed class TestProgress {
    /** The agent was not asked: it does not run, or cannot be. */
    object NotRunning : TestProgress()

    /** It was not sent; where a limit leaves no place, there is one at [atMs]. */
    data class NotSent(val why: Refused, val atMs: Long?) : TestProgress()

    /** The radio has it, or what became of it is known; [code] says why it failed. */
    data class Moved(val state: WireState, val code: Int?) : TestProgress()
}

/** Sends the owner's test messages, and remembers what became of the last one; not for long: the process may end. */
internal class TestMessage(private val agent: () -> Agent, private val now: () -> Long = System::currentTimeMillis) {
    @Volatile
    var progress: TestProgress? = null
        private set

    /** Sends one at once; what follows comes to [take]. */
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
