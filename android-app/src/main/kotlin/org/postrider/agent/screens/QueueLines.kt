package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.R
import org.postrider.agent.Status
import org.postrider.core.SimInfo
import org.postrider.core.SimQueue
import org.postrider.core.Wait

/** What waits for each SIM, when the next message is sent, and why not now. */
class QueueLines(private val resources: Resources, private val times: Times) {
    /** Returns the lines of every SIM; [ageMs] is how long ago the queues were read. */
    fun of(status: Status, ageMs: Long): List<Line> {
        val waiting = status.queues.associateBy { it.sim }
        val slots = (status.sims.map { it.slot } + waiting.keys).distinct().sorted()
        if (slots.isEmpty()) return listOf(Line.Text(resources.getString(R.string.no_sims)))
        val known = status.sims.associateBy { it.slot }
        return slots.map { slot ->
            val heading = Line.Heading(name(resources, slot.toInt(), known[slot]))
            Line.Card(slot.toInt(), listOf(heading) + queue(waiting[slot], ageMs))
        }
    }

    private fun queue(queue: SimQueue?, ageMs: Long): List<Line> {
        val count = queue?.waiting?.toInt() ?: 0
        if (queue == null || count == 0) return listOf(Line.Text(resources.getString(R.string.nothing_waits)))
        val all = Line.Text(resources.getQuantityString(R.plurals.waiting_messages, count, count))
        val kinds = queue.kinds.flatMap { kind ->
            listOf(Line.Text(WaitWords.count(resources, kind))) + wait(kind.next, ageMs)
        }
        return listOf(all) + wait(queue.next, ageMs) + kinds
    }

    private fun wait(next: Wait?, ageMs: Long): List<Line> {
        if (next == null) return listOf(Line.Text(resources.getString(R.string.next_now), tone = Tone.QUIET))
        val left = next.inMs?.let { (it.toLong() - ageMs).coerceAtLeast(0).toULong() }
        return listOfNotNull(
            Line.Text(WaitWords.reason(resources, next)),
            WaitWords.moment(times, next.copy(inMs = left))?.let { Line.Text(it, tone = Tone.QUIET) },
        )
    }

    companion object {
        /** Returns a SIM's name for people: its slot and its network. */
        fun name(resources: Resources, slot: Int, sim: SimInfo?): String = when (val carrier = sim?.carrier) {
            null, "" -> resources.getString(R.string.sim, slot + 1)
            else -> resources.getString(R.string.sim_of, slot + 1, carrier)
        }
    }
}
