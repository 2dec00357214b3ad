package org.postrider.agent.screens

import android.content.Context
import android.view.View
import android.widget.EditText
import android.widget.LinearLayout
import org.postrider.agent.R

/** Shows lines below each other, and updates only what has changed. */
class Column(context: Context) : LinearLayout(context) {
    init {
        orientation = VERTICAL
    }

    /** Shows other lines; a view whose line is still there stays, with its focus and what was typed. */
    fun show(lines: List<Line>) {
        val coming = lines.mapTo(ArrayDeque()) { Identity.of(it) }
        lines.forEachIndexed { place, line ->
            val view = viewAt(place, coming.removeFirst(), coming)
            LineViews.update(view, line)
        }
        while (childCount > lines.size) removeViewAt(childCount - 1)
    }

    /** Longer lines are hard to read. */
    override fun onMeasure(width: Int, height: Int) {
        val widest = resources.getDimensionPixelSize(R.dimen.page_width_max)
        val isWider = MeasureSpec.getMode(width) != MeasureSpec.UNSPECIFIED && MeasureSpec.getSize(width) > widest
        super.onMeasure(if (isWider) MeasureSpec.makeMeasureSpec(widest, MeasureSpec.EXACTLY) else width, height)
    }

    /** Returns the text of the field with a key. */
    fun typed(key: Int): String = findViewById<EditText>(key)?.text?.toString().orEmpty()

    private fun viewAt(place: Int, wanted: Identity, later: Collection<Identity>): View {
        while (place < childCount) {
            val identity = identityAt(place)
            if (identity == wanted) return getChildAt(place)
            if (identity in later && wanted !in identitiesFrom(place)) break
            removeViewAt(place)
        }
        val view = LineViews.make(context, wanted)
        view.setTag(R.id.line, wanted)
        addView(view, place)
        return view
    }

    private fun identityAt(place: Int) = getChildAt(place).getTag(R.id.line) as Identity

    private fun identitiesFrom(place: Int) = (place until childCount).map(::identityAt)
}

/** Which view a line needs. */
data class Identity(val kind: Class<out Line>, val key: Int) {
    companion object {
        /** Returns the identity of a line. */
        fun of(line: Line) = Identity(line.javaClass, line.key)
    }
}
