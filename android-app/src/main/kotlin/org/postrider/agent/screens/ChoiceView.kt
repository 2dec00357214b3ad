package org.postrider.agent.screens

import android.content.Context
import android.widget.LinearLayout
import android.widget.RadioButton
import android.widget.RadioGroup
import android.widget.TextView
import org.postrider.agent.R

/** A question with several answers of equal size. */
internal class ChoiceView(context: Context, key: Int) : LinearLayout(context) {
    private val label = TextView(context, null, 0, R.style.FieldLabel)
    private val group = RadioGroup(context)

    init {
        orientation = VERTICAL
        group.id = key
        group.isSaveFromParentEnabled = false
        addView(label)
        addView(group, LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.WRAP_CONTENT))
    }

    fun show(line: Line.Choice) {
        LineViews.say(label, line.label)
        group.setOnCheckedChangeListener(null)
        while (group.childCount > line.options.size) group.removeViewAt(group.childCount - 1)
        line.options.forEachIndexed { place, option ->
            val button = group.getChildAt(place) as RadioButton? ?: button().also(group::addView)
            LineViews.say(button, option)
        }
        val chosen = line.chosen?.let { group.getChildAt(it).id }
        if (chosen == null) group.clearCheck() else group.check(chosen)
        group.setOnCheckedChangeListener { _, id ->
            val place = group.indexOfChild(group.findViewById(id))
            if (place >= 0) line.choose(place)
        }
    }

    private fun button() = RadioButton(context).apply {
        id = generateViewId()
        isSaveEnabled = false
        minHeight = resources.getDimensionPixelSize(R.dimen.touchable)
        setTextAppearance(R.style.SentenceText)
        layoutParams = RadioGroup.LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.WRAP_CONTENT)
    }
}
