package org.postrider.agent.screens

import android.graphics.Insets
import android.os.Build
import android.view.View
import android.view.WindowInsets
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

/** The space that the system's bars, the camera's cut-out and the keyboard leave for a page. */
@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class InsetsTest {
    private val page by lazy { open(SettingsActivity::class.java).get().findViewById<View>(R.id.page)!!.parent as View }

    private fun free() = listOf(page.paddingLeft, page.paddingTop, page.paddingRight, page.paddingBottom)

    @Test
    @Config(sdk = [30, 33, 35, 36])
    fun `a page keeps clear of bars, cut-out and keyboard, and takes its room back`() {
        val covered = WindowInsets.Builder()
            .setInsets(WindowInsets.Type.systemBars(), Insets.of(0, 24, 0, 48))
            .setInsets(WindowInsets.Type.displayCutout(), Insets.of(30, 0, 7, 0))
        page.dispatchApplyWindowInsets(covered.build())
        assertEquals(listOf(30, 24, 7, 48), free())
        page.dispatchApplyWindowInsets(covered.setInsets(WindowInsets.Type.ime(), Insets.of(0, 0, 0, 300)).build())
        assertEquals(listOf(30, 24, 7, 300), free())
        page.dispatchApplyWindowInsets(WindowInsets.Builder().build())
        assertEquals(listOf(0, 0, 0, 0), free())
    }

    @Test
    @Config(sdk = [26])
    fun `where the platform keeps a window clear by itself, a page takes no room from it`() {
        check(Build.VERSION.SDK_INT < Build.VERSION_CODES.R)
        page.dispatchApplyWindowInsets(page.rootWindowInsets!!)
        assertEquals(listOf(0, 0, 0, 0), free())
    }
}
