package org.postrider.agent.screens

import android.content.Intent
import android.content.pm.PackageManager
import android.net.Uri
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class ScreensInManifestTest {
    private val manager get() = app.packageManager

    @Test
    fun `others open the first screen and pairing, and no other`() {
        val info = manager.getPackageInfo(app.packageName, PackageManager.GET_ACTIVITIES)
        val exported = info.activities.orEmpty().filter { it.exported }.map { it.name }
        assertEquals(setOf(StatusActivity::class.java.name, PairActivity::class.java.name), exported.toSet())
    }

    @Test
    fun `a hub's link from the camera or a page opens pairing, another link does not`() {
        val resolved = { link: String ->
            val intent = Intent(Intent.ACTION_VIEW, Uri.parse(link)).addCategory(Intent.CATEGORY_BROWSABLE)
            manager.resolveActivity(intent, PackageManager.MATCH_DEFAULT_ONLY)?.activityInfo?.name
        }
        assertEquals(PairActivity::class.java.name, resolved("postrider://pair?hub=x&code=y"))
        assertNull(resolved("postrider://status"))
        assertNull(resolved("https://pair?hub=x&code=y"))
    }

    @Test
    fun `the launcher opens the status`() {
        val launch = manager.getLaunchIntentForPackage(app.packageName)
        assertEquals(StatusActivity::class.java.name, launch?.component?.className)
    }
}
