package org.postrider.agent

/** Lines of the activity log's file: words between tabs, and a mark at the end that a cut line lacks. */
internal object EntryLine {
    private const val COUNTS = "counts"
    private const val NONE = "-"
    private const val END = "."

    fun write(entry: Entry): String =
        line(entry.atMs, entry.what.name, entry.message ?: NONE, entry.sim ?: NONE, entry.code ?: NONE)

    fun read(line: String): Entry? {
        val words = wordsOf(line, 5) ?: return null
        val at = words[0].toLongOrNull() ?: return null
        val what = What.entries.find { it.name == words[1] } ?: return null
        return Entry(at, what, words[2].takeIf { it != NONE }, words[3].toIntOrNull(), words[4].toIntOrNull())
    }

    fun writeCounts(day: Int, counts: TodayCounts): String =
        line(COUNTS, day, counts.sent, counts.failed, counts.received, counts.unknown)

    fun readCounts(line: String): Pair<Int, TodayCounts>? {
        val words = wordsOf(line, 6)?.takeIf { it[0] == COUNTS } ?: return null
        val numbers = words.drop(1).map { it.toIntOrNull() ?: return null }
        return numbers[0] to TodayCounts(numbers[1], numbers[2], numbers[3], numbers[4])
    }

    private fun line(vararg words: Any): String = words.joinToString("\t", postfix = "\t$END\n")

    private fun wordsOf(line: String, count: Int): List<String>? =
        line.split('\t').takeIf { it.size == count + 1 }?.dropLast(1)
}
