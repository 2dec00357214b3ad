package org.postrider.agent.pictures

import android.app.Activity
import android.content.Intent
import android.content.pm.PackageManager
import android.graphics.Bitmap
import android.graphics.Canvas
import android.net.Uri
import android.provider.Settings
import android.view.View
import android.widget.ScrollView
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.agent.screens.AboutActivity
import org.postrider.agent.screens.HUB
import org.postrider.agent.screens.KeepRunningActivity
import org.postrider.agent.screens.LogActivity
import org.postrider.agent.screens.PairActivity
import org.postrider.agent.screens.PermissionsActivity
import org.postrider.agent.screens.ScanActivity
import org.postrider.agent.screens.ScreensApp
import org.postrider.agent.screens.SettingsActivity
import org.postrider.agent.screens.SimsActivity
import org.postrider.agent.screens.StatusActivity
import org.postrider.agent.screens.TestMessageActivity
import org.postrider.agent.screens.app
import org.postrider.agent.screens.click
import org.postrider.agent.screens.fake
import org.postrider.agent.screens.open
import org.postrider.agent.screens.pairedStatus
import org.postrider.agent.screens.settle
import org.postrider.agent.screens.unpairedStatus
import org.postrider.core.Alert
import org.postrider.core.AlertKind
import org.postrider.core.Entry
import org.postrider.core.TodayCounts
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.GraphicsMode
import java.io.File

/**
 * Draws every screen like a phone, into `target/pictures`. It is not a test: nothing compares pixels, and its name
 * keeps it out of the suite. `android-app/build-host pictures` runs it.
 */
@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
class Pictures {
    private val folder = File(System.getenv("POSTRIDER_PICTURES") ?: "target/pictures").also { it.mkdirs() }
    private val link = Intent(Intent.ACTION_VIEW, Uri.parse("https://$HUB/pair#code=ABCD0000"))

    @Test
    fun everyScreen() {
        Settings.Global.putString(app.contentResolver, Settings.Global.DEVICE_NAME, "Front desk")
        for ((name, qualifiers, fontScale) in WAYS) {
            RuntimeEnvironment.setQualifiers(qualifiers)
            RuntimeEnvironment.setFontScale(fontScale)
            for ((scene, screen) in scenes()) draw(screen(), "$scene-$name")
        }
        assertTrue(folder.list().orEmpty().isNotEmpty())
    }

    /** Draws the whole page, however long it is, and the part that a phone shows. */
    private fun draw(screen: Activity, name: String) {
        settle()
        val content = screen.requireViewById<View>(android.R.id.content)
        val page = content.requireViewById<View>(R.id.page)
        content.measure(exactly(screen, WIDTH_DP), View.MeasureSpec.makeMeasureSpec(0, View.MeasureSpec.UNSPECIFIED))
        val inside = (page as? ScrollView)?.getChildAt(0)?.measuredHeight ?: 0
        val highDp = (inside + page.paddingTop + page.paddingBottom) / screen.resources.displayMetrics.density
        draw(screen, content, highDp.toInt().coerceAtLeast(HIGH_DP), File(folder, "$name.png"))
        draw(screen, content, HIGH_DP, File(folder, "phone/$name.png"))
        screen.finish()
    }

    private fun draw(screen: Activity, content: View, highDp: Int, file: File) {
        content.measure(exactly(screen, WIDTH_DP), exactly(screen, highDp))
        content.layout(0, 0, content.measuredWidth, content.measuredHeight)
        val picture = Bitmap.createBitmap(content.width, content.height, Bitmap.Config.ARGB_8888)
        Canvas(picture).run {
            drawColor(screen.getColor(R.color.ground))
            content.draw(this)
        }
        file.parentFile?.mkdirs()
        file.outputStream().use { picture.compress(Bitmap.CompressFormat.PNG, 100, it) }
        picture.recycle()
    }

    private fun exactly(screen: Activity, dp: Int) =
        View.MeasureSpec.makeMeasureSpec((dp * screen.resources.displayMetrics.density).toInt(), View.MeasureSpec.EXACTLY)

    private fun scenes(): List<Pair<String, () -> Activity>> = listOf(
        "status-ready" to { status { copy(queues = emptyList()) } },
        "status-waiting" to { status { this } },
        "status-offline" to { status { copy(queues = emptyList(), isLinked = false, isOnline = false) } },
        "status-stopped" to { status { copy(isStoppedByOwner = true) } },
        "status-alert" to { status { copy(alerts = listOf(Alert(AlertKind.LOOK_AT_PHONE, 0u, 0))) } },
        "status-unpaired" to { unpaired(StatusActivity::class.java) },
        "scan" to { unpaired(ScanActivity::class.java) },
        "pair-typing" to { unpaired(PairActivity::class.java) },
        "pair-invited" to { unpaired(PairActivity::class.java, link) },
        "pair-forwarding" to { unpaired(PairActivity::class.java, link).also { it.click(R.string.go_on_pairing) } },
        "pair-permissions" to { asking() },
        "pair-digits" to { inPairing(PairingProgress.Comparing("042137")) },
        "permissions" to { paired(PermissionsActivity::class.java) },
        "keep-running" to { paired(KeepRunningActivity::class.java) },
        "sims" to { paired(SimsActivity::class.java) },
        "settings" to { paired(SettingsActivity::class.java) },
        "test-message" to { paired(TestMessageActivity::class.java) },
        "log" to { paired(LogActivity::class.java) },
        "about" to { paired(AboutActivity::class.java) },
    )

    private fun status(change: org.postrider.agent.Status.() -> org.postrider.agent.Status): Activity {
        give()
        fake.settings.isForwarding = true
        fake.status = pairedStatus("quiet_hours", 1_500_000uL).copy(counts = TodayCounts(42u, 1u, 12u, 0u)).change()
        return open(StatusActivity::class.java).get()
    }

    private fun paired(screen: Class<out Activity>): Activity {
        give()
        shadowOf(app).denyPermissions(*Permit.RECEIVE.permissions.toTypedArray())
        fake.settings.isForwarding = true
        fake.status = pairedStatus()
        return open(screen).get()
    }

    private fun unpaired(screen: Class<out Activity>, intent: Intent? = null): Activity {
        shadowOf(app.packageManager).setSystemFeature(PackageManager.FEATURE_CAMERA_ANY, true)
        fake.status = unpairedStatus()
        return open(screen, intent).get()
    }

    private fun asking(): Activity {
        Permit.values().forEach { shadowOf(app).denyPermissions(*it.permissions.toTypedArray()) }
        return unpaired(PairActivity::class.java, link).also {
            it.click(R.string.go_on_pairing)
            it.click(R.string.forward_yes)
        }
    }

    private fun inPairing(progress: PairingProgress): Activity {
        give()
        return unpaired(PairActivity::class.java, link).also {
            it.click(R.string.go_on_pairing)
            it.click(R.string.forward_yes)
            fake.change { copy(pairing = progress) }
        }
    }

    private fun give() {
        Permissions.FIRST.forEach { shadowOf(app).grantPermissions(*it.permissions.toTypedArray()) }
        val noon = 1_767_265_200_000
        fake.entries = listOf(
            Entry(noon, What.DELIVERED, "SM0000000000000007", 0u, null),
            Entry(noon - 40_000, What.SENT, "SM0000000000000006", 0u, -1),
            Entry(noon - 200_000, What.FAILED, "SM0000000000000005", 1u, 19),
            Entry(noon - 300_000, What.SMS_RECEIVED, null, 0u, null),
        )
    }

    private companion object {
        const val WIDTH_DP = 360
        const val HIGH_DP = 720
        const val SIZE = "w360dp-h720dp"

        /** Language, light or dark, and size of letters; our words exist in no right-to-left language. */
        val WAYS = listOf("en", "fr").flatMap { language ->
            listOf("notnight" to "light", "night" to "dark").flatMap { (qualifier, light) ->
                listOf(1f to "", 1.6f to "-large").map { (scale, size) ->
                    Triple("$language-$light$size", "$language-$SIZE-$qualifier-hdpi", scale)
                }
            }
        } + Triple("rtl-light", "ar-ldrtl-$SIZE-notnight-hdpi", 1f) + Triple("rtl-dark", "ar-ldrtl-$SIZE-night-hdpi", 1f)
    }
}
