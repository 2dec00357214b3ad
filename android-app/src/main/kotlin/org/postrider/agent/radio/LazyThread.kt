package org.postrider.agent.radio

import java.util.concurrent.Executor
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.ThreadPoolExecutor
import java.util.concurrent.TimeUnit

/** How long the thread stays without work, in seconds. */
private const val IDLE_S = 10L

/**
 * One thread that does one thing after the other, and exists only while there is something to do.
 *
 * Its queue is bounded by the platform's broadcasts and the agent's own questions.
 */
internal class LazyThread(name: String) : Executor {
    private val pool = ThreadPoolExecutor(1, 1, IDLE_S, TimeUnit.SECONDS, LinkedBlockingQueue()) { work ->
        Thread(work, name).apply { isDaemon = true }
    }.apply { allowCoreThreadTimeOut(true) }

    override fun execute(work: Runnable) = pool.execute(work)
}
