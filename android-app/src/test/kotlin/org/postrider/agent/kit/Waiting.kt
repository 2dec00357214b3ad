package org.postrider.agent.kit

import android.os.Looper
import org.robolectric.Shadows.shadowOf
import java.util.concurrent.TimeUnit

/** How long a test waits before it fails; nothing normal takes that long. */
private const val LIMIT_MS = 120_000L
private const val PAUSE_MS = 5L

/** Waits until something is true; meanwhile the main thread runs and the phone's clock moves. */
fun await(what: String, isSo: () -> Boolean) {
    val end = System.nanoTime() + LIMIT_MS * 1_000_000
    while (true) {
        shadowOf(Looper.getMainLooper()).idleFor(PAUSE_MS, TimeUnit.MILLISECONDS)
        if (isSo()) return
        check(System.nanoTime() < end) { "never: $what" }
        Thread.sleep(PAUSE_MS)
    }
}
