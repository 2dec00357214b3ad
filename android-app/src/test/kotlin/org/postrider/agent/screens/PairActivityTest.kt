package org.postrider.agent.screens

import android.Manifest.permission
import android.content.Intent
import android.net.Uri
import android.view.View
import android.view.WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON
import android.widget.Button
import android.widget.EditText
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.core.Invitation
import org.postrider.core.PairingFailure
import org.postrider.core.PairingOutcome
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class PairActivityTest {
    private val address = "https://$HUB"
    private val link = "postrider://pair?hub=https%3A%2F%2F$HUB&code=ABCDSECRET"

    @Before
    fun `everything is allowed`() = Permissions.FIRST.forEach { shadowOf(app).grantPermissions(*it.permissions.toTypedArray()) }

    private fun opened(link: String? = null): ActivityController<PairActivity> =
        open(PairActivity::class.java, Intent(Intent.ACTION_VIEW, link?.let(Uri::parse)))

    /** Goes on to where the hub is asked. */
    private fun asking(): PairActivity = opened(link).get().also {
        it.click(R.string.go_on_pairing)
        it.click(R.string.forward_no)
    }

    @Test
    fun `a hub's link names the hub and asks before anything happens`() {
        val screen = opened(link).get()
        assertTrue(screen.says(R.string.invited, address))
        assertTrue(screen.says(R.string.invited_by_whom))
        assertFalse(screen.texts().any { "ABCDSECRET" in it })
        assertEquals(emptyList<Invitation>(), fake.invitations)
        screen.type(R.id.device_name, "Drawer")
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_yes)
        assertEquals(listOf(Invitation(address, "ABCDSECRET", emptyList())), fake.invitations)
        assertEquals("Drawer", fake.settings.deviceName)
        assertEquals(true, fake.settings.isForwarding)
        assertTrue(screen.says(R.string.asking, address))
    }

    @Test
    fun `address and code can be typed, the scheme left out`() {
        val screen = opened().get()
        screen.type(R.id.hub_address, " $HUB ")
        screen.type(R.id.pairing_code, "ABCD-EFGH-JKLM")
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_no)
        assertEquals(listOf(Invitation(address, "ABCD-EFGH-JKLM", emptyList())), fake.invitations)
        assertEquals(false, fake.settings.isForwarding)
    }

    @Test
    fun `what is wrong with what was typed is said, and what was typed stays`() {
        val screen = opened().get()
        screen.type(R.id.hub_address, "ftp://$HUB")
        screen.type(R.id.pairing_code, "ABCD")
        screen.click(R.string.go_on_pairing)
        assertTrue(screen.says(R.string.wrong_hub))
        assertEquals("ftp://$HUB", screen.requireViewById<EditText>(R.id.hub_address).text.toString())
        screen.type(R.id.hub_address, HUB)
        screen.type(R.id.pairing_code, "")
        screen.click(R.string.go_on_pairing)
        assertTrue(screen.says(R.string.wrong_code))
        assertFalse(screen.says(R.string.wrong_hub))
    }

    @Test
    fun `a link that is none says so, and the fields are there instead`() {
        for ((link, wrong) in listOf(
            "postrider://pair?hub=https%3A%2F%2F$HUB" to R.string.wrong_code,
            "postrider://pair?code=x" to R.string.wrong_hub,
            "postrider://elsewhere?code=x" to R.string.wrong_link,
            "postrider://pair?hub=https%3A%2F%2F$HUB&code=x&pin=short" to R.string.wrong_pin,
        )) {
            val screen = opened(link).get()
            assertTrue(link, screen.says(wrong))
            assertTrue(screen.says(R.string.hub_address))
        }
    }

    @Test
    fun `yes and no to forwarding weigh the same`() {
        val screen = opened(link).get()
        screen.click(R.string.go_on_pairing)
        assertNull(fake.settings.isForwarding)
        screen.layOut(360)
        val buttons = screen.views().filterIsInstance<Button>().toList()
        assertEquals(listOf(R.string.forward_yes, R.string.forward_no).map(screen::getString), buttons.map { it.text })
        val (yes, no) = buttons
        assertEquals(yes.width, no.width)
        assertEquals(yes.textSize, no.textSize, 0f)
        assertEquals(yes.currentTextColor, no.currentTextColor)
        assertEquals(yes.typeface, no.typeface)
        assertEquals(yes.background.constantState?.javaClass, no.background.constantState?.javaClass)
    }

    @Test
    fun `a link can be pasted as the address`() {
        val screen = opened().get()
        screen.type(R.id.hub_address, " $address/pair#code=ABCD0000 ")
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_no)
        assertEquals(listOf(Invitation(address, "ABCD0000", emptyList())), fake.invitations)
    }

    @Test
    fun `permissions are asked for before the hub is, can be left out, and stay offered when dismissed`() {
        Permissions.FIRST.forEach { shadowOf(app).denyPermissions(*it.permissions.toTypedArray()) }
        val screen = asking()
        val asked = shadowOf(screen).lastRequestedPermission
        assertEquals(emptyList<Invitation>(), fake.invitations)
        screen.onRequestPermissionsResult(asked.requestCode, emptyArray(), IntArray(0))
        assertTrue(screen.says(R.string.allow) && screen.says(R.string.not_now))
        screen.click(R.string.allow)
        screen.onRequestPermissionsResult(asked.requestCode, arrayOf(permission.READ_PHONE_STATE), intArrayOf(0))
        assertEquals(1, fake.invitations.size)

        fake.change { copy(pairing = null) }
        val other = asking()
        other.click(R.string.not_now)
        assertEquals(2, fake.invitations.size)
    }

    @Test
    fun `six digits stand in two groups and are read out one by one`() {
        val screen = asking()
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        screen.layOut(360)
        val digits = screen.views().filterIsInstance<TextView>().single { it.text == "042 137" }
        assertEquals("0, 4, 2, 1, 3, 7", digits.contentDescription)
        assertEquals(View.TEXT_DIRECTION_LTR, digits.textDirection)
        assertTrue(screen.says(R.string.compare_about))
    }

    @Test
    fun `who sees other digits can stop`() {
        val screen = asking()
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        screen.click(R.string.digits_differ)
        assertEquals(listOf("cancel"), fake.asked)
        assertTrue(screen.says(R.string.invited, address))
    }

    private fun joined() = asking().also {
        fake.change { copy(pairing = PairingProgress.Over(PairingOutcome.Paired), paired = pairedStatus().paired) }
        assertTrue(it.says(R.string.paired_now, HUB))
    }

    private fun PairActivity.goesTo(next: Class<*>) {
        assertEquals(next.name, shadowOf(this).nextStartedActivity.component?.className)
        assertTrue(isFinishing)
    }

    @Test
    fun `whoever has joined is asked for the battery once, and goes on to the status`() {
        joined().run {
            click(R.string.not_now)
            goesTo(StatusActivity::class.java)
        }
        fake.status = unpairedStatus()
        val power = app.getSystemService(android.os.PowerManager::class.java)
        shadowOf(power).setIgnoringBatteryOptimizations(app.packageName, true)
        joined().run {
            assertFalse(says(R.string.battery_reason))
            click(R.string.done)
            goesTo(StatusActivity::class.java)
        }
    }

    @Test
    fun `whoever has joined without what is needed goes on to the permissions`() {
        shadowOf(app).denyPermissions(*Permit.SEND.permissions.toTypedArray())
        val screen = asking()
        screen.click(R.string.not_now)
        fake.change { copy(pairing = PairingProgress.Over(PairingOutcome.Paired), paired = pairedStatus().paired) }
        screen.click(R.string.go_on_permissions)
        screen.goesTo(PermissionsActivity::class.java)
    }

    @Test
    fun `each way to fail says what to do, and how to begin again`() {
        val ways = listOf(
            PairingOutcome.Refused("pairing_refused", "x") to listOf(R.string.pairing_refused, R.string.pairing_refused_todo),
            PairingOutcome.Refused("pairing_expired", "x") to listOf(R.string.pairing_expired, R.string.pairing_expired_todo),
            PairingOutcome.Refused("invalid_param", "x") to listOf(R.string.pairing_not_a_code, R.string.pairing_refused_todo),
            PairingOutcome.Refused("app_too_old", "x") to listOf(R.string.pairing_app_too_old, R.string.pairing_app_too_old_todo),
            PairingOutcome.Refused("public_url_missing", "x") to
                listOf(R.string.pairing_no_public_url, R.string.pairing_no_public_url_todo),
            PairingOutcome.OtherDigits to listOf(R.string.other_digits, R.string.other_digits_todo),
            PairingOutcome.TimedOut to listOf(R.string.timed_out, R.string.timed_out_todo),
            PairingOutcome.Cancelled to listOf(R.string.pairing_cancelled),
            PairingOutcome.Failed(PairingFailure.NOT_A_HUB) to listOf(R.string.pairing_not_a_hub, R.string.pairing_not_a_hub_todo),
            PairingOutcome.Failed(PairingFailure.UNSAFE_LINK) to
                listOf(R.string.pairing_unsafe_link, R.string.pairing_no_public_url_todo),
            PairingOutcome.Failed(PairingFailure.STORAGE) to listOf(R.string.pairing_no_storage, R.string.pairing_no_storage_todo),
            PairingOutcome.Failed(PairingFailure.KEY) to listOf(R.string.pairing_no_key, R.string.pairing_no_key_todo),
            PairingOutcome.Failed(PairingFailure.NO_ROOTS) to
                listOf(R.string.pairing_no_roots, R.string.pairing_no_roots_todo),
            PairingOutcome.Failed(PairingFailure.APP) to listOf(R.string.pairing_app_failed, R.string.pairing_app_failed_todo),
        )
        for ((outcome, words) in ways) {
            fake.asked.clear()
            val screen = asking()
            fake.change { copy(pairing = PairingProgress.Over(outcome)) }
            words.forEach { assertTrue("$outcome", screen.says(it)) }
            screen.click(R.string.try_again)
            assertTrue(screen.says(R.string.hub_address))
            assertEquals(listOf("cancel"), fake.asked)
        }
    }

    @Test
    fun `what the hub says of another refusal is shown`() {
        val screen = asking()
        fake.change { copy(pairing = PairingProgress.Over(PairingOutcome.Refused("too_large", "a reason"))) }
        assertTrue(screen.says(R.string.pairing_refused_otherwise, "too_large", "a reason"))
        fake.change { copy(pairing = PairingProgress.Invalid("hub")) }
        assertTrue(screen.says(R.string.wrong_hub))
    }

    @Test
    fun `how the last pairing ended is not taken for the end of this one`() {
        val last = PairingProgress.Over(PairingOutcome.TimedOut)
        fake.isSlow = true
        for (before in listOf(null, last)) {
            fake.status = unpairedStatus().copy(pairing = before)
            val screen = asking()
            assertTrue(screen.says(R.string.asking, address))
            fake.change { copy(pairing = null) }
            assertTrue(screen.says(R.string.asking, address))
            fake.change { copy(pairing = last) }
            assertTrue(screen.says(R.string.timed_out))
        }
    }

    @Test
    fun `moving to another hub is asked first`() {
        fake.status = pairedStatus()
        val screen = opened("postrider://pair?hub=https%3A%2F%2Fother.example.org&code=x").get()
        assertTrue(screen.says(R.string.move_to_really, HUB, "https://other.example.org"))
        screen.click(R.string.move_yes)
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_no)
        assertEquals("https://other.example.org", fake.invitations.single().hub)
        assertTrue(screen.says(R.string.leaving, HUB))
        fake.change { unpairedStatus() }
        assertTrue(screen.says(R.string.asking, "https://other.example.org"))
    }

    @Test
    fun `who does not want to move stays`() {
        fake.status = pairedStatus()
        val screen = opened(link).get()
        screen.click(R.string.move_no)
        assertTrue(screen.isFinishing)
        assertEquals(emptyList<Invitation>(), fake.invitations)
        assertTrue(opened().get().says(R.string.move_really, HUB))
    }

    @Test
    fun `a second link takes the place of the first, until a pairing runs, which only its owner ends`() {
        val controller = opened(link)
        controller.get().click(R.string.go_on_pairing)
        val second = Intent(Intent.ACTION_VIEW, Uri.parse("postrider://pair?hub=https%3A%2F%2Fother.example.org&code=x"))
        controller.newIntent(second)
        val screen = controller.get()
        assertTrue(screen.says(R.string.invited, "https://other.example.org"))
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_no)
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        controller.newIntent(Intent(Intent.ACTION_VIEW, Uri.parse(link)))
        assertEquals(emptyList<String>(), fake.asked)
        assertTrue("042 137" in screen.texts())
        assertTrue(screen.says(R.string.another_invitation))
        assertTrue("042 137" in opened(link).get().texts())
        assertEquals(emptyList<String>(), fake.asked)
    }

    @Test
    fun `the screen stays on while a pairing runs, and no longer`() {
        val screen = asking()
        fun staysOn() = screen.window.attributes.flags and FLAG_KEEP_SCREEN_ON != 0
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        assertTrue(staysOn())
        fake.change { copy(pairing = PairingProgress.Over(PairingOutcome.TimedOut)) }
        assertFalse(staysOn())
    }

    @Test
    fun `Back goes one step, and ends no pairing that runs`() {
        val screen = asking()
        fake.change { copy(pairing = PairingProgress.Over(PairingOutcome.TimedOut)) }
        screen.back()
        assertTrue(screen.says(R.string.invited, address))
        fake.asked.clear()
        fake.change { copy(pairing = null) }
        screen.click(R.string.go_on_pairing)
        screen.back()
        assertTrue(screen.says(R.string.invited, address))
        assertFalse(screen.isFinishing)
        screen.click(R.string.go_on_pairing)
        screen.click(R.string.forward_no)
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        screen.back()
        assertTrue(screen.isFinishing)
        assertEquals(emptyList<String>(), fake.asked)
    }

    @Suppress("DEPRECATION")
    private fun PairActivity.back() = onBackPressed()

    @Test
    fun `a pairing that is going on is shown to whoever comes back`() {
        asking()
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        assertTrue("042 137" in opened().get().texts())
    }

    @Test
    fun `turning the phone keeps the step, the link and what was typed`() {
        val typed = opened()
        typed.get().type(R.id.hub_address, HUB)
        typed.get().type(R.id.device_name, "Drawer")
        typed.recreate()
        assertEquals(HUB, typed.get().requireViewById<EditText>(R.id.hub_address).text.toString())
        assertEquals("Drawer", typed.get().requireViewById<EditText>(R.id.device_name).text.toString())

        val linked = opened(link)
        linked.get().click(R.string.go_on_pairing)
        linked.recreate()
        linked.get().click(R.string.forward_yes)
        assertEquals(Invitation(address, "ABCDSECRET", emptyList()), fake.invitations.single())
        fake.change { copy(pairing = PairingProgress.Comparing("042137")) }
        linked.recreate()
        assertTrue("042 137" in linked.get().texts())
    }

    @Test
    fun `a pairing that the process did not outlive says so`() {
        val controller = opened(link)
        controller.get().click(R.string.go_on_pairing)
        controller.get().click(R.string.forward_no)
        fake.change { copy(pairing = null) }
        assertTrue(controller.get().says(R.string.interrupted))
        controller.get().click(R.string.try_again)
        assertTrue(controller.get().says(R.string.pair_about))
    }
}
