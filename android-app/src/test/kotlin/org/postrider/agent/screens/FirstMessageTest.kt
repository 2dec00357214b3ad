package org.postrider.agent.screens

import android.Manifest.permission.CAMERA
import android.app.Activity
import android.content.Intent
import android.content.pm.PackageManager
import android.content.pm.PackageManager.PERMISSION_GRANTED
import android.net.Uri
import android.provider.Settings
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.core.Entry
import org.postrider.core.PairingOutcome
import org.postrider.core.TodayCounts
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

/** The owner's whole way from the installed app to the first message: every touch counts. */
@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class FirstMessageTest {
    private var taps = 0

    private fun Activity.tap(text: Int) {
        taps++
        click(text)
    }

    /** The owner allows each dialog of the platform; it shows one for each group of permissions. */
    private fun Activity.allow() {
        val asked = shadowOf(this).lastRequestedPermission
        val names = asked.requestedPermissions
        taps += names.map(::groupOf).distinct().size
        shadowOf(app).grantPermissions(*names)
        onRequestPermissionsResult(asked.requestCode, names, IntArray(names.size) { PERMISSION_GRANTED })
        settle()
    }

    /** The groups of Android 14, which its own package manager no longer reports. */
    private fun groupOf(permission: String) = when (permission.substringAfterLast('.')) {
        "READ_PHONE_STATE", "READ_PHONE_NUMBERS", "CALL_PHONE" -> "phone"
        "SEND_SMS", "RECEIVE_SMS", "READ_SMS", "RECEIVE_MMS" -> "texts"
        else -> permission
    }

    @Test
    fun `from the installed app to the first message there are nine taps at most`() {
        shadowOf(app.packageManager).setSystemFeature(PackageManager.FEATURE_CAMERA_ANY, true)
        val first = open(StatusActivity::class.java).get()
        first.tap(R.string.scan_code)
        val pairing = open(PairActivity::class.java, shadowOf(first).nextStartedActivity).get()
        val scan = shadowOf(pairing).nextStartedActivityForResult
        val scanner = open(ScanActivity::class.java, scan.intent).get()
        assertEquals(listOf(CAMERA), shadowOf(scanner).lastRequestedPermission.requestedPermissions.toList())
        scanner.allow()
        scanner.found("https://$HUB/pair#code=ABCD0000")
        shadowOf(pairing).receiveResult(scan.intent, Activity.RESULT_OK, shadowOf(scanner).resultIntent)
        pairing.tap(R.string.go_on_pairing)
        pairing.tap(R.string.forward_yes)
        pairing.allow()
        assertEquals("https://$HUB", fake.invitations.single().hub)
        // The digits are compared, and confirmed at the hub.
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        fake.change { pairedStatus().copy(pairing = PairingProgress.Over(PairingOutcome.Paired)) }
        assertTrue(pairing.says(R.string.paired_now, HUB))
        pairing.tap(R.string.battery_ask)
        assertEquals(
            Settings.ACTION_REQUEST_IGNORE_BATTERY_OPTIMIZATIONS, shadowOf(pairing).nextStartedActivity.action,
        )
        taps++
        pairing.finishDialog()
        assertEquals(StatusActivity::class.java.name, shadowOf(pairing).nextStartedActivity.component?.className)
        fake.status = pairedStatus().copy(pairing = null, queues = emptyList(), counts = TodayCounts(sent = 1u))
        fake.entries = listOf(Entry(0, What.SENT, "SM0000000000000001", 0u, -1))
        val status = open(StatusActivity::class.java).get()
        assertTrue(status.says(R.string.state_sent))
        assertTrue("$taps taps", taps <= TAPS_MAX)
    }

    /** The dialog over the screen is gone. */
    private fun PairActivity.finishDialog() {
        val resumed = Activity::class.java.getDeclaredMethod("onResume")
        resumed.isAccessible = true
        resumed.invoke(this)
        settle()
    }

    @Test
    fun `what is needed for sending is asked for in one request, with the reasons behind it`() {
        val link = Uri.parse("https://$HUB/pair#code=ABCD0000")
        val pairing = open(PairActivity::class.java, Intent(Intent.ACTION_VIEW, link)).get()
        pairing.click(R.string.go_on_pairing)
        pairing.click(R.string.forward_no)
        val asked = shadowOf(pairing).lastRequestedPermission.requestedPermissions.toList()
        assertEquals(Permissions.FIRST.flatMap { it.permissions }, asked)
        Permissions.FIRST.forEach { assertTrue(it.name, pairing.says(it.reason)) }
        assertTrue(fake.invitations.isEmpty())
    }

    @Test
    fun `calls are asked for when the hub has one, their log when there was one`() {
        fake.status = pairedStatus()
        fake.settings.isForwarding = true
        assertTrue(!open(StatusActivity::class.java).get().says(Permit.CALLS.reason))
        Permissions.want(app, Permit.CALLS)
        fake.entries = listOf(Entry(0, What.CALL_SEEN, null, 0u, null))
        val screen = open(StatusActivity::class.java).get()
        assertTrue(screen.says(Permit.CALLS.reason))
        assertTrue(screen.says(Permit.CALL_LOG.reason))
        screen.click(R.string.allow_it, screen.getString(Permit.CALLS.title))
        assertEquals(Permit.CALLS.permissions, shadowOf(screen).lastRequestedPermission.requestedPermissions.toList())
        screen.allow()
        assertTrue(!screen.says(Permit.CALLS.reason))
        assertTrue("permissions" in fake.asked)
        screen.click(R.string.not_now)
        assertTrue(!screen.says(Permit.CALL_LOG.reason))
    }

    private companion object {
        const val TAPS_MAX = 9
    }
}
