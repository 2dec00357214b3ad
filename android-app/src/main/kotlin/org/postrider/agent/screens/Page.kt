package org.postrider.agent.screens

import android.content.Context
import android.graphics.Insets
import android.os.Build
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.view.WindowInsets
import android.widget.FrameLayout
import android.widget.ScrollView
import org.postrider.agent.R

/** Returns a page that scrolls its content, and stays clear of the system's bars and the keyboard. */
internal fun page(context: Context, content: View): View {
    val side = context.resources.getDimensionPixelSize(R.dimen.page_side)
    val end = context.resources.getDimensionPixelSize(R.dimen.page_end)
    val scroll = ScrollView(context).apply {
        id = R.id.page
        isFillViewport = true
        clipToPadding = false
        scrollBarStyle = View.SCROLLBARS_OUTSIDE_OVERLAY
        setPadding(side, side, side, end)
        addView(content, FrameLayout.LayoutParams(MATCH_PARENT, WRAP_CONTENT, Gravity.CENTER_HORIZONTAL))
    }
    return FrameLayout(context).apply {
        addView(scroll, FrameLayout.LayoutParams(MATCH_PARENT, MATCH_PARENT))
        keepClearOfBars(this)
    }
}

/** From Android 15 on windows lie below the bars; older platforms keep them clear. */
internal fun keepClearOfBars(view: View) {
    if (Build.VERSION.SDK_INT < Build.VERSION_CODES.R) return
    view.setOnApplyWindowInsetsListener { page, insets ->
        val kinds = WindowInsets.Type.systemBars() or WindowInsets.Type.displayCutout() or WindowInsets.Type.ime()
        val bars: Insets = insets.getInsets(kinds)
        page.setPadding(bars.left, bars.top, bars.right, bars.bottom)
        WindowInsets.CONSUMED
    }
}
