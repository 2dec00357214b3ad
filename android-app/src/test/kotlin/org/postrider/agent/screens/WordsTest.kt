package org.postrider.agent.screens

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.core.Condition
import org.postrider.core.Entry
import org.postrider.core.What
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config
import java.io.File
import java.time.Instant

@RunWith(RobolectricTestRunner::class)
@Config(application = ScreensApp::class)
class WordsTest {
    @Test
    fun `every word of the core for a wait has a sentence, and no other`() {
        val words = File("../core/link/src/frame/waiting.rs").readText().substringAfter("words! {")
        val named = Regex("""^ {4}[A-Za-z]+ = "([a-z_]+)",$""", RegexOption.MULTILINE).findAll(words).map { it.groupValues[1] }
        assertEquals(named.toSortedSet(), WaitWords.SENTENCES.keys.toSortedSet())
    }

    @Test
    fun `every result code of the core has a sentence`() {
        val table = File("../core/text/src/result_code.rs").readText()
        val codes = Regex("""^ {4}(-?\d+) [A-Z][A-Z0-9_]+ [A-Z]""", RegexOption.MULTILINE).findAll(table).map { it.groupValues[1].toInt() }
        assertEquals(codes.toSortedSet(), ResultWords.CODES.toSortedSet())
    }

    @Test
    fun `each wait says something of its own, in each language`() {
        for (language in LANGUAGES) {
            RuntimeEnvironment.setQualifiers(language)
            val sentences = WaitWords.SENTENCES.values.map { app.getString(it) }
            assertEquals(sentences.size, sentences.toSet().size)
            assertTrue(sentences.all { it.endsWith(".") })
        }
    }

    @Test
    fun `everything that happens has a sentence of its own, in each language`() {
        for (language in LANGUAGES) {
            RuntimeEnvironment.setQualifiers(language)
            val sentences = What.values().map { app.getString(EntryWords.sentence(it)) }
            assertEquals(sentences.size, sentences.toSet().size)
        }
    }

    @Test
    fun `times are said as people say them`() {
        val times = Times(app) { Instant.parse("2026-01-01T12:00:00Z").toEpochMilli() }
        assertEquals("The next one can leave now.", times.nextIn(0))
        assertEquals("The next one leaves within a minute.", times.nextIn(59_999))
        assertEquals("The next one leaves in 1 minute at the latest.", times.nextIn(60_000))
        assertEquals("The next one leaves in 2 minutes at the latest.", times.nextIn(60_001))
        assertTrue(Regex("""The next one leaves at the latest: .*\d:\d\d.*""").matches(times.nextIn(7_200_000)))
    }

    @Test
    fun `what is shared for support has times, words and ids, and nothing else`() {
        val condition = Condition(81u, true, "wifi", 3u, true, "1.2.3", 35u, "Example", "One")
        val entries = listOf(
            Entry(0, What.FAILED, "SM0000000000000001", 1u, 19),
            Entry(1, What.LINK_UP, null, null, null),
        )
        val expected = "postrider 1.2.3 35 Example One\n" +
            "1970-01-01T00:00:00Z failed SM0000000000000001 sim=1 code=19\n" +
            "1970-01-01T00:00:00.001Z link_up"
        assertEquals(expected, SupportText.of(condition, entries))
    }

    private companion object {
        val LANGUAGES = listOf("en", "fr")
    }
}
