package org.postrider.agent

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class ActivityLogTest {
    private val context = RuntimeEnvironment.getApplication()
    private var nowMs = 1_800_000_000_000
    private val file = context.noBackupFilesDir.resolve("activity")
    private val log = log()

    private fun log() = ActivityLog(context) { nowMs }

    @Test
    fun `lines survive a restart, newest first`() {
        log.add(What.ACCEPTED, "msg_1", 0u, null)
        nowMs += 1
        log.add(What.FAILED, "msg_1", null, 4)
        val read = log().entries()
        assertEquals(log.entries(), read)
        assertEquals(Entry(nowMs, What.FAILED, "msg_1", null, 4), read[0])
        assertEquals(Entry(nowMs - 1, What.ACCEPTED, "msg_1", 0, null), read[1])
    }

    @Test
    fun `the last 500 lines are kept, and the counts are of all`() {
        repeat(2_345) { log.add(What.SENT, "msg_$it", null, -1) }
        for (read in listOf(log, log())) {
            assertEquals(500, read.entries().size)
            assertEquals("msg_2344", read.entries().first().message)
            assertEquals(TodayCounts(sent = 2_345), read.counts())
        }
        assertTrue(file.readLines().size <= 1_001)
    }

    @Test
    fun `each outcome is counted by its name`() {
        What.entries.forEach { log.add(it) }
        assertEquals(TodayCounts(sent = 1, failed = 2, received = 3, unknown = 1), log.counts())
    }

    @Test
    fun `what becomes known late is unknown no longer`() {
        listOf("msg_1", "msg_2", "msg_3").forEach { log.add(What.UNKNOWN, it) }
        log.add(What.SENT, "msg_1")
        log.add(What.DELIVERED, "msg_1")
        log.add(What.FAILED, "msg_2")
        log.add(What.SENT, "msg_4")
        assertEquals(TodayCounts(sent = 2, failed = 1, unknown = 1), log.counts())
        nowMs += 36 * 3_600_000L
        log.add(What.UNKNOWN, "msg_5")
        log.add(What.SENT, "msg_3")
        assertEquals(TodayCounts(sent = 1, unknown = 1), log().counts())
    }

    @Test
    fun `another day counts anew`() {
        log.add(What.SENT)
        nowMs += 36 * 3_600_000L
        assertEquals(TodayCounts(), log.counts())
        log.add(What.UNKNOWN)
        assertEquals(TodayCounts(unknown = 1), log.counts())
        assertEquals(TodayCounts(unknown = 1), log().counts())
    }

    @Test
    fun `a line that was cut off, or is of a newer app, is left out`() {
        log.add(What.SENT, "msg_1")
        file.appendText("1800000000000\tTELEPATHY\t-\t-\t-\t.\n1800000000000\tSENT\tmsg_")
        assertEquals(listOf("msg_1"), log().entries().map { it.message })
        assertEquals(TodayCounts(sent = 1), log().counts())
    }

    @Test
    fun `a line after one that was cut off is whole`() {
        file.writeText("1800000000000\tSENT\tmsg_")
        log.add(What.SENT, "msg_2")
        assertEquals(listOf("msg_2"), log().entries().map { it.message })
    }
}
