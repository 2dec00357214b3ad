package org.postrider.agent.screens

/** A phone number as people write it. */
internal object TypedNumber {
    /** What a number in full looks like. */
    const val HINT = "+15005550006"
    private const val SPACING = " -.()/\u00a0"

    /** Returns it without what only helps to read it. */
    fun plain(typed: String): String = typed.filterNot { it in SPACING }
}
