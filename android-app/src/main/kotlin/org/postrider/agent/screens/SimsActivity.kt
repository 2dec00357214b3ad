package org.postrider.agent.screens

import android.os.Bundle
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.core.Alert
import org.postrider.core.SimInfo
import org.postrider.core.SimSlot

/** The SIM cards and their numbers, which the owner types because many cards do not know their own. */
class SimsActivity : Screen(R.string.sims) {
    private var saved: Int? = null
    private var refused: Int? = null

    override fun lines(): List<Line> {
        val status = control.status()
        val phones = status.paired?.phones.orEmpty().associate { it.sim to it.phoneId }
        val sims = status.sims.sortedBy { it.slot }.flatMap { sim ->
            one(sim, phones[sim.slot], status.alerts.filter { it.sim == sim.slot })
        }
        val note = listOf(says(R.string.sims_about))
        if (sims.isNotEmpty()) return note + sims
        val open = opens(R.string.permissions, PermissionsActivity::class.java)
        val why = if (Permissions.isGiven(this, Permit.SIMS)) R.string.no_sims else R.string.permit_sims_without
        return if (why == R.string.no_sims) listOf(says(why)) else listOf(says(why), open)
    }

    private fun one(sim: SimInfo, phoneId: String?, alerts: List<Alert>): List<Line> {
        val slot = sim.slot.toInt()
        val field = FIELDS.getOrNull(slot) ?: return emptyList()
        val lines = mutableListOf<Line>(Line.Heading(QueueLines.name(resources, slot, sim)))
        lines += alerts.flatMap { AlertLines(this, control).of(it, ::show) }
        lines += sim.number?.let { says(R.string.sim_number, it) } ?: says(R.string.sim_number_unknown)
        lines += phoneId?.let { says(R.string.sim_phone_id, it, tone = Tone.QUIET) }
            ?: says(R.string.sim_no_phone_id, tone = Tone.QUIET)
        val typed = control.settings.typedNumber(sim.slot).orEmpty()
        lines += Line.Field(field, getString(R.string.number_of_sim, slot + 1), typed, Input.PHONE_NUMBER, TypedNumber.HINT)
        if (refused == slot) lines += Line.Text(getString(R.string.number_refused), isLive = true)
        if (saved == slot) lines += Line.Text(getString(R.string.number_saved), isLive = true)
        lines += Line.Button(getString(R.string.save_number, slot + 1)) { save(sim.slot, column.typed(field)) }
        return lines + reports(sim.slot) + byHub(sim.slot)
    }

    private fun reports(slot: SimSlot): List<Line> {
        val field = REPORTS.getOrNull(slot.toInt()) ?: return emptyList()
        val choices = listOf(R.string.reports_by_hub, R.string.reports_wanted, R.string.reports_not_wanted)
        val chosen = WANTED.indexOf(control.settings.reports(slot))
        val choice = Line.Choice(
            field, getString(R.string.reports_of_sim, slot.toInt() + 1), choices.map(::getString), chosen,
        ) {
            control.settings.setReports(slot, WANTED[it])
            control.refresh()
            show()
        }
        return listOf(choice, says(R.string.reports_about, tone = Tone.QUIET))
    }

    /** The hub's settings; the lower limit counts, and the owner's own time. */
    private fun byHub(slot: SimSlot): List<Line> {
        val hub = control.status().queues.find { it.sim == slot }?.hub ?: return emptyList()
        return listOfNotNull(
            hub.partsPerHour?.let { getString(R.string.hub_parts_per_hour, it.toLong()) },
            hub.phonePartsPerHour?.let { getString(R.string.hub_phone_parts_per_hour, it.toLong()) },
            hub.waits.silenceMs?.let { getString(R.string.hub_wait_silence, it.whole(1_000uL)) },
            hub.waits.unknownMs?.let { getString(R.string.hub_wait_unknown, it.whole(1_000uL)) },
            hub.waits.reportWindowMs?.let { getString(R.string.hub_wait_reports, it.whole(3_600_000uL)) },
            languages(hub.shiftTables)?.let { getString(R.string.hub_shift_tables, it) },
        ).map { Line.Text(it, tone = Tone.QUIET) }
    }

    /** The languages with these identifiers, if they have a name. */
    private fun languages(identifiers: ByteArray): String? {
        val names = resources.getStringArray(R.array.shift_table_languages)
        return identifiers.toList().mapNotNull { names.getOrNull(it - 1) }.ifEmpty { null }?.joinToString()
    }

    /** How many whole units this takes. */
    private fun ULong.whole(unit: ULong): Long = ((this + unit - 1uL) / unit).toLong()

    private fun save(slot: SimSlot, typed: String) {
        val number = TypedNumber.plain(typed)
        val isNumber = number.isEmpty() || NUMBER.matches(number)
        if (isNumber) control.settings.setTypedNumber(slot, number)
        saved = slot.toInt().takeIf { isNumber }
        refused = slot.toInt().takeUnless { isNumber }
        control.refresh()
        show()
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        saved?.let { state.putInt(SAVED, it) }
        refused?.let { state.putInt(REFUSED, it) }
    }

    override fun restore(state: Bundle) {
        saved = state.getInt(SAVED, -1).takeIf { it >= 0 }
        refused = state.getInt(REFUSED, -1).takeIf { it >= 0 }
    }

    private companion object {
        const val SAVED = "saved"
        const val REFUSED = "refused"
        val NUMBER = Regex("\\+[1-9][0-9]{6,14}")
        val WANTED = listOf(null, true, false)
        val REPORTS = listOf(
            R.id.sim_reports_0, R.id.sim_reports_1, R.id.sim_reports_2, R.id.sim_reports_3,
            R.id.sim_reports_4, R.id.sim_reports_5, R.id.sim_reports_6, R.id.sim_reports_7,
        )
        val FIELDS = listOf(
            R.id.sim_number_0, R.id.sim_number_1, R.id.sim_number_2, R.id.sim_number_3,
            R.id.sim_number_4, R.id.sim_number_5, R.id.sim_number_6, R.id.sim_number_7,
        )
    }
}
