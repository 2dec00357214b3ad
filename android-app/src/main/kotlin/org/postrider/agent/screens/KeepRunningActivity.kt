package org.postrider.agent.screens

import android.annotation.SuppressLint
import android.app.AlarmManager
import android.content.Context
import android.content.Intent
import android.net.Uri
import android.os.Build
import android.os.Bundle
import android.os.PowerManager
import android.provider.Settings
import org.postrider.agent.R

/** What keeps the app running for months: battery, exact alarms, and the maker's own settings. */
class KeepRunningActivity : Screen(R.string.keep_running) {
    private var isPageMissing = false

    override fun lines(): List<Line> = battery() + alarms() + maker() + listOf(
        Line.Heading(getString(R.string.keep_always)),
        says(R.string.keep_charger),
        says(R.string.keep_unlock),
        says(R.string.keep_updates),
        Line.Heading(getString(R.string.keep_chats)),
        says(R.string.keep_chats_why),
        says(R.string.keep_chats_off),
        opens(R.string.status, StatusActivity::class.java),
    )

    private fun battery(): List<Line> {
        val heading = Line.Heading(getString(R.string.battery))
        if (isBatteryExempt(this)) return listOf(heading, says(R.string.battery_exempt))
        val ask = button(R.string.battery_ask, exemption(this))
        return listOf(heading, says(R.string.battery_reason), ask)
    }

    private fun alarms(): List<Line> {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.S) return emptyList()
        val heading = Line.Heading(getString(R.string.alarms))
        if (getSystemService(AlarmManager::class.java)?.canScheduleExactAlarms() == true) {
            return listOf(heading, says(R.string.alarms_allowed))
        }
        val ask = button(R.string.alarms_ask, Intent(Settings.ACTION_REQUEST_SCHEDULE_EXACT_ALARM, own()))
        return listOf(heading, says(R.string.alarms_reason), ask)
    }

    private fun maker(): List<Line> {
        val maker = Maker.of(Build.MANUFACTURER)
        val guidance = says(maker?.guidance ?: R.string.maker_other)
        val missing = if (isPageMissing) listOf(says(R.string.maker_page_missing)) else emptyList()
        val open = Line.Button(getString(R.string.maker_open)) {
            isPageMissing = !openFirst(maker)
            show()
        }
        return listOf(Line.Heading(getString(R.string.maker)), guidance) + missing + open
    }

    /** Opens the first of the maker's pages that this phone has, otherwise the app's own. */
    private fun openFirst(maker: Maker?): Boolean {
        val isOpened = maker?.pages.orEmpty().any { opened(Intent().setComponent(it)) }
        if (!isOpened) opened(Intent(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, own()))
        return isOpened || maker == null
    }

    private fun button(text: Int, page: Intent) = Line.Button(getString(text), Rank.MAIN) {
        if (!opened(page)) {
            isPageMissing = true
            show()
        }
    }

    private fun own() = Uri.fromParts("package", packageName, null)

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        state.putBoolean(PAGE_MISSING, isPageMissing)
    }

    override fun restore(state: Bundle) {
        isPageMissing = state.getBoolean(PAGE_MISSING)
    }

    companion object {
        private const val PAGE_MISSING = "page_missing"

        /** Returns the intent that asks Android for unlimited use of the battery. */
        @SuppressLint("BatteryLife") // A gateway for messages is what the exemption is for.
        fun exemption(context: Context) = Intent(
            Settings.ACTION_REQUEST_IGNORE_BATTERY_OPTIMIZATIONS, Uri.fromParts("package", context.packageName, null),
        )

        /** Returns whether Android allows the app unlimited use of the battery. */
        fun isBatteryExempt(context: Context): Boolean =
            context.getSystemService(PowerManager::class.java)
                ?.isIgnoringBatteryOptimizations(context.packageName) == true
    }
}
