package org.postrider.agent.screens

/** A phone number as people write it. */
internal object TypedNumber {
    /** An example of a full number. */
    const val HINT = "+15005550006"
    private const val SPACING = " -.()/\u00a0"

    /** Returns it without spacing. */
    fun plain(typed: String): String = typed.filterNot { it in SPACING }
}
