package org.postrider.agent

import org.postrider.core.Spell
import java.util.Calendar
import java.util.GregorianCalendar
import java.util.TimeZone

/**
 * The hours of each day in which nothing of the hub's is sent, in minutes of the day: from [from] on, before
 * [until], which is the next day's where it is the lesser.
 *
 * They follow the clock on the wall, as those of the hub do: where clocks are turned back over an end, the later
 * passage ends the quiet, over a beginning the earlier one begins it; a time that clocks skip counts as the moment of
 * the skip.
 */
data class QuietHours(val from: Int, val until: Int) {
    /** Returns the quiet times of the next days, the one that holds now among them. */
    fun spells(nowMs: Long, zone: TimeZone): List<Spell> {
        val today = GregorianCalendar(zone).apply { timeInMillis = nowMs }
        val last = if (until < from) 1 else 0
        return (-1..DAYS).map { day ->
            Spell(today.at(day, from, Passage.FIRST), today.at(day + last, until, Passage.LAST))
        }.filter { it.from < it.until && it.until > nowMs }
    }

    private enum class Passage { FIRST, LAST }

    companion object {
        /** What is offered first: from ten in the evening until seven in the morning. */
        val USUAL = QuietHours(22 * 60, 7 * 60)

        /** Days ahead; they are told again long before. */
        private const val DAYS = 14

        /** More than clocks are ever moved at once. */
        private const val TURNED_MS_MAX = 86_400_000L

        /** Returns when clocks show a minute of a day that lies so many days after this one. */
        private fun Calendar.at(days: Int, minute: Int, passage: Passage): Long {
            val zone = timeZone
            val wanted = GregorianCalendar(TimeZone.getTimeZone("UTC")).also {
                it.clear()
                it.set(get(Calendar.YEAR), get(Calendar.MONTH), get(Calendar.DAY_OF_MONTH))
                it.add(Calendar.DAY_OF_MONTH, days)
                it.add(Calendar.MINUTE, minute)
            }.timeInMillis
            val offsets = listOf(wanted - TURNED_MS_MAX, wanted + TURNED_MS_MAX).map { zone.getOffset(it).toLong() }
            val shown = offsets.map { wanted - it }.filter { it + zone.getOffset(it) == wanted }
            return when {
                shown.isEmpty() -> zone.turnBetween(wanted - offsets.max(), wanted - offsets.min())
                passage == Passage.FIRST -> shown.min()
                else -> shown.max()
            }
        }

        /** Returns the first moment with the offset of [after]; [before] has another. */
        private fun TimeZone.turnBetween(before: Long, after: Long): Long {
            var (low, high) = before to after
            while (high - low > 1) {
                val middle = low + (high - low) / 2
                if (getOffset(middle) == getOffset(after)) high = middle else low = middle
            }
            return high
        }
    }
}
