package org.postrider.agent.screens

import android.app.TimePickerDialog
import android.os.Bundle
import android.text.format.DateFormat
import java.util.concurrent.TimeUnit
import org.postrider.agent.GuardChoice
import org.postrider.agent.PairingProgress
import org.postrider.agent.QuietHours
import org.postrider.agent.R
import org.postrider.agent.Status
import org.postrider.agent.WaitTimes
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit

/** The owner's settings: pause, pace, quiet hours, forwarding, codes, Stop, and leaving the hub. */
class SettingsActivity : Screen(R.string.settings) {
    private var isUnpairing = false

    /** Whether the owner chose quiet hours that begin and end at the same time. */
    private var isSameTime = false
    private var parts: Parts? = null
    private var waitsSaid: WaitsSaid? = null

    override fun lines(): List<Line> {
        val status = control.status()
        return sending() + waiting() + quiet() + forwarding() + ussd() + running(status) + leaving(status)
    }

    private fun sending(): List<Line> {
        val settings = control.settings
        val guards = GuardChoice.values().map { getString(guardText(it)) }
        return listOf(
            Line.Heading(getString(R.string.sending)),
            Line.Switch(R.id.paused, getString(R.string.pause), settings.paused) { changed { settings.paused = it } },
            says(R.string.pause_about, tone = Tone.QUIET),
            Line.Field(
                R.id.parts_per_hour, getString(R.string.parts_per_hour), settings.partsPerHour.toString(), Input.NUMBER,
            ),
            says(R.string.parts_per_hour_about, tone = Tone.QUIET),
            Line.Field(
                R.id.phone_parts_per_hour, getString(R.string.phone_parts_per_hour),
                settings.phonePartsPerHour?.toString().orEmpty(), Input.NUMBER,
            ),
            says(R.string.phone_parts_per_hour_about, tone = Tone.QUIET),
        ) + listOfNotNull(parts?.let { Line.Text(getString(it.text), isLive = true) }) + listOf(
            Line.Button(getString(R.string.save_parts)) { saveParts() },
            Line.Choice(R.id.guard, getString(R.string.guard), guards, settings.guard.ordinal) {
                changed { settings.guard = GuardChoice.values()[it] }
            },
            says(R.string.guard_about, tone = Tone.QUIET),
        ) + shiftTables()
    }

    private fun shiftTables(): List<Line> {
        val settings = control.settings
        val choices = listOf(R.string.shift_tables_by_hub, R.string.shift_tables_none).map(::getString) +
            resources.getStringArray(R.array.shift_table_languages)
        // The first choice leaves it to the hub; the others follow in the order of their identifiers, 0 for none.
        val chosen = settings.shiftTable?.plus(1) ?: 0
        return listOf(
            Line.Choice(R.id.shift_table, getString(R.string.shift_tables), choices, chosen) {
                changed { settings.shiftTable = (it - 1).takeIf { id -> id >= 0 } }
            },
            says(R.string.shift_tables_about, tone = Tone.QUIET),
        )
    }

    private fun waiting(): List<Line> {
        val waits = control.settings.waits
        return listOf(
            Line.Heading(getString(R.string.waits)),
            says(R.string.waits_about, tone = Tone.QUIET),
            time(R.id.wait_silence, R.string.wait_for_silence, waits.silenceS, WaitTimes.USUAL.silenceS),
            time(R.id.wait_unknown, R.string.wait_for_unknown, waits.unknownMin, WaitTimes.USUAL.unknownMin),
            time(R.id.wait_reports, R.string.wait_for_reports, waits.reportsH, WaitTimes.USUAL.reportsH),
        ) + listOfNotNull(waitsSaid?.let { Line.Text(getString(it.text), isLive = true) }) +
            Line.Button(getString(R.string.save_waits)) { saveWaits() }
    }

    /** A time that may be left to the hub; the empty field shows the usual one. */
    private fun time(field: Int, name: Int, set: Int?, usual: Int?) =
        Line.Field(field, getString(name), set?.toString().orEmpty(), Input.NUMBER, usual?.toString())

    private fun saveWaits() {
        val typed = listOf(R.id.wait_silence, R.id.wait_unknown, R.id.wait_reports).map { column.typed(it).trim() }
        val (silence, unknown, reports) = typed.map(String::toIntOrNull)
        val areNumbers = typed.all { it.isEmpty() || it.toIntOrNull() != null }
        val waits = WaitTimes(silence, unknown, reports).takeIf { areNumbers && it.isSensible }
        waitsSaid = if (waits == null) WaitsSaid.REFUSED else WaitsSaid.SAVED
        changed { waits?.let { control.settings.waits = it } }
    }

    private fun quiet(): List<Line> {
        val settings = control.settings
        val about = listOf(
            Line.Heading(getString(R.string.quiet_hours)),
            Line.Switch(R.id.quiet_hours, getString(R.string.quiet_hours_keep), settings.isQuiet) {
                isSameTime = false
                changed { settings.isQuiet = it }
            },
            says(R.string.quiet_hours_about, tone = Tone.QUIET),
        )
        if (!settings.isQuiet) return about
        val hours = settings.quietHours
        val refused = Line.Text(getString(R.string.quiet_refused), isLive = true).takeIf { isSameTime }
        return about + listOf(
            Line.Button(getString(R.string.quiet_from, times.ofDay(hours.from))) {
                pick(hours.from) { settings.quietHours.copy(from = it) }
            },
            Line.Button(getString(R.string.quiet_until, times.ofDay(hours.until))) {
                pick(hours.until) { settings.quietHours.copy(until = it) }
            },
        ) + listOfNotNull(refused)
    }

    private fun pick(minute: Int, with: (Int) -> QuietHours) {
        val hour = TimeUnit.HOURS.toMinutes(1).toInt()
        val picked = TimePickerDialog.OnTimeSetListener { _, hours, minutes -> keep(with(hours * hour + minutes)) }
        TimePickerDialog(this, picked, minute / hour, minute % hour, DateFormat.is24HourFormat(this)).show()
    }

    private fun keep(hours: QuietHours) {
        isSameTime = hours.from == hours.until
        changed { if (!isSameTime) control.settings.quietHours = hours }
    }

    private fun guardText(choice: GuardChoice) = when (choice) {
        GuardChoice.USUAL -> R.string.guard_usual
        GuardChoice.STRICT -> R.string.guard_strict
        GuardChoice.NONE -> R.string.guard_none
    }

    private fun saveParts() {
        val typed = column.typed(R.id.parts_per_hour).trim().toIntOrNull()?.takeIf { it in 1..PARTS_MAX }
        val ofPhone = column.typed(R.id.phone_parts_per_hour).trim()
        val ofAll = ofPhone.toIntOrNull()?.takeIf { it in 1..PARTS_MAX }
        parts = if (typed == null || (ofAll == null && ofPhone.isNotEmpty())) Parts.REFUSED else Parts.SAVED
        changed {
            if (typed == null || parts == Parts.REFUSED) return@changed
            control.settings.partsPerHour = typed
            control.settings.phonePartsPerHour = ofAll
        }
    }

    private fun forwarding(): List<Line> {
        val isOn = control.settings.isForwarding == true
        val lines = mutableListOf(
            Line.Heading(getString(R.string.forwarding)),
            Line.Switch(R.id.forwarding, getString(R.string.forward), isOn) {
                changed { control.settings.isForwarding = it }
            },
            says(R.string.forwarding_about, tone = Tone.QUIET),
        )
        if (isOn && !Permissions.isGiven(this, Permit.RECEIVE)) {
            lines += says(Permit.RECEIVE.without)
            lines += opens(R.string.permissions, PermissionsActivity::class.java)
        }
        return lines
    }

    private fun ussd(): List<Line> = listOf(
        Line.Heading(getString(R.string.codes)),
        Line.Switch(R.id.ussd_codes, getString(R.string.codes_allow), control.settings.allowUssdCodes) {
            changed { control.settings.allowUssdCodes = it }
        },
        says(R.string.codes_about, tone = Tone.QUIET),
    )

    private fun running(status: Status): List<Line> {
        val heading = Line.Heading(getString(R.string.running))
        if (status.isStoppedByOwner) {
            val start = Line.Button(getString(R.string.start)) { changed(control::startByOwner) }
            return listOf(heading, says(R.string.stopped_by_owner), start)
        }
        val stop = Line.Button(getString(R.string.stop)) { changed(control::stopByOwner) }
        return listOf(heading, says(R.string.stop_about), stop)
    }

    private fun leaving(status: Status): List<Line> {
        val hub = status.paired?.host ?: return emptyList()
        val heading = Line.Heading(getString(R.string.unpair))
        if (status.pairing == PairingProgress.Leaving) {
            return listOf(heading, Line.Text(getString(R.string.leaving, hub), isLive = true))
        }
        if (!isUnpairing) {
            val ask = Line.Button(getString(R.string.unpair)) { changed { isUnpairing = true } }
            return listOf(heading, says(R.string.paired_with, hub), ask)
        }
        val yes = Line.Button(getString(R.string.unpair_yes)) {
            isUnpairing = false
            changed(control::unpair)
        }
        val no = Line.Button(getString(R.string.unpair_no)) { changed { isUnpairing = false } }
        return listOf(heading, Line.Text(getString(R.string.unpair_really, hub), isLive = true), yes, no)
    }

    private fun changed(change: () -> Unit) {
        change()
        control.refresh()
        show()
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        state.putBoolean(UNPAIRING, isUnpairing)
        state.putBoolean(SAME_TIME, isSameTime)
        state.putString(PARTS, parts?.name)
        state.putString(WAITS, waitsSaid?.name)
    }

    override fun restore(state: Bundle) {
        isUnpairing = state.getBoolean(UNPAIRING)
        isSameTime = state.getBoolean(SAME_TIME)
        parts = state.getString(PARTS)?.let(Parts::valueOf)
        waitsSaid = state.getString(WAITS)?.let(WaitsSaid::valueOf)
    }

    private enum class Parts(val text: Int) {
        SAVED(R.string.parts_saved),
        REFUSED(R.string.parts_refused),
    }

    private enum class WaitsSaid(val text: Int) {
        SAVED(R.string.waits_saved),
        REFUSED(R.string.waits_refused),
    }

    private companion object {
        const val WAITS = "waits"
        const val UNPAIRING = "unpairing"
        const val SAME_TIME = "same_time"
        const val PARTS = "parts"

        /** More than any network accepts from one SIM. */
        const val PARTS_MAX = 100_000
    }
}
