package org.postrider.agent.screens

import android.Manifest.permission.CAMERA
import android.app.Activity
import android.content.Intent
import android.content.pm.PackageManager
import android.content.pm.PackageManager.PERMISSION_DENIED
import android.graphics.PointF
import android.util.Size
import android.view.Surface
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.postrider.agent.scan.Camera
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class ScanActivityTest {
    private val address = "https://$HUB"
    private val link = "$address/pair#code=ABCD0000"

    private fun scanner() = open(ScanActivity::class.java).get()

    private fun answer(screen: Activity, isGiven: Boolean) {
        if (isGiven) shadowOf(app).grantPermissions(CAMERA)
        val result = if (isGiven) PackageManager.PERMISSION_GRANTED else PERMISSION_DENIED
        screen.onRequestPermissionsResult(0, arrayOf(CAMERA), intArrayOf(result))
        settle()
    }

    @Test
    fun `the camera is asked for there and then, and refused it leads to typing`() {
        val screen = scanner()
        assertEquals(listOf(CAMERA), shadowOf(screen).lastRequestedPermission.requestedPermissions.toList())
        assertTrue(screen.says(R.string.scan_permission))
        shadowOf(app.packageManager).setShouldShowRequestPermissionRationale(CAMERA, true)
        answer(screen, isGiven = false)
        screen.click(R.string.allow)
        shadowOf(app.packageManager).setShouldShowRequestPermissionRationale(CAMERA, false)
        answer(screen, isGiven = false)
        screen.click(R.string.open_app_settings)
        screen.click(R.string.scan_type)
        assertTrue(screen.isFinishing)
        assertEquals(Activity.RESULT_CANCELED, shadowOf(screen).resultCode)
    }

    @Test
    fun `a camera question that was dismissed can be asked again`() {
        val screen = scanner()
        screen.onRequestPermissionsResult(0, emptyArray(), IntArray(0))
        assertTrue(screen.says(R.string.allow))
        answer(screen, isGiven = true)
        assertTrue(screen.says(R.string.scan_about))
        assertFalse(screen.says(R.string.allow))
    }

    @Test
    fun `another code is said and looked past, a hub's is returned`() {
        shadowOf(app).grantPermissions(CAMERA)
        val screen = scanner()
        screen.found("https://example.org/menu")
        assertTrue(screen.says(R.string.scan_other_code))
        assertFalse(screen.isFinishing)
        screen.found(" $link\n")
        assertTrue(screen.isFinishing)
        assertEquals(link, shadowOf(screen).resultIntent.dataString)
    }

    @Test
    fun `what was scanned leads to the question whether to join, and nothing happens before`() {
        shadowOf(app.packageManager).setSystemFeature(PackageManager.FEATURE_CAMERA_ANY, true)
        val screen = open(PairActivity::class.java).get()
        screen.click(R.string.scan_code)
        val asked = shadowOf(screen).nextStartedActivityForResult
        assertEquals(ScanActivity::class.java.name, asked.intent.component?.className)
        shadowOf(screen).receiveResult(asked.intent, Activity.RESULT_OK, Intent().setData(android.net.Uri.parse(link)))
        assertTrue(screen.says(R.string.invited, address))
        assertTrue(fake.invitations.isEmpty())
    }

    @Test
    fun `a phone without a camera offers typing alone`() {
        assertFalse(open(PairActivity::class.java).get().says(R.string.scan_code))
        assertFalse(open(StatusActivity::class.java).get().says(R.string.scan_code))
    }

    @Test
    fun `a picture of a size that is quick to look through is taken`() {
        val small = Size(640, 480)
        val right = Size(1280, 720)
        val large = Size(4000, 3000)
        assertEquals(right, Camera.best(listOf(large, small, right)))
        assertEquals(large, Camera.best(listOf(Size(8000, 6000), large)))
        assertEquals(null, Camera.best(emptyList()))
    }

    @Test
    fun `the viewfinder is filled and not distorted, however the phone is held`() {
        val picture = Size(1280, 720)
        // Upright, the platform shows the picture as 720 by 1280, squeezed into the view.
        val upright = Viewfinder.fitting(picture, 1000, 1000, Surface.ROTATION_0)
        val points = floatArrayOf(0f, 0f, 1000f, 1000f)
        upright.mapPoints(points)
        val size = PointF(points[2] - points[0], points[3] - points[1])
        assertEquals(720f / 1280f, size.x / size.y, 0.001f)
        assertTrue(size.x >= 999f && size.y >= 999f)
    }
}
