package org.postrider.agent.screens

import android.content.Context
import android.content.res.ColorStateList
import android.graphics.drawable.GradientDrawable
import android.view.Gravity
import android.view.Menu
import android.view.View
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.ImageButton
import android.widget.ImageView
import android.widget.LinearLayout
import android.widget.PopupMenu
import android.widget.TextView
import org.postrider.agent.R

/** A screen's name, and a menu of rarely needed things. */
internal class TitleView(context: Context) : LinearLayout(context) {
    private val title = TextView(context, null, 0, R.style.Title).apply {
        textAlignment = View.TEXT_ALIGNMENT_VIEW_START
    }
    private val more = ImageButton(context, null, 0, R.style.IconAction).apply {
        id = R.id.more
        setImageResource(R.drawable.ic_more)
        contentDescription = context.getString(R.string.more)
        minimumWidth = context.pixels(R.dimen.touchable)
        minimumHeight = context.pixels(R.dimen.touchable)
    }

    init {
        gravity = Gravity.CENTER_VERTICAL
        minimumHeight = context.pixels(R.dimen.touchable)
        LineViews.asHeading(title)
        addView(title, LayoutParams(0, WRAP_CONTENT, 1f))
        addView(more, LayoutParams(WRAP_CONTENT, WRAP_CONTENT))
    }

    fun show(line: Line.Title) {
        LineViews.say(title, line.text)
        more.visibility = if (line.menu.isEmpty()) GONE else VISIBLE
        more.setOnClickListener { open(line.menu) }
    }

    private fun open(menu: List<Line.Choosable>) = PopupMenu(context, more, Gravity.END).run {
        menu.forEachIndexed { place, choice -> this.menu.add(Menu.NONE, place, place, choice.text) }
        setOnMenuItemClickListener { item ->
            menu[item.itemId].act()
            true
        }
        show()
    }
}

/** A phone's overall state: a picture and a word in a colour, with the reason below. */
internal class StateView(context: Context) : LinearLayout(context) {
    private val icon = ImageView(context).apply { importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO }
    private val title = sentence(R.style.StateTitle)
    private val details = LinearLayout(context).apply { orientation = VERTICAL }

    init {
        val inside = context.pixels(R.dimen.card_inside)
        setPadding(inside, inside, inside, inside)
        val side = context.pixels(R.dimen.state_icon)
        addView(icon, LayoutParams(side, side).apply { marginEnd = inside })
        val words = LinearLayout(context).apply {
            orientation = VERTICAL
            addView(title)
            addView(details)
        }
        addView(words, LayoutParams(0, WRAP_CONTENT, 1f))
    }

    private fun sentence(style: Int) = TextView(context, null, 0, style).apply {
        textAlignment = TEXT_ALIGNMENT_VIEW_START
    }

    fun show(line: Line.State) {
        val ink = context.getColor(line.mood.ink)
        background = GradientDrawable().apply {
            setColor(context.getColor(line.mood.ground))
            cornerRadius = context.pixels(R.dimen.card_corner).toFloat()
        }
        icon.setImageResource(line.mood.icon)
        icon.imageTintList = ColorStateList.valueOf(ink)
        title.setTextColor(ink)
        title.accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE
        LineViews.say(title, line.title)
        while (details.childCount > line.details.size) details.removeViewAt(details.childCount - 1)
        line.details.forEachIndexed { place, text ->
            val view = details.getChildAt(place) as TextView? ?: sentence(R.style.Sentence).also {
                it.accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE
                details.addView(it)
            }
            view.setTextColor(ink)
            LineViews.say(view, text)
        }
    }
}

/** Counts side by side if the screen is wide enough; a screen reader reads them as sentences. */
internal class CountsView(context: Context) : LinearLayout(context) {
    fun show(line: Line.Counts) {
        while (childCount > line.counts.size) removeViewAt(childCount - 1)
        line.counts.forEachIndexed { place, count ->
            val cell = getChildAt(place) as LinearLayout? ?: cell().also(::addView)
            LineViews.say(cell.getChildAt(0) as TextView, count.count.toString())
            LineViews.say(cell.getChildAt(1) as TextView, count.label)
            cell.contentDescription = count.sentence
        }
        // Large letters do not fit side by side.
        orientation = if (resources.configuration.fontScale > SIDE_BY_SIDE_MAX) VERTICAL else HORIZONTAL
        for (place in 0 until childCount) {
            val isRow = orientation == HORIZONTAL
            getChildAt(place).layoutParams = LayoutParams(if (isRow) 0 else MATCH, WRAP_CONTENT, if (isRow) 1f else 0f)
        }
    }

    private fun cell() = LinearLayout(context).apply {
        orientation = VERTICAL
        isFocusable = true
        gravity = Gravity.CENTER_HORIZONTAL
        addView(TextView(context, null, 0, R.style.Count).apply { gravity = Gravity.CENTER })
        addView(TextView(context, null, 0, R.style.FieldLabel).apply { gravity = Gravity.CENTER })
    }

    private companion object {
        const val SIDE_BY_SIDE_MAX = 1.3f
        const val MATCH = android.view.ViewGroup.LayoutParams.MATCH_PARENT
    }
}

/** Something with a picture before it. */
internal class ItemView(context: Context) : LinearLayout(context) {
    private val icon = ImageView(context).apply { importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO }
    private val column = Column(context)

    init {
        val side = context.pixels(R.dimen.item_icon)
        val apart = context.pixels(R.dimen.alert_inside)
        addView(icon, LayoutParams(side, side).apply { setMargins(0, apart, 0, 0); marginEnd = apart })
        addView(column, LayoutParams(0, WRAP_CONTENT, 1f))
    }

    fun show(line: Line.Item) {
        icon.setImageResource(line.icon)
        icon.imageTintList = ColorStateList.valueOf(context.getColor(R.color.quiet_ink))
        column.show(listOf(Line.Text(line.text)) + line.about.map { Line.Text(it, tone = Tone.QUIET) })
    }
}

/** Lines that belong together, on a background of their own. */
internal class CardView(context: Context) : LinearLayout(context) {
    private val column = Column(context)

    init {
        val inside = context.pixels(R.dimen.card_inside)
        setPadding(inside, inside / 2, inside, inside)
        setBackgroundResource(R.drawable.card)
        addView(column, LayoutParams(0, WRAP_CONTENT, 1f))
    }

    fun show(line: Line.Card) = column.show(line.lines)
}

internal fun Context.pixels(size: Int) = resources.getDimensionPixelSize(size)
