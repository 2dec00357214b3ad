package org.postrider.agent.screens

import android.os.Bundle
import org.postrider.agent.R
import org.postrider.core.SimInfo

/** Sends a message of the owner, and shows its progress. */
class TestMessageActivity : Screen(R.string.test_message) {
    private var slot: Int? = null

    override fun lines(): List<Line> {
        val status = control.status()
        val sims = status.sims.sortedBy { it.slot }
        val about = listOf(says(R.string.test_about))
        if (sims.isEmpty()) return about + says(R.string.no_sims)
        val chosen = sims.find { it.slot.toInt() == slot } ?: sims.first()
        return about + listOfNotNull(choice(sims, chosen).takeIf { sims.size > 1 }) + listOf(
            Line.Field(R.id.test_to, getString(R.string.test_to), "", Input.PHONE_NUMBER, TypedNumber.HINT),
            Line.Field(R.id.test_text, getString(R.string.test_text), getString(R.string.test_text_usual), Input.TEXT),
            Line.Button(getString(R.string.test_send)) { send(chosen) },
        ) + status.test?.let { TestWords(resources, times).of(it) }.orEmpty()
    }

    private fun choice(sims: List<SimInfo>, chosen: SimInfo): Line {
        val names = sims.map { QueueLines.name(resources, it.slot.toInt(), it) }
        return Line.Choice(R.id.test_sim, getString(R.string.test_sim), names, sims.indexOf(chosen)) {
            slot = sims[it].slot.toInt()
            show()
        }
    }

    private fun send(sim: SimInfo) {
        val to = TypedNumber.plain(column.typed(R.id.test_to))
        control.sendTest(sim.slot, to, column.typed(R.id.test_text))
        show()
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        slot?.let { state.putInt(SLOT, it) }
    }

    override fun restore(state: Bundle) {
        slot = state.getInt(SLOT, -1).takeIf { it >= 0 }
    }

    private companion object {
        const val SLOT = "slot"
    }
}
