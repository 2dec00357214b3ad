package org.postrider.agent.screens

import android.Manifest.permission
import android.content.pm.PackageManager
import android.content.pm.PackageManager.PERMISSION_DENIED
import android.content.pm.PackageManager.PERMISSION_GRANTED
import android.provider.Settings
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class PermissionsActivityTest {
    private val screen by lazy { open(PermissionsActivity::class.java).get() }

    private fun grant(permit: Permit) = shadowOf(app).grantPermissions(*permit.permissions.toTypedArray())

    private fun answer(isGranted: Boolean) {
        val asked = shadowOf(screen).lastRequestedPermission
        if (isGranted) shadowOf(app).grantPermissions(*asked.requestedPermissions)
        val result = if (isGranted) PERMISSION_GRANTED else PERMISSION_DENIED
        val results = IntArray(asked.requestedPermissions.size) { result }
        screen.onRequestPermissionsResult(asked.requestCode, asked.requestedPermissions, results)
    }

    @Test
    fun `everything that the manifest wants of the owner is asked for once`() {
        val manifest = app.packageManager.getPackageInfo(app.packageName, PackageManager.GET_PERMISSIONS)
        val wanted = manifest.requestedPermissions.orEmpty().toList() - UNASKED
        assertEquals(wanted.sorted(), Permit.values().flatMap { it.permissions }.sorted())
    }

    @Test
    @Config(sdk = [33, 35, 36])
    fun `one after the other is asked for, each with its reason`() {
        for (permit in Permissions.FIRST) {
            assertTrue(permit.name, screen.says(permit.reason))
            screen.click(R.string.allow)
            assertEquals(permit.permissions, shadowOf(screen).lastRequestedPermission.requestedPermissions.toList())
            answer(isGranted = true)
            assertTrue(screen.says(R.string.permit_given, screen.getString(permit.title)))
        }
        assertTrue(screen.says(R.string.permissions_done))
        assertTrue("permissions" in fake.asked)
    }

    @Test
    @Config(sdk = [33, 35, 36])
    fun `what is needed cannot be put off, what is optional can, and then it is said what is missing`() {
        assertFalse(screen.says(R.string.not_now))
        listOf(Permit.SIMS, Permit.SEND).forEach(::grant)
        screen.show()
        val optional = Permissions.FIRST.filterNot { it.isNeeded }
        for (permit in optional) {
            assertTrue(screen.says(permit.reason))
            screen.click(R.string.not_now)
            assertTrue(screen.says(R.string.permit_missing, screen.getString(permit.title)))
            assertTrue(screen.says(permit.without))
        }
        assertTrue(screen.says(R.string.permissions_done))
        screen.click(R.string.allow_it, screen.getString(Permit.CALLS.title))
        assertEquals(Permit.CALLS.permissions, shadowOf(screen).lastRequestedPermission.requestedPermissions.toList())
    }

    @Test
    @Config(sdk = [33, 35, 36])
    fun `what was refused once is asked for again, what Android no longer asks for is guided`() {
        Permit.SIMS.permissions.forEach { shadowOf(app.packageManager).setShouldShowRequestPermissionRationale(it, true) }
        screen.click(R.string.allow)
        answer(isGranted = false)
        assertTrue(screen.says(R.string.allow))
        assertFalse(screen.says(R.string.permit_shut))

        Permit.SIMS.permissions.forEach { shadowOf(app.packageManager).setShouldShowRequestPermissionRationale(it, false) }
        screen.click(R.string.allow)
        answer(isGranted = false)
        // A dismissed dialog looks the same: both buttons stay.
        assertTrue(screen.says(R.string.allow))
        assertTrue(screen.says(R.string.permit_shut))
        assertTrue(screen.says(R.string.permit_restricted))
        screen.click(R.string.open_app_settings)
        val page = shadowOf(screen).nextStartedActivity
        assertEquals(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, page.action)
        assertEquals("package:${app.packageName}", page.dataString)
    }

    @Test
    @Config(sdk = [26, 30])
    fun `notifications are asked for only where Android wants that`() {
        Permissions.FIRST.filterNot { it == Permit.NOTIFICATIONS }.forEach(::grant)
        assertEquals(null, Permissions.next(app))
        screen.show()
        assertFalse(screen.says(Permit.NOTIFICATIONS.reason))
        assertTrue(screen.says(R.string.permissions_done))
    }

    @Test
    fun `a question that was interrupted is no refusal`() {
        screen.click(R.string.allow)
        screen.onRequestPermissionsResult(Permit.SIMS.ordinal, emptyArray(), IntArray(0))
        assertTrue(screen.says(R.string.allow))
    }

    @Test
    fun `whoever is done goes on to what keeps the app running`() {
        Permit.values().forEach(::grant)
        screen.click(R.string.keep_running)
        assertEquals(KeepRunningActivity::class.java.name, shadowOf(screen).nextStartedActivity.component?.className)
    }

    private companion object {
        /** Permissions that the manifest gives an app, and those with pages of their own. */
        val UNASKED = setOf(
            permission.FOREGROUND_SERVICE, permission.FOREGROUND_SERVICE_REMOTE_MESSAGING, permission.INTERNET,
            permission.RECEIVE_BOOT_COMPLETED, permission.ACCESS_NETWORK_STATE, permission.WAKE_LOCK,
            permission.CAMERA, permission.SCHEDULE_EXACT_ALARM, permission.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS,
        )
    }
}
