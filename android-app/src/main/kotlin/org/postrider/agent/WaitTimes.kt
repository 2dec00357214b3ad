package org.postrider.agent

import org.postrider.core.WaitChoice

/** How long is waited for what Android may never say, in the units that its owner thinks in; null where the hub says. */
data class WaitTimes(val silenceS: Int?, val unknownMin: Int?, val reportsH: Int?) {
    /** Whether the core takes them: it says the same. */
    val isSensible: Boolean
        get() = isIn(silenceS, 30..(unknownMin ?: DAY_MIN).coerceIn(0, DAY_MIN) * 60) && isIn(unknownMin, 1..DAY_MIN) &&
            isIn(reportsH, 1..14 * 24)

    /** Returns them as the core wants them. */
    fun waits() = WaitChoice(silenceS * 1_000uL, unknownMin * 60_000uL, reportsH * 3_600_000uL)

    companion object {
        /** Nothing is set. */
        val NONE = WaitTimes(null, null, null)

        /** What counts where neither owner nor hub says: two minutes, ten minutes, three days. */
        val USUAL = WaitTimes(120, 10, 72)

        private const val DAY_MIN = 24 * 60

        private fun isIn(value: Int?, range: IntRange) = value == null || value in range

        private operator fun Int?.times(of: ULong): ULong? = this?.let { it.toULong() * of }
    }
}
