package org.postrider.agent.screens

import android.os.Handler
import android.os.Looper
import android.os.SystemClock
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.Status

/** The app's first screen: what the phone is doing, what waits and why, and what wants its owner. */
class StatusActivity : Screen(R.string.app_name) {
    private val clock = Handler(Looper.getMainLooper())
    private val tick = Runnable { tick() }

    override fun lines(): List<Line> {
        val status = control.status()
        if (status.paired == null) return unpaired(status)
        return alerts(status) + setAside(status) + connection(status) + phone(status) + queues(status) +
            today(status) + troubles() + missing() + elsewhere()
    }

    private fun unpaired(status: Status): List<Line> = alerts(status) + setAside(status) + listOf(
        says(if (status.pairing.isGoingOn()) R.string.pairing_going_on else R.string.not_paired),
        opens(R.string.pair_this_phone, PairActivity::class.java),
        opens(R.string.log, LogActivity::class.java),
        opens(R.string.about, AboutActivity::class.java),
    )

    private fun alerts(status: Status): List<Line> =
        status.alerts.flatMap { AlertLines(this, control).of(it, ::show) }

    /** Messages of another hub's: nobody gets them but by the owner's word, and they are not kept for ever. */
    private fun setAside(status: Status): List<Line> = status.setAside.flatMap { aside ->
        val former = aside.host ?: getString(R.string.another_hub)
        val until = times.moment(aside.until)
        val hub = status.paired?.host
        val why = if (hub == null) R.string.set_aside_unpaired else R.string.set_aside
        val give = if (hub == null || !status.isRunning) emptyList() else listOf(
            Line.Button(getString(R.string.set_aside_give, hub)) { control.giveSetAside(aside.slot) },
        )
        listOf(Line.Text(getString(why, former, until), tone = Tone.ALERT)) + give +
            Line.Button(getString(R.string.set_aside_erase)) { control.eraseSetAside(aside.slot) }
    }

    private fun connection(status: Status): List<Line> {
        val hub = status.paired?.host.orEmpty()
        val state = when {
            status.pairing == PairingProgress.Leaving -> getString(R.string.leaving, hub)
            status.isStoppedInAndroid -> getString(R.string.stopped_in_android)
            status.isStoppedByOwner -> getString(R.string.stopped_by_owner)
            !status.isRunning -> getString(R.string.not_running)
            status.isLinked -> getString(R.string.linked, hub)
            !status.isOnline -> getString(R.string.no_network)
            else -> getString(R.string.linking, hub)
        }
        val lines = mutableListOf(Line.Heading(getString(R.string.connection)), Line.Text(state, isLive = true))
        if (status.isStoppedByOwner) lines += asks(R.string.start) { control.startByOwner() }
        if (control.settings.paused) {
            lines += Line.Text(getString(R.string.paused_here), isLive = true)
            lines += asks(R.string.go_on) { control.settings.paused = false }
        }
        val forwards = control.settings.isForwarding == true
        return lines + says(if (forwards) R.string.forwarding_on else R.string.forwarding_off)
    }

    private fun phone(status: Status): List<Line> {
        val condition = status.condition
        val battery = condition.battery?.toInt()?.let {
            says(if (condition.charging == true) R.string.battery_charging else R.string.battery_draining, it)
        }
        val signal = condition.signal?.toInt()?.let { says(R.string.signal, it) }
        return listOfNotNull(battery ?: says(R.string.battery_unknown), signal)
    }

    private fun queues(status: Status): List<Line> {
        val ageMs = SystemClock.elapsedRealtime() - status.queuesReadAtMs
        if (!status.isRunning) return listOf(says(R.string.queue_unknown))
        return QueueLines(resources, times).of(status, ageMs)
    }

    private fun today(status: Status): List<Line> {
        val counts = status.counts
        val unknown = if (counts.unknown > 0) listOf(counted(R.plurals.today_unknown, counts.unknown)) else emptyList()
        return listOf(
            Line.Heading(getString(R.string.today)),
            counted(R.plurals.today_sent, counts.sent),
            counted(R.plurals.today_failed, counts.failed),
            counted(R.plurals.today_received, counts.received),
        ) + unknown
    }

    private fun counted(text: Int, count: Int) = Line.Text(resources.getQuantityString(text, count, count))

    private fun troubles(): List<Line> {
        val last = control.entries().asSequence().filter { it.what in EntryWords.TROUBLE }.take(TROUBLES_SHOWN)
        val lines = last.flatMap { entry ->
            sequenceOf(
                EntryWords.place(resources, times, entry), getString(EntryWords.sentence(entry.what)),
                EntryWords.reason(resources, entry),
            ).filterNotNull().mapIndexed { place, text ->
                Line.Text(text, tone = if (place == 0) Tone.QUIET else Tone.USUAL)
            }
        }.toList()
        return if (lines.isEmpty()) lines else listOf(Line.Heading(getString(R.string.last_troubles))) + lines
    }

    private fun missing(): List<Line> {
        val without = Permissions.missing(this).map { says(it.without) }
        val battery = if (KeepRunningActivity.isBatteryExempt(this)) emptyList() else listOf(says(R.string.battery_reason))
        val lines = without + battery
        return if (lines.isEmpty()) lines else listOf(Line.Heading(getString(R.string.missing))) + lines
    }

    private fun elsewhere(): List<Line> = listOf(
        Line.Heading(getString(R.string.more)),
        opens(R.string.permissions, PermissionsActivity::class.java),
        opens(R.string.keep_running, KeepRunningActivity::class.java),
        opens(R.string.log, LogActivity::class.java),
        opens(R.string.sims, SimsActivity::class.java),
        opens(R.string.test_message, TestMessageActivity::class.java),
        opens(R.string.settings, SettingsActivity::class.java),
        opens(R.string.about, AboutActivity::class.java),
    )

    private fun asks(text: Int, act: () -> Unit) = Line.Button(getString(text)) {
        act()
        show()
    }

    override fun onResume() {
        super.onResume()
        clock.postDelayed(tick, TICK_MS)
    }

    override fun onPause() {
        clock.removeCallbacks(tick)
        super.onPause()
    }

    private fun tick() {
        control.refresh()
        show()
        clock.postDelayed(tick, TICK_MS)
    }

    private companion object {
        const val TICK_MS = 1_000L
        const val TROUBLES_SHOWN = 3
    }
}
