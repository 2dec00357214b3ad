package org.postrider.agent

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.HostKit
import org.postrider.agent.kit.SoftwareKeystore
import org.postrider.agent.kit.StubHub
import org.postrider.agent.kit.await
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

/** An app that does not wait for a hub that it leaves. */
class HastyApp : PostriderApp() {
    override fun newHost() = AgentHost(this, leaveWithinS = 0u)
}

/** Leaving a hub that cannot be reached. */
@RunWith(RobolectricTestRunner::class)
class LeavingTest {
    @get:Rule
    val kit = HostKit()

    private fun pairWithHubThatIsGone() {
        StubHub().use { kit.pair(it.invitation) }
        await("not linked") { !kit.host.status().isLinked }
    }

    @Test
    fun `a phone says that it is leaving while it waits for its hub`() {
        pairWithHubThatIsGone()
        kit.host.unpair()
        await("leaving") { kit.host.status().pairing == PairingProgress.Leaving }
        assertTrue(kit.host.status().paired != null)
        assertTrue(kit.host.status().isRunning)
    }

    @Test
    @Config(application = HastyApp::class)
    fun `once its time is over it forgets the hub all the same`() {
        pairWithHubThatIsGone()
        kit.host.unpair()
        await("unpaired") { kit.host.status().paired == null }
        assertNull(kit.host.status().pairing)
        assertTrue(SoftwareKeystore.keys.isEmpty())
        assertEquals(What.UNPAIRED, kit.host.book.entries().first().what)
    }
}
