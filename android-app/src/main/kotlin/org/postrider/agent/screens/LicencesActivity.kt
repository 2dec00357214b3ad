package org.postrider.agent.screens

import android.app.Activity
import android.os.Bundle
import android.view.View
import android.view.ViewGroup
import android.widget.BaseAdapter
import android.widget.FrameLayout
import android.widget.ListView
import org.postrider.agent.R

/** Whose work is in the app, and under which licences, each paragraph a row. */
class LicencesActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setTitle(R.string.licences)
        val side = resources.getDimensionPixelSize(R.dimen.page_side)
        val list = ListView(this).apply {
            id = R.id.page
            divider = null
            clipToPadding = false
            setPadding(side, side, side, side)
            addHeaderView(head(), null, false)
            adapter = Rows(read())
        }
        setContentView(FrameLayout(this).apply { addView(list) }.also(::keepClearOfBars))
    }

    private fun head() = Column(this).apply {
        show(listOf(Line.Title(getString(R.string.licences)), Line.Text(getString(R.string.licences_about))))
    }

    private fun read(): List<String> {
        val text = resources.openRawResource(R.raw.licences).use { it.readBytes().decodeToString() }
        return text.split("\n\n").filter { it.isNotBlank() }
    }

    private inner class Rows(private val paragraphs: List<String>) : BaseAdapter() {
        override fun getCount() = paragraphs.size
        override fun getItem(place: Int) = paragraphs[place]
        override fun getItemId(place: Int) = place.toLong()
        override fun isEnabled(place: Int) = false

        override fun getView(place: Int, old: View?, parent: ViewGroup): View {
            val row = old as Column? ?: Column(this@LicencesActivity)
            row.textDirection = View.TEXT_DIRECTION_LTR
            row.show(listOf(Line.Text(paragraphs[place], tone = Tone.QUIET)))
            return row
        }
    }
}
