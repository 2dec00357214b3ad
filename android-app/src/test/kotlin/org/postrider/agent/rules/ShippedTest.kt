package org.postrider.agent.rules

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.postrider.agent.PostriderApp
import java.io.File
import java.util.zip.ZipFile

/** The shipped classes: the app, its core, Kotlin's library, JNA and ZXing; none of Google's own. */
class ShippedTest {
    private val classes: Map<String, ByteArray> by lazy {
        val place = File(PostriderApp::class.java.protectionDomain.codeSource.location.toURI())
        if (place.isDirectory) ofFolder(place) else ofJar(place)
    }

    @Test
    fun `no class of the app is or names one of Google's libraries`() {
        assertTrue(classes.size > 100)
        val naming = classes.filterValues { bytes ->
            val names = String(bytes, Charsets.ISO_8859_1)
            FOREIGN.containsMatchIn(names)
        }
        assertEquals(emptySet<String>(), naming.keys)
    }

    private fun ofFolder(folder: File) =
        folder.walk().filter { it.extension == "class" }.associate { it.name to it.readBytes() }

    private fun ofJar(jar: File) = ZipFile(jar).use { zip ->
        zip.entries().asSequence().filter { it.name.endsWith(".class") }
            .associate { it.name to zip.getInputStream(it).use { stream -> stream.readBytes() } }
    }

    private companion object {
        /** ZXing is on Maven Central and needs nothing else. No coroutines, and not Kotlin's full reflection. */
        val FOREIGN = Regex("androidx/|com/google/(?!zxing/)|android/support/|kotlinx/coroutines/|kotlin/reflect/full/")
    }
}
