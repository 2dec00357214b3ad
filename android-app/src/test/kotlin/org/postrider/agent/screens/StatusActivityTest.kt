package org.postrider.agent.screens

import android.view.View
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.device.Permit
import org.postrider.agent.service.AlertWords
import org.postrider.core.Alert
import org.postrider.core.AlertKind
import org.postrider.core.Command
import org.postrider.core.Entry
import org.postrider.core.Kind
import org.postrider.core.KindWaiting
import org.postrider.core.SetAside
import org.postrider.core.SimQueue
import org.postrider.core.Wait
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowPopupMenu

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class StatusActivityTest {
    private fun status() = open(StatusActivity::class.java).get()

    @Test
    fun `a phone without a hub offers to be paired`() {
        val screen = status()
        assertTrue(screen.says(R.string.not_paired))
        screen.click(R.string.pair_this_phone)
        assertEquals(PairActivity::class.java.name, shadowOf(screen).nextStartedActivity.component?.className)
    }

    @Test
    fun `every state of the connection is said`() {
        fake.status = pairedStatus()
        val screen = status()
        assertTrue(screen.says(R.string.linked, HUB))
        fake.change { copy(isLinked = false) }
        assertTrue(screen.says(R.string.linking, HUB))
        fake.change { copy(isOnline = false) }
        assertTrue(screen.says(R.string.no_network))
        fake.change { copy(isRunning = false) }
        assertTrue(screen.says(R.string.not_running))
        assertTrue(screen.says(R.string.queue_unknown))
        fake.change { copy(isStoppedByOwner = true) }
        assertTrue(screen.says(R.string.stopped_by_owner))
        fake.change { copy(isStoppedInAndroid = true) }
        assertTrue(screen.says(R.string.stopped_in_android))
        assertFalse(screen.says(R.string.stopped_by_owner))
        screen.click(R.string.start)
        assertEquals(listOf("start"), fake.asked)
        fake.change { pairedStatus().copy(isLinked = false, pairing = PairingProgress.Leaving) }
        assertTrue(screen.says(R.string.leaving, HUB))
    }

    @Test
    fun `a screen that is left hears nothing any more`() {
        fake.status = pairedStatus()
        val controller = open(StatusActivity::class.java)
        assertEquals(1, fake.listeners.size)
        controller.pause()
        assertEquals(0, fake.listeners.size)
    }

    @Test
    fun `a pause is said and can be ended`() {
        fake.status = pairedStatus()
        fake.settings.paused = true
        val screen = status()
        assertTrue(screen.says(R.string.paused_here))
        screen.click(R.string.go_on)
        assertFalse(fake.settings.paused)
        assertFalse(screen.says(R.string.paused_here))
    }

    @Test
    fun `forwarding is said either way`() {
        fake.status = pairedStatus()
        assertTrue(status().says(R.string.forwarding_off))
        fake.settings.isForwarding = true
        assertTrue(status().says(R.string.forwarding_on))
    }

    @Test
    fun `a queue says how much waits, why, and until when`() {
        fake.status = pairedStatus("quiet_hours", 150_000uL)
        val screen = status()
        val texts = screen.texts()
        val at = texts.indexOf(screen.getString(R.string.sim_of, 1, "Example Mobile"))
        val expected = listOf(
            screen.resources.getQuantityString(R.plurals.waiting_messages, 3, 3),
            screen.getString(R.string.wait_quiet_hours),
            screen.resources.getQuantityString(R.plurals.next_in_minutes, 3, 3),
            screen.getString(R.string.sim, 2),
            screen.getString(R.string.nothing_waits),
        )
        assertEquals(expected, texts.subList(at + 1, at + 1 + expected.size))
    }

    @Test
    fun `codes and calls wait in lines of their own`() {
        val lanes = listOf(
            KindWaiting(Kind.Ussd, 1u, Wait(30_000uL, "ussd_answer")),
            KindWaiting(Kind.Call, 2u, Wait(null, "line_busy")),
        )
        fake.status = pairedStatus().copy(queues = listOf(SimQueue(0u, 3u, null, lanes)))
        val screen = status()
        val texts = screen.texts()
        val at = texts.indexOf(screen.resources.getQuantityString(R.plurals.waiting_ussd, 1, 1))
        val expected = listOf(
            screen.getString(R.string.wait_ussd_answer),
            screen.getString(R.string.next_within_a_minute),
            screen.resources.getQuantityString(R.plurals.waiting_calls, 2, 2),
            screen.getString(R.string.wait_line_busy),
        )
        assertEquals(expected, texts.subList(at + 1, at + 1 + expected.size))
    }

    @Test
    fun `a wait grows shorter while the screen is open`() {
        fake.status = pairedStatus("send_limit", 130_000uL)
        val screen = status()
        val minutes = { count: Int -> screen.resources.getQuantityString(R.plurals.next_in_minutes, count, count) }
        assertTrue(minutes(3) in screen.texts())
        shadowOf(android.os.Looper.getMainLooper()).idleFor(java.time.Duration.ofSeconds(30))
        assertTrue(minutes(2) in screen.texts())
    }

    @Test
    fun `a wait with another word is said, too`() {
        fake.status = pairedStatus("moonrise", null)
        assertTrue(status().says(R.string.wait_other, "moonrise"))
    }

    @Test
    fun `today's counts have plurals`() {
        fake.status = pairedStatus()
        val said = status().views().mapNotNull { it.contentDescription?.toString() }.toList()
        for ((text, count) in listOf(
            R.plurals.today_sent to 1, R.plurals.today_failed to 0, R.plurals.today_received to 12,
            R.plurals.today_unknown to 2,
        )) assertTrue(app.resources.getQuantityString(text, count, count) in said)
    }

    @Test
    fun `the last messages have the newest state of each, and a reason where there is one`() {
        fake.status = pairedStatus()
        fake.entries = listOf(
            Entry(3, What.DELIVERED, "SM0000000000000002", 0u, null),
            Entry(2, What.SENT, "SM0000000000000002", 0u, -1),
            Entry(1, What.LINK_UP, null, null, null),
            Entry(0, What.FAILED, "SM0000000000000001", 1u, 19),
        )
        val screen = status()
        assertTrue(screen.says(R.string.state_delivered))
        assertTrue(screen.says(R.string.state_failed))
        assertFalse(screen.says(R.string.state_sent))
        assertTrue(screen.says(R.string.log_reason, screen.getString(R.string.result_service_centre), 19))
        assertTrue(screen.texts().any { "SM0000000000000001" in it && screen.getString(R.string.sim, 2) in it })
    }

    @Test
    fun `what else went wrong is a problem of its own`() {
        fake.status = pairedStatus()
        fake.entries = listOf(Entry(1, What.LINK_UP, null, null, null), Entry(0, What.LINK_FAILING, null, null, null))
        val screen = status()
        assertTrue(screen.says(R.string.last_troubles) && screen.says(R.string.log_link_failing))
        assertFalse(screen.says(R.string.log_link_up))
    }

    @Test
    fun `one colour on top says how the phone stands`() {
        val nothing = pairedStatus().copy(queues = emptyList())
        val leaving = pairedStatus().copy(queues = listOf(SimQueue(0u, 1u, null, emptyList())))
        for ((status, mood) in listOf(
            nothing to Mood.READY, leaving to Mood.SENDING, pairedStatus() to Mood.WAITING,
            nothing.copy(isLinked = false, isOnline = false) to Mood.OFFLINE, nothing.copy(isRunning = false) to Mood.OFFLINE,
            pairedStatus().copy(isStoppedByOwner = true) to Mood.STOPPED,
            // One SIM that can send now counts more than one that waits.
            pairedStatus().copy(queues = pairedStatus().queues + SimQueue(2u, 1u, null, emptyList())) to Mood.SENDING,
        )) {
            fake.status = status
            val screen = status()
            val state = screen.views().filterIsInstance<StateView>().single()
            assertEquals(screen.getString(mood.title), state.all().filterIsInstance<TextView>().first().text.toString())
        }
    }

    @Test
    fun `a wait says its reason and its time on top`() {
        fake.status = pairedStatus("quiet_hours", 150_000uL)
        val screen = status()
        val state = screen.views().filterIsInstance<StateView>().single()
        val said = state.all().filterIsInstance<TextView>().map { it.text.toString() }.toList()
        assertTrue(screen.getString(R.string.wait_quiet_hours) in said)
        assertTrue(screen.resources.getQuantityString(R.plurals.next_in_minutes, 3, 3) in said)
    }

    @Test
    fun `what is rarely needed is in the menu`() {
        fake.status = pairedStatus()
        val screen = status()
        val pages = listOf(
            R.string.sims to SimsActivity::class.java, R.string.settings to SettingsActivity::class.java,
            R.string.permissions to PermissionsActivity::class.java, R.string.keep_running to KeepRunningActivity::class.java,
            R.string.log to LogActivity::class.java, R.string.about to AboutActivity::class.java,
        )
        for ((text, page) in pages) {
            screen.requireViewById<View>(R.id.more).performClick()
            val menu = ShadowPopupMenu.getLatestPopupMenu().menu
            assertEquals(pages.size, menu.size())
            val place = (0 until menu.size()).single { menu.getItem(it).title == screen.getString(text) }
            menu.performIdentifierAction(place, 0)
            settle()
            assertEquals(page.name, shadowOf(screen).nextStartedActivity.component?.className)
        }
    }

    @Test
    fun `what is missing is said`() {
        fake.status = pairedStatus()
        val screen = status()
        Permit.values().forEach { assertTrue(it.name, screen.says(it.without)) }
        assertTrue(screen.says(R.string.battery_reason))
    }

    @Test
    fun `the button of each alert does what it says`() {
        val expected = mapOf(
            AlertKind.LOOK_AT_PHONE to Command.ReleaseSim(1u),
            AlertKind.SIM_HELD to Command.ReleaseSim(1u),
            AlertKind.SIM_CHANGED to Command.ConfirmSim(1u),
        )
        for ((kind, command) in expected) {
            fake.commands.clear()
            val screen = alerted(kind, 1u)
            screen.click(if (kind == AlertKind.SIM_CHANGED) R.string.use_this_sim else R.string.looked_at_phone)
            assertEquals(listOf(command), fake.commands)
            // The core decides when another SIM is confirmed.
            val stays = kind == AlertKind.SIM_CHANGED
            assertEquals(stays, AlertWords.title(screen.resources, Alert(kind, 1u, 0)) in screen.texts())
        }
    }

    @Test
    fun `an alert that needs another page opens it and stays`() {
        val pages = mapOf(
            AlertKind.PAIRED_ELSEWHERE to PairActivity::class.java, AlertKind.JOURNAL_NOT_TRUSTED to PairActivity::class.java,
            AlertKind.JOURNAL_SET_ASIDE to PairActivity::class.java, AlertKind.KEY_LOST to PairActivity::class.java,
        )
        for ((kind, page) in pages) {
            val screen = alerted(kind, null)
            screen.click(R.string.pair_again)
            assertEquals(page.name, shadowOf(screen).nextStartedActivity.component?.className)
            assertEquals(emptyList<Alert>(), fake.dismissed)
        }
        val screen = alerted(AlertKind.OFFLINE, null)
        screen.click(R.string.open_network_settings)
        assertEquals(android.provider.Settings.ACTION_WIRELESS_SETTINGS, shadowOf(screen).nextStartedActivity.action)
    }

    @Test
    fun `what came in for another hub goes nowhere before its owner says so`() {
        val aside = SetAside(2u, "former.example.org", 1_900_000_000_000)
        fake.status = pairedStatus().copy(setAside = listOf(aside))
        val screen = status()
        assertTrue(screen.texts().any { "former.example.org" in it })
        assertEquals(emptyList<String>(), fake.asked)
        screen.click(screen.getString(R.string.set_aside_give, HUB))
        assertEquals(listOf("give 2"), fake.asked)
        fake.status = unpairedStatus().copy(setAside = listOf(aside.copy(host = null)))
        val unpaired = status()
        val another = unpaired.getString(R.string.another_hub)
        assertTrue(unpaired.texts().any { another in it })
        unpaired.click(R.string.set_aside_erase)
        assertEquals(listOf("give 2", "erase 2"), fake.asked)
    }

    @Test
    fun `an alert that can only be taken note of goes when it is`() {
        val noted = listOf(AlertKind.NOT_KNOWN, AlertKind.UPDATE_NEEDED, AlertKind.LINK_FAILING, AlertKind.LINK_REPLACED)
        for (kind in noted) {
            fake.dismissed.clear()
            alerted(kind, null).click(R.string.seen)
            assertEquals(kind, fake.dismissed.single().kind)
        }
        alerted(AlertKind.AGENT_FAILING, null).click(R.string.start_again)
        assertEquals(listOf("start"), fake.asked)
    }

    @Test
    fun `what matters is read out when it changes, and nothing is read out again that stayed`() {
        fake.status = pairedStatus()
        val screen = status()
        val line = screen.views().filterIsInstance<TextView>().single { it.text == screen.getString(R.string.linked, HUB) }
        assertEquals(View.ACCESSIBILITY_LIVE_REGION_POLITE, line.accessibilityLiveRegion)
        val before = line.text
        fake.change { copy(condition = condition.copy(battery = 80u)) }
        assertSame(before, line.text)
        fake.change { copy(isLinked = false) }
        assertNotEquals(before, line.text)
    }

    private fun alerted(kind: AlertKind, sim: UByte?): StatusActivity {
        fake.status = pairedStatus().copy(alerts = listOf(Alert(kind, sim, 0)))
        val screen = status()
        assertTrue(AlertWords.title(screen.resources, Alert(kind, sim, 0)) in screen.texts())
        return screen
    }
}
