package org.postrider.agent.screens

import android.content.Intent
import android.widget.ListView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.postrider.core.Entry
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class LogActivityTest {
    private fun log() = open(LogActivity::class.java).get().also { it.layOut(360) }

    @Test
    fun `a log without lines says so`() = assertTrue(log().says(R.string.log_empty))

    @Test
    fun `each line has its time, SIM, message and reason in plain words`() {
        fake.entries = listOf(Entry(0, What.RETRYING, "SM0000000000000001", 0u, 106), Entry(0, What.SENT, null, 0u, -1))
        val screen = log()
        assertTrue(screen.texts().any { it.endsWith(" · SIM 1 · SM0000000000000001") })
        assertTrue(screen.says(R.string.state_retrying))
        assertTrue(screen.says(R.string.log_reason, screen.getString(R.string.result_busy), 106))
        assertTrue(screen.says(R.string.state_sent))
        assertTrue(screen.texts().none { it.contains("-1") })
    }

    @Test
    fun `five hundred lines make no more views than the screen shows`() {
        fake.entries = List(500) { Entry(it.toLong(), What.SENT, null, null, null) }
        val list = log().requireViewById<ListView>(R.id.page)
        assertEquals(501, list.adapter.count)
        assertTrue(list.childCount < 100)
    }

    @Test
    fun `a line that comes while the screen is open is shown`() {
        val screen = log()
        fake.entries = listOf(Entry(0, What.LINK_UP, null, null, null))
        fake.change { this }
        screen.layOut(360)
        assertTrue(screen.says(R.string.log_link_up))
    }

    @Test
    fun `the log is shared as text`() {
        fake.entries = listOf(Entry(0, What.FAILED, "SM0000000000000001", 0u, 19))
        val screen = log()
        screen.click(R.string.log_share)
        val chosen = shadowOf(screen).nextStartedActivity
        assertEquals(Intent.ACTION_CHOOSER, chosen.action)
        val sent = chosen.getParcelableExtra(Intent.EXTRA_INTENT, Intent::class.java)!!
        assertEquals("text/plain", sent.type)
        assertEquals(SupportText.of(fake.status.condition, fake.entries), sent.getStringExtra(Intent.EXTRA_TEXT))
    }
}
