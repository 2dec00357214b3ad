package org.postrider.agent

import org.postrider.core.WaitChoice

/** How long to wait for results that may never come, in units for people; null if the hub decides. */
data class WaitTimes(val silenceS: Int?, val unknownMin: Int?, val reportsH: Int?) {
    /** Returns whether the core accepts them. */
    val isSensible: Boolean
        get() = isIn(silenceS, 30..(unknownMin ?: DAY_MIN).coerceIn(0, DAY_MIN) * 60) && isIn(unknownMin, 1..DAY_MIN) &&
            isIn(reportsH, 1..14 * 24)

    /** Returns them as the core takes them. */
    fun waits() = WaitChoice(silenceS * 1_000uL, unknownMin * 60_000uL, reportsH * 3_600_000uL)

    companion object {
        /** Nothing is set. */
        val NONE = WaitTimes(null, null, null)

        /** What counts if neither owner nor hub has set it: two minutes, ten minutes, three days. */
        val USUAL = WaitTimes(120, 10, 72)

        private const val DAY_MIN = 24 * 60

        private fun isIn(value: Int?, range: IntRange) = value == null || value in range

        private operator fun Int?.times(of: ULong): ULong? = this?.let { it.toULong() * of }
    }
}
