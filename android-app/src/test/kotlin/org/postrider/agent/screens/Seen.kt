package org.postrider.agent.screens

import android.app.Activity
import android.os.Looper
import android.view.View
import android.view.ViewGroup
import android.widget.Button
import android.widget.CompoundButton
import android.widget.EditText
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.robolectric.Robolectric
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController

/** The app of a test. */
val app get() = RuntimeEnvironment.getApplication() as ScreensApp

/** The control that the test sets and reads. */
val fake get() = app.control

/** Opens a screen. */
fun <T : Activity> open(screen: Class<T>, intent: android.content.Intent? = null): ActivityController<T> =
    Robolectric.buildActivity(screen, intent).setup().also { settle() }

/** Runs everything that was posted. */
fun settle() = shadowOf(Looper.getMainLooper()).idle()

/** Returns a view and all views in it. */
fun View.all(): Sequence<View> = sequence {
    yield(this@all)
    if (this@all is ViewGroup) for (place in 0 until childCount) yieldAll(getChildAt(place).all())
}

/** Returns the views of a screen. */
fun Activity.views(): Sequence<View> = findViewById<View>(android.R.id.content)!!.all()

/** Returns every text on a screen, in its order. */
fun Activity.texts(): List<String> = views().filterIsInstance<TextView>().map { it.text.toString() }
    .filter { it.isNotEmpty() }.toList()

/** Returns whether a text is shown. */
fun Activity.says(text: Int, vararg arguments: Any) = getString(text, *arguments) in texts()

/** Clicks the view with a text; it must exist exactly once. */
fun Activity.click(text: String) {
    val found = views().filter { (it is Button) && it.text.toString() == text }.toList()
    assertEquals("$text in ${texts()}", 1, found.size)
    found.single().performClick()
    settle()
}

/** Clicks the view with a text of the resources. */
fun Activity.click(text: Int, vararg arguments: Any) = click(getString(text, *arguments))

/** Types into a field. */
fun Activity.type(field: Int, text: String) = findViewById<EditText>(field)!!.setText(text)

/** Returns whether a switch is on. */
fun Activity.isOn(switch: Int) = findViewById<CompoundButton>(switch)!!.isChecked

/** Lays a screen out; scrolling content gets its full height, and a list shows its first rows. */
fun Activity.layOut(widthDp: Int) {
    val density = resources.displayMetrics.density
    val width = View.MeasureSpec.makeMeasureSpec((widthDp * density).toInt(), View.MeasureSpec.EXACTLY)
    val height = View.MeasureSpec.makeMeasureSpec((HIGH_DP * density).toInt(), View.MeasureSpec.EXACTLY)
    val content = findViewById<View>(android.R.id.content)!!
    content.measure(width, height)
    content.layout(0, 0, content.measuredWidth, content.measuredHeight)
}

private const val HIGH_DP = 1_200
