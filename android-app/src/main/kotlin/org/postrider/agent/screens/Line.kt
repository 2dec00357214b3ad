package org.postrider.agent.screens

/**
 * One line of a screen. A screen is a list of them, made again from the present state whenever that changes.
 *
 * Two lines with the same [key] and class are one view, which keeps its focus.
 */
sealed class Line {
    /** Tells lines of one class apart if they hold a state of their own. */
    open val key: Int get() = 0

    /** The screen's name, and a menu of rarely needed things. */
    data class Title(val text: String, val menu: List<Choosable> = emptyList()) : Line()

    /** Something in a menu. */
    data class Choosable(val text: String, val act: () -> Unit)

    /** The phone's overall state, and why. */
    data class State(val mood: Mood, val title: String, val details: List<String>) : Line()

    /** Counts in one row. */
    data class Counts(val counts: List<Count>) : Line()

    /** A count with its label, and a sentence with both. */
    data class Count(val count: Int, val label: String, val sentence: String)

    /** Something with a picture before it, and more lines about it. */
    data class Item(val icon: Int, val text: String, val about: List<String>) : Line()

    /** Lines that belong together. */
    data class Card(override val key: Int, val lines: List<Line>) : Line()

    /** The name of a part of the screen. */
    data class Heading(val text: String) : Line()

    /** A sentence; one that [isLive] is read out when it changes. */
    data class Text(val text: String, val isLive: Boolean = false, val tone: Tone = Tone.USUAL) : Line()

    /** Digits to compare, read out one by one as [spoken]. */
    data class Digits(val text: String, val spoken: String) : Line()

    /** A button. */
    data class Button(val text: String, val rank: Rank = Rank.USUAL, val act: () -> Unit) : Line() {
        override val key: Int get() = rank.ordinal
    }

    /** A field to type in; what was typed stays when the line comes again. */
    data class Field(
        override val key: Int,
        val label: String,
        val initially: String,
        val input: Input,
        val hint: String? = null,
    ) : Line()

    /** Something that is on or off. */
    data class Switch(
        override val key: Int,
        val text: String,
        val isOn: Boolean,
        val change: (Boolean) -> Unit,
    ) : Line()

    /** One of several; [chosen] is its place among [options]. */
    data class Choice(
        override val key: Int,
        val label: String,
        val options: List<String>,
        val chosen: Int?,
        val choose: (Int) -> Unit,
    ) : Line()
}

/** How a sentence is shown. */
enum class Tone { USUAL, QUIET, ALERT, FIXED_WIDTH }

/** How prominent a button is: what most people want next, one of several, what few want. */
enum class Rank { USUAL, MAIN, QUIET }

/** What a field takes. */
enum class Input { TEXT, ADDRESS, CODE, PHONE_NUMBER, NUMBER }
