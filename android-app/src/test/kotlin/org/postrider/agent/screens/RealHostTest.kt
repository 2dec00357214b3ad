package org.postrider.agent.screens

import android.content.Intent
import android.net.Uri
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PostriderApp
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.kit.HostKit
import org.postrider.agent.kit.StubHub
import org.postrider.agent.kit.await
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

/** The screens over the app's own agent, with the real core. */
@RunWith(RobolectricTestRunner::class)
class RealHostTest {
    private val real get() = RuntimeEnvironment.getApplication() as PostriderApp

    @get:Rule
    val kit = HostKit()

    @Test
    fun `a fresh phone offers to be paired`() {
        assertTrue(open(StatusActivity::class.java).get().says(R.string.not_paired))
    }

    @Test
    fun `who opens the app after its process was ended starts it`() = StubHub().use { hub ->
        kit.pair(hub.invitation)
        kit.restart()
        open(StatusActivity::class.java)
        kit.awaitLink()
    }

    @Test
    fun `an address that the core refuses is said, and another can be typed`() {
        shadowOf(real).grantPermissions(*Permissions.FIRST.flatMap { it.permissions }.toTypedArray())
        // Not encrypted, and not on this machine.
        val link = Uri.parse("postrider://pair?hub=http%3A%2F%2Fhub.example.org&code=x")
        val screen = open(PairActivity::class.java, Intent(Intent.ACTION_VIEW, link)).get()
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_no)
        await("the refusal") { screen.says(R.string.wrong_hub) }
        screen.click(R.string.try_again)
        assertTrue(screen.says(R.string.hub_address))
    }
}
