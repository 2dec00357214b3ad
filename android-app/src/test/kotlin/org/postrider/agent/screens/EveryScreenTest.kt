package org.postrider.agent.screens

import android.app.Activity
import android.graphics.Color
import android.os.Build
import android.view.View
import android.widget.Button
import android.widget.CompoundButton
import android.widget.EditText
import android.widget.ImageButton
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.core.Alert
import org.postrider.core.AlertKind
import org.postrider.core.Entry
import org.postrider.core.PairingOutcome
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config

/** What is true of every screen, with every setting and orientation of the phone. */
@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class EveryScreenTest {
    private val screens = listOf(
        StatusActivity::class.java, PairActivity::class.java, PermissionsActivity::class.java,
        KeepRunningActivity::class.java, LogActivity::class.java, SimsActivity::class.java,
        SettingsActivity::class.java, TestMessageActivity::class.java, AboutActivity::class.java,
        LicencesActivity::class.java, ScanActivity::class.java,
    )

    /** Shows each screen for the busiest phone; only two of them depend on the progress of joining a hub. */
    private fun eachScreen(check: (Activity) -> Unit) = statuses().forEachIndexed { place, status ->
        fake.status = status
        fake.entries = What.values().map { Entry(0, it, "SM0000000000000001", 0u, 19) }
        for (screen in if (place == 0) screens else screens.take(2)) {
            check(open(screen).get().also { it.layOut(WIDTH_DP) })
        }
    }

    /** A phone that shows everything, and one in each step of joining a hub. */
    private fun statuses() = listOf(
        pairedStatus().copy(alerts = AlertKind.values().map { Alert(it, 1u, 0) }),
        unpairedStatus(),
        unpairedStatus().copy(pairing = PairingProgress.Comparing("042137")),
        unpairedStatus().copy(pairing = PairingProgress.Over(PairingOutcome.TimedOut)),
    )

    @Test
    fun `nothing is cut off, in every language, light, position and font size`() {
        for ((ways, size) in WAYS) {
            RuntimeEnvironment.setQualifiers(ways)
            RuntimeEnvironment.setFontScale(size)
            eachScreen { screen ->
                val texts = screen.views().filterIsInstance<TextView>().filter { it.text.isNotEmpty() }.toList()
                assertTrue(texts.isNotEmpty())
                texts.forEach { assertFits("$ways $size ${screen.javaClass.simpleName}: ${it.text}", it) }
            }
        }
    }

    private fun assertFits(what: String, text: TextView) {
        assertEquals(what, null, text.ellipsize)
        assertTrue(what, text.width <= WIDTH_DP * text.resources.displayMetrics.density)
        val layout = text.layout ?: return
        val room = text.height - text.compoundPaddingTop - text.compoundPaddingBottom
        assertTrue(what, text is EditText || layout.height <= room)
    }

    @Test
    fun `lines are not longer than can be read, however wide the screen is`() = eachScreen { screen ->
        screen.layOut(WIDE_DP)
        val widest = screen.resources.getDimensionPixelSize(R.dimen.page_width_max)
        assertTrue(screen.views().filterIsInstance<Column>().all { it.width <= widest })
        assertEquals(widest, screen.views().first { it is Column }.width)
    }

    @Test
    fun `what can be touched is large enough and says what it is`() = eachScreen { screen ->
        val least = 48 * screen.resources.displayMetrics.density
        for (view in screen.views().filter { it is Button || it is CompoundButton || it is EditText || it is ImageButton }
            .filter { it.visibility == View.VISIBLE }) {
            val what = "${screen.javaClass.simpleName}: $view"
            assertTrue(what, view.height >= least && view.width >= least)
            val isLabelled = screen.views().any { it.labelFor == view.id && it.labelFor != View.NO_ID }
            val says = (view as? TextView)?.text ?: view.contentDescription
            assertTrue(what, if (view is EditText) isLabelled else says.isNotBlank())
        }
    }

    @Test
    fun `each screen begins with its title as a heading, and has its label`() = eachScreen { screen ->
        val first = screen.views().filterIsInstance<TextView>().first { it.text.isNotEmpty() }
        assertTrue(first.isAccessibilityHeading)
        assertEquals(screen.title.toString(), first.text.toString())
        val label = screen.packageManager.getActivityInfo(screen.componentName, 0).loadLabel(screen.packageManager)
        assertEquals(label.toString(), first.text.toString())
    }

    @Test
    fun `light and dark can be read`() {
        for (light in listOf("notnight", "night")) {
            RuntimeEnvironment.setQualifiers(light)
            val ground = app.getColor(R.color.ground)
            val onGround = listOf(R.color.ink, R.color.quiet_ink, R.color.accent).map(app::getColor)
            onGround.forEach { assertTrue("$light ${Integer.toHexString(it)}", contrast(it, ground) >= READABLE) }
            val pairs = listOf(R.color.ink to R.color.alert_ground, R.color.on_accent to R.color.accent,
                R.color.on_tonal to R.color.tonal) + listOf(R.color.ink, R.color.quiet_ink, R.color.accent).map { it to R.color.card } +
                Mood.values().map { it.ink to it.ground }
            for ((ink, on) in pairs) {
                val name = app.resources.getResourceEntryName(on)
                assertTrue("$light: on $name", contrast(app.getColor(ink), app.getColor(on)) >= READABLE)
            }
            val inks = onGround + Mood.values().map { app.getColor(it.ink) }
            eachScreen { screen ->
                val texts = screen.views().filterIsInstance<TextView>().filter { it !is Button && it !is EditText }
                assertTrue(texts.all { it.currentTextColor in inks })
            }
        }
        RuntimeEnvironment.setQualifiers("notnight")
        val light = app.getColor(R.color.ground)
        RuntimeEnvironment.setQualifiers("night")
        assertNotEquals(light, app.getColor(R.color.ground))
    }

    @Test
    fun `a language that is written from the right begins there`() {
        RuntimeEnvironment.setQualifiers("ar-ldrtl")
        eachScreen { screen ->
            val content = screen.requireViewById<View>(android.R.id.content)
            assertEquals(View.LAYOUT_DIRECTION_RTL, content.layoutDirection)
            val state = screen.views().filterIsInstance<StateView>().flatMap { it.all() }.filterIsInstance<TextView>()
            assertTrue(state.all { it.textAlignment == View.TEXT_ALIGNMENT_VIEW_START })
            assertTrue(screen.views().filterIsInstance<TextView>().none { it.textAlignment == View.TEXT_ALIGNMENT_TEXT_END })
        }
    }

    @Test
    fun `turning the phone changes nothing that is said`() {
        fake.status = pairedStatus()
        for (screen in screens) {
            val controller = open(screen)
            controller.get().layOut(WIDTH_DP)
            val before = controller.get().texts()
            controller.recreate()
            controller.get().layOut(WIDTH_DP)
            assertEquals(before, controller.get().texts())
        }
    }

    @Test
    fun `another language says everything else`() {
        RuntimeEnvironment.setQualifiers("en")
        val english = mutableListOf<List<String>>()
        eachScreen { english += it.texts() }
        RuntimeEnvironment.setQualifiers("fr")
        var place = 0
        eachScreen { screen ->
            val same = screen.texts().intersect(english[place++].toSet()).filterNot(::isOfNoLanguage)
            if (screen is LicencesActivity) return@eachScreen
            assertEquals("${screen.javaClass.simpleName}", emptyList<String>(), same)
        }
    }

    /** Names, ids and digits, and words that both languages share. */
    private fun isOfNoLanguage(text: String) = text.none(Char::isLetter) || SHARED.any { it in text }

    private fun contrast(one: Int, other: Int): Double {
        val (dark, bright) = listOf(Color.luminance(one), Color.luminance(other)).sorted()
        return (bright + 0.05) / (dark + 0.05)
    }

    private companion object {
        const val WIDTH_DP = 320
        const val WIDE_DP = 900
        const val READABLE = 4.5
        /** Every combination of language, light and position, and both font sizes. */
        val WAYS = listOf(
            "en-port-notnight" to 1f, "en-land-night" to 2f, "fr-port-night" to 2f, "fr-land-notnight" to 1f,
            "ar-ldrtl-port-night" to 1f, "ar-ldrtl-land-notnight" to 2f,
        )
        val SHARED = listOf("Postrider", "SM00", "SIM 1", "SIM 2", "Codes", "Version", "Licences", Build.MODEL)
    }
}
