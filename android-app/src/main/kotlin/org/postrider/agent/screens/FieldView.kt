package org.postrider.agent.screens

import android.content.Context
import android.view.View
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.TextView
import org.postrider.agent.R

/** A field with its label above it, which a screen reader reads with it. */
internal class FieldView(context: Context, key: Int) : LinearLayout(context) {
    private val label = TextView(context, null, 0, R.style.FieldLabel)
    private val field = EditText(context)
    private var isFilled = false

    init {
        orientation = VERTICAL
        field.id = key
        field.isSingleLine = true
        field.minHeight = resources.getDimensionPixelSize(R.dimen.touchable)
        field.textAlignment = View.TEXT_ALIGNMENT_VIEW_START
        label.labelFor = key
        addView(label)
        addView(field, LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.WRAP_CONTENT))
    }

    fun show(line: Line.Field) {
        LineViews.say(label, line.label)
        field.hint = line.hint
        if (!isFilled) {
            field.inputType = line.input.type()
            field.setText(line.initially)
            isFilled = true
        }
    }
}
