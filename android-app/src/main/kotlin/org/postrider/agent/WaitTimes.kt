package org.postrider.agent

import org.postrider.core.Waits

/** How long is waited for what Android may never say, in the units that its owner thinks in. */
data class WaitTimes(val silenceS: Int, val unknownMin: Int, val reportsH: Int) {
    /** Whether the core takes them: it says the same. */
    val isSensible: Boolean
        get() = silenceS in 30..unknownMin.coerceAtMost(24 * 60) * 60 && unknownMin <= 24 * 60 && reportsH in 1..14 * 24

    /** Returns them as the core wants them. */
    fun waits() = Waits(silenceS * 1_000uL, unknownMin * 60_000uL, reportsH * 3_600_000uL)

    companion object {
        /** Two minutes, ten minutes, three days. */
        val USUAL = WaitTimes(120, 10, 72)

        private operator fun Int.times(of: ULong): ULong = toULong() * of
    }
}
