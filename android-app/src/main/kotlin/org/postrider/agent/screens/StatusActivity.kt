package org.postrider.agent.screens

import android.content.Intent
import android.os.Handler
import android.os.Looper
import android.os.SystemClock
import org.postrider.agent.R
import org.postrider.agent.Status
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.agent.isGoingOn
import org.postrider.core.What

/** The app's first screen: what the phone is doing, what waits and why, and what needs its owner. */
class StatusActivity : Screen(R.string.app_name) {
    private val clock = Handler(Looper.getMainLooper())
    private val tick = Runnable { tick() }

    override fun lines(): List<Line> {
        val status = control.status()
        if (status.paired == null) return unpaired(status)
        return listOf(state(status)) + actions(status) + wanted() + alerts(status) + setAside(status) +
            today(status) + queues(status) + lastMessages() + phone(status) + troubles() + missing() +
            opens(R.string.test_message, TestMessageActivity::class.java)
    }

    override fun menu(): List<Line.Choosable> {
        val isPaired = control.status().paired != null
        val pages = listOf(
            R.string.sims to SimsActivity::class.java, R.string.settings to SettingsActivity::class.java,
            R.string.permissions to PermissionsActivity::class.java, R.string.keep_running to KeepRunningActivity::class.java,
        ).takeIf { isPaired }.orEmpty() + listOf(
            R.string.log to LogActivity::class.java, R.string.about to AboutActivity::class.java,
        )
        return pages.map { (text, page) ->
            Line.Choosable(getString(text)) { startActivity(Intent(this, page)) }
        }
    }

    private fun unpaired(status: Status): List<Line> = alerts(status) + setAside(status) + unpairedState(status) + join(status)

    private fun unpairedState(status: Status) =
        says(if (status.pairing.isGoingOn()) R.string.pairing_going_on else R.string.not_paired)

    /** With a camera the code is one tap away. */
    private fun join(status: Status): List<Line> {
        if (status.pairing.isGoingOn() || !ScanActivity.isPossible(this)) {
            return listOf(opens(R.string.pair_this_phone, PairActivity::class.java, Rank.MAIN))
        }
        val scan = Line.Button(getString(R.string.scan_code), Rank.MAIN) {
            startActivity(Intent(this, PairActivity::class.java).putExtra(PairActivity.SCAN, true))
        }
        return listOf(scan, opens(R.string.pair_by_typing, PairActivity::class.java, Rank.QUIET))
    }

    private fun state(status: Status): Line {
        val ageMs = SystemClock.elapsedRealtime() - status.queuesReadAtMs
        return Standing(resources, times).of(status, control.settings.paused, ageMs)
    }

    private fun actions(status: Status): List<Line> {
        val start = asks(R.string.start) { control.startByOwner() }.takeIf { status.isStoppedByOwner }
        val goOn = asks(R.string.go_on) { control.settings.paused = false }.takeIf { control.settings.paused }
        return listOfNotNull(start, goOn)
    }

    /** Permissions that are asked for only when needed: calls, and their log once there was a call. */
    private fun wanted(): List<Line> {
        val calls = Permit.CALLS.takeIf { Permissions.isWanted(this, it) }
        val hadCall = control.entries().any { it.what == What.CALL_SEEN }
        val log = Permit.CALL_LOG.takeIf { hadCall && control.settings.isForwarding == true }
        val asked = Permissions.missing(this) - Permissions.skipped(this)
        return listOfNotNull(calls, log).filter { it in asked }.flatMap { permit ->
            listOf(
                Line.Text(getString(permit.reason), tone = Tone.ALERT),
                Line.Button(getString(R.string.allow_it, getString(permit.title))) {
                    requestPermissions(permit.permissions.toTypedArray(), permit.ordinal)
                },
                Line.Button(getString(R.string.not_now), Rank.QUIET) {
                    Permissions.skip(this, permit)
                    show()
                },
            )
        }
    }

    override fun onRequestPermissionsResult(code: Int, permissions: Array<out String>, results: IntArray) {
        Permissions.answered(this, Permit.values().getOrNull(code) ?: return, permissions)
        control.permissionsChanged()
        show()
    }

    private fun alerts(status: Status): List<Line> =
        status.alerts.flatMap { AlertLines(this, control).of(it, ::show) }

    /** Messages of another hub: only the owner decides who gets them, and they are erased after a while. */
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

    private fun phone(status: Status): List<Line> {
        val condition = status.condition
        val battery = condition.battery?.toInt()?.let {
            says(if (condition.charging == true) R.string.battery_charging else R.string.battery_draining, it)
        }
        val signal = condition.signal?.toInt()?.let { says(R.string.signal, it) }
        val forwards = control.settings.isForwarding == true
        val forwarding = says(if (forwards) R.string.forwarding_on else R.string.forwarding_off)
        val lines = listOfNotNull(forwarding, battery ?: says(R.string.battery_unknown), signal)
        return listOf(Line.Card(PHONE, listOf(Line.Heading(getString(R.string.this_phone))) + lines))
    }

    private fun queues(status: Status): List<Line> {
        val ageMs = SystemClock.elapsedRealtime() - status.queuesReadAtMs
        if (!status.isRunning) return listOf(says(R.string.queue_unknown))
        return QueueLines(resources, times).of(status, ageMs)
    }

    private fun today(status: Status): List<Line> {
        val counts = status.counts
        val unknown = counted(R.string.count_unknown, R.plurals.today_unknown, counts.unknown).takeIf { it.count > 0 }
        val row = listOfNotNull(
            counted(R.string.count_sent, R.plurals.today_sent, counts.sent),
            counted(R.string.count_failed, R.plurals.today_failed, counts.failed),
            counted(R.string.count_received, R.plurals.today_received, counts.received),
            unknown,
        )
        return listOf(Line.Card(TODAY, listOf(Line.Heading(getString(R.string.today)), Line.Counts(row))))
    }

    private fun counted(label: Int, sentence: Int, of: UInt): Line.Count {
        val count = of.toInt()
        return Line.Count(count, getString(label), resources.getQuantityString(sentence, count, count))
    }

    private fun lastMessages(): List<Line> {
        val last = MessageLines(resources, times).of(control.entries())
        if (last.isEmpty()) return last
        return listOf(Line.Card(LAST, listOf(Line.Heading(getString(R.string.last_messages))) + last))
    }

    private fun troubles(): List<Line> {
        val last = control.entries().asSequence().filter { it.what in EntryWords.TROUBLE && it.what !in MessageLines.ICONS }.take(TROUBLES_SHOWN)
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

    private fun asks(text: Int, act: () -> Unit) = Line.Button(getString(text), Rank.MAIN) {
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

        // The cards; those of the SIMs follow.
        const val PHONE = -1
        const val TODAY = -2
        const val LAST = -3
    }
}
