package org.postrider.agent

import android.os.SystemClock
import org.postrider.core.SimQueue
import java.util.concurrent.CopyOnWriteArrayList

/** The last known state of the running agent, and who is told that it may have changed; on any thread. */
internal class Board(private val thread: HostThread) {
    private val listeners = CopyOnWriteArrayList<AgentHost.Listener>()

    /** Whether the hub holds a connection to the phone. */
    @Volatile
    var isLinked = false

    /** What waits for each SIM. */
    @Volatile
    var queues: List<SimQueue> = emptyList()
        private set

    /** When [queues] was read, by `elapsedRealtime`. */
    @Volatile
    var queuesReadAtMs = 0L
        private set

    /** The queues were read just now. */
    fun show(read: List<SimQueue>) {
        queues = read
        queuesReadAtMs = SystemClock.elapsedRealtime()
    }

    /** The agent no longer runs. */
    fun clear() {
        isLinked = false
        queues = emptyList()
    }

    fun addListener(l: AgentHost.Listener) {
        listeners.addIfAbsent(l)
    }

    fun removeListener(l: AgentHost.Listener) {
        listeners.remove(l)
    }

    /** Tells the listeners, on the main thread. */
    fun changed() = thread.onMain { listeners.forEach(AgentHost.Listener::onChanged) }
}
