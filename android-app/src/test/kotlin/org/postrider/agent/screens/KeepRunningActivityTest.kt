package org.postrider.agent.screens

import android.content.ComponentName
import android.content.pm.ActivityInfo
import android.os.PowerManager
import android.provider.Settings
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowAlarmManager
import org.robolectric.shadows.ShadowBuild

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class KeepRunningActivityTest {
    private fun keepRunning() = open(KeepRunningActivity::class.java).get()

    @Test
    fun `the exemption from battery saving is asked for with its reason`() {
        val screen = keepRunning()
        assertTrue(screen.says(R.string.battery_reason))
        screen.click(R.string.battery_ask)
        val asked = shadowOf(screen).nextStartedActivity
        assertEquals(Settings.ACTION_REQUEST_IGNORE_BATTERY_OPTIMIZATIONS, asked.action)
        assertEquals("package:${app.packageName}", asked.dataString)
        shadowOf(app.getSystemService(PowerManager::class.java)).setIgnoringBatteryOptimizations(app.packageName, true)
        assertTrue(keepRunning().says(R.string.battery_exempt))
    }

    @Test
    @Config(sdk = [33, 35, 36])
    fun `exact alarms are asked for where Android wants that`() {
        ShadowAlarmManager.setCanScheduleExactAlarms(false)
        val screen = keepRunning()
        screen.click(R.string.alarms_ask)
        assertEquals(Settings.ACTION_REQUEST_SCHEDULE_EXACT_ALARM, shadowOf(screen).nextStartedActivity.action)
        ShadowAlarmManager.setCanScheduleExactAlarms(true)
        assertTrue(keepRunning().says(R.string.alarms_allowed))
    }

    @Test
    @Config(sdk = [26, 30])
    fun `exact alarms are not spoken of where every app may set them`() {
        val screen = keepRunning()
        assertFalse(screen.says(R.string.alarms_ask))
        assertFalse(screen.says(R.string.alarms_allowed))
    }

    @Test
    fun `each maker is known by the names that its phones give`() {
        for ((name, maker) in listOf(
            "Xiaomi" to Maker.XIAOMI, "POCO" to Maker.XIAOMI, "HUAWEI" to Maker.HUAWEI, "HONOR" to Maker.HUAWEI,
            "OnePlus" to Maker.OPPO, "realme" to Maker.OPPO, "vivo" to Maker.VIVO, "samsung" to Maker.SAMSUNG,
            "TECNO" to Maker.TRANSSION, "INFINIX MOBILITY" to Maker.TRANSSION, "asus" to Maker.ASUS,
            "HMD Global" to Maker.NOKIA, "Google" to null, "" to null, null to null,
        )) assertEquals(name, maker, Maker.of(name))
    }

    @Test
    fun `the guidance is that of the maker, and there is some for every other`() {
        ShadowBuild.setManufacturer("samsung")
        assertTrue(keepRunning().says(R.string.maker_samsung))
        ShadowBuild.setManufacturer("Nobody")
        assertTrue(keepRunning().says(R.string.maker_other))
    }

    @Test
    fun `the first of the maker's pages that the phone has is opened`() {
        ShadowBuild.setManufacturer("samsung")
        shadowOf(app).checkActivities(true)
        install(Maker.SAMSUNG.pages[1])
        val screen = keepRunning()
        screen.click(R.string.maker_open)
        assertEquals(Maker.SAMSUNG.pages[1], shadowOf(screen).nextStartedActivity.component)
        assertNull(shadowOf(screen).nextStartedActivity)
    }

    @Test
    fun `a phone without the maker's page says where to look instead`() {
        ShadowBuild.setManufacturer("samsung")
        shadowOf(app).checkActivities(true)
        val controller = open(KeepRunningActivity::class.java)
        controller.get().click(R.string.maker_open)
        assertTrue(controller.get().says(R.string.maker_page_missing))
        controller.recreate()
        assertTrue(controller.get().says(R.string.maker_page_missing))
    }

    private fun install(page: ComponentName) {
        val info = ActivityInfo().apply {
            packageName = page.packageName
            name = page.className
        }
        shadowOf(app.packageManager).addOrUpdateActivity(info)
    }
}
