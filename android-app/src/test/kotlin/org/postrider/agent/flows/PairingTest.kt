package org.postrider.agent.flows

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.kit.await
import org.postrider.agent.ussd.Network
import org.postrider.core.PairingOutcome
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode

/** Joining a hub that answers in each way, and joining it in the end. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class PairingTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `a code that is refused leaves nothing behind, and the next one is taken`() {
        assertEquals("pairing_refused", (outcomeOf("refuse") as PairingOutcome.Refused).code)
        joinsAfterAll()
    }

    @Test
    fun `a code that has run out says so`() {
        assertEquals("pairing_expired", (outcomeOf("expire") as PairingOutcome.Refused).code)
        joinsAfterAll()
    }

    @Test
    fun `a hub that shows other digits is not joined`() {
        assertEquals(PairingOutcome.OtherDigits, outcomeOf("wrong_digits"))
        joinsAfterAll()
    }

    @Test
    fun `a phone that is unpaired gives back what waits and sends nothing more`() {
        phone.host.settings.paused = true
        phone.pair()
        phone.send()
        phone.awaitWaiting(1, "paused")
        phone.host.unpair()
        await("unpaired") { phone.host.status().paired == null }
        assertEquals(0, phone.handed.size)
    }

    private fun outcomeOf(answer: String): PairingOutcome {
        phone.hub.say("pairing", "\"$answer\"")
        phone.host.beginPairing(phone.hub.invitation)
        await("over") { phone.host.status().pairing is PairingProgress.Over }
        val outcome = (phone.host.status().pairing as PairingProgress.Over).outcome
        assertNull(phone.host.status().paired)
        phone.host.cancelPairing()
        await("seen") { phone.host.status().pairing == null }
        return outcome
    }

    private fun joinsAfterAll() {
        phone.hub.say("pairing", "\"confirm\"")
        phone.pair()
        phone.send()
        phone.awaitHanded().isSent()
        phone.awaitState("sent")
    }
}
