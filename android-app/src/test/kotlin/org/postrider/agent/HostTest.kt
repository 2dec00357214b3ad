package org.postrider.agent

import android.app.AlarmManager
import android.app.Application
import android.os.SystemClock
import android.telephony.SmsManager
import android.telephony.SubscriptionManager
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.HostKit
import org.postrider.agent.kit.SoftwareKeystore
import org.postrider.agent.kit.StubHub
import org.postrider.agent.kit.await
import org.postrider.core.AlertKind
import org.postrider.core.Invitation
import org.postrider.core.PairingOutcome
import org.postrider.core.RadioFact
import org.postrider.core.ReceivedSms
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowLog
import org.robolectric.shadows.ShadowPowerManager
import org.robolectric.shadows.ShadowSubscriptionManager.SubscriptionInfoBuilder
import org.robolectric.shadows.ShadowSystemClock
import java.time.Duration

/** The host with the real agent, and a hub on loopback. */
@RunWith(RobolectricTestRunner::class)
class HostTest {
    @get:Rule
    val kit = HostKit()
    private val hub by lazy { StubHub() }
    private val host get() = kit.host

    @After
    fun tearDown() = hub.close()

    @Test
    fun `a phone that was never paired does not run`() {
        assertFalse(host.ensureRunning())
        assertNull(host.status().paired)
        assertFalse(host.tellForKeeps(sms(1u)))
        assertNull(shadowOf(kit.app as Application).nextStartedService)
    }

    @Test
    fun `pairing shows the digits, ends in a connection, and starts the service`() {
        hub.say("pairing", "\"wait\"")
        host.beginPairing(hub.invitation)
        await("digits") { host.status().pairing is PairingProgress.Comparing }
        assertEquals(6, (host.status().pairing as PairingProgress.Comparing).digits.length)
        hub.say("pairing", "\"confirm\"")
        await("over") { host.status().pairing == PairingProgress.Over(PairingOutcome.Paired) }
        kit.awaitLink()
        assertTrue(host.status().isRunning)
        assertTrue(shadowOf(kit.app as Application).nextStartedService.component!!.className.endsWith("GatewayService"))
    }

    @Test
    fun `a hub that refuses is said`() {
        hub.say("pairing", "\"refuse\"")
        host.beginPairing(hub.invitation)
        await("refused") { (host.status().pairing as? PairingProgress.Over)?.outcome is PairingOutcome.Refused }
        assertNull(host.status().paired)
        host.cancelPairing()
        await("seen") { host.status().pairing == null }
    }

    @Test
    fun `a pairing that its owner gives up is over`() {
        hub.say("pairing", "\"wait\"")
        host.beginPairing(hub.invitation)
        await("digits") { host.status().pairing is PairingProgress.Comparing }
        host.cancelPairing()
        await("over") { host.status().pairing == PairingProgress.Over(PairingOutcome.Cancelled) }
        host.cancelPairing()
        await("seen") { host.status().pairing == null }
    }

    @Test
    fun `an invitation that is none names what is wrong`() {
        host.beginPairing(Invitation("https://hub.example.org", "code", listOf("short")))
        await("invalid") { host.status().pairing == PairingProgress.Invalid("pin") }
    }

    @Test
    fun `a process that starts again goes on`() {
        kit.pair(hub.invitation)
        kit.restart()
        assertTrue(host.ensureRunning())
        kit.awaitLink()
    }

    @Test
    fun `the owner's Stop is honoured by whatever would start it`() {
        kit.pair(hub.invitation)
        host.stopByOwner()
        await("stopped") { !host.status().isRunning }
        kit.restart()
        assertFalse(host.ensureRunning())
        var looked = 0
        host.look { looked++ }
        host.wake { looked++ }
        await("looked") { looked == 2 }
        assertFalse(host.status().isRunning)
        assertTrue(host.status().isStoppedByOwner)
        host.startByOwner()
        kit.awaitLink()
    }

    @Test
    fun `what comes in while the owner has stopped it is kept and told later`() {
        kit.pair(hub.invitation)
        host.stopByOwner()
        await("stopped") { !host.status().isRunning }
        kit.restart()
        assertTrue(host.tellForKeeps(sms(1u)))
        assertFalse(host.status().isRunning)
        assertFalse(hub.read("inbound").contains("sender"))
        kit.restart()
        host.startByOwner()
        hub.await("""{"inbound": 1}""")
    }

    @Test
    fun `nothing is sent while the owner has stopped it, whatever it was started for`() {
        insert()
        host.settings.paused = true
        kit.pair(hub.invitation)
        hub.say("send", "{}")
        await("held") { host.status().queues.singleOrNull()?.next?.waitingFor == "paused" }
        host.stopByOwner()
        await("stopped") { !host.status().isRunning }
        host.settings.paused = false
        kit.restart()
        assertTrue(host.tellForKeeps(sms(1u)))
        val sender = shadowOf(kit.app.getSystemService(SmsManager::class.java)!!.createForSubscriptionId(3))
        assertNull(sender.lastSentMultipartTextMessageParams ?: sender.lastSentTextMessageParams)
        host.startByOwner()
        await("sent") { (sender.lastSentMultipartTextMessageParams ?: sender.lastSentTextMessageParams) != null }
        await("awake") { ShadowPowerManager.getLatestWakeLock()?.isHeld == true }
    }

    @Test
    fun `what comes in starts a process that was dead`() {
        kit.pair(hub.invitation)
        kit.restart()
        assertTrue(host.tellForKeeps(sms(1u)))
        hub.await("""{"inbound": 1}""")
        assertTrue(host.status().isRunning)
    }

    @Test
    fun `a phone that the hub has removed goes back to pairing and says so`() {
        kit.pair(hub.invitation)
        val keys = SoftwareKeystore.keys.values.single()
        hub.say("unpair")
        await("unpaired") { host.status().paired == null }
        await("told") { host.status().alerts.any { it.kind == AlertKind.PAIRED_ELSEWHERE } }
        assertEquals(listOf(AlertKind.PAIRED_ELSEWHERE), host.status().alerts.map { it.kind })
        assertFalse(host.ensureRunning())
        kit.pair(hub.invitation)
        assertTrue(host.status().alerts.isEmpty())
        assertNotEquals(keys, SoftwareKeystore.keys.values.single())
    }

    @Test
    fun `a phone whose owner unpairs it forgets its hub and its key`() {
        kit.pair(hub.invitation)
        host.unpair()
        await("unpaired") { host.status().paired == null }
        assertTrue(host.status().alerts.isEmpty())
        assertTrue(SoftwareKeystore.keys.isEmpty())
        assertNull(host.status().pairing)
    }

    @Test
    fun `moving to another hub leaves the one and joins the other`() {
        kit.pair(hub.invitation)
        StubHub().use { other ->
            host.beginPairing(other.invitation)
            await("moved") { host.status().pairing == PairingProgress.Over(PairingOutcome.Paired) }
            kit.awaitLink()
            assertTrue(other.read("state").isNotEmpty())
            kit.restart()
        }
    }

    @Test
    fun `a lost key is said once, and pairing again makes another`() {
        kit.pair(hub.invitation)
        kit.restart()
        SoftwareKeystore.keys.clear()
        repeat(11) { pass(2 * 60) }
        await("lost") { host.status().alerts.any { it.kind == AlertKind.KEY_LOST } && host.status().paired == null }
        assertFalse(host.ensureRunning())
        kit.pair(hub.invitation)
        assertTrue(host.status().alerts.isEmpty())
    }

    @Test
    fun `a journal that cannot be read is said, and pairing again goes on`() {
        kit.pair(hub.invitation)
        kit.restart()
        kit.app.noBackupFilesDir.resolve("agent/journal.db").writeText("this is no journal, and was never one")
        host.ensureRunning()
        await("unpaired") { host.status().paired == null }
        assertEquals(listOf(AlertKind.JOURNAL_SET_ASIDE), host.status().alerts.map { it.kind })
        kit.pair(hub.invitation)
        assertTrue(host.status().alerts.isEmpty())
    }

    @Test
    fun `an agent that cannot start is tried again later and later, and said when that goes on`() {
        kit.pair(hub.invitation)
        kit.restart()
        val journal = kit.app.noBackupFilesDir.resolve("agent/journal.db")
        val aside = kit.app.noBackupFilesDir.resolve("aside")
        assertTrue(journal.renameTo(aside) && journal.mkdir())
        host.ensureRunning()
        val alarms = shadowOf(kit.app.getSystemService(AlarmManager::class.java))
        await("failed once") { failures() == 1 && alarms.scheduledAlarms.size == 1 }
        assertTrue(alarms.scheduledAlarms.single().triggerAtMs > SystemClock.elapsedRealtime())
        assertTrue(host.status().alerts.isEmpty())
        while (host.status().alerts.isEmpty()) pass(10)
        assertEquals(listOf(AlertKind.AGENT_FAILING), host.status().alerts.map { it.kind })
        assertEquals(3, failures())
        assertTrue(journal.delete() && aside.renameTo(journal))
        host.startByOwner()
        kit.awaitLink()
        await("no alert") { host.status().alerts.isEmpty() }
    }

    @Test
    fun `what the owner sets reaches the agent at once`() {
        insert()
        kit.pair(hub.invitation)
        host.settings.paused = true
        kit.awaitLook()
        hub.say("send", "{}")
        await("paused") { host.status().queues.singleOrNull()?.next?.waitingFor == "paused" }
        host.settings.partsPerHour = 7
        host.settings.setTypedNumber(0u, "+15005550101")
        await("told") { host.status().sims.single().number == "+15005550101" }
        kit.restart()
        host.ensureRunning()
        await("still paused") { host.status().queues.singleOrNull()?.next?.waitingFor == "paused" }
    }

    @Test
    fun `no number and no text is in the activity log or in the platform's`() {
        insert()
        kit.pair(hub.invitation)
        hub.say("send", """{"to": "+15005550177", "text": "secret of the hub"}""")
        assertTrue(host.tellForKeeps(sms(1u)))
        hub.await("""{"inbound": 1}""")
        val both = setOf(What.ACCEPTED, What.SMS_RECEIVED)
        await("logged") { host.book.entries().mapTo(HashSet()) { it.what }.containsAll(both) }
        assertTrue(host.book.counts().received == 1u)
        val log = kit.app.noBackupFilesDir.resolve("activity").readText()
        val lines = ShadowLog.getLogs().map { it.msg.orEmpty() } + log
        for (word in listOf("5005550177", "5005550123", "secret of", "text of the sender")) {
            assertTrue(word, lines.none { word in it })
        }
    }

    private fun insert() {
        val sim = SubscriptionInfoBuilder.newBuilder().setId(3).setSimSlotIndex(0).buildSubscriptionInfo()
        shadowOf(kit.app.getSystemService(SubscriptionManager::class.java)).setActiveSubscriptionInfos(sim)
    }

    private fun failures() = host.book.entries().count { it.what == What.FAILED_TO_RUN }

    /** Moves the phone's clock forward. */
    private fun pass(seconds: Long) {
        val before = failures()
        ShadowSystemClock.advanceBy(Duration.ofSeconds(seconds))
        host.ensureRunning()
        kit.awaitLook()
        assertTrue(failures() <= before + 1)
    }

    private fun sms(receipt: ULong) = RadioFact.SmsReceived(
        ReceivedSms(receipt, 0u, "+15005550123", null, "a text of the sender", 1u, 1_700_000_000_000, null, null),
    )
}
