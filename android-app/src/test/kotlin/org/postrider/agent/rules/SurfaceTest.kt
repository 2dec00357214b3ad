package org.postrider.agent.rules

import org.junit.Assert.assertEquals
import org.junit.Test
import org.postrider.agent.PostriderApp
import java.io.File

/**
 * What Kotlin sees of the core, compared with `android-bindings/surface.txt`.
 *
 * A difference changes the interface: if it is meant, copy the file that this test writes.
 */
class SurfaceTest {
    private val out = File(PostriderApp::class.java.protectionDomain.codeSource.location.toURI()).parentFile

    @Test
    fun `the generated Kotlin declares what is written down`() {
        val now = declarations(out.resolve("generated/core/org/postrider/core/postrider_android.kt").readText())
        val written = out.resolve("surface.txt").apply { writeText(now) }
        val advice = "If this change is meant: cp " + written + " android-bindings/surface.txt"
        assertEquals(advice, CHECKED_IN.takeIf { it.exists() }?.readText().orEmpty(), now)
    }

    private companion object {
        val CHECKED_IN = File("../android-bindings/surface.txt")
        val COMMENT = Regex("/\\*.*?\\*/|(?<=\\s)//[^\\n]*", RegexOption.DOT_MATCHES_ALL)
        val BLOCK = Regex("^(?:public )?(?:interface|data class|sealed class|enum class) .*?^[)}]", BLOCK_OPTIONS)
        val ALIAS = Regex("^public (typealias .*)$", RegexOption.MULTILINE)
        val CONSTRUCTOR = Regex("constructor\\((`config`[^)]*\\))")
        val FUNCTION = Regex("fun (`\\w+`\\([^)]*\\)(?:: [^{=]*)?)")
        val THROWS = Regex("@Throws\\((\\w+)::class\\)\\s*(?:override )?fun `(\\w+)`")
        val BODY = Regex(
            "\\{ override val message get\\(\\) = .*? \\}(?= |$)|" +
                "\\{ companion object \\}|companion object(?: ErrorHandler .*)?",
        )
        val MEMBER = Regex("(?<!data|sealed|enum) (?=(?:data class|class|object|fun) )")
        val INTERNAL = listOf("Uniffi", "FfiConverter", "Disposable")

        /** Every declaration of the core, one a line, with its members below; without comments and generated glue. */
        fun declarations(source: String): String {
            val code = source.replace(COMMENT, "")
            val blocks = BLOCK.findAll(code).map { line(it.value.removePrefix("public ").removeSuffix("}")) }
            val aliases = ALIAS.findAll(code).map { line(it.groupValues[1]) }
            val outside = code.substring(code.lastIndexOf("typealias"))
            val functions = FUNCTION.findAll(outside).map { "fun " + line(it.groupValues[1]) }
            val made = "constructor Agent(" + line(CONSTRUCTOR.find(code)!!.groupValues[1])
            val throwing = THROWS.findAll(code).map { (it.groupValues[2] + " throws " + it.groupValues[1]) }
            val all = (blocks + aliases + functions + made + throwing).filter { it.isOurs() }
            return all.toSortedSet().joinToString("\n", postfix = "\n")
        }

        fun String.isOurs() = INTERNAL.none { it in substringBefore('(').substringBefore('{') }

        fun line(declaration: String): String = declaration.replace(Regex("\\s+"), " ")
            .replace("`", "").replace("kotlin.", "").replace("org.postrider.core.", "")
            .replace(BODY, "").replace(Regex("\\s+"), " ").replace(" ,", ",").replace("( ", "(").replace(" )", ")")
            .replace(MEMBER, "\n    ").lines().joinToString("\n") { it.trimEnd(' ', '{', ';') }
    }
}

private val BLOCK_OPTIONS = setOf(RegexOption.MULTILINE, RegexOption.DOT_MATCHES_ALL)
