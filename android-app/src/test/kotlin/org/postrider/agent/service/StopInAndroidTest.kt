package org.postrider.agent.service

import android.app.ApplicationExitInfo
import android.app.NotificationManager
import android.content.Context
import android.content.Intent
import android.os.Build
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.HostKit
import org.postrider.agent.kit.StubHub
import org.postrider.agent.kit.await
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.util.ReflectionHelpers

/** The Stop of Android's list of running apps, which kills the process without telling it. */
@RunWith(RobolectricTestRunner::class)
class StopInAndroidTest {
    @get:Rule
    val kit = HostKit()
    private val hub by lazy { StubHub() }

    @After
    fun tearDown() = hub.close()

    /** The phone starts, and everything that starts with it was handled. */
    private fun boot(): Boolean {
        kit.app.sendBroadcast(Intent(Intent.ACTION_BOOT_COMPLETED).setPackage(kit.app.packageName))
        kit.awaitLook()
        return kit.host.mayRun()
    }

    @Test
    fun `a Stop in Android is one in the app, until the owner starts it there`() {
        kit.pair(hub.invitation)
        kit.stopInAndroid()
        assertFalse(boot())
        assertFalse(kit.host.status().isRunning)
        assertTrue(kit.host.status().isStoppedByOwner && kit.host.status().isStoppedInAndroid)
        assertEquals(What.STOPPED_IN_ANDROID, kit.host.book.entries().first().what)
        val notices = shadowOf(kit.app.getSystemService(NotificationManager::class.java))
        val shown = notices.getNotification(Notices.STOPPED_ID)
        assertTrue(shown.extras.getString("android.text")!!.startsWith("You stopped it in Android"))
        kit.restart()
        assertFalse(boot())
        kit.host.startByOwner()
        kit.awaitLink()
        assertFalse(kit.host.status().isStoppedInAndroid)
        // A Stop counts once, even if the platform still remembers it.
        kit.restart()
        assertTrue(boot())
        kit.awaitLink()
    }

    @Test
    fun `a Stop is found behind a process that was ended since`() {
        kit.pair(hub.invitation)
        kit.stopInAndroid()
        kit.end(ApplicationExitInfo.REASON_LOW_MEMORY)
        assertFalse(boot())
    }

    @Test
    fun `what is no Stop of the owner stops nothing`() {
        kit.pair(hub.invitation)
        for (reason in listOf(
            ApplicationExitInfo.REASON_LOW_MEMORY, ApplicationExitInfo.REASON_CRASH, ApplicationExitInfo.REASON_SIGNALED,
            ApplicationExitInfo.REASON_PACKAGE_UPDATED, ApplicationExitInfo.REASON_USER_STOPPED,
        )) kit.end(reason)
        for (description in listOf("remove task", "kill background", "kill all background")) {
            kit.end(ApplicationExitInfo.REASON_USER_REQUESTED, description)
        }
        assertTrue(boot())
        kit.awaitLink()
    }

    @Test
    fun `before Android 14 an update of the app is none either`() {
        kit.pair(hub.invitation)
        ReflectionHelpers.setStaticField(Build.VERSION::class.java, "SDK_INT", Build.VERSION_CODES.TIRAMISU)
        val updated = System.currentTimeMillis()
        shadowOf(kit.app.packageManager).getInternalMutablePackageInfo(kit.app.packageName).lastUpdateTime = updated
        kit.end(ApplicationExitInfo.REASON_USER_REQUESTED, "stop due to update", at = updated - 1)
        assertTrue(boot())
        kit.awaitLink()
        kit.end(ApplicationExitInfo.REASON_USER_REQUESTED, at = updated + 1)
        assertFalse(boot())
    }

    @Test
    fun `an end from before the app looked for the first time is nothing`() {
        kit.pair(hub.invitation)
        kit.stopInAndroid()
        // As after an update from a version that did not check.
        kit.app.getSharedPreferences("ends", Context.MODE_PRIVATE).edit().clear().commit()
        assertTrue(boot())
        kit.awaitLink()
    }
}
