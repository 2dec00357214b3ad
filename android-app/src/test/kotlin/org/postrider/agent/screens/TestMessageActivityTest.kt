package org.postrider.agent.screens

import android.widget.RadioButton
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.R
import org.postrider.agent.TestProgress
import org.postrider.core.PaceRule
import org.postrider.core.Refused
import org.postrider.core.WireState
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class TestMessageActivityTest {
    private val screen by lazy { open(TestMessageActivity::class.java).get() }

    @Before
    fun `a phone at work`() {
        fake.status = pairedStatus()
    }

    private fun shows(test: TestProgress) = fake.change { copy(test = test) }

    @Test
    fun `the status screen leads to it`() {
        val status = open(StatusActivity::class.java).get()
        status.click(R.string.test_message)
        val opened = shadowOf(status).nextStartedActivity.component?.className
        assertEquals(TestMessageActivity::class.java.name, opened)
    }

    @Test
    fun `a number as people write it is sent to by the SIM that was chosen`() {
        screen.views().filterIsInstance<RadioButton>().last().performClick()
        settle()
        screen.type(R.id.test_to, "+1 (500) 555-0006")
        screen.type(R.id.test_text, "hello")
        screen.click(R.string.test_send)
        assertEquals(listOf(Triple<UByte, String, String>(1u, "+15005550006", "hello")), fake.tests)
    }

    @Test
    fun `with one SIM there is nothing to choose, and without one nothing to send`() {
        fake.status = pairedStatus().run { copy(sims = sims.take(1)) }
        assertEquals(0, screen.views().filterIsInstance<RadioButton>().count())
        screen.click(R.string.test_send)
        assertEquals(app.getString(R.string.test_text_usual), fake.tests.single().third)
        fake.change { copy(sims = emptyList()) }
        assertTrue(screen.says(R.string.no_sims))
        assertFalse(screen.says(R.string.test_send))
    }

    @Test
    fun `what becomes of it is said as it comes`() {
        assertFalse(screen.says(R.string.test_last))
        for ((state, sentence) in listOf(
            WireState.SUBMITTING to R.string.test_submitted, WireState.SENT to R.string.test_sent,
            WireState.DELIVERED to R.string.test_delivered, WireState.NOT_DELIVERED to R.string.test_not_delivered,
            WireState.UNKNOWN to R.string.test_unknown,
        )) {
            shows(TestProgress.Moved(state, null))
            assertTrue("$state", screen.says(sentence))
        }
        shows(TestProgress.Moved(WireState.FAILED, 4))
        assertTrue(screen.says(R.string.test_failed))
        assertTrue(screen.says(R.string.log_reason, app.getString(R.string.result_no_service), 4))
        shows(TestProgress.NotRunning)
        assertTrue(screen.says(R.string.test_not_running))
    }

    @Test
    fun `why it was not sent is said, and from when on it can be`() {
        val reasons = listOf(
            Refused.NoSuchSim(0u) to R.string.test_no_sim, Refused.SimChanged(0u) to R.string.test_sim_changed,
            Refused.TestUnderway to R.string.test_underway, Refused.InvalidRecipient to R.string.test_no_number,
            Refused.NoText to R.string.test_no_text, Refused.TooManyParts to R.string.test_too_long,
            Refused.NoSlot(1uL, PaceRule.SEND_LIMIT) to R.string.test_send_limit,
            Refused.NoSlot(1uL, PaceRule.PLATFORM_GUARD) to R.string.test_platform_guard,
            Refused.NoSlot(1uL, PaceRule.SEND_DELAY) to R.string.test_send_delay,
        )
        for ((why, sentence) in reasons) {
            shows(TestProgress.NotSent(why, if (why is Refused.NoSlot) AT_MS else null))
            assertTrue("$why", screen.says(R.string.test_not_sent) && screen.says(sentence))
            assertEquals(why is Refused.NoSlot, screen.says(R.string.test_from, Times(app).moment(AT_MS)))
        }
    }

    @Test
    fun `turning the phone keeps the SIM that was chosen`() {
        val controller = open(TestMessageActivity::class.java)
        controller.get().views().filterIsInstance<RadioButton>().last().performClick()
        settle()
        controller.recreate()
        val choices = controller.get().views().filterIsInstance<RadioButton>()
        assertEquals(listOf(false, true), choices.map { it.isChecked }.toList())
    }

    private companion object {
        const val AT_MS = 1_800_000_000_000L
    }
}
