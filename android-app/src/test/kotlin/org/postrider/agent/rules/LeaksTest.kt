package org.postrider.agent.rules

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.GuardChoice
import org.postrider.agent.flows.HandOver
import org.postrider.agent.flows.Modem
import org.postrider.agent.flows.Phone
import org.postrider.agent.kit.await
import org.postrider.agent.ussd.Network
import org.postrider.core.FfiConverterTypeKeystore
import org.postrider.core.FfiConverterTypeRadio
import org.postrider.core.FfiConverterTypeShell
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.SQLiteMode
import java.io.File
import java.util.concurrent.Executors

/** Many messages through shell and core: everything that they needed is released. */
@RunWith(RobolectricTestRunner::class)
@Config(shadows = [Modem::class, Network::class])
@SQLiteMode(SQLiteMode.Mode.LEGACY)
class LeaksTest {
    @get:Rule
    val phone = Phone()

    private val modem = Executors.newSingleThreadExecutor { work -> Thread(work, "modem") }

    @Test
    fun `a thousand messages leave no intent, no thread and no object of the core behind`() {
        val before = objects()
        phone.host.settings.guard = GuardChoice.NONE
        phone.host.settings.partsPerHour = 100_000
        phone.pair()
        Modem.onHandOver = { message -> modem.execute { answer(message) } }
        phone.send("""{"count": $FEW}""")
        phone.awaitState("delivered", FEW)
        phone.awaitWaiting(0)
        val (threads, running) = threads() to objects()
        phone.send("""{"count": ${MANY - FEW}, "report": true}""")
        for (count in FEW..MANY step 50) phone.awaitState("delivered", count)
        phone.awaitWaiting(0)
        assertEquals(MANY, phone.handed.size)
        assertEquals(emptyList<HandOver>(), phone.handed.filter { it.isHeld })
        await("threads end") { threads().all { (name, count) -> count <= (threads[name] ?: 0) } }
        assertEquals(running, objects())
        phone.kill()
        await("the core lets go") { objects() == before }
        await("its threads end") { OURS.none { it in threads() } }
        modem.shutdown()
    }

    private fun answer(message: HandOver) {
        message.isSent()
        message.isDelivered()
    }

    /** What Kotlin holds for the core. */
    private fun objects() = listOf(
        FfiConverterTypeRadio.handleMap.size,
        FfiConverterTypeKeystore.handleMap.size,
        FfiConverterTypeShell.handleMap.size,
    )

    /** The threads that the app and its core make, by name. */
    private fun threads(): Map<String, Int> =
        File("/proc/self/task").listFiles().orEmpty().mapNotNull { task -> task.resolve("comm").takeIf { it.exists() } }
            .mapNotNull { runCatching { it.readText().trim() }.getOrNull() }
            .filter { it in OURS }.groupingBy { it }.eachCount()

    private companion object {
        const val FEW = 50
        const val MANY = 1_000
        val OURS = setOf("host", "receivers", "radio", "postrider")
    }
}
