package org.postrider.agent.screens

import android.content.res.Resources
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.Status
import org.postrider.core.Wait

/** A phone's overall state, which the status shows on top in its own colour. */
enum class Mood(val title: Int, val icon: Int, val ground: Int, val ink: Int) {
    READY(R.string.mood_ready, R.drawable.ic_ready, R.color.good_ground, R.color.good_ink),
    SENDING(R.string.mood_sending, R.drawable.ic_sending, R.color.good_ground, R.color.good_ink),
    WAITING(R.string.mood_waiting, R.drawable.ic_waiting, R.color.wait_ground, R.color.wait_ink),
    OFFLINE(R.string.mood_offline, R.drawable.ic_offline, R.color.off_ground, R.color.off_ink),
    STOPPED(R.string.mood_stopped, R.drawable.ic_stopped, R.color.stop_ground, R.color.stop_ink),
}

/** Says in which state a phone is, why, and until when. */
class Standing(private val resources: Resources, private val times: Times) {
    /** Returns the line for it; [ageMs] is how long ago the queues were read. */
    fun of(status: Status, isPaused: Boolean, ageMs: Long): Line.State {
        val hub = status.paired?.host.orEmpty()
        val wait = nextWait(status)
        val link = when {
            status.isLinked -> text(R.string.linked, hub)
            !status.isOnline -> text(R.string.no_network)
            else -> text(R.string.linking, hub)
        }
        return when {
            status.pairing == PairingProgress.Leaving -> line(Mood.WAITING, text(R.string.leaving, hub))
            status.isStoppedInAndroid -> line(Mood.STOPPED, text(R.string.stopped_in_android))
            status.isStoppedByOwner -> line(Mood.STOPPED, text(R.string.stopped_by_owner))
            !status.isRunning -> line(Mood.OFFLINE, text(R.string.not_running))
            isPaused -> line(Mood.WAITING, text(R.string.paused_here), link)
            wait != null -> line(Mood.WAITING, *reason(wait, ageMs).toTypedArray(), link)
            !status.isLinked -> line(Mood.OFFLINE, link)
            status.queues.any { it.waiting > 0u } -> line(Mood.SENDING, link)
            else -> line(Mood.READY, link)
        }
    }

    /** Returns what the next message waits for; null if one can be sent now, or nothing waits. */
    private fun nextWait(status: Status): Wait? {
        val waiting = status.queues.filter { it.waiting > 0u }
        val next = waiting.map { queue -> queue.next ?: queue.kinds.mapNotNull { it.next }.soonest() }
        return if (next.any { it == null }) null else next.filterNotNull().soonest()
    }

    private fun List<Wait>.soonest() = minByOrNull { it.inMs ?: ULong.MAX_VALUE }

    private fun reason(wait: Wait, ageMs: Long): List<String> {
        val left = wait.inMs?.let { (it.toLong() - ageMs).coerceAtLeast(0).toULong() }
        return listOfNotNull(WaitWords.reason(resources, wait), WaitWords.moment(times, wait.copy(inMs = left)))
    }

    private fun line(mood: Mood, vararg details: String) =
        Line.State(mood, resources.getString(mood.title), details.toList())

    private fun text(text: Int, vararg arguments: Any) = resources.getString(text, *arguments)
}
