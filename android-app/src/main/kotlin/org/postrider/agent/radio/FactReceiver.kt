package org.postrider.agent.radio

import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import org.postrider.agent.PostriderApp
import org.postrider.agent.Trouble
import org.postrider.core.RadioFact

/** Keeps a fact: returns true when all that follows from it is on disk, and false when that cannot be. */
internal typealias Keep = (Context, RadioFact) -> Boolean

/** Keeps facts through the host, which starts the agent if necessary. */
internal val THROUGH_HOST: Keep = { context, fact -> PostriderApp.of(context).host.tellForKeeps(fact) }

/** Wakes the agent with a fact, unless it was stopped: the next start finds the fact again. */
internal val UNLESS_STOPPED: Keep = { context, fact ->
    val host = PostriderApp.of(context).host
    !host.mayRun() || host.tellForKeeps(fact)
}

/**
 * A receiver of broadcasts that the platform makes only once: it is finished when the fact is on disk.
 *
 * Broadcasts are kept in the order in which they came, on one thread for all receivers; the main thread does not
 * wait.
 */
abstract class FactReceiver internal constructor(private val keep: Keep) : BroadcastReceiver() {
    /** Returns the fact of a broadcast; null when it is not ours or says nothing. */
    internal abstract fun read(context: Context, intent: Intent, code: Int): RadioFact?

    /** Cleans up after a fact is on disk. */
    internal open fun kept(context: Context, intent: Intent, fact: RadioFact) = Unit

    final override fun onReceive(context: Context, intent: Intent) {
        val code = resultCode
        val pending: PendingResult? = goAsync()
        THREAD.execute {
            try {
                take(context.applicationContext, intent, code)
            } catch (error: RuntimeException) {
                Trouble.failed("a broadcast", error)
            } finally {
                pending?.finish()
            }
        }
    }

    private fun take(context: Context, intent: Intent, code: Int) {
        val fact = read(context, intent, code) ?: return
        if (keep(context, fact)) kept(context, intent, fact) else Trouble.failed("keeping a broadcast", NotKept())
    }

    private companion object {
        val THREAD = LazyThread("receivers")
    }
}

/** A fact is not on disk: the phone is not paired, or the agent does not run. */
private class NotKept : Exception()
