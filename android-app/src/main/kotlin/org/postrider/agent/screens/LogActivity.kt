package org.postrider.agent.screens

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.view.View
import android.view.ViewGroup
import android.widget.BaseAdapter
import android.widget.FrameLayout
import android.widget.ListView
import org.postrider.agent.AgentHost
import org.postrider.agent.R
import org.postrider.core.Entry

/** What happened, newest first: words, ids and times. It can be shared for support. */
class LogActivity : Activity() {
    private val control by lazy { Control.of(this) }
    private val times by lazy { Times(this) }
    private val rows = Rows()
    private lateinit var head: Column
    private val listener = AgentHost.Listener { show() }

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setTitle(R.string.log)
        head = Column(this)
        val side = resources.getDimensionPixelSize(R.dimen.page_side)
        val list = ListView(this).apply {
            id = R.id.page
            divider = null
            clipToPadding = false
            setPadding(side, side, side, side)
            addHeaderView(head, null, false)
            adapter = rows
        }
        setContentView(FrameLayout(this).apply { addView(list) }.also(::keepClearOfBars))
        show()
    }

    override fun onResume() {
        super.onResume()
        control.addListener(listener)
        show()
    }

    override fun onPause() {
        control.removeListener(listener)
        super.onPause()
    }

    private fun show() {
        rows.entries = control.entries()
        val state = if (rows.entries.isEmpty()) R.string.log_empty else R.string.log_about
        val share = Line.Button(getString(R.string.log_share)) { share() }
        head.show(listOf(Line.Title(getString(R.string.log)), Line.Text(getString(state)), share))
        rows.notifyDataSetChanged()
    }

    private fun share() {
        val text = SupportText.of(control.status().condition, rows.entries)
        val send = Intent(Intent.ACTION_SEND).setType("text/plain").putExtra(Intent.EXTRA_TEXT, text)
        opened(Intent.createChooser(send, getString(R.string.log_share)))
    }

    private inner class Rows : BaseAdapter() {
        var entries: List<Entry> = emptyList()

        override fun getCount() = entries.size
        override fun getItem(place: Int) = entries[place]
        override fun getItemId(place: Int) = place.toLong()
        override fun isEnabled(place: Int) = false

        override fun getView(place: Int, old: View?, parent: ViewGroup): View {
            val row = old as Column? ?: Column(this@LogActivity)
            row.show(entryLines(entries[place]))
            return row
        }
    }

    private fun entryLines(entry: Entry): List<Line> = listOfNotNull(
        Line.Text(EntryWords.place(resources, times, entry), tone = Tone.QUIET),
        Line.Text(getString(EntryWords.sentence(entry.what))),
        EntryWords.reason(resources, entry)?.let { Line.Text(it, tone = Tone.QUIET) },
    )
}
