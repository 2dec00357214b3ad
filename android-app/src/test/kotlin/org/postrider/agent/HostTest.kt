package org.postrider.agent

import android.app.Application
import android.content.ComponentName
import android.content.Intent
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
import org.postrider.core.Invitation
import org.postrider.core.PairingOutcome
import org.postrider.core.RadioFact
import org.postrider.core.ReceivedSms
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

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
        host.ensureRunning()
        await("lost") { host.status().alerts.any { it.kind == AlertKind.KEY_LOST } }
        assertNull(host.status().paired)
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
        await("set aside") { host.status().alerts.any { it.kind == AlertKind.JOURNAL_SET_ASIDE } }
        assertNull(host.status().paired)
        kit.pair(hub.invitation)
        assertTrue(host.status().alerts.isEmpty())
    }

    private fun sms(receipt: ULong) = RadioFact.SmsReceived(
        ReceivedSms(receipt, 0u, "+15005550123", null, "a text of the sender", 1u, 1_700_000_000_000, null, null),
    )
}
