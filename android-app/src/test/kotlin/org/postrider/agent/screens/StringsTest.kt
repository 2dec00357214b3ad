package org.postrider.agent.screens

import java.io.File
import javax.xml.parsers.DocumentBuilderFactory
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.w3c.dom.Element

/** The strings of the whole app: each is used, each is translated to French, and both take the same arguments. */
class StringsTest {
    private val english = read("values")
    private val french = read("values-fr")

    @Test
    fun `every string is there in French, and no other`() {
        assertEquals(english.filterValues { it.isTranslated }.keys, french.keys)
    }

    @Test
    fun `the platform offers each language that there is, and no other`() {
        val translated = File("src/main/res").list().orEmpty().mapNotNull { Regex("values-([a-z]{2})").matchEntire(it) }
        val offered = Regex("android:name=\"(\\w+)\"").findAll(File("src/main/res/xml/locales.xml").readText())
        assertEquals(
            setOf("en") + translated.map { it.groupValues[1] }, offered.mapTo(HashSet()) { it.groupValues[1] },
        )
    }

    @Test
    fun `a translation wants the same arguments`() {
        for ((name, said) in french) for (form in said.forms.values) {
            assertEquals(name, arguments(english.getValue(name).forms.getValue("other")), arguments(form))
        }
    }

    @Test
    fun `arguments are numbered, and what counts comes in singular and plural`() {
        for (said in listOf(english, french)) for ((name, string) in said) {
            val loose = Regex("%[sd]").find(string.forms.values.joinToString())
            assertEquals(name, null, loose?.value)
            if (string.isPlural) assertTrue(name, string.forms.keys.containsAll(setOf("one", "other")))
        }
    }

    @Test
    fun `French is French`() {
        val same = french.filter { (name, said) -> said.forms == english.getValue(name).forms }.keys
        assertEquals(THE_SAME_IN_FRENCH, same.toSortedSet())
    }

    @Test
    fun `typography is the language's own`() {
        for (said in listOf(english, french)) for ((name, string) in said) for (form in string.forms.values) {
            assertTrue("$name: a straight apostrophe", "'" !in form)
        }
        for ((name, string) in french) for (form in string.forms.values) {
            assertTrue("$name: $form", !Regex("[^\u00a0\u202f][?!;»]|[^\u00a0\u202fs]:[^/]|«[^\u00a0]").containsMatchIn(form))
        }
    }

    @Test
    fun `every string is used`() {
        val sources = listOf("src/main/kotlin", "src/main/res", "src/main/AndroidManifest.xml", "src/debug")
            .flatMap { File(it).walk().filter { file -> file.extension in setOf("kt", "xml") } }
        val used = sources.flatMap { file ->
            Regex("(?:R\\.(?:string|plurals|array)\\.|@string/)([a-z0-9_]+)").findAll(file.readText()).map { it.groupValues[1] }
        }
        assertEquals(emptySet<String>(), english.keys - used.toSet())
    }

    @Test
    fun `nothing is said outside of the resources`() {
        val found = File("src/main/kotlin").walk().filter { file ->
            file.extension == "kt" && SAYING.any { it.containsMatchIn(file.readText()) }
        }
        assertEquals(emptyList<File>(), found.toList())
    }

    private class Said(val forms: Map<String, String>, val isPlural: Boolean, val isTranslated: Boolean)

    private fun read(folder: String): Map<String, Said> {
        val files = File("src/main/res/$folder").listFiles { file -> file.name.startsWith("strings") }.orEmpty()
        assertTrue(files.isNotEmpty())
        val entries = files.flatMap { file ->
            val root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file).documentElement
            root.elements().map { it.getAttribute("name") to said(it) }
        }
        assertEquals(entries.size, entries.toMap().size)
        return entries.toMap()
    }

    private fun said(element: Element): Said {
        val forms = when (element.tagName) {
            "plurals" -> element.elements().associate { it.getAttribute("quantity") to it.textContent }
            else -> mapOf("other" to element.textContent)
        }
        return Said(forms, element.tagName == "plurals", element.getAttribute("translatable") != "false")
    }

    private fun Element.elements() = (0 until childNodes.length).map(childNodes::item).filterIsInstance<Element>()

    private fun arguments(text: String) = Regex("%\\d\\$[sd]|%%").findAll(text).map { it.value }.toSortedSet()

    private companion object {
        /** Calls that show a text, when the text is in the source itself. */
        val SAYING = listOf(
            Regex("\\b(setText|setTitle|setContentText|setContentTitle|setTicker|bigText|setLabel|setSubText)\\(\\s*\"[^\"]"),
            Regex("\\b(text|title|hint|label|contentDescription|error)\\s*=\\s*\"[^\"]"),
            Regex("\\bLine\\.(Title|Text|Heading|Button|Digits)\\(\\s*\"[^\"]"),
            Regex("\\bLine\\.(Field|Switch|Choice)\\([^\"()]*\"[^\"]"),
            Regex("\\b(makeText|Action\\.Builder|NotificationChannel|createChooser)\\([^\"()]*\"[^\"]"),
        )

        /** Words that the two languages share. */
        val THE_SAME_IN_FRENCH = sortedSetOf("between_digits", "codes", "licences", "log_reason", "sim", "version")
    }
}
