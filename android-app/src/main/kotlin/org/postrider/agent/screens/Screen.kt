package org.postrider.agent.screens

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import org.postrider.agent.AgentHost

/** A screen of lines, which are made again whenever something changed. */
abstract class Screen(private val title: Int) : Activity() {
    protected val control: Control by lazy { Control.of(this) }
    protected val times: Times by lazy { Times(this) }
    protected lateinit var column: Column
        private set
    private val listener = AgentHost.Listener { show() }

    /** Returns the lines below the title. */
    protected abstract fun lines(): List<Line>

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setTitle(title)
        column = Column(this)
        setContentView(page(this, column))
        state?.let(::restore)
        show()
    }

    /** Restores what [onSaveInstanceState] kept, before the first lines are made. */
    protected open fun restore(state: Bundle) = Unit

    override fun onResume() {
        super.onResume()
        control.addListener(listener)
        control.opened()
        show()
    }

    override fun onPause() {
        control.removeListener(listener)
        super.onPause()
    }

    /** Shows the present state. */
    fun show() = column.show(listOf(Line.Title(getString(title), menu())) + lines())

    /** Returns the menu beside the title. */
    protected open fun menu(): List<Line.Choosable> = emptyList()

    /** Returns a button that opens another screen. */
    protected fun opens(text: Int, screen: Class<out Activity>, rank: Rank = Rank.USUAL) =
        Line.Button(getString(text), rank) { startActivity(Intent(this, screen)) }

    /** Returns a sentence. */
    protected fun says(text: Int, vararg arguments: Any, tone: Tone = Tone.USUAL) =
        Line.Text(getString(text, *arguments), tone = tone)
}
