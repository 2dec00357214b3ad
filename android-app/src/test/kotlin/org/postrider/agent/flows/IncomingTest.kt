package org.postrider.agent.flows

import org.junit.Assert.assertEquals
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.await
import org.postrider.agent.radio.ALICE
import org.postrider.agent.radio.BOB
import org.postrider.agent.radio.Pdus
import org.postrider.agent.ussd.Network
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode

/** Texts from the platform's broadcast or provider to the hub. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class IncomingTest {
    @get:Rule
    val phone = Phone()

    @Test
    fun `a text of several parts reaches the hub as one, with its SIM and sender`() {
        phone.pair()
        phone.receive(1, Pdus.deliverPart(ALICE, "one ", 0, 2), Pdus.deliverPart(ALICE, "two", 1, 2))
        phone.awaitInbound(1)
        val told = phone.inbound().single()
        assertEquals(listOf(ALICE, "one two", 2, 1), listOf("from", "text", "parts", "sim").map(told::get))
    }

    @Test
    fun `a broadcast that is repeated and a row that is found later are one text`() {
        phone.pair()
        phone.receive(ALICE, "hello")
        phone.receive(ALICE, "hello")
        phone.kill()
        phone.store(ALICE, "hello")
        phone.store(BOB, "only in the provider")
        phone.start()
        phone.awaitInbound(2)
        assertEquals(listOf("hello", "only in the provider"), phone.inbound().map { it.getString("text") })
    }

    @Test
    fun `a text whose broadcast never came is found in the provider`() {
        phone.pair()
        phone.kill()
        phone.store(ALICE, "missed")
        phone.start()
        phone.awaitInbound(1)
        assertEquals("missed", phone.inbound().single().getString("text"))
    }

    @Test
    fun `a broadcast starts a process that was dead and is told once`() {
        phone.pair()
        phone.kill()
        phone.receive(ALICE, "hello")
        phone.awaitInbound(1)
        await("runs") { phone.host.status().isRunning }
    }

    @Test
    fun `without the owner's leave nothing that comes in leaves the phone`() {
        phone.pair()
        phone.host.settings.isForwarding = false
        await("told") { phone.host.status().condition.forwarding == false }
        phone.receive(ALICE, "hello")
        phone.host.settings.isForwarding = true
        await("told") { phone.host.status().condition.forwarding == true }
        phone.receive(BOB, "another")
        phone.awaitInbound(1)
        assertEquals("another", phone.inbound().single().getString("text"))
    }
}
