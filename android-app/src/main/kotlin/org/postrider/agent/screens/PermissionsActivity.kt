package org.postrider.agent.screens

import android.content.Intent
import android.net.Uri
import android.os.Build
import android.provider.Settings
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit

/** Asks for one permission after the other, each with its reason; what is optional can be put off. */
class PermissionsActivity : Screen(R.string.permissions) {
    override fun lines(): List<Line> {
        val missing = Permissions.missing(this)
        val next = Permissions.next(this)
        val asked = next?.let(::ask).orEmpty()
        val state = Permit.values().filter { it != next }.flatMap { entry(it, it in missing) }
        val done = if (next == null) listOf(says(R.string.permissions_done)) + onward() else emptyList()
        return asked + done + Line.Heading(getString(R.string.permissions_all)) + state
    }

    private fun ask(permit: Permit): List<Line> {
        val lines = mutableListOf(
            Line.Heading(getString(permit.title)), says(permit.reason), says(permit.without, tone = Tone.QUIET),
        )
        // A dismissed dialog looks like one that never comes again, so both ways stay open.
        lines += allow(R.string.allow, permit)
        if (Permissions.isShut(this, permit)) lines += shut()
        if (!permit.isNeeded) {
            lines += Line.Button(getString(R.string.not_now)) {
                Permissions.skip(this, permit)
                show()
            }
        }
        return lines
    }

    private fun entry(permit: Permit, isMissing: Boolean): List<Line> {
        if (!isMissing) return listOf(says(R.string.permit_given, getString(permit.title)))
        val lines = listOf(
            says(R.string.permit_missing, getString(permit.title)), says(permit.without, tone = Tone.QUIET),
        )
        val text = getString(R.string.allow_it, getString(permit.title))
        val button = Line.Button(text) { ask(permit.permissions, permit.ordinal) }
        return lines + button + if (Permissions.isShut(this, permit)) shut() else emptyList()
    }

    private fun allow(text: Int, permit: Permit) =
        Line.Button(getString(text), Rank.MAIN) { ask(permit.permissions, permit.ordinal) }

    private fun ask(permissions: List<String>, code: Int) = requestPermissions(permissions.toTypedArray(), code)

    /** Android no longer asks: only the app's page in the settings is left, behind a lock since Android 13. */
    private fun shut(): List<Line> {
        val lines = mutableListOf<Line>(says(R.string.permit_shut))
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) lines += says(R.string.permit_restricted)
        lines += Line.Button(getString(R.string.open_app_settings)) {
            val page = Uri.fromParts("package", packageName, null)
            opened(Intent(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, page))
        }
        return lines
    }

    private fun onward() = opens(R.string.keep_running, KeepRunningActivity::class.java)

    override fun onRequestPermissionsResult(code: Int, permissions: Array<out String>, results: IntArray) {
        val permit = Permit.values().getOrNull(code) ?: return
        Permissions.answered(this, permit, permissions)
        control.permissionsChanged()
        show()
    }
}
