package org.postrider.agent.screens

import android.content.Context
import android.graphics.Typeface
import android.os.Build
import android.text.InputType
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.LinearLayout
import android.widget.Switch
import android.widget.TextView
import org.postrider.agent.R

/** Makes the platform's views for lines. */
internal object LineViews {
    /** Makes an empty view for lines of an identity. */
    fun make(context: Context, identity: Identity): View {
        val view = when (identity.kind) {
            Line.Title::class.java -> TitleView(context)
            Line.State::class.java -> StateView(context)
            Line.Counts::class.java -> CountsView(context)
            Line.Item::class.java -> ItemView(context)
            Line.Card::class.java -> CardView(context)
            Line.Heading::class.java -> text(context, R.style.Heading).also(::asHeading)
            Line.Text::class.java -> text(context, R.style.Sentence)
            Line.Digits::class.java -> digits(context)
            Line.Button::class.java -> Button(context, null, 0, styleOf(Rank.values()[identity.key]))
            Line.Field::class.java -> FieldView(context, identity.key)
            Line.Switch::class.java -> switch(context, identity.key)
            Line.Choice::class.java -> ChoiceView(context, identity.key)
            else -> error("a line without a view")
        }
        view.minimumHeight = view.minimumHeight.coerceAtLeast(touchable(context, identity))
        view.layoutParams = LinearLayout.LayoutParams(MATCH_PARENT, WRAP_CONTENT).apply {
            topMargin = context.resources.getDimensionPixelSize(marginOf(identity))
        }
        return view
    }

    /** Shows a line in a view; an unchanged text is not set again, so that it is not read out again. */
    fun update(view: View, line: Line) {
        when (line) {
            is Line.Title -> (view as TitleView).show(line)
            is Line.State -> (view as StateView).show(line)
            is Line.Counts -> (view as CountsView).show(line)
            is Line.Item -> (view as ItemView).show(line)
            is Line.Card -> (view as CardView).show(line)
            is Line.Heading -> say(view as TextView, line.text)
            is Line.Text -> sentence(view as TextView, line)
            is Line.Digits -> {
                say(view as TextView, line.text)
                view.contentDescription = line.spoken
            }
            is Line.Button -> {
                say(view as TextView, line.text)
                view.setOnClickListener { line.act() }
            }
            is Line.Field -> (view as FieldView).show(line)
            is Line.Switch -> switch(view as Switch, line)
            is Line.Choice -> (view as ChoiceView).show(line)
        }
    }

    private fun text(context: Context, style: Int) = TextView(context, null, 0, style).apply {
        textAlignment = View.TEXT_ALIGNMENT_VIEW_START
    }

    private fun digits(context: Context) = TextView(context, null, 0, R.style.Digits).apply {
        gravity = Gravity.CENTER
        textDirection = View.TEXT_DIRECTION_LTR
        typeface = Typeface.MONOSPACE
        accessibilityLiveRegion = View.ACCESSIBILITY_LIVE_REGION_POLITE
    }

    private fun switch(context: Context, key: Int) = Switch(context).apply {
        id = key
        isSaveEnabled = false
        setTextAppearance(R.style.SentenceText)
    }

    private fun switch(view: Switch, line: Line.Switch) {
        say(view, line.text)
        view.setOnCheckedChangeListener(null)
        view.isChecked = line.isOn
        view.setOnCheckedChangeListener { _, isOn -> line.change(isOn) }
    }

    private fun sentence(view: TextView, line: Line.Text) {
        val live = if (line.isLive) View.ACCESSIBILITY_LIVE_REGION_POLITE else View.ACCESSIBILITY_LIVE_REGION_NONE
        if (view.accessibilityLiveRegion != live) view.accessibilityLiveRegion = live
        view.setTextAppearance(if (line.tone == Tone.QUIET) R.style.QuietText else R.style.SentenceText)
        view.typeface = if (line.tone == Tone.FIXED_WIDTH) Typeface.MONOSPACE else Typeface.DEFAULT
        view.setBackgroundResource(if (line.tone == Tone.ALERT) R.drawable.alert else 0)
        val inside = if (line.tone == Tone.ALERT) view.resources.getDimensionPixelSize(R.dimen.alert_inside) else 0
        view.setPadding(inside, inside, inside, inside)
        say(view, line.text)
    }

    /** Sets a text if it changed. */
    fun say(view: TextView, text: String) {
        if (view.text.toString() != text) view.text = text
    }

    /** Lets a screen reader jump to it. */
    fun asHeading(view: TextView) {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) view.isAccessibilityHeading = true
    }

    private fun styleOf(rank: Rank) = when (rank) {
        Rank.USUAL -> R.style.Action
        Rank.MAIN -> R.style.MainAction
        Rank.QUIET -> R.style.QuietAction
    }

    private fun touchable(context: Context, identity: Identity) = when (identity.kind) {
        Line.Button::class.java, Line.Switch::class.java ->
            context.resources.getDimensionPixelSize(R.dimen.touchable)
        else -> 0
    }

    private fun marginOf(identity: Identity) = when (identity.kind) {
        Line.Heading::class.java, Line.Card::class.java, Line.State::class.java -> R.dimen.above_heading
        else -> R.dimen.above_line
    }
}

/** Returns the input type of a field for the platform's keyboards. */
internal fun Input.type(): Int = when (this) {
    Input.TEXT -> InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_FLAG_CAP_WORDS
    Input.ADDRESS -> InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_VARIATION_URI
    Input.CODE -> InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_FLAG_CAP_CHARACTERS or
        InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS
    Input.PHONE_NUMBER -> InputType.TYPE_CLASS_PHONE
    Input.NUMBER -> InputType.TYPE_CLASS_NUMBER
}
