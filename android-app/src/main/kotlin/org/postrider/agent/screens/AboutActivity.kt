package org.postrider.agent.screens

import org.postrider.agent.R

/** What the app is, its version, and whose work is in it. */
class AboutActivity : Screen(R.string.about) {
    override fun lines(): List<Line> = listOf(
        says(R.string.about_text),
        says(R.string.version, control.status().condition.appVersion ?: getString(R.string.version_unknown)),
        says(R.string.about_licence),
        opens(R.string.licences, LicencesActivity::class.java),
    )
}
