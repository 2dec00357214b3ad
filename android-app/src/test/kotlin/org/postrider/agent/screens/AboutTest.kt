package org.postrider.agent.screens

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class AboutTest {
    @Test
    fun `about says the version and opens the licences`() {
        val screen = open(AboutActivity::class.java).get()
        assertTrue(screen.says(R.string.version, "1.2.3"))
        screen.click(R.string.licences)
        assertEquals(LicencesActivity::class.java.name, shadowOf(screen).nextStartedActivity.component?.className)
    }

    @Test
    fun `the licences begin with what is in the app`() {
        val screen = open(LicencesActivity::class.java).get().also { it.layOut(360) }
        val list = screen.texts().first { it.startsWith("Kotlin standard library ") }
        for (part in listOf("JNA ", "rusqlite ", "rustls ", "tokio ", "uniffi ", "ring ")) {
            assertTrue(part, list.lines().any { it.startsWith(part) })
        }
    }

    @Test
    fun `the licences name exactly the packages that are built in`() {
        val check = ProcessBuilder("python3", "tools/licences.py", "--check").redirectErrorStream(true).start()
        val said = check.inputStream.bufferedReader().readText()
        assertEquals(said, 0, check.waitFor())
    }
}
